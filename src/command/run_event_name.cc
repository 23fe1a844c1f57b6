#include "command/run_event_name.h"

#include <algorithm>
#include <string_view>

#include "base/json_reader.h"

namespace muster::command {
namespace {

constexpr std::size_t kEventNameMax = 64;

bool is_event_name(std::string_view name) {
  return !name.empty() && name.size() <= kEventNameMax && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  });
}

}  // namespace

std::string run_event_name(const OutputChunk& chunk) {
  if (!chunk.text) return {};
  const auto object = json::parse_object(chunk.data);
  if (!object) return {};
  const std::string* const type = json::text(*object, "type");
  return type != nullptr && is_event_name(*type) ? *type : std::string();
}

}  // namespace muster::command
