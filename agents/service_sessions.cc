// Sessions, their messages and their compactions.
#include "agents/run_reads.h"
#include "agents/service.h"
#include "agents/validate.h"
#include "command/single.h"

namespace muster::agents {

void find_session(const BasePtr& base, const NamespaceName& ns, AgentSessionId id, Reply<AgentSession> reply) {
  base->agents.get_sessions(ns, {id}, command::unwrap(std::move(reply)));
}

namespace {

// The request names no revision: what its runs write meanwhile, which moves the session's, is no reason to refuse it.
void update_session(const BasePtr& base, const command::SessionUpdateRequest& request, std::uint32_t tries,
                    Reply<AgentSession> reply) {
  find_session(base, request.ns, request.id,
               [base, request, tries, reply = std::move(reply)](Result<AgentSession> session) mutable {
                 if (!session.ok()) return reply(session.status());
                 if (request.metadata) session->metadata = *request.metadata;
                 if (request.variables) session->variables = *request.variables;
                 base->agents.update_session(
                     *std::move(session), [base, request, tries, reply = std::move(reply)](Result<AgentSession> updated) mutable {
                       if (updated.code() != Code::conflict || tries + 1 >= kChangeTriesMax) return reply(std::move(updated));
                       update_session(base, request, tries + 1, std::move(reply));
                     });
               });
}

}  // namespace

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
  update_session(base_, request, 0, std::move(reply));
}

void Service::run(const command::Caller&, command::SessionDeleteRequest request, Reply<AgentSession> reply) {
  base_->agents.delete_session(request.ns, request.id, std::move(reply));
}

void Service::run(const command::Caller&, command::SessionMessagesRequest request, Reply<store::MessagePage> reply) {
  if (Status status = check_limit(request.query.limit); !status.ok()) return reply(status);
  find_session(
      base_, request.ns, request.query.session,
      [base = base_, ns = request.ns, query = request.query, reply = std::move(reply)](Result<AgentSession> session) mutable {
        if (!session.ok()) return reply(session.status());
        if (!query.context_of) return base->agents.list_messages(std::move(query), std::move(reply));
        find_run(base, ns, *query.context_of, [base, query, reply = std::move(reply)](Result<AgentRun> run) mutable {
          if (!run.ok()) return reply(run.status());
          base->agents.list_messages(std::move(query), std::move(reply));
        });
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

void Service::run(const command::Caller&, command::SessionCompactionsRequest request, Reply<store::CompactionPage> reply) {
  if (Status status = check_limit(request.query.limit); !status.ok()) return reply(status);
  find_session(base_, request.ns, request.query.session,
               [base = base_, query = request.query, reply = std::move(reply)](Result<AgentSession> session) mutable {
                 if (!session.ok()) return reply(session.status());
                 base->agents.list_compactions(std::move(query), std::move(reply));
               });
}

}  // namespace muster::agents
