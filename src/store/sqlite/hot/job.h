// A live job as the memory index knows it: what ordering, matching and fencing need, and nothing that only a reader needs.
// About fifty bytes for a waiting job without special wishes; the rest hangs off a pointer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/job.h"
#include "model/rank.h"
#include "store/codec/id_codec.h"

namespace muster::store::sqlite {

using LaneIndex = std::uint32_t;
using QueueIndex = std::uint32_t;
using WorkerKey = std::int64_t;  // row id; 0: none

// Bits of jobs.flags.
inline constexpr std::uint16_t kPayloadBytes = 1;  // encoding of the payload
inline constexpr std::uint16_t kPayloadApart = 2;  // it is in `contents`
inline constexpr std::uint16_t kResultBytes = 4;
inline constexpr std::uint16_t kResultApart = 8;
inline constexpr std::uint16_t kCancelRequested = 16;
inline constexpr std::uint16_t kHasProgress = 32;
inline constexpr std::uint16_t kIsRun = 64;  // job_list_* and job_counts know it by its number
inline constexpr std::uint16_t kHasParent = 128;

// Wishes of a job that the hot path must honour without reading its row.
struct Wishes {
  std::string concurrency_key;
  std::uint32_t concurrency_limit = 0;
  std::string unique_key;
  UniqueWhile unique_during = UniqueWhile::unfinished;
  std::string sticky_key;
  std::string prefer;
  Instant prefer_until{};
  std::string fairness_key;
  std::uint32_t fairness_weight = 1;
  std::int64_t fair_start = 0;        // 0: not stamped
  std::optional<Instant> expires_at;  // the deadline, if that comes first
  std::optional<Instant> deadline;    // ends it while it runs, too
  std::optional<Instant> not_before;  // due time once the dependencies are done
  std::uint32_t dependencies_pending = 0;
  bool run_on_dependency_failure = false;
  bool waits_for_key = false;  // stands with its concurrency key instead of in its lane
};

// What the steps of a run are judged by, kept while it runs so that a step needs no look at the run's row.
struct RunMemo {
  RunSpec spec;                      // policy, backoff and parent; what only readers ask for is left out
  std::optional<std::size_t> steps;  // attempts so far; empty: not counted yet
};
std::unique_ptr<RunMemo> memo_of(RunSpec spec);

// The lease of a running job. What ends it is judged by listened time: an outcome or a beat that lies in a socket while the
// server cannot listen is heard first.
struct Running {
  Fence fence{};
  WorkerKey worker = 0;
  Instant started_at{};
  Ticks lease_ends{};  // listened time
  Duration lease_ttl{};
  std::optional<Ticks> times_out;  // listened time
  std::unique_ptr<RunMemo> run;    // null: not a run
};

struct HotJob {
  Rank rank = 0;
  std::int64_t run_at_ms = 0;  // meaningless while dependencies are pending
  std::int64_t created_at_ms = 0;
  std::uint64_t fence = 0;  // of the last grant
  LaneIndex lane = 0;       // where it waits, a worker's own lane included
  LaneIndex home = 0;       // the lane of its row
  std::uint32_t attempt = 0;
  std::int16_t priority = 0;
  std::uint16_t rescues = 0;
  std::uint16_t flags = 0;
  JobState state = JobState::scheduled;
  JobEvent event = JobEvent::enqueued;
  std::unique_ptr<Wishes> wishes;    // null: none
  std::unique_ptr<Running> running;  // set while it runs

  Instant run_at() const { return from_ms(run_at_ms); }
  bool blocked() const { return wishes && wishes->dependencies_pending > 0; }
};

}  // namespace muster::store::sqlite
