// A queue: where jobs of a namespace wait, its limits, and its numbers. A queue exists from its first job or setting on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "model/ids.h"

namespace muster {

// At most `count` claims in any `per`, in bursts of at most `burst`.
struct RateLimit {
  double count = 0;
  Duration per{1'000};
  std::uint32_t burst = 1;
  friend bool operator==(const RateLimit&, const RateLimit&) = default;
};

struct QueueSettings {
  bool paused = false;
  std::string pause_reason;
  std::optional<std::uint32_t> running_max;
  std::map<std::string, std::uint32_t> running_max_by_type;
  std::optional<RateLimit> rate;
  friend bool operator==(const QueueSettings&, const QueueSettings&) = default;
};

// A change of some settings; what is empty stays. A limit of 0 removes that limit.
struct QueueChange {
  NamespaceName ns{kDefaultNamespace};
  QueueName queue;
  std::optional<bool> paused;
  std::string pause_reason;
  std::optional<std::uint32_t> running_max;
  std::map<std::string, std::uint32_t> running_max_by_type;
  std::optional<RateLimit> rate;  // count 0 removes it
};

struct QueueStats {
  NamespaceName ns;
  QueueName queue;
  QueueSettings settings;
  std::uint64_t scheduled = 0;
  std::uint64_t ready = 0;
  std::uint64_t running = 0;
  std::uint64_t dead = 0;                  // since this process started
  std::uint64_t enqueued_total = 0;        // since this process started
  std::uint64_t completed_total = 0;       // since this process started
  std::optional<Instant> oldest_ready_at;  // due time of the job that has been ready longest
  double completed_per_second = 0;         // over the last minute
};

struct NamespaceInfo {
  NamespaceName name;
  Instant created_at{};
  std::string description;
  std::string display_name{};  // empty: as the name
  bool enabled = true;         // false: jobs are refused with `conflict`; what is there goes on
  Instant updated_at{};
};

// A change of some facts; what is empty stays.
struct NamespaceChange {
  NamespaceName name;
  std::optional<std::string> display_name;
  std::optional<std::string> description;
  std::optional<bool> enabled;
};

}  // namespace muster
