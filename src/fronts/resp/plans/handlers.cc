#include "fronts/resp/plans/handlers.h"

#include <charconv>
#include <string>

#include "base/log.h"

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

void audit(const CallRef& call, const command::Spec& spec, std::string_view target, const Status& outcome) {
  if (!spec.audited) return;
  const command::Caller& caller = call->client().caller;
  log::info("audit", {{"who", caller.name},
                      {"address", caller.address},
                      {"type", std::string(spec.name)},
                      {"target", std::string(target)},
                      {"outcome", std::string(to_string(outcome.code()))}});
}

}  // namespace muster::resp::plans
