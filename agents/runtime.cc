#include "agents/runtime.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <set>

#include "agents/batch_poll.h"
#include "agents/batcher.h"
#include "agents/endings.h"
#include "agents/jobs.h"
#include "agents/run_driver.h"
#include "agents/service.h"
#include "agents/station.h"
#include "agents/tool_watch.h"
#include "base/log.h"
#include "command/jobs.h"

namespace muster::agents {

class Runtime::Core final : public DriverHost, public std::enable_shared_from_this<Runtime::Core> {
 public:
  explicit Core(BasePtr base) : base_(std::move(base)) {}
  ~Core() override { quiet(); }

  void start();
  void join(const NamespaceName& ns);
  void begin_stop();
  void leave();
  // Events no longer call.
  void quiet();
  // Everything was handed back; for the thread that waits.
  bool wait_until_idle(Duration most);
  bool idle() const;
  bool wait_until_left(Duration most);

 private:
  void finished(JobId run) override;
  void wants_stream(RunDriverPtr driver) override;
  void stream_ended() override;
  void wants_batch(RunDriverPtr driver, claude::BatchRequest request, std::vector<std::string> betas) override;
  void watch_tools(JobId run, const std::vector<ToolExecution>& executions) override;
  void saw_ended(JobId run, const std::vector<JobId>& jobs) override { tools_->seen(run, jobs); }
  void completed(const AgentRun& run) override;

  void granted(Grant grant);
  void ended(JobId job);
  std::size_t room() const;
  std::vector<LeaseRef> held(const NamespaceName& ns) const;
  bool more_coming(const NamespaceName& ns) const;
  void next_stream();
  void due(JobId run);

  void listen();
  void wake_waiting(std::string cursor);
  void read_events();
  void heard(const JobChange& change);
  void discover();
  void reconcile();
  void changed_idle();
  template <class What>
  void every(Duration pause, What what);

  const BasePtr base_;
  std::map<std::string, std::shared_ptr<Station>> stations_;  // by namespace
  std::map<JobId, RunDriverPtr> drivers_;
  std::map<JobId, std::shared_ptr<BatchPoll>> polls_;
  std::shared_ptr<Batcher> batcher_;
  std::shared_ptr<ToolWatch> tools_;
  std::deque<RunDriverPtr> wanting_;  // room for a stream
  std::size_t streams_ = 0;
  std::string reconciled_;  // where the next pass goes on; empty: from the newest
  std::optional<command::SubscriptionId> subscription_;
  std::uint64_t heard_ = 0;                                                                // events
  std::shared_ptr<std::atomic<bool>> woken_ = std::make_shared<std::atomic<bool>>(false);  // shared with the subscription
  bool stopping_ = false;

  mutable std::mutex mutex_;  // leaf; guards the two below
  std::condition_variable changed_;
  std::size_t in_hand_ = 0;
  std::size_t leaving_ = 0;
};

template <class What>
void Runtime::Core::every(Duration pause, What what) {
  base_->agenda->after(pause, [weak = weak_from_this(), pause, what] {
    const auto self = weak.lock();
    if (!self || self->stopping_) return;
    what(*self);
    self->every(pause, what);
  });
}

void Runtime::Core::start() {
  batcher_ = std::make_shared<Batcher>(base_, [this](const NamespaceName& ns) { return more_coming(ns); });
  tools_ = std::make_shared<ToolWatch>(base_, [this](JobId run) { due(run); });
  discover();
  every(base_->settings.discover_every, [](Core& self) { self.discover(); });
  every(base_->settings.reconcile_every, [](Core& self) { self.reconcile(); });
}

void Runtime::Core::join(const NamespaceName& ns) {
  if (stopping_) return;
  if (!subscription_) {
    listen();
    wake_waiting({});
  }
  if (!base_->api || stations_.contains(ns.text())) return;
  auto station = std::make_shared<Station>(base_, ns,
                                           Station::Ears{.granted = [this](Grant grant) { granted(std::move(grant)); },
                                                         .ended = [this](JobId job) { ended(job); },
                                                         .room = [this] { return room(); },
                                                         .held = [this](const NamespaceName& of) { return held(of); }});
  stations_[ns.text()] = station;
  station->start();
}

// --- what is in hand ----------------------------------------------------------------------------------------------------

std::size_t Runtime::Core::room() const {
  const std::size_t most = base_->settings.in_hand_max();
  const std::size_t in_hand = drivers_.size() + polls_.size();
  return in_hand < most ? most - in_hand : 0;
}

// So that a beat tells which of them are lost: somebody may have cancelled a run through another node. All of them, since what
// a beat leaves out is handed back.
std::vector<LeaseRef> Runtime::Core::held(const NamespaceName& ns) const {
  std::vector<LeaseRef> leases;
  for (const auto& [id, driver] : drivers_)
    if (driver->ns() == ns) leases.push_back(driver->lease());
  for (const auto& [id, poll] : polls_)
    if (poll->ns() == ns) leases.push_back(poll->lease());
  return leases;
}

void Runtime::Core::granted(Grant grant) {
  if (stopping_) return base_->door.delivery().hand_back({grant});
  ended(grant.id);  // an earlier grant of the same job is void
  if (grant.type.text() == kBatchType) {
    auto poll = std::make_shared<BatchPoll>(
        base_, grant,
        BatchPoll::Ears{
            .finished =
                [this](JobId job) {
                  polls_.erase(job);
                  changed_idle();
                },
            .watch_tools = [this](JobId run, const std::vector<ToolExecution>& executions) { watch_tools(run, executions); }});
    polls_[grant.id] = poll;
    changed_idle();
    return poll->start();
  }
  auto driver = std::make_shared<RunDriver>(base_, *this, grant);
  drivers_[grant.id] = driver;
  changed_idle();
  driver->start();
}

void Runtime::Core::ended(JobId job) {
  if (const auto driver = drivers_.find(job); driver != drivers_.end()) RunDriverPtr(driver->second)->abandon();
  if (const auto poll = polls_.find(job); poll != polls_.end()) std::shared_ptr<BatchPoll>(poll->second)->abandon();
}

void Runtime::Core::finished(JobId run) {
  // Whoever calls is still at work in it: it goes with the next task.
  if (const auto driver = drivers_.find(run); driver != drivers_.end()) {
    base_->agenda->post([kept = driver->second] {});
    drivers_.erase(driver);
  }
  changed_idle();
  for (const auto& [ns, station] : stations_) station->claim();
}

void Runtime::Core::wants_stream(RunDriverPtr driver) {
  wanting_.push_back(std::move(driver));
  next_stream();
}

void Runtime::Core::stream_ended() {
  --streams_;
  next_stream();
}

void Runtime::Core::next_stream() {
  while (!wanting_.empty() && streams_ < base_->settings.streams_max) {
    const RunDriverPtr driver = std::move(wanting_.front());
    wanting_.pop_front();
    if (driver->is_over()) continue;
    ++streams_;
    driver->stream();
  }
}

void Runtime::Core::wants_batch(RunDriverPtr driver, claude::BatchRequest request, std::vector<std::string> betas) {
  batcher_->add(std::move(driver), std::move(request), std::move(betas));
}

bool Runtime::Core::more_coming(const NamespaceName& ns) const {
  return std::any_of(drivers_.begin(), drivers_.end(),
                     [&ns](const auto& one) { return one.second->ns() == ns && one.second->in_preparation(); });
}

void Runtime::Core::watch_tools(JobId run, const std::vector<ToolExecution>& executions) { tools_->watch(run, executions); }

void Runtime::Core::completed(const AgentRun& run) {
  if (!base_->settings.compaction.automatic || run.depth > 0) return;
  compact_session(
      base_, {.ns = run.ns, .id = run.session, .strategy = kHybrid, .only_if_needed = true},
      [session = run.session](Result<command::SessionCompactReply> done) {
        // Another run of the session may have begun: after the next one there is another chance.
        if (!done.ok() && done.code() != Code::conflict)
          log::warn("a session could not be compacted", {{"session", session.text()}, {"reason", done.status().text()}});
      });
}

// --- what happens elsewhere -----------------------------------------------------------------------------------------------

void Runtime::Core::due(JobId run) {
  if (const auto driver = drivers_.find(run); driver != drivers_.end()) return driver->second->touch();
  base_->runs.wake_runs({run}, [base = base_](Result<store::Each<store::Settled>>) {});
}

void Runtime::Core::listen() {
  heard_ = base_->door.events().newest();
  subscription_ = base_->door.events().subscribe([agenda = base_->agenda, weak = weak_from_this(), woken = woken_] {
    if (woken->exchange(true)) return;
    agenda->post([weak] {
      if (const auto self = weak.lock()) self->read_events();
    });
  });
}

// Tools that ended before anybody listened, because the node was down, are told to nobody again: each run that waits for some has
// a look. Begun after listen(), so an end is either seen by that look or heard.
void Runtime::Core::wake_waiting(std::string cursor) {
  store::AgentRunQuery query;
  query.unfinished = true;
  query.limit = kReconcilePage;
  query.cursor = std::move(cursor);
  base_->agents.list_agent_runs(
      std::move(query), onto<store::AgentRunPage>(base_, weak_from_this(), [](Core& self, Result<store::AgentRunPage> page) {
        if (!page.ok() || self.stopping_) return;
        std::vector<JobId> waiting;
        for (const AgentRun& run : page->runs)
          if (run.state == AgentRunState::pending_tools && !self.drivers_.contains(run.id)) waiting.push_back(run.id);
        if (!waiting.empty())
          self.base_->runs.wake_runs(std::move(waiting), [base = self.base_](Result<store::Each<store::Settled>>) {});
        if (!page->next.empty()) self.wake_waiting(page->next);
      }));
}

void Runtime::Core::quiet() {
  if (subscription_) base_->door.events().unsubscribe(*std::exchange(subscription_, std::nullopt));
}

// What fell out of the ring is found by looking.
void Runtime::Core::read_events() {
  woken_->store(false);
  const command::Events::Slice slice = base_->door.events().read(heard_, kEventsAtOnce);
  heard_ = slice.next;
  for (const command::Event& event : slice.events)
    if (const auto* const change = std::get_if<JobChange>(&event.what); change != nullptr && is_finished(change->to))
      heard(*change);
  if (slice.events.size() < kEventsAtOnce || woken_->exchange(true)) return;
  base_->agenda->post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->read_events();
  });
}

void Runtime::Core::heard(const JobChange& change) {
  if (change.event == JobEvent::pruned) return;
  if (!change.lane || change.lane->queue.text() != kAgentQueue) return tools_->finished(change);
  tools_->watch(change.id, {});  // what is left of its tools is heard by nobody
  if (change.to == JobState::completed) return;
  ended(change.id);
  if (change.lane->type.text() == kRunType) end_with_its_job(base_, change.id, [base = base_](Result<bool>) {});
}

// One count for all namespaces: where jobs of agents are unfinished, this node wants to have a worker.
void Runtime::Core::discover() {
  command::JobCountRequest count;
  count.filter.queue = QueueName(kAgentQueue);
  count.filter.states = {JobState::scheduled, JobState::ready, JobState::running};
  base_->door.run(command::itself(), std::move(count),
                  onto<command::JobCountReply>(base_, weak_from_this(), [](Core& self, Result<command::JobCountReply> counts) {
                    if (!counts.ok()) return;
                    for (const store::JobCount& one : *counts)
                      if (one.type.text() == kRunType || one.type.text() == kBatchType) self.join(one.ns);
                  }));
}

// Of all namespaces: one whose last job has ended has no work, and may have a run that does not know.
void Runtime::Core::reconcile() {
  store::AgentRunQuery query;
  query.unfinished = true;
  query.limit = kReconcilePage;
  query.cursor = reconciled_;
  base_->agents.list_agent_runs(
      std::move(query), onto<store::AgentRunPage>(base_, weak_from_this(), [](Core& self, Result<store::AgentRunPage> page) {
        if (!page.ok()) return self.reconciled_.clear();
        self.reconciled_ = page->next;
        for (const AgentRun& run : page->runs)
          if (!self.drivers_.contains(run.id)) end_with_its_job(self.base_, run.id, [base = self.base_](Result<bool>) {});
      }));
}

// --- the end ------------------------------------------------------------------------------------------------------------

void Runtime::Core::changed_idle() {
  {
    const std::lock_guard lock(mutex_);
    in_hand_ = drivers_.size() + polls_.size();
  }
  changed_.notify_all();
}

bool Runtime::Core::idle() const {
  const std::lock_guard lock(mutex_);
  return in_hand_ == 0;
}

bool Runtime::Core::wait_until_idle(Duration most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, most, [this] { return in_hand_ == 0; });
}

bool Runtime::Core::wait_until_left(Duration most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, most, [this] { return leaving_ == 0; });
}

void Runtime::Core::begin_stop() {
  if (std::exchange(stopping_, true)) return;
  for (const auto& [ns, station] : stations_) station->stop();
  const auto drivers = drivers_;
  for (const auto& [id, driver] : drivers) driver->hand_back();
  // Those that wait for room for their stream get it, to find that there is nothing to stream.
  std::deque<RunDriverPtr> wanting;
  wanting.swap(wanting_);
  for (const RunDriverPtr& driver : wanting) {
    ++streams_;
    driver->stream();
  }
  if (batcher_) batcher_->stop();
  const auto polls = polls_;
  for (const auto& [id, poll] : polls) poll->hand_back();
}

void Runtime::Core::leave() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = stations_.size();
  }
  for (const auto& [ns, station] : stations_)
    station->leave([weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      {
        const std::lock_guard lock(self->mutex_);
        --self->leaving_;
      }
      self->changed_.notify_all();
    });
}

Runtime::Runtime(BasePtr base) : base_(std::move(base)), core_(std::make_shared<Core>(base_)) {}

Runtime::~Runtime() {
  base_->agenda->stop();
  core_->quiet();
}

void Runtime::start(Threading threading) {
  base_->agenda->post([core = core_] { core->start(); });
  if (threading.thread) base_->agenda->start();
}

void Runtime::notice(const NamespaceName& ns) {
  base_->agenda->post([core = core_, ns] { core->join(ns); });
}

void Runtime::begin_stop() {
  base_->agenda->post([core = core_] { core->begin_stop(); });
}

bool Runtime::idle() const { return core_->idle(); }

void Runtime::stop(Duration most) {
  // A task is done, or it was dropped because the agenda has stopped.
  const auto done = [this, most](void (Core::*what)()) {
    const auto promise = std::make_shared<std::promise<void>>();  // shared with the task
    auto future = promise->get_future();
    base_->agenda->post([core = core_, promise, what] {
      ((*core).*what)();
      promise->set_value();
    });
    return future.wait_for(most) == std::future_status::ready;
  };
  if (!std::exchange(stopped_, true) && most > Duration(0) && done(&Core::begin_stop)) {
    if (!core_->wait_until_idle(most)) log::warn("agents: not everything could be handed back in time");
    if (done(&Core::leave)) core_->wait_until_left(most);
  }
  base_->agenda->stop();
  core_->quiet();
}

}  // namespace muster::agents
