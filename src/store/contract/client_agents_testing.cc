// The client's verbs about agents. A refusal after a lost answer may be our own work that is in the way: what stood there before
// the call tells the two apart.
#include <set>

#include "store/contract/client_call.h"

namespace muster::store::contract {

template <class Read>
auto Client::before(Read read) -> std::optional<std::decay_t<decltype(*read())>> {
  if (!harness_.faulty()) return std::nullopt;
  auto found = read();
  if (!found.ok()) return std::nullopt;
  return std::move(*found);
}

Result<Agent> Client::put_agent(AgentPut put) {
  const auto get = [&] { return get_agent(put.agent.spec.ns, put.agent.id); };
  const auto there = before(get);
  auto answer = call(&Store::put_agent, put);
  if (!in_doubt_) return answer;
  const bool made = answer.code() == Code::already_exists && !there;
  const bool moved = answer.code() == Code::conflict && there && there->revision == put.agent.revision;
  const auto now = before(get);
  return now && (made || moved) ? Result<Agent>(*now) : answer;
}

Result<Agent> Client::get_agent(NamespaceName ns, AgentId one) {
  return first_of(call(&Store::get_agents, ns, std::vector<AgentId>{one}));
}
Result<AgentPage> Client::list_agents(AgentQuery query) { return call(&Store::list_agents, query); }

Result<Agent> Client::delete_agent(NamespaceName ns, AgentId id) {
  const auto there = before([&] { return get_agent(ns, id); });
  auto answer = call(&Store::delete_agent, ns, id);
  return in_doubt_ && there && answer.code() == Code::not_found ? Result<Agent>(*there) : answer;
}

Result<Tool> Client::put_tool(ToolPut put) {
  const auto get = [&] { return get_tool(put.tool.spec.ns, put.tool.spec.name); };
  const auto there = before(get);
  auto answer = call(&Store::put_tool, put);
  if (!in_doubt_) return answer;
  const bool made = answer.code() == Code::already_exists && !there;
  const bool moved = answer.code() == Code::conflict && there && there->revision == put.tool.revision;
  const auto now = before(get);
  return now && (made || moved) ? Result<Tool>(*now) : answer;
}

Result<Tool> Client::get_tool(NamespaceName ns, ToolName one) {
  return first_of(call(&Store::get_tools, ns, std::vector<ToolName>{std::move(one)}));
}
Result<ToolPage> Client::list_tools(ToolQuery query) { return call(&Store::list_tools, query); }

Result<Tool> Client::delete_tool(NamespaceName ns, ToolName name) {
  const auto there = before([&] { return get_tool(ns, name); });
  auto answer = call(&Store::delete_tool, ns, name);
  return in_doubt_ && there && answer.code() == Code::not_found ? Result<Tool>(*there) : answer;
}

Result<AgentSession> Client::create_session(SessionCreate create) {
  const auto get = [&] { return get_session(create.session.ns, create.session.id); };
  const auto there = before(get);
  auto answer = call(&Store::create_session, create);
  return in_doubt_ && !there && answer.code() == Code::already_exists ? get() : answer;
}

Result<AgentSession> Client::update_session(AgentSession session) {
  const auto get = [&] { return get_session(session.ns, session.id); };
  const auto there = before(get);
  auto answer = call(&Store::update_session, session);
  const bool moved = in_doubt_ && answer.code() == Code::conflict && there && there->revision == session.revision;
  return moved ? get() : answer;
}

Result<AgentSession> Client::get_session(NamespaceName ns, AgentSessionId one) {
  return first_of(call(&Store::get_sessions, ns, std::vector<AgentSessionId>{one}));
}
Result<SessionPage> Client::list_sessions(SessionQuery query) { return call(&Store::list_sessions, query); }

Result<AgentSession> Client::delete_session(NamespaceName ns, AgentSessionId id) {
  const auto there = before([&] { return get_session(ns, id); });
  auto answer = call(&Store::delete_session, ns, id);
  return in_doubt_ && there && answer.code() == Code::not_found ? Result<AgentSession>(*there) : answer;
}

Result<AgentRunStarted> Client::start_agent_run(AgentRunStart start) {
  std::vector<JobSpec> jobs{start.job};
  give_keys(jobs);
  start.job = jobs.front();
  auto answer = call(&Store::start_agent_run, start);
  if (!answer.ok()) return answer;
  const bool first_sight = seen_.insert(answer->run.id).second;
  if (in_doubt_) answer->existed = !first_sight;
  return answer;
}

Result<AgentRun> Client::get_agent_run(JobId one) { return single(&Store::get_agent_runs, one); }
Result<AgentRunPage> Client::list_agent_runs(AgentRunQuery query) { return call(&Store::list_agent_runs, query); }
Result<AgentRunView> Client::view_agent_run(JobId run) { return call(&Store::view_agent_run, run); }

Result<AgentRunWritten> Client::write_agent_run(AgentRunWrite write) {
  const auto there = before([&] { return get_agent_run(write.run.id); });
  auto answer = call(&Store::write_agent_run, write);
  if (!in_doubt_ || answer.code() != Code::conflict || !there || there->revision != write.run.revision) return answer;
  // A final run refuses every write: only one that moved the run was made.
  const auto now = before([&] { return get_agent_run(write.run.id); });
  return now && now->revision != there->revision ? as_written(write) : answer;
}

Result<AgentRunWritten> Client::as_written(const AgentRunWrite& write) {
  const auto run = get_agent_run(write.run.id);
  if (!run.ok()) return run.status();
  AgentRunWritten out{.run = *run, .executions = {}, .messages = {}};
  for (const ExecutionWrite& one : write.executions) {
    const auto page = list_executions({.ns = {}, .id = one.execution.id});
    if (!page.ok()) return page.status();
    if (page->executions.empty()) return Status::conflict("it was not this write that moved the run");
    out.executions.push_back(page->executions.front());
  }
  std::set<MessageId> ours;
  for (const AgentMessage& one : write.messages) ours.insert(one.id);
  MessageQuery query{.session = run->session};
  for (bool more = !ours.empty(); more;) {
    const auto page = list_messages(query);
    if (!page.ok()) return page.status();
    for (const AgentMessage& one : page->messages) {
      if (ours.contains(one.id)) out.messages.push_back(one.number);
      query.after = one.number;
    }
    more = page->more;
  }
  return out;
}

Result<IterationList> Client::list_iterations(IterationQuery query) { return call(&Store::list_iterations, query); }
Result<ExecutionPage> Client::list_executions(ExecutionQuery query) { return call(&Store::list_executions, query); }
Result<MessagePage> Client::list_messages(MessageQuery query) { return call(&Store::list_messages, query); }
Result<Blob> Client::get_blob(Uuid id) { return call(&Store::get_blob, id); }
Result<SpendingView> Client::get_spending(SpendingQuery query) { return call(&Store::get_spending, query); }

Result<CompactionEvent> Client::compact_session(Compaction compaction) {
  const AgentSessionId session = compaction.event.session;
  const auto there = compaction_named(session, compaction.event.id);
  auto answer = call(&Store::compact_session, compaction);
  if (answer.ok() || !in_doubt_ || there) return answer;
  const auto now = compaction_named(session, compaction.event.id);
  return now ? Result<CompactionEvent>(*now) : answer;
}

Result<CompactionEvent> Client::restore_session(AgentSessionId session, Uuid event) {
  const auto there = compaction_named(session, event);
  auto answer = call(&Store::restore_session, session, event);
  if (answer.ok() || !in_doubt_ || !there || there->restored) return answer;
  const auto now = compaction_named(session, event);
  return now && now->restored ? Result<CompactionEvent>(*now) : answer;
}

Result<CompactionPage> Client::list_compactions(CompactionQuery query) { return call(&Store::list_compactions, query); }

std::optional<CompactionEvent> Client::compaction_named(const AgentSessionId& session, const Uuid& event) {
  if (!harness_.faulty()) return std::nullopt;
  const bool doubt = in_doubt_;  // a read must not hide what the write before it left
  const auto all = list_compactions({.session = session});
  in_doubt_ = doubt;
  if (!all.ok()) return std::nullopt;
  for (const CompactionEvent& one : all->events)
    if (one.id == event) return one;
  return std::nullopt;
}

}  // namespace muster::store::contract
