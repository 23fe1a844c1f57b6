// A live job as the memory index knows it: what ordering, matching and fencing need, and nothing that only a reader needs.
// About fifty bytes for a waiting job without special wishes; the rest hangs off a pointer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
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
inline constexpr std::uint16_t kIsRun = 64;
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

// What a claim wants of the rows of jobs that were enqueued a moment ago, so that the usual claim needs no row read. Bounded in
// bytes: what does not fit is read from its row.

struct Body {
  std::string payload;
  std::shared_ptr<const std::string> spec;  // its text, shared by neighbours of the same text; null: all defaults
};

class Bodies {
 public:
  static constexpr std::size_t kBytesMax = 8 * 1024 * 1024;
  static constexpr std::size_t kBodyBytesMax = 1'024;

  void put(JobKey key, const std::string& payload, const std::string& spec) {
    const std::size_t bytes = cost(payload.size() + spec.size());
    if (payload.size() + spec.size() > kBodyBytesMax || bytes_ + bytes > kBytesMax) return;
    if (bodies_.try_emplace(key, Body{payload, share(spec)}).second) bytes_ += bytes;
  }
  std::optional<Body> take(JobKey key) {
    auto found = bodies_.extract(key);
    if (found.empty()) return std::nullopt;
    Body& body = found.mapped();
    bytes_ -= cost(body.payload.size() + (body.spec ? body.spec->size() : 0));
    return std::move(body);
  }

 private:
  static constexpr std::size_t kEntryBytes = 96;  // what the map itself costs
  // A shared text counts for each of its jobs.
  static std::size_t cost(std::size_t bytes) { return bytes + kEntryBytes; }
  std::shared_ptr<const std::string> share(const std::string& spec) {
    if (spec.empty()) return nullptr;
    if (!newest_spec_ || *newest_spec_ != spec) newest_spec_ = std::make_shared<const std::string>(spec);
    return newest_spec_;
  }
  std::unordered_map<JobKey, Body> bodies_;
  std::shared_ptr<const std::string> newest_spec_;
  std::size_t bytes_ = 0;
};

// What is due when, as a heap whose entries may be out of date. Whoever pops an entry checks it against the job and adds it
// again when its time has moved: a renewal then costs nothing until the old time comes. Entries of jobs that ended long before
// their time are dropped by Core::tidy() (tidying.cc), or a time-out of an hour would be remembered for an hour.

template <class Time>  // Instant, or Ticks of listened time
class TimersOf {
 public:
  void add(Time at, JobKey key) {
    heap_.emplace_back(at, key);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
  // The next entry at or before now, removed.
  std::optional<JobKey> pop(Time now) {
    if (heap_.empty() || heap_.front().first > now) return std::nullopt;
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const JobKey key = heap_.back().second;
    heap_.pop_back();
    return key;
  }
  std::optional<Time> next() const {
    if (heap_.empty()) return std::nullopt;
    return heap_.front().first;
  }
  std::size_t size() const { return heap_.size(); }

 private:
  std::vector<std::pair<Time, JobKey>> heap_;
};

using Timers = TimersOf<Instant>;
using ListenedTimers = TimersOf<Ticks>;

}  // namespace muster::store::sqlite
