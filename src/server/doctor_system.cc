#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/timex.h>

#include "base/time_text.h"
#include "server/doctor.h"

namespace muster::server {
namespace {

// A wall clock before this was never set; leases and delays are stored as wall time.
constexpr Instant kOldestSaneTime{Duration(1'750'000'000'000)};
constexpr rlim_t kDescriptorsBeside = 64;  // database, logs, listeners, pipes

Finding check_clock(const Clock& clock) {
  const Instant now = clock.now();
  if (now < kOldestSaneTime)
    return {.name = "clock",
            .grade = Grade::fail,
            .text = fmt::format("the clock says {}", to_rfc3339(now)),
            .remedy = "set the clock: due times and leases are stored as wall time"};
  timex state{};
  if (::adjtimex(&state) == TIME_ERROR)
    return {.name = "clock",
            .grade = Grade::warn,
            .text = fmt::format("{}, not synchronised", to_rfc3339(now)),
            .remedy = "run a time service (systemd-timesyncd, chrony)"};
  return good("clock", fmt::format("{}, synchronised", to_rfc3339(now)));
}

Finding check_descriptors(const Config& config) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return {.name = "open files", .grade = Grade::warn, .text = "the limit cannot be read", .remedy = "check `ulimit -n`"};
  const auto wanted = static_cast<rlim_t>(config.number("limits", "connections_max")) + kDescriptorsBeside;
  const std::string text = fmt::format("limit {}, wanted {} for limits.connections_max = {}", limit.rlim_cur, wanted,
                                       config.number("limits", "connections_max"));
  if (limit.rlim_cur >= wanted) return good("open files", text);
  if (limit.rlim_max >= wanted) return good("open files", text + "; `muster serve` raises it");
  return {.name = "open files",
          .grade = Grade::warn,
          .text = text,
          .remedy = fmt::format("LimitNOFILE={} in the unit, or lower limits.connections_max", wanted)};
}

}  // namespace

std::vector<Finding> check_system(const Config& config, const Clock& clock) {
  return {check_clock(clock), check_descriptors(config)};
}

}  // namespace muster::server
