// What an operator can set about the engine. Defaults are those of docs/limits.md.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/clock.h"
#include "engine/load_rule.h"
#include "engine/package_rules.h"
#include "model/limits.h"
#include "model/worker.h"
#include "store/verbs.h"

namespace muster::engine {

// Audit rows that are kept: what operators did, and dispatches and refused attempts.
inline constexpr std::uint64_t kAuditDeedsMax = 100'000;
inline constexpr std::uint64_t kAuditTrafficMax = 200'000;

struct Options {
  std::array<HeartbeatPolicy, 5> policies{default_policy(Dialect::http), default_policy(Dialect::resp),
                                          default_policy(Dialect::grpc), default_policy(Dialect::ws),
                                          default_policy(Dialect::agent)};  // by Dialect
  store::Retention retention;
  Duration offline_kept = limits::kOfflineKept;
  std::size_t events_kept = 65'536;         // entries of the ring
  std::size_t parked_max = 100'000;         // parked claims; one more is answered `exhausted`
  Duration claim_poll_every{1'000};         // parked claims look for themselves this often (rule 9)
  Duration scheduler_every{5'000};          // schedules are looked at this often at the latest
  std::size_t scheduler_batch = 100;        // due schedules of one pass
  std::size_t scheduler_fires_max = 1'000;  // fires of one pass
  Duration audit_kept = std::chrono::hours(24 * 90);
  std::uint64_t audit_deeds_max = kAuditDeedsMax;
  std::uint64_t audit_traffic_max = kAuditTrafficMax;
  // Runs of a server that was killed are handed back when nobody spoke of them for so long; 0: never.
  Duration orphaned_runs_after{0};
  LoadLimits load;
  std::map<std::string, LoadLimits> load_by_namespace;  // instead of `load`
  PackageTiming packages;
  bool history = false;                     // figures are recorded over time
  std::function<Ticks()> processor_time{};  // of this process so far; empty: nobody knows
};

}  // namespace muster::engine
