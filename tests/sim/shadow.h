// The shadow model: what the outside was promised, and the rules of DESIGN §2 judged against it.
//
// It knows nothing of the store's inside. It hears requests and acknowledged answers (through ObservedStore) and what the
// listener is told after each commit, remembers what they promise, and names the rule as soon as something contradicts
// it. After a crash it is shown what the new process holds and compares that too.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/listening.h"
#include "store/store.h"
#include "store/verb.h"
#include "tests/sim/timeline.h"
#include "tests/sim/trace.h"

namespace muster::sim {

class Shadow {
 public:
  Shadow(const SimClock& clock, Trace& trace, store::Retention retention) : clock_(clock), trace_(trace), retention_(retention) {}

  struct JobView {
    std::uint32_t number = 0;  // for the trace: ids are long, numbers are short
    JobId id;
    std::optional<JobSpec> spec;  // unknown for a job whose acknowledgement was lost
    bool acknowledged = false;
    Instant enqueued_at = Instant::max();  // as told
    Instant not_before{};                  // earliest instant it may become due; meaningful with a spec
    std::optional<Instant> expires_not_before;
    std::optional<JobState> told;  // by the listener, or seen after a crash
    Fence told_fence{};
    Fence fence_before_claim{};  // while `claimed_in` may still be lost with the machine
    std::uint64_t claimed_in = 0;
    WorkerId worker;
    SessionId grant_session{};
    std::optional<Instant> finished_at;
    bool ever_finished = false;
    bool softly_ready = false;  // ready because its time came, which a restart may decide again
    bool may_be_due = false;    // scheduled when the store read its rows again: being due is then not told
    bool pruned = false;
    bool redriven = false;
    bool redrive_open = false;         // a redrive is on its way
    bool cancel_acknowledged = false;  // while running
    Fence granted{};                   // newest fence handed to anybody
    Ticks granted_at = Ticks::min();   // unknown once the rows were read again: they have wall time only
    Duration ttl{};
    // By monotonic time, as the store judges: what the wall clock does ends no lease.
    Ticks lease_until = Ticks::min();  // promised at least until here
    std::optional<Ticks> lease_ends;   // and no longer than this; unknown after a crash
    std::optional<Fence> completed_with;
    std::uint32_t failed_seen = 0;  // since the last redrive
    std::uint32_t lost_seen = 0;
    bool counts_known = true;  // false after a crash, when an event may have gone untold
  };

  // --- told by ObservedStore: requests when they reach the store, answers when they leave it ---
  void pump_begins() { ++pump_; }
  // The store reads its rows again, and running leases start over: they may last longer than told, never shorter.
  void group_failed();
  void enqueue_sent(const std::vector<JobSpec>& jobs);
  void enqueue_answered(const std::vector<JobSpec>& jobs, Instant sent_at, const Result<std::vector<store::Enqueued>>& answer);
  void claim_answered(const store::ClaimRequest& request, const Result<store::ClaimReply>& answer);
  void outcome_answered(store::Verb outcome, const LeaseRef& lease, const Result<store::Settled>& answer);
  void renewal_answered(const LeaseRef& lease, const Result<store::Renewed>& answer);
  void cancel_answered(const JobId& job, const Result<store::Cancelled>& answer);
  void redrive_sent(const std::vector<JobId>& jobs);  // empty: any job
  void redrive_answered(const std::vector<JobId>& jobs);
  std::uint64_t register_sent(const WorkerSpec& spec);  // a number to name it by in the answer
  void register_answered(std::uint64_t sent, Ticks sent_at, const WorkerSpec& spec, const Result<store::Registered>& answer);
  void beat_answered(const store::Beat& beat, Ticks sent_at, const Result<store::BeatReply>& answer);
  void queue_sent(const QueueChange& change);
  void queue_answered(const Result<QueueStats>& answer);
  void code_answered(std::string_view verb, const Status& status);  // any verb: only designed codes come back
  void committed(const store::Committed& commit);

  // --- told by the world ---
  void crashed();                                       // nothing volatile can be relied on
  void seen_after_crash(const Job& job, Instant now);   // each job of the new process
  void all_seen_after_crash();                          // whatever was not among them is gone
  void seen(const JobId& id, const Result<Job>& job);   // a read at a quiet moment
  void counted(const std::vector<QueueStats>& queues);  // at a quiet moment
  void finished_run();                                  // faults are over, everything had its time

  void violate(std::string_view rule, std::string text);
  const std::optional<std::string>& violation() const { return violation_; }

  std::uint32_t number(const JobId& id) const;
  const std::map<std::uint32_t, JobId>& by_number() const { return by_number_; }
  const JobView* find(const JobId& id) const;
  std::vector<JobId> unfinished() const;
  std::size_t known() const { return jobs_.size(); }
  struct Tally {
    std::uint64_t acknowledged = 0, granted = 0, completed = 0, dead = 0, cancelled = 0, rescued = 0, crashes = 0;
  };
  const Tally& tally() const { return tally_; }

 private:
  using WorkerKey = std::pair<NamespaceName, WorkerId>;
  struct WorkerView {
    std::vector<std::pair<std::uint64_t, WorkerSpec>> possible;  // what it may be registered as, by number sent
    SessionId session{};
    WorkerState told = WorkerState::offline;
    Duration dead_after{};
    std::optional<Ticks> heard_at;     // last acknowledged registration or beat
    std::uint64_t draining_since = 0;  // pump in which the listener told so; 0: not draining
  };
  struct KeyView {
    std::optional<JobId> job;  // the job an idempotency key stands for, once acknowledged
    std::uint32_t sent = 0;
    std::uint32_t refused = 0;  // answered `unavailable`: nothing was written
  };

  JobView& view(const JobId& id);
  // The monotonic time of an instant that was told now.
  Ticks monotonic(Instant told) const { return clock_.elapsed() + (told - clock_.now()); }
  void change(const JobChange& change, const store::Committed& commit);
  void judge_claimed(const JobView& job, const JobChange& change);
  void judge_able(const store::ClaimRequest& request, const Grant& grant, const JobView& job);
  void judge_lost(JobView& job, const JobChange& change, const store::Committed& commit);
  void judge_failed(JobView& job, const JobChange& change);
  void judge_move(const JobView& job, const JobChange& change);
  void judge_limits(const store::Committed& commit);
  void worker_change(const WorkerChange& change, const store::Committed& commit);
  bool may_be_pruned(const JobView& job, Instant now) const;
  bool retention_by_count() const;

  const SimClock& clock_;
  Trace& trace_;
  store::Retention retention_;
  std::uint64_t pump_ = 1;
  std::uint64_t commits_ = 0;
  std::uint64_t synced_commit_ = 0;  // the newest that was more than claims, and what their time had come for
  std::uint64_t registrations_ = 0;
  std::unordered_map<JobId, JobView> jobs_;
  std::map<std::uint32_t, JobId> by_number_;
  std::map<WorkerKey, WorkerView> workers_;
  std::map<std::pair<NamespaceName, std::string>, KeyView> keys_;
  std::map<std::pair<NamespaceName, QueueName>, QueueSettings> settings_;
  std::map<std::pair<NamespaceName, QueueName>, std::uint64_t> settings_since_;  // pump
  std::set<JobId> running_;                                                      // as told
  std::set<JobId> seen_;
  Fence newest_fence_{};
  bool redrive_any_open_ = false;
  std::optional<std::string> violation_;
  Tally tally_;
};

}  // namespace muster::sim
