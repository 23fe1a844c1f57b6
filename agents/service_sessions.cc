// Sessions, their messages and their compactions.
#include <fmt/format.h>

#include "agents/compaction.h"
#include "agents/context.h"
#include "agents/run_reads.h"
#include "agents/service.h"
#include "agents/validate.h"
#include "command/single.h"

namespace muster::agents {

void find_session(const BasePtr& base, const NamespaceName& ns, AgentSessionId id, Reply<AgentSession> reply) {
  base->agents.get_sessions(ns, {id}, command::unwrap(std::move(reply)));
}

namespace {

struct CompactionTask {
  BasePtr base;
  command::SessionCompactRequest request;
  AgentSession session;
  CompactionPlan plan;
  Ticks begun{};
  Reply<command::SessionCompactReply> reply;
};
using CompactionTaskPtr = std::shared_ptr<CompactionTask>;  // shared by the steps of one compaction

void write_compaction(const CompactionTaskPtr& task, const std::string& summary) {
  const Base& base = *task->base;
  store::Compaction compaction =
      compaction_of(task->plan, task->session, task->request.strategy, summary, base.settings.compaction, base.ids, base.now());
  compaction.event.took = std::chrono::duration_cast<Duration>(base.clock.elapsed() - task->begun);
  task->base->agents.compact_session(std::move(compaction), [task](Result<store::CompactionEvent> event) {
    if (!event.ok()) return task->reply(event.status());
    task->reply(command::SessionCompactReply{
        .done = true, .event = *std::move(event), .tokens = task->plan.tokens, .needed = task->plan.needed});
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
    const std::string summary = text_of(json::parse(answer->blocks).value_or(json::Tree::array()));
    if (summary.empty()) return task_->reply(Status::corrupt("the summary: the model answered without a text"));
    write_compaction(task_, summary);
  }

 private:
  const CompactionTaskPtr task_;
};

void plan(const CompactionTaskPtr& task, const std::vector<AgentMessage>& messages) {
  task->plan = plan_compaction(messages, task->request.strategy, task->base->settings.compaction);
  const CompactionPlan& plan = task->plan;
  const bool nothing = plan.gives_way.empty() || (!plan.summarise && plan.pruned.empty());
  if (nothing || (task->request.only_if_needed && !plan.needed))
    return task->reply(command::SessionCompactReply{.done = false, .event = {}, .tokens = plan.tokens, .needed = plan.needed});
  if (!plan.summarise) return write_compaction(task, {});
  if (Status status = needs_model(*task->base); !status.ok()) return task->reply(status);
  task->base->api->stream(summary_params(plan, task->base->settings.compaction), {}, std::make_shared<SummarySink>(task));
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
    read_messages(task->base, {.session = task->session.id}, [task](Result<std::vector<AgentMessage>> messages) {
      if (!messages.ok()) return task->reply(messages.status());
      plan(task, *messages);
    });
  });
}

void Service::run(const command::Caller&, command::SessionCreateRequest request, Reply<AgentSession> reply) {
  if (Status status = prepare_object("metadata", request.metadata); !status.ok()) return reply(status);
  if (Status status = prepare_object("variables", request.variables); !status.ok()) return reply(status);
  AgentSession session;
  session.id = AgentSessionId{base_->ids()};
  session.ns = request.ns;
  session.parent = request.parent;
  session.metadata = std::move(request.metadata);
  session.variables = std::move(request.variables);
  base_->agents.create_session({.session = std::move(session)}, std::move(reply));
}

void Service::run(const command::Caller&, command::SessionGetRequest request, Reply<command::SessionGetReply> reply) {
  find_session(base_, request.ns, request.id, [base = base_, reply = std::move(reply)](Result<AgentSession> session) mutable {
    if (!session.ok()) return reply(session.status());
    const store::SpendingQuery query{.ns = session->ns, .session = session->id, .agent = {}, .day = base->now()};
    base->agents.get_spending(
        query, [session = *std::move(session), reply = std::move(reply)](Result<store::SpendingView> spent) mutable {
          if (!spent.ok()) return reply(spent.status());
          reply(command::SessionGetReply{.session = std::move(session), .spent = spent->session});
        });
  });
}

void Service::run(const command::Caller&, command::SessionListRequest request, Reply<store::SessionPage> reply) {
  if (Status status = check_limit(request.limit); !status.ok()) return reply(status);
  if (!request.metadata.empty())
    if (Status status = prepare_object("metadata", request.metadata); !status.ok()) return reply(status);
  base_->agents.list_sessions(std::move(request), std::move(reply));
}

void Service::run(const command::Caller&, command::SessionUpdateRequest request, Reply<AgentSession> reply) {
  if (request.metadata)
    if (Status status = prepare_object("metadata", *request.metadata); !status.ok()) return reply(status);
  if (request.variables)
    if (Status status = prepare_object("variables", *request.variables); !status.ok()) return reply(status);
  find_session(base_, request.ns, request.id,
               [base = base_, request, reply = std::move(reply)](Result<AgentSession> session) mutable {
                 if (!session.ok()) return reply(session.status());
                 if (request.metadata) session->metadata = *request.metadata;
                 if (request.variables) session->variables = *request.variables;
                 base->agents.update_session(*std::move(session), std::move(reply));
               });
}

void Service::run(const command::Caller&, command::SessionDeleteRequest request, Reply<AgentSession> reply) {
  base_->agents.delete_session(request.ns, request.id, std::move(reply));
}

void Service::run(const command::Caller&, command::SessionMessagesRequest request, Reply<store::MessagePage> reply) {
  if (Status status = check_limit(request.query.limit); !status.ok()) return reply(status);
  find_session(base_, request.ns, request.query.session,
               [base = base_, query = request.query, reply = std::move(reply)](Result<AgentSession> session) mutable {
                 if (!session.ok()) return reply(session.status());
                 base->agents.list_messages(std::move(query), std::move(reply));
               });
}

void Service::run(const command::Caller&, command::SessionCompactRequest request, Reply<command::SessionCompactReply> reply) {
  compact_session(base_, std::move(request), std::move(reply));
}

void Service::run(const command::Caller&, command::SessionRestoreRequest request, Reply<store::CompactionEvent> reply) {
  find_session(base_, request.ns, request.id,
               [base = base_, event = request.event, reply = std::move(reply)](Result<AgentSession> session) mutable {
                 if (!session.ok()) return reply(session.status());
                 base->agents.restore_session(session->id, event, std::move(reply));
               });
}

void Service::run(const command::Caller&, command::SessionCompactionsRequest request, Reply<store::CompactionList> reply) {
  find_session(base_, request.ns, request.id, [base = base_, reply = std::move(reply)](Result<AgentSession> session) mutable {
    if (!session.ok()) return reply(session.status());
    base->agents.list_compactions(session->id, std::move(reply));
  });
}

}  // namespace muster::agents
