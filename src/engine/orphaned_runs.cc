#include "engine/orphaned_runs.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"

namespace muster::engine {
namespace {

constexpr Duration kNothingToDo = Duration::max();

std::vector<LeaseRef> last_handed_out(const std::vector<Job>& running) {
  Instant newest{};
  for (const Job& job : running) newest = std::max(newest, job.started_at.value_or(Instant{}));
  std::vector<LeaseRef> out;
  for (const Job& job : running)
    if (job.started_at && *job.started_at + OrphanedRuns::kLastMoments >= newest) out.push_back({job.id, job.fence});
  return out;
}

// Did its worker begin a step under this lease? A run with more steps than a page is not at its beginning.
bool is_heard_of(const store::StepPage& page, Fence fence) {
  if (!page.next.empty()) return true;
  return std::any_of(page.steps.begin(), page.steps.end(), [fence](const Step& step) { return step.fence == fence; });
}

}  // namespace

class OrphanedRuns::Search : public std::enable_shared_from_this<Search> {
 public:
  Search(Jobs& jobs, Runs& runs, const Clock& clock, Duration patience)
      : jobs_(jobs), runs_(runs), clock_(clock), patience_(patience) {}

  Duration tick() {
    if (patience_ <= Duration(0)) return kNothingToDo;
    std::vector<LeaseRef> due;
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) return kNothingToDo;
      if (!begun_) {
        begun_ = true;
      } else {
        if (suspects_.empty()) return kNothingToDo;
        const auto left = std::chrono::ceil<Duration>(judged_at_ - clock_.elapsed());
        if (left > Duration(0)) return left;
        due = std::exchange(suspects_, {});
      }
    }
    if (due.empty()) gather({}, {});
    for (const LeaseRef& lease : due) judge(lease);
    return kNothingToDo;
  }

  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }

 private:
  // All runs that are running, page by page: what was handed out last may have been started long ago.
  void gather(std::string cursor, std::vector<Job> running) {
    store::JobQuery query;
    query.filter.states = {JobState::running};
    query.filter.runs_only = true;
    query.limit = limits::kPageMax;
    query.cursor = std::move(cursor);
    auto listed = [self = shared_from_this(), running = std::move(running)](Result<store::JobPage> page) mutable {
      if (!page.ok()) {
        log::warn("runs that were handed out as the server ended were not looked for", {{"detail", page.status().text()}});
        return;
      }
      std::move(page->jobs.begin(), page->jobs.end(), std::back_inserter(running));
      if (!page->next.empty()) return self->gather(std::move(page->next), std::move(running));
      self->suspect(last_handed_out(running));
    };
    jobs_.list(std::move(query), std::move(listed));
  }

  void suspect(const std::vector<LeaseRef>& leases) {
    const std::lock_guard lock(mutex_);
    suspects_.insert(suspects_.end(), leases.begin(), leases.end());
    judged_at_ = clock_.elapsed() + patience_;
  }

  void judge(const LeaseRef& lease) {
    store::StepQuery query;
    query.run = lease.job;
    query.limit = limits::kPageMax;
    runs_.list_steps(std::move(query), [self = shared_from_this(), lease](const Result<store::StepPage>& page) {
      if (!page.ok()) return self->try_later(lease, page.code());
      if (!is_heard_of(*page, lease.fence)) self->hand_back(lease);
    });
  }

  void hand_back(const LeaseRef& lease) {
    auto done = [self = shared_from_this(), lease](const Result<store::Each<store::Settled>>& settled) {
      const Code code = settled.ok() ? settled->front().code() : settled.code();
      if (code != Code::ok) return self->try_later(lease, code);
      log::info("a run was handed out as the server ended, and is handed back", {{"job_id", lease.job.text()}});
    };
    jobs_.release({{.lease = lease, .reason = "its worker never spoke of it"}}, std::move(done));
  }

  // A store that cannot answer or write at the moment is asked again; a fence that is stale means that the run has moved on by
  // itself.
  void try_later(const LeaseRef& lease, Code code) {
    if (code == Code::unavailable || code == Code::outcome_unknown) suspect({lease});
  }

  Jobs& jobs_;
  Runs& runs_;
  const Clock& clock_;
  const Duration patience_;
  std::mutex mutex_;  // leaf; guards what follows
  bool begun_ = false;
  bool stopped_ = false;
  std::vector<LeaseRef> suspects_;
  Ticks judged_at_{};
};

OrphanedRuns::OrphanedRuns(Jobs& jobs, Runs& runs, const Clock& clock, Duration patience)
    : search_(std::make_shared<Search>(jobs, runs, clock, patience)) {}

OrphanedRuns::~OrphanedRuns() { stop(); }

Duration OrphanedRuns::tick() { return search_->tick(); }
void OrphanedRuns::stop() { search_->stop(); }

}  // namespace muster::engine
