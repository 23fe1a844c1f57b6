// One look at a batch: the job that polls it is in this node's hand. While the batch is worked on the job sleeps; when it has
// ended, every line of its results is written to its run, and runs without a line are told so. What was written before a crash is
// not written again: a run that no longer waits for its line is left alone. On the agenda.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "agents/base.h"
#include "agents/jobs.h"
#include "agents/run_reads.h"
#include "agents/run_writes.h"
#include "agents/settling.h"
#include "model/job.h"

namespace muster::agents {

inline constexpr std::size_t kLinesAtOnce = 64;  // that are being written
// Lines that were read and are not written yet. The rest of the results is read when there is room again.
inline constexpr std::size_t kBatchLinesHeldMax = 1'000;
inline constexpr std::size_t kBatchBytesHeldMax = 32 * 1024 * 1024;

class BatchPoll : public std::enable_shared_from_this<BatchPoll> {
 public:
  struct Ears {
    std::function<void(JobId job)> finished;
    std::function<void(JobId run, const std::vector<ToolExecution>&)> watch_tools;
  };
  BatchPoll(BasePtr base, const Grant& grant, Ears ears);

  JobId id() const { return lease_.job; }
  const LeaseRef& lease() const { return lease_; }
  const NamespaceName& ns() const { return ns_; }
  bool is_over() const { return over_; }
  void start();
  void abandon();
  void hand_back();

 private:
  template <class T, class Then>
  Reply<T> then(Then next) {
    return onto<T>(base_, weak_from_this(), [next = std::move(next)](BatchPoll& self, Result<T> result) mutable {
      if (!self.over_) next(self, std::move(result));
    });
  }
  // The last that is done about the job.
  template <class Request>
  void let_go(Request request) {
    settle_job(base_, weak_from_this(), std::move(request), [](BatchPoll& self, const auto&) { self.out_of_hand(); });
  }
  Moment moment() const { return {base_->now(), base_->worker()}; }

  void looked(Result<claude::Batch> batch);
  void look_at_runs(const claude::Batch& batch);
  void tell_progress(const std::vector<AgentRun>& runs);
  void read_results();
  void results_read(const Result<std::uint64_t>& lines);
  // A line, or its absence.
  struct Line {
    BatchMember member;
    std::optional<claude::BatchLine> line;
    std::shared_ptr<const void> place{};  // among those that are held: free with the last copy
  };
  class Reader;
  void take(claude::BatchLine line, std::shared_ptr<const void> place);
  void next_lines();
  void apply(Line line);
  void apply_answer(const Line& line, const store::AgentRunView& view);
  void write_line(JobId run, Decide decide);
  void line_done(Status status);
  void sleep(Duration delay);
  void complete();
  void out_of_hand();

  const BasePtr base_;
  const LeaseRef lease_;
  const NamespaceName ns_;
  const Ears ears_;
  std::optional<BatchTask> task_;
  std::map<std::string, BatchMember> open_;  // by custom_id: members whose line has not come
  std::deque<Line> lines_;                   // that wait to be written
  std::size_t writing_ = 0;
  bool read_ = false;   // there are no more lines
  bool again_ = false;  // something could not be written: the results are read once more
  bool over_ = false;
};

}  // namespace muster::agents
