// What workers tell about jobs while they run, and who reads it: progress, partial results and output.
//
// Reports about one job are collected and written together, the first at once and then at most every kFeedbackEvery, or as soon
// as kFeedbackEarly of them wait: a thousand small chunks a second are a few writes. A report is answered when it is written, so
// whoever waits for the answer before it speaks of the job's end has lost nothing. The lease is looked at before each write.
//
// Output is kept beside the job in the internal keyspace (output_index.h) and expires with it. Readers see what is written. One
// that follows is woken by the next write, and looks for itself every second, since another node may have written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/reply.h"
#include "engine/options.h"
#include "engine/output_index.h"
#include "model/job.h"
#include "model/output.h"
#include "store/store.h"

namespace muster::engine {

inline constexpr Duration kFeedbackEvery{100};
inline constexpr std::size_t kFeedbackEarly = 32;
inline constexpr std::size_t kFeedbackQueuedMax = 10'000;                      // reports about one job that wait to be written
inline constexpr std::size_t kFeedbackQueuedBytesMax = 8 * 1024 * 1024;        // of their chunks, of one job
inline constexpr std::size_t kFeedbackQueuedTotalBytesMax = 64 * 1024 * 1024;  // of all jobs
inline constexpr std::size_t kFeedbackJobsMax = 100'000;                       // about which something is remembered
inline constexpr std::size_t kOutputReadersMax = 10'000;                       // that wait for more
inline constexpr Duration kOutputWaitMax{60'000};

struct FeedbackReport {
  LeaseRef lease;
  NamespaceName in_namespace{};  // of the job, for wires that know it; empty: it is looked up
  std::optional<double> fraction{};
  std::optional<std::string> message{};
  std::string stage{};    // empty: as before
  std::string metrics{};  // a JSON object; empty: as before
  std::string results{};  // a JSON object that is merged into the partial result; empty: nothing
  std::vector<OutputChunk> chunks{};
  std::optional<OutcomeFacts> outcome{};  // of the result that follows
  std::optional<FeedbackPlace> place{};   // set: what was kept already is not kept again
  bool at_once = false;                   // nothing follows that is worth waiting for
};

// invalid_argument: what is wrong with it.
Status validate(const FeedbackReport& report);

struct OutputQuery {
  JobId job;
  std::optional<OutputChannel> channel{};  // empty: all
  std::uint64_t after = 0;                 // chunks behind this number
  std::size_t limit = limits::kOutputPageMax;
  Duration wait{0};  // for something to read, while the job is unfinished
};

struct OutputGap {
  OutputChannel channel = OutputChannel::output;
  OutputLoss lost;
};

struct JobOutput {
  JobId job;
  NamespaceName ns;
  JobState state = JobState::ready;
  std::string stage;
  std::string metrics;
  std::vector<OutputChunk> chunks;
  std::uint64_t next = 0;       // read on behind this
  bool more = false;            // at once: there is more than this page
  std::vector<OutputGap> gaps;  // of the channels that were asked for, where something behind `after` is gone
  std::optional<OutcomeFacts> outcome;
};

class Feedback {
 public:
  Feedback(store::Store& store, const Clock& clock, const Options& options);
  ~Feedback();

  // lease_lost, permission_denied, not_found: nothing is kept. exhausted: too much waits. A chunk that is too long or for which
  // there is no room is counted as lost, and the rest is kept.
  void report(FeedbackReport report, Reply<store::Renewed> reply);
  // not_found: no such job. exhausted: kOutputReadersMax.
  void read(OutputQuery query, Reply<JobOutput> reply);

  // From the store's listener.
  void committed(const store::Committed& commit);
  // Writes what is due and answers readers whose wait is over; returns how long until the next of either.
  Duration tick();
  // Writes everything at once and lets nobody wait any more. Idempotent.
  void stop();

 private:
  class Desk;
  class Readers;
  std::shared_ptr<Readers> readers_;  // shared with answers that are on their way
  std::shared_ptr<Desk> desk_;
};

}  // namespace muster::engine
