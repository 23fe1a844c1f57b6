#include "agents/run_driver.h"

#include "agents/jobs.h"
#include "agents/run_rules.h"
#include "agents/run_writes.h"
#include "base/log.h"
#include "command/feedback.h"
#include "command/jobs.h"
#include "command/runs.h"

namespace muster::agents {

RunDriver::RunDriver(BasePtr base, DriverHost& host, const Grant& grant)
    : base_(std::move(base)), host_(host), lease_{.job = grant.id, .fence = grant.fence}, ns_(grant.ns) {}

void RunDriver::look() {
  base_->agents.view_agent_run(id(), then<store::AgentRunView>([](RunDriver& self, Result<store::AgentRunView> view) {
                                 if (!view.ok()) return self.trouble(view.status());
                                 self.view_ = *std::move(view);
                                 self.decide();
                               }));
}

void RunDriver::decide() {
  if (stopping_ && !is_final(view_.run.state)) return give_back();
  switch (next_step(view_.run.state)) {
    case NextStep::settle: return settle();
    case NextStep::call_model: return prepare_call();
    case NextStep::find_batch: return find_batch({});
    case NextStep::wait_for_batch: return check_batch();
    case NextStep::look_at_tools: return look_at_tools();
  }
}

// Somebody who was faster has decided something else: it is looked at again.
void RunDriver::write(store::AgentRunWrite write, UniqueFunction<void(RunDriver&)> next) {
  auto after = [write, next = std::move(next)](RunDriver& self, Result<store::AgentRunWritten> written) mutable {
    if (written.code() == Code::conflict && ++self.conflicts_ < kChangeTriesMax) return self.look();
    self.conflicts_ = 0;
    if (!written.ok()) return self.trouble(written.status());
    self.view_ = after_write(std::move(self.view_), write, *written);
    next(self);
  };
  base_->agents.write_agent_run(write, then<store::AgentRunWritten>(std::move(after)));
}

void RunDriver::fail(std::string_view error_type, const std::string& why) {
  write(run_failed(view_, error_type, why, base_->now()), [](RunDriver& self) { self.settle(); });
}

void RunDriver::settle() {
  host_.watch_tools(id(), {});
  say_state();
  when_told([](RunDriver& self) {
    const AgentRun& run = self.view_.run;
    if (run.state == AgentRunState::completed) {
      self.host_.completed(run);
      json::Tree result{{"state", "completed"}, {"stop_reason", run.stop_reason}};
      if (run.response_text && run.response_text->size() <= limits::kResultBytesMax / 8) result["text"] = *run.response_text;
      return self.let_go(command::JobCompleteRequest{.lease = self.lease_, .result = Content{.data = json::dump(result)}});
    }
    if (run.state == AgentRunState::failed)
      return self.let_go(command::JobFailRequest{
          .lease = self.lease_, .error = {run.error_type, run.error_message}, .retryable = false, .delay = {}});
    self.let_go(command::RunCancelRequest{.run = run.id, .reason = run.error_message});
  });
}

// A wake that came while the job was still held was nobody's: it is made up for.
void RunDriver::park(Duration delay) {
  when_told([delay](RunDriver& self) {
    auto parked = [](RunDriver& driver, const Result<store::Settled>& snoozed) {
      const BasePtr base = driver.base_;
      const JobId id = driver.id();
      const std::uint64_t seen = driver.view_.run.revision;
      const bool asks = driver.view_.run.state == AgentRunState::awaiting_input;
      const bool wake = driver.touched_;
      driver.out_of_hand();
      if (!snoozed.ok()) return;
      const auto wake_up = [base, id] { base->runs.wake_runs({id}, [base](Result<store::Each<store::Settled>>) {}); };
      if (wake) return wake_up();
      if (!asks) return;
      base->agents.get_agent_runs({id}, [wake_up, seen](Result<store::Each<AgentRun>> runs) {
        if (runs.ok() && runs->front().ok() && runs->front()->revision != seen) wake_up();
      });
    };
    settle_job(self.base_, self.weak_from_this(), command::JobSnoozeRequest{.lease = self.lease_, .delay = delay},
               std::move(parked));
  });
}

void RunDriver::give_back() {
  when_told([](RunDriver& self) { self.let_go(command::JobReleaseRequest{.lease = self.lease_, .reason = "the node stops"}); });
}

// Nothing was decided: whoever claims it next looks again. Without a lease there is nothing left to do here.
void RunDriver::trouble(const Status& why) {
  log::warn("a run of an agent could not go on",
            {{"job_id", id().text()}, {"code", std::string(to_string(why.code()))}, {"reason", why.message()}});
  if (why.code() == Code::lease_lost) return abandon();
  if (why.code() == Code::not_found)
    return let_go(command::JobFailRequest{.lease = lease_,
                                          .error = {std::string(kRunProcessingError), error_text(why.message())},
                                          .retryable = false,
                                          .delay = {}});
  park(base_->settings.retry_delay);
}

void RunDriver::abandon() {
  if (over_) return;
  if (call_) base_->api->cancel(*call_);
  out_of_hand();
}

void RunDriver::out_of_hand() {
  if (over_) return;
  over_ = true;
  preparing_ = false;
  if (std::exchange(streaming_, false)) host_.stream_ended();
  host_.finished(id());
}

void RunDriver::hand_back() {
  if (over_ || std::exchange(stopping_, true)) return;
  if (call_) base_->api->cancel(*call_);
}

void RunDriver::say(std::string event) {
  take_tokens();
  events_.push_back(event_chunk(std::move(event)));
}

// Behind what was said before them.
void RunDriver::take_tokens() {
  if (!sink_) return;
  TokenSink::Taken taken = sink_->take();
  std::move(taken.events.begin(), taken.events.end(), std::back_inserter(events_));
  if (taken.has_tokens && std::exchange(first_tokens_, false)) at_once_ = true;
}

void RunDriver::say_state() {
  say(json::dump({{"type", "state"}, {"state", to_string(view_.run.state)}, {"iteration", view_.run.iteration}}));
}

// One report at a time: what comes meanwhile goes together. The first tokens of a call and the last report of all are not held
// back by the pause between two writes.
void RunDriver::flush() {
  const bool last = static_cast<bool>(after_told_);
  if (over_ || (telling_ > 0 && (!last || hurried_))) return;
  take_tokens();
  if (events_.empty() && telling_ == 0) {
    if (last) std::exchange(after_told_, {})(*this);
    return;
  }
  ++telling_;
  hurried_ = last;
  command::JobFeedbackRequest report{.lease = lease_, .in_namespace = ns_, .chunks = std::exchange(events_, {})};
  report.at_once = std::exchange(at_once_, false) || last;
  base_->door.run(command::itself(), std::move(report),
                  then<store::Renewed>([](RunDriver& self, Result<store::Renewed> renewed) { self.told(renewed); }));
}

void RunDriver::told(const Result<store::Renewed>& renewed) {
  --telling_;
  if (renewed.code() == Code::lease_lost || renewed.code() == Code::not_found) return abandon();
  if (telling_ == 0) hurried_ = false;
  flush();
}

void RunDriver::when_told(UniqueFunction<void(RunDriver&)> next) {
  after_told_ = std::move(next);
  flush();
}

}  // namespace muster::agents
