// Calls of the model: before, during and after.
#include <fmt/format.h>

#include "agents/jobs.h"
#include "agents/outcome.h"
#include "agents/run_driver.h"
#include "agents/run_rules.h"
#include "agents/run_spending.h"
#include "agents/run_writes.h"
#include "command/jobs.h"

namespace muster::agents {
namespace {

// Whoever polls the batch wakes the run. That it looks for itself is for a poll that is gone, and every look of ten thousand runs
// costs the store a claim and a write: so it is rare.
constexpr int kBatchLookPolls = 10;

// A broken call is made again when the trouble may pass; `conflict`: somebody else broke it off, as a model does that is stopped.
bool may_pass(Code code) {
  return code == Code::exhausted || code == Code::unavailable || code == Code::corrupt || code == Code::outcome_unknown ||
         code == Code::conflict;
}

bool awaits(const store::AgentRunView& view, IterationId iteration) {
  return !is_final(view.run.state) && view.iteration && view.iteration->id == iteration && !view.iteration->response &&
         next(view.run.state, AgentRunEvent::answered).has_value();
}

}  // namespace

void RunDriver::prepare_call() {
  read_call_facts(base_, view_, then<CallFacts>([](RunDriver& self, Result<CallFacts> facts) {
                    if (!facts.ok()) return self.trouble(facts.status());
                    self.facts_ = *std::move(facts);
                    self.check_limits();
                  }));
}

void RunDriver::check_limits() {
  read_spending(base_, view_, facts_.above, then<FamilySpending>([](RunDriver& self, Result<FamilySpending> spent) {
                  if (!spent.ok()) return self.trouble(spent.status());
                  if (const auto stop = stop_reason(self.view_, self.base_->settings.budget_of(self.ns_), *spent))
                    return self.fail(stop->error_type, stop->why);
                  self.begin_call();
                }));
}

void RunDriver::begin_call() {
  if (!base_->api) return park(base_->settings.approval_look_every);
  write(agents::begin_call(view_, moment(), base_->ids), [](RunDriver& self) {
    self.say_state();
    read_messages(self.base_, {.session = self.view_.run.session, .context_of = self.id()}, kCallBytesMax,
                  self.then<std::vector<AgentMessage>>([](RunDriver& driver, Result<std::vector<AgentMessage>> messages) {
                    if (messages.code() == Code::exhausted)
                      return driver.fail(kRunProcessingError, messages.status().message() + "; compact it");
                    if (!messages.ok()) return driver.trouble(messages.status());
                    driver.send_request(*messages);
                  }));
  });
}

void RunDriver::send_request(const std::vector<AgentMessage>& messages) {
  std::string params = request_params(view_.agent.spec, facts_.tools, messages);
  preparing_ = false;
  if (stopping_) return call_failed(Status::conflict("the node stops"), kRunProcessingError);
  if (view_.run.mode == RunMode::batch)
    return host_.wants_batch(shared_from_this(), {.custom_id = view_.iteration->id.text(), .params = std::move(params)},
                             betas_of(view_.agent.spec));
  params_ = std::move(params);
  host_.wants_stream(shared_from_this());
}

void RunDriver::stream() {
  if (over_) return host_.stream_ended();
  streaming_ = true;
  looked_again_ = false;
  first_tokens_ = at_once_ = true;
  const Iteration& iteration = *view_.iteration;
  const auto weak = weak_from_this();
  sink_ = std::make_shared<TokenSink>(
      base_->agenda,
      TokenSink::Place{.iteration = iteration.number, .attempt = iteration.attempts, .after_break = iteration.attempts > 1},
      TokenSink::Ears{.more =
                          [weak] {
                            if (const auto self = weak.lock()) self->flush();
                          },
                      .end =
                          [weak](Result<claude::Answer> answer) {
                            if (const auto self = weak.lock()) self->answered(std::move(answer));
                          }});
  if (stopping_) return answered(Status::conflict("the node stops"));
  call_ = base_->api->stream(std::move(params_), betas_of(view_.agent.spec), sink_);
}

void RunDriver::answered(Result<claude::Answer> answer) {
  call_.reset();
  if (over_) return;
  if (std::exchange(streaming_, false)) host_.stream_ended();
  if (!answer.ok()) return call_failed(answer.status(), kRunStreamingError);
  keep_answer(*std::move(answer), 0);
}

// It is paid for: it is written as long as the run waits for it, whoever else writes about the run.
void RunDriver::keep_answer(claude::Answer answer, std::uint32_t tries) {
  const IterationId iteration = view_.iteration->id;
  auto decide = [base = base_, facts = facts_, answer, iteration,
                 moment = moment()](const store::AgentRunView& view) -> Result<std::optional<store::AgentRunWrite>> {
    if (!awaits(view, iteration)) return std::optional<store::AgentRunWrite>();
    return std::optional(on_answer(
        {.view = view, .answer = answer, .tools = facts.tools, .lineage = facts.lineage, .prices = base->settings.prices}, moment,
        base->ids));
  };
  change_run(base_, id(), std::move(decide), then<Changed>([answer, tries](RunDriver& self, Result<Changed> changed) mutable {
               if (changed.ok()) return self.answer_kept(*changed);
               if (changed.code() == Code::not_found && !std::exchange(self.looked_again_, true))
                 return self.look_again(std::move(answer), tries);
               if (tries >= kWritesMax || changed.code() == Code::not_found) return self.trouble(changed.status());
               self.base_->agenda->after(kWriteAgainAfter,
                                         [weak = self.weak_from_this(), answer = std::move(answer), tries]() mutable {
                                           if (const auto driver = weak.lock(); driver && !driver->over_)
                                             driver->keep_answer(std::move(answer), tries + 1);
                                         });
             }));
}

// What the answer calls is gone, as an agent that was deleted while the model thought: then it is no tool any more.
void RunDriver::look_again(claude::Answer answer, std::uint32_t tries) {
  read_call_facts(base_, view_,
                  then<CallFacts>([answer = std::move(answer), tries](RunDriver& self, Result<CallFacts> facts) mutable {
                    if (!facts.ok()) return self.trouble(facts.status());
                    self.facts_ = *std::move(facts);
                    self.keep_answer(std::move(answer), tries);
                  }));
}

void RunDriver::answer_kept(const Changed& changed) {
  if (!changed.written) return look();
  view_.run = changed.written->run;
  view_.executions = changed.written->executions;
  if (is_final(view_.run.state)) return settle();
  for (const ToolExecution& execution : view_.executions)
    say(json::dump({{"type", "tool_call"},
                    {"iteration", view_.run.iteration},
                    {"id", execution.id.text()},
                    {"tool_use_id", execution.tool_use_id},
                    {"name", execution.tool.text()},
                    {"input", json::parse(execution.input).value_or(json::Tree())},
                    {"approval", to_string(execution.approval)}}));
  say_state();
  host_.watch_tools(id(), view_.executions);
  const bool open = std::any_of(view_.executions.begin(), view_.executions.end(),
                                [](const ToolExecution& one) { return !is_final(one.state); });
  if (!open) return look();
  park(view_.run.state == AgentRunState::awaiting_input ? base_->settings.approval_look_every : base_->settings.tool_look_every);
}

void RunDriver::call_failed(const Status& why, std::string_view error_type) {
  const std::string partial = sink_ ? sink_->partial() : std::string();
  if (stopping_)
    return write(call_broken(view_, error_type, "the node stopped", partial, moment()),
                 [](RunDriver& self) { self.give_back(); });
  if (may_pass(why.code()) && may_call_again(*view_.iteration)) {
    const Duration delay = base_->settings.retry_delay * (1 << (view_.iteration->attempts - 1));
    return write(call_broken(view_, error_type, why.text(), partial, moment()), [delay](RunDriver& self) {
      self.say_state();
      self.park(delay);
    });
  }
  store::AgentRunWrite end = run_failed(view_, error_type, why.text(), base_->now());
  if (end.iteration && !partial.empty()) end.iteration->partial_text = partial;
  write(std::move(end), [](RunDriver& self) { self.settle(); });
}

void RunDriver::batch_accepted(const std::string& batch_id, JobId job, std::optional<Instant> expires_at) {
  if (over_) return;
  write(agents::batch_accepted(view_, batch_id, job, expires_at, moment()), [](RunDriver& self) {
    self.say_state();
    self.park(self.base_->settings.poll_interval * kBatchLookPolls);
  });
}

void RunDriver::batch_refused(const Status& why) {
  if (over_) return;
  call_failed(why, kRunProcessingError);
}

// Whoever put the request into a batch is gone. When the batch was accepted, a job that polls it names this iteration.
void RunDriver::find_batch(std::string cursor) {
  command::JobListRequest query;
  query.filter.ns = ns_;
  query.filter.queue = QueueName(kAgentQueue);
  query.filter.type = JobType(kBatchType);
  query.filter.states = {JobState::scheduled, JobState::ready, JobState::running};
  query.cursor = std::move(cursor);
  query.with_payload = true;
  base_->door.run(command::itself(), std::move(query), then<store::JobPage>([](RunDriver& self, Result<store::JobPage> page) {
                    if (!page.ok()) return self.trouble(page.status());
                    for (const Job& job : page->jobs) {
                      const auto task = read_batch_task(job.spec.payload);
                      if (!task) continue;
                      for (const BatchMember& member : task->members)
                        if (member.iteration == self.view_.iteration->id) return self.batch_accepted(task->batch_id, job.id, {});
                    }
                    if (!page->next.empty()) return self.find_batch(page->next);
                    self.prepare_call();
                  }));
}

void RunDriver::check_batch() {
  const auto& job = view_.iteration->batch_job;
  if (!job) return adopt_batch();
  base_->door.run(command::itself(), command::JobGetRequest{.job = *job}, then<Job>([](RunDriver& self, Result<Job> polls) {
                    if (!polls.ok() && polls.code() != Code::not_found) return self.trouble(polls.status());
                    if (polls.ok() && !is_finished(polls->state))
                      return self.park(self.base_->settings.poll_interval * kBatchLookPolls);
                    self.adopt_batch();
                  }));
}

// The job that polled the batch ended without an answer for this run: another one is started for it alone.
void RunDriver::adopt_batch() {
  const BatchTask task{.batch_id = view_.iteration->batch_id, .members = {{id(), view_.iteration->id}}};
  base_->door.run(command::itself(), command::JobSubmitRequest{.job = batch_job(ns_, task, Duration(0), ":" + id().text())},
                  then<store::Enqueued>([](RunDriver& self, Result<store::Enqueued> made) {
                    if (!made.ok()) return self.trouble(made.status());
                    store::AgentRunWrite adopted{.run = self.view_.run, .iteration = self.view_.iteration};
                    adopted.iteration->batch_job = made->id;
                    self.write(std::move(adopted),
                               [](RunDriver& driver) { driver.park(driver.base_->settings.poll_interval * kBatchLookPolls); });
                  }));
}

}  // namespace muster::agents
