// A compaction, from the question to the commit. What gives way is decided by compaction.h.
//
// The summary is a call of the model like any other: it is paid by the run that was last in the session (nobody else talks in it
// meanwhile) and by that run's agent, the session and the namespace, and a budget that is used up stops it before it is made. It
// is paid for before it is used, so a session that has changed meanwhile costs what it cost.
#include <fmt/format.h>

#include "agents/budget.h"
#include "agents/compaction.h"
#include "agents/context.h"
#include "agents/run_reads.h"
#include "agents/run_spending.h"
#include "agents/service.h"
#include "agents/settling.h"

namespace muster::agents {
namespace {

struct CompactionTask {
  BasePtr base;
  command::SessionCompactRequest request;
  AgentSession session;
  CompactionPlan plan;
  store::AgentRunView payer{};  // of a summary
  Ticks begun{};
  Reply<command::SessionCompactReply> reply;
};
using CompactionTaskPtr = std::shared_ptr<CompactionTask>;  // shared by the steps of one compaction

// For as long as the store cannot take it: what it is about is paid for.
template <class T>
void write_until_taken(const CompactionTaskPtr& task, std::function<void(Reply<T>)> write, std::function<void(Result<T>)> then,
                       std::uint32_t tries = 0) {
  write([task, write, then, tries](Result<T> written) {
    if (written.code() != Code::unavailable || tries >= kWritesMax) return then(std::move(written));
    task->base->agenda->after(kWriteAgainAfter,
                              [task, write, then, tries] { write_until_taken<T>(task, write, then, tries + 1); });
  });
}

void write_compaction(const CompactionTaskPtr& task, const std::string& summary) {
  const Base& base = *task->base;
  store::Compaction compaction =
      compaction_of(task->plan, task->session, task->request.strategy, summary, base.settings.compaction, base.ids, base.now());
  compaction.event.took = std::chrono::duration_cast<Duration>(base.clock.elapsed() - task->begun);
  write_until_taken<store::CompactionEvent>(
      task,
      [task, compaction = std::move(compaction)](Reply<store::CompactionEvent> reply) {
        task->base->agents.compact_session(compaction, std::move(reply));
      },
      [task](Result<store::CompactionEvent> event) {
        if (!event.ok()) return task->reply(event.status());
        task->reply(command::SessionCompactReply{
            .done = true, .event = *std::move(event), .tokens = task->plan.tokens, .needed = task->plan.needed});
      });
}

// By the run as it is now; somebody else may have paid meanwhile.
Result<std::optional<store::AgentRunWrite>> paid(const store::AgentRunView& view, const store::Spending& spent) {
  if (!is_final(view.run.state)) return Status::conflict(fmt::format("run {} goes on again", view.run.id.text()));
  store::AgentRunWrite write{.run = view.run, .iteration = {}, .spent = spent};
  write.run.usage += spent.usage;
  write.run.microdollars += spent.microdollars;
  return std::optional(std::move(write));
}

void pay(const CompactionTaskPtr& task, const claude::Answer& answer) {
  const Settings& settings = task->base->settings;
  const std::string& model = answer.model.empty() ? settings.compaction.model : answer.model;
  const store::Spending spent{.usage = answer.usage, .microdollars = settings.prices.microdollars(model, answer.usage)};
  const std::string summary = text_of(json::parse(answer.blocks).value_or(json::Tree::array()));
  write_until_taken<Changed>(
      task,
      [task, spent](Reply<Changed> reply) {
        change_run(
            task->base, task->payer.run.id, [spent](const store::AgentRunView& view) { return paid(view, spent); },
            std::move(reply));
      },
      [task, summary](const Result<Changed>& counted) {
        if (!counted.ok()) return task->reply(counted.status().annotate("the summary"));
        if (summary.empty()) return task->reply(Status::corrupt("the summary: the model answered without a text"));
        write_compaction(task, summary);
      });
}

// The summary is one answer; nobody watches it come.
class SummarySink final : public claude::StreamSink {
 public:
  explicit SummarySink(CompactionTaskPtr task) : task_(std::move(task)) {}
  void started(std::uint32_t) override {}
  void delta(const claude::Delta&) override {}
  void ended(Result<claude::Answer> answer) override {
    if (!answer.ok()) return task_->reply(answer.status().annotate("the summary"));
    pay(task_, *answer);
  }

 private:
  const CompactionTaskPtr task_;
};

void summarise(const CompactionTaskPtr& task) {
  task->base->api->stream(summary_params(task->plan, task->base->settings.compaction), {}, std::make_shared<SummarySink>(task));
}

void check_budget(const CompactionTaskPtr& task) {
  read_spending(task->base, task->payer, {}, [task](Result<FamilySpending> spent) {
    if (!spent.ok()) return task->reply(spent.status());
    if (auto why = budget_reason({.run = task->payer.run,
                                  .agent = task->payer.agent.spec.budget,
                                  .ns = task->base->settings.budget_of(task->session.ns),
                                  .spent = spent->shared,
                                  .below = spent->below,
                                  .above = {}}))
      return task->reply(Status::exhausted(fmt::format("the summary: {}", *why)));
    summarise(task);
  });
}

void found_payer(const CompactionTaskPtr& task, Result<store::AgentRunView> view) {
  if (!view.ok()) return task->reply(view.status());
  task->payer = *std::move(view);
  // It would be refused in the end, and be paid for in vain.
  if (!is_final(task->payer.run.state))
    return task->reply(Status::conflict(
        fmt::format("session {} is at work: run {} is unfinished", task->session.id.text(), task->payer.run.id.text())));
  check_budget(task);
}

// The newest root run of the session: those that it called are newer, and pages of them may come first.
void find_payer(const CompactionTaskPtr& task, std::string cursor) {
  store::AgentRunQuery query;
  query.ns = task->session.ns;
  query.session = task->session.id;
  query.cursor = std::move(cursor);
  task->base->agents.list_agent_runs(std::move(query), [task](Result<store::AgentRunPage> page) {
    if (!page.ok()) return task->reply(page.status());
    for (const AgentRun& run : page->runs)
      if (run.depth == 0)
        return task->base->agents.view_agent_run(
            run.id, [task](Result<store::AgentRunView> view) { found_payer(task, std::move(view)); });
    if (page->next.empty())
      return task->reply(
          Status::not_found(fmt::format("session {} has no run that a summary could be made for", task->session.id.text())));
    find_payer(task, page->next);
  });
}

void plan(const CompactionTaskPtr& task, const std::vector<AgentMessage>& messages) {
  task->plan = plan_compaction(messages, task->request.strategy, task->base->settings.compaction);
  const CompactionPlan& plan = task->plan;
  const bool nothing = plan.gives_way.empty() || (!plan.summarise && plan.pruned.empty());
  if (nothing || (task->request.only_if_needed && !plan.needed))
    return task->reply(command::SessionCompactReply{.done = false, .event = {}, .tokens = plan.tokens, .needed = plan.needed});
  if (!plan.summarise) return write_compaction(task, {});
  if (Status status = needs_model(*task->base); !status.ok()) return task->reply(status);
  find_payer(task, {});
}

}  // namespace

void compact_session(const BasePtr& base, command::SessionCompactRequest request, Reply<command::SessionCompactReply> reply) {
  if (request.strategy != kHybrid && request.strategy != kSummarization)
    return reply(Status::invalid_argument(
        fmt::format("strategy is '{}'; '{}' and '{}' are accepted", request.strategy, kHybrid, kSummarization)));
  const NamespaceName ns = request.ns;
  const AgentSessionId id = request.id;
  const auto task = std::make_shared<CompactionTask>(CompactionTask{.base = base,
                                                                    .request = std::move(request),
                                                                    .session = {},
                                                                    .plan = {},
                                                                    .begun = base->clock.elapsed(),
                                                                    .reply = std::move(reply)});
  find_session(base, ns, id, [task](Result<AgentSession> session) {
    if (!session.ok()) return task->reply(session.status());
    task->session = *std::move(session);
    read_messages(task->base, {.session = task->session.id}, kSessionBytesMax,
                  [task](Result<std::vector<AgentMessage>> messages) {
                    if (!messages.ok()) return task->reply(messages.status());
                    plan(task, *messages);
                  });
  });
}

}  // namespace muster::agents
