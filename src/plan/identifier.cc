// The names of plans, actions, jobs and workers on the wire of the original: short, and free of what could be read as part of a
// key.
#include <algorithm>

#include <fmt/format.h>

#include "plan/plan.h"

namespace muster::plan {
namespace {

bool is_accepted(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

Status validate_identifier(std::string_view field, std::string_view text) {
  if (text.empty() || text.size() > kIdBytesMax)
    return Status::invalid_argument(fmt::format("{} must be between 1 and {} characters", field, kIdBytesMax));
  if (!std::all_of(text.begin(), text.end(), is_accepted))
    return Status::invalid_argument(
        fmt::format("{} contains invalid characters (only alphanumeric, hyphens, and underscores allowed)", field));
  return {};
}

}  // namespace muster::plan
