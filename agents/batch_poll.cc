#include "agents/batch_poll.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "agents/outcome.h"
#include "base/log.h"
#include "command/jobs.h"

namespace muster::agents {
namespace {

using MaybeWrite = Result<std::optional<store::AgentRunWrite>>;

bool waits_for(const store::AgentRunView& view, IterationId iteration) {
  const bool in_batch = view.run.state == AgentRunState::batch_submitting || view.run.state == AgentRunState::batch_pending ||
                        view.run.state == AgentRunState::batch_processing;
  return in_batch && view.iteration && view.iteration->id == iteration && !view.iteration->response;
}

// A line may come before the run was told that its batch exists.
store::AgentRunView accepted(store::AgentRunView view, const std::string& batch_id, JobId job, const Moment& moment) {
  if (view.run.state != AgentRunState::batch_submitting) return view;
  store::AgentRunWrite write = batch_accepted(view, batch_id, job, {}, moment);
  view.run = std::move(write.run);
  view.iteration = std::move(write.iteration);
  return view;
}

struct Refusal {
  std::string why;
  bool again = false;
};

Refusal refusal_of(const std::optional<claude::BatchLine>& line) {
  if (!line) return {.why = "the results of the batch have no line for the request", .again = true};
  switch (line->type) {
    case claude::BatchLineType::expired: return {.why = "the batch expired before the request was answered"};
    case claude::BatchLineType::canceled: return {.why = "the batch was cancelled before the request was answered"};
    case claude::BatchLineType::errored:
    case claude::BatchLineType::succeeded: break;
  }
  return {.why = fmt::format("{}: {}", line->error_type, line->error_message), .again = line->retryable};
}

}  // namespace

BatchPoll::BatchPoll(BasePtr base, const Grant& grant, Ears ears)
    : base_(std::move(base)),
      lease_{.job = grant.id, .fence = grant.fence},
      ns_(grant.ns),
      ears_(std::move(ears)),
      task_(read_batch_task(grant.payload)) {}

void BatchPoll::start() {
  if (!task_) return complete();  // nobody's: somebody enqueued it by hand
  if (!base_->api) return sleep(base_->settings.poll_interval);
  base_->api->get_batch(task_->batch_id,
                        then<claude::Batch>([](BatchPoll& self, Result<claude::Batch> batch) { self.looked(std::move(batch)); }));
}

void BatchPoll::looked(Result<claude::Batch> batch) {
  if (batch.code() == Code::not_found) {
    read_ = true;
    for (const BatchMember& member : task_->members) lines_.push_back({.member = member, .line = {}});
    return next_lines();
  }
  if (!batch.ok()) {
    log::warn("a batch could not be looked at", {{"batch", task_->batch_id}, {"reason", batch.status().text()}});
    return sleep(base_->settings.poll_interval);
  }
  if (batch->state == claude::BatchState::ended) return read_results();
  look_at_runs(*batch);
}

// Which of its runs still want an answer? When none does, nobody is to pay for the batch.
void BatchPoll::look_at_runs(const claude::Batch& batch) {
  std::vector<JobId> ids;
  for (const BatchMember& member : task_->members) ids.push_back(member.run);
  base_->agents.get_agent_runs(
      std::move(ids), then<store::Each<AgentRun>>([state = batch.state](BatchPoll& self, Result<store::Each<AgentRun>> found) {
        if (!found.ok()) return self.sleep(self.base_->settings.poll_interval);
        std::vector<AgentRun> runs;
        for (Result<AgentRun>& run : *found)
          if (run.ok() && !is_final(run->state)) runs.push_back(*std::move(run));
        if (runs.empty() && state == claude::BatchState::in_progress)
          return self.base_->api->cancel_batch(self.task_->batch_id,
                                               self.then<claude::Batch>([](BatchPoll& poll, Result<claude::Batch>) {
                                                 poll.sleep(poll.base_->settings.poll_interval);
                                               }));
        self.tell_progress(runs);
      }));
}

// Once for each run, at the first poll that finds the batch being worked on.
void BatchPoll::tell_progress(const std::vector<AgentRun>& runs) {
  std::map<JobId, IterationId> iterations;
  for (const BatchMember& member : task_->members) iterations[member.run] = member.iteration;
  for (const AgentRun& run : runs) {
    if (run.state != AgentRunState::batch_pending && run.state != AgentRunState::batch_submitting) continue;
    change_run(
        base_, run.id,
        [batch = task_->batch_id, iteration = iterations[run.id], job = id(),
         moment = moment()](const store::AgentRunView& seen) -> MaybeWrite {
          if (!waits_for(seen, iteration) || seen.run.state == AgentRunState::batch_processing)
            return std::optional<store::AgentRunWrite>();
          return std::optional(batch_in_progress(accepted(seen, batch, job, moment), moment));
        },
        [base = base_](Result<Changed>) {});
  }
  sleep(base_->settings.poll_interval);
}

// On the client's thread: hands lines to the agenda, as long as not too many are held.
class BatchPoll::Reader final : public claude::LineSink {
 public:
  Reader(std::shared_ptr<Agenda> agenda, std::weak_ptr<BatchPoll> poll) : agenda_(std::move(agenda)), poll_(std::move(poll)) {}

  void line(claude::BatchLine line) override {
    const std::size_t bytes = line.answer.blocks.size();
    held_->lines += 1;
    held_->bytes += bytes;
    std::shared_ptr<const void> place(nullptr, [held = held_, bytes](const void*) {
      held->lines -= 1;
      held->bytes -= bytes;
    });
    agenda_->post([poll = poll_, line = std::move(line), place = std::move(place)]() mutable {
      if (const auto self = poll.lock(); self && !self->over_) self->take(std::move(line), std::move(place));
    });
  }
  bool has_room() const override { return held_->lines < kBatchLinesHeldMax && held_->bytes < kBatchBytesHeldMax; }

 private:
  struct Held {
    std::atomic<std::size_t> lines = 0;
    std::atomic<std::size_t> bytes = 0;
  };
  const std::shared_ptr<Agenda> agenda_;
  const std::weak_ptr<BatchPoll> poll_;
  const std::shared_ptr<Held> held_ = std::make_shared<Held>();  // shared with the places of lines
};

void BatchPoll::take(claude::BatchLine line, std::shared_ptr<const void> place) {
  const auto member = open_.find(line.custom_id);
  if (member == open_.end()) return;
  lines_.push_back({.member = member->second, .line = std::move(line), .place = std::move(place)});
  open_.erase(member);
  next_lines();
}

void BatchPoll::read_results() {
  for (const BatchMember& member : task_->members) open_[member.iteration.text()] = member;
  base_->api->batch_results(task_->batch_id, std::make_shared<Reader>(base_->agenda, weak_from_this()),
                            then<std::uint64_t>([](BatchPoll& self, Result<std::uint64_t> lines) { self.results_read(lines); }));
}

void BatchPoll::results_read(const Result<std::uint64_t>& lines) {
  read_ = true;
  if (lines.ok()) {
    for (const auto& [id, member] : open_) lines_.push_back({.member = member, .line = {}});
  } else {
    log::warn("the results of a batch could not be read", {{"batch", task_->batch_id}, {"reason", lines.status().text()}});
    again_ = true;
  }
  next_lines();
}

void BatchPoll::next_lines() {
  while (!lines_.empty() && writing_ < kLinesAtOnce) {
    Line line = std::move(lines_.front());
    lines_.pop_front();
    ++writing_;
    apply(std::move(line));
  }
  if (!read_ || writing_ > 0 || over_) return;
  if (again_) return sleep(base_->settings.poll_interval);
  complete();
}

void BatchPoll::apply(Line line) {
  if (line.line && line.line->type == claude::BatchLineType::succeeded)
    return base_->agents.view_agent_run(line.member.run,
                                        then<store::AgentRunView>([line](BatchPoll& self, Result<store::AgentRunView> view) {
                                          if (!view.ok()) return self.line_done(view.status());
                                          self.apply_answer(line, *view);
                                        }));
  const Refusal refusal = refusal_of(line.line);
  write_line(line.member.run,
             [base = base_, task = task_->batch_id, job = id(), member = line.member, refusal,
              moment = moment()](const store::AgentRunView& seen) -> MaybeWrite {
               if (!waits_for(seen, member.iteration)) return std::optional<store::AgentRunWrite>();
               const store::AgentRunView view = accepted(seen, task, job, moment);
               if (refusal.again && may_call_again(*view.iteration))
                 return std::optional(call_broken(view, kRunBatchError, refusal.why, {}, moment));
               return std::optional(run_failed(view, kRunBatchError, refusal.why, moment.now));
             });
}

void BatchPoll::apply_answer(const Line& line, const store::AgentRunView& view) {
  read_call_facts(base_, view, then<CallFacts>([line](BatchPoll& self, Result<CallFacts> facts) {
                    if (!facts.ok()) return self.line_done(facts.status());
                    self.write_line(
                        line.member.run,
                        [base = self.base_, task = self.task_->batch_id, job = self.id(), line, facts = *std::move(facts),
                         moment = self.moment()](const store::AgentRunView& seen) -> MaybeWrite {
                          if (!waits_for(seen, line.member.iteration)) return std::optional<store::AgentRunWrite>();
                          const store::AgentRunView now = accepted(seen, task, job, moment);
                          return std::optional(on_answer({.view = now,
                                                          .answer = line.line->answer,
                                                          .tools = facts.tools,
                                                          .lineage = facts.lineage,
                                                          .prices = base->settings.prices},
                                                         moment, base->ids));
                        });
                  }));
}

// The run's own job sleeps: it is woken when there is something for it to do, an end included.
void BatchPoll::write_line(JobId run, Decide decide) {
  change_run(base_, run, std::move(decide), then<Changed>([run](BatchPoll& self, Result<Changed> changed) {
               if (!changed.ok()) return self.line_done(changed.status());
               if (changed->written) self.ears_.watch_tools(run, changed->written->executions);
               const bool open =
                   changed->written && std::any_of(changed->written->executions.begin(), changed->written->executions.end(),
                                                   [](const ToolExecution& one) { return !is_final(one.state); });
               if (!open) self.base_->runs.wake_runs({run}, [base = self.base_](Result<store::Each<store::Settled>>) {});
               self.line_done({});
             }));
}

void BatchPoll::line_done(Status status) {
  --writing_;
  if (!status.ok() && status.code() != Code::not_found) {
    log::warn("a line of a batch could not be written", {{"batch", task_->batch_id}, {"reason", status.text()}});
    again_ = true;
  }
  next_lines();
}

void BatchPoll::sleep(Duration delay) { let_go(command::JobSnoozeRequest{.lease = lease_, .delay = delay}); }

void BatchPoll::complete() { let_go(command::JobCompleteRequest{.lease = lease_, .result = {}}); }

void BatchPoll::abandon() { out_of_hand(); }

// Lines that are being written are written; the next poll reads the rest.
void BatchPoll::hand_back() {
  if (!over_) let_go(command::JobReleaseRequest{.lease = lease_, .reason = "the node stops"});
}

void BatchPoll::out_of_hand() {
  if (std::exchange(over_, true)) return;
  ears_.finished(id());
}

}  // namespace muster::agents
