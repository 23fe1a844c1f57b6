#include "fronts/resp/plans/handlers.h"

#include <charconv>
#include <string>

namespace muster::resp::plans {

std::optional<std::int64_t> to_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::int64_t unix_seconds(Instant at) { return std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count(); }

std::string unix_seconds_text(Instant at) { return std::to_string(unix_seconds(at)); }

void refuse(const CallRef& call, const Status& status) { call->fail(error_text(status)); }

}  // namespace muster::resp::plans
