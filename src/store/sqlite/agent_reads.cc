#include "store/sqlite/agent_reads.h"

#include <algorithm>
#include <limits>

#include "store/refusals.h"
#include "store/sqlite/agent_rows.h"
#include "store/sqlite/snapshot.h"

namespace muster::store::sqlite {
namespace {

constexpr std::int64_t kNewest = std::numeric_limits<std::int64_t>::max();

// Counts what is on a page. One always fits, so that a page never stands still.
class PageBytes {
 public:
  explicit PageBytes(std::size_t most) : most_(most) {}
  bool fits(std::size_t bytes) {
    bytes_ += bytes;
    const bool first = std::exchange(any_, true) == false;
    return first || bytes_ <= most_;
  }

 private:
  std::size_t most_;
  std::size_t bytes_ = 0;
  bool any_ = false;
};

std::size_t bytes_of(const Agent& agent) {
  return agent.spec.system_prompt.size() + agent.spec.description.size() + agent.spec.metadata.size() + agent.spec.config.size();
}
std::size_t bytes_of(const Tool& tool) {
  return tool.spec.description.size() + tool.spec.input_schema.size() + tool.spec.metadata.size();
}
std::size_t bytes_of(const AgentSession& session) { return session.metadata.size() + session.variables.size(); }
std::size_t bytes_of(const AgentRun& run) {
  return run.prompt.size() + run.variables.size() + (run.response_text ? run.response_text->size() : 0) +
         run.error_message.size();
}
std::size_t bytes_of(const Iteration& iteration) { return iteration.partial_text.size() + iteration.error_message.size(); }
std::size_t bytes_of(const ToolExecution& execution) {
  return execution.input.size() + (execution.output ? execution.output->size() : 0) + execution.last_error.size();
}
std::size_t bytes_of(const CompactionEvent& event) { return event.summary.size() + event.preserved.size() * sizeof(MessageId); }

// 0 stands for all namespaces.
std::optional<std::int64_t> or_null(std::int64_t ns_row) { return ns_row == 0 ? std::nullopt : std::optional(ns_row); }
std::int64_t one_more(std::size_t limit) { return static_cast<std::int64_t>(limit) + 1; }

// Below which row a page begins. Empty: the cursor is none of these.
std::optional<std::int64_t> below_of(const std::string& cursor) { return cursor.empty() ? kNewest : parse_row_cursor(cursor); }

}  // namespace

AgentReads::AgentReads(Connection& connection, IdCodec ids) : db_(connection), ids_(ids), sql_(connection) {}

template <class T, class Body>
Result<T> AgentReads::over_snapshot(Body body) {
  db_.clear_fault();
  const Snapshot snapshot(db_);
  Result<T> out = body();
  if (!db_.fault().ok()) return db_.fault();
  return out;
}

Result<std::int64_t> AgentReads::namespace_row(const NamespaceName& ns) {
  if (ns.empty()) return 0;
  Rows rows(sql_.namespace_find.bind_text(1, ns.text()));
  if (!rows.next()) return refusal::no_namespace(ns);
  return sql_.namespace_find.integer(0);
}

Status AgentReads::must_exist(const NamespaceName& ns) {
  if (ns.empty()) return refusal::no_namespace(ns);
  return namespace_row(ns).status();
}

std::optional<Agent> AgentReads::find_agent(const AgentId& id) {
  const std::string text = id.text();
  Rows rows(sql_.agent_find.bind_text(1, text));
  if (!rows.next()) return std::nullopt;
  return read_agent(sql_.agent_find, ids_);
}

std::optional<AgentSession> AgentReads::find_session(const AgentSessionId& id) {
  const std::string text = id.text();
  Rows rows(sql_.agent_session_find.bind_text(1, text));
  if (!rows.next()) return std::nullopt;
  return read_session(sql_.agent_session_find, ids_).session;
}

std::optional<AgentRun> AgentReads::find_run(const JobId& id) {
  Rows rows(sql_.agent_run_find.bind(1, ids_.decode(id).value_or(0)));
  if (!rows.next()) return std::nullopt;
  return read_agent_run(sql_.agent_run_find, ids_);
}

std::optional<Iteration> AgentReads::find_iteration(const IterationId& id) {
  const std::string text = id.text();
  Rows rows(sql_.agent_iteration_find.bind_text(1, text));
  if (!rows.next()) return std::nullopt;
  return read_iteration(sql_.agent_iteration_find, ids_);
}

Result<Each<Agent>> AgentReads::get_agents(const NamespaceName& ns, const std::vector<AgentId>& ids) {
  return over_snapshot<Each<Agent>>([&]() -> Result<Each<Agent>> {
    const Status there = must_exist(ns);
    Each<Agent> out;
    for (const AgentId& id : ids) {
      auto found = there.ok() ? find_agent(id) : std::nullopt;
      if (!there.ok())
        out.emplace_back(there);
      else if (!found || found->spec.ns != ns)
        out.emplace_back(refusal::no_agent(id));
      else
        out.emplace_back(std::move(*found));
    }
    return out;
  });
}

Result<AgentPage> AgentReads::list_agents(const AgentQuery& query) {
  return over_snapshot<AgentPage>([&]() -> Result<AgentPage> {
    const auto ns_row = namespace_row(query.ns);
    if (!ns_row.ok()) return ns_row.status();
    std::optional<AgentPlace> behind;
    if (!query.cursor.empty() && !(behind = parse_agent_cursor(query.cursor))) return refusal::bad_cursor(query.cursor);
    AgentPage page;
    {
      Binder bind(sql_.agent_count, ids_);
      bind(or_null(*ns_row)).text_or_null(query.name);
      bind.text_or_null(query.metadata);
      Rows rows(sql_.agent_count);
      if (rows.next()) page.total = static_cast<std::uint64_t>(sql_.agent_count.integer(0));
    }
    Binder bind(sql_.agent_list, ids_);
    bind(or_null(*ns_row)).text_or_null(query.name);
    bind.text_or_null(query.metadata);
    bind.text(behind ? std::string_view(behind->name) : std::string_view());
    bind.made(behind ? behind->id.text() : std::string());
    bind(one_more(query.limit));
    PageBytes bytes(limits::kPageBytesMax);
    Rows rows(sql_.agent_list);
    while (rows.next()) {
      Agent one = read_agent(sql_.agent_list, ids_);
      if (page.agents.size() == query.limit || !bytes.fits(bytes_of(one))) {
        page.next = agent_cursor(page.agents.back());
        break;
      }
      page.agents.push_back(std::move(one));
    }
    return page;
  });
}

Result<Each<Tool>> AgentReads::get_tools(const NamespaceName& ns, const std::vector<ToolName>& names) {
  return over_snapshot<Each<Tool>>([&]() -> Result<Each<Tool>> {
    const auto ns_row = namespace_row(ns);
    Each<Tool> out;
    for (const ToolName& name : names) {
      if (!ns_row.ok()) {
        out.emplace_back(ns_row.status());
        continue;
      }
      Rows rows(sql_.agent_tool_find.bind(1, *ns_row).bind_text(2, name.text()));
      rows.next() ? out.emplace_back(read_tool(sql_.agent_tool_find, ids_)) : out.emplace_back(refusal::no_tool(name));
    }
    return out;
  });
}

Result<ToolPage> AgentReads::list_tools(const ToolQuery& query) {
  return over_snapshot<ToolPage>([&]() -> Result<ToolPage> {
    const auto ns_row = namespace_row(query.ns);
    if (!ns_row.ok()) return ns_row.status();
    ToolPlace behind;
    if (!query.cursor.empty()) {
      const auto parsed = parse_tool_cursor(query.cursor);
      if (!parsed) return refusal::bad_cursor(query.cursor);
      behind = *parsed;
    }
    ToolPage page;
    PageBytes bytes(limits::kPageBytesMax);
    Statement& st = sql_.agent_tool_list;
    st.bind_optional(1, or_null(*ns_row)).bind_text(2, behind.name).bind(3, behind.ns).bind(4, one_more(query.limit));
    ToolPlace last;
    Rows rows(st);
    while (rows.next()) {
      Tool one = read_tool(st, ids_);
      if (page.tools.size() == query.limit || !bytes.fits(bytes_of(one))) {
        page.next = tool_cursor(last);
        break;
      }
      constexpr int kNamespace = kToolColumns + 2;
      last = {one.spec.name.text(), st.integer(kNamespace)};
      page.tools.push_back(std::move(one));
    }
    return page;
  });
}

Result<Each<AgentSession>> AgentReads::get_sessions(const NamespaceName& ns, const std::vector<AgentSessionId>& ids) {
  return over_snapshot<Each<AgentSession>>([&]() -> Result<Each<AgentSession>> {
    const Status there = must_exist(ns);
    Each<AgentSession> out;
    for (const AgentSessionId& id : ids) {
      auto found = there.ok() ? find_session(id) : std::nullopt;
      if (!there.ok())
        out.emplace_back(there);
      else if (!found || found->ns != ns)
        out.emplace_back(refusal::no_session(id));
      else
        out.emplace_back(std::move(*found));
    }
    return out;
  });
}

Result<SessionPage> AgentReads::list_sessions(const SessionQuery& query) {
  return over_snapshot<SessionPage>([&]() -> Result<SessionPage> {
    const auto ns_row = namespace_row(query.ns);
    if (!ns_row.ok()) return ns_row.status();
    const auto below = below_of(query.cursor);
    if (!below) return refusal::bad_cursor(query.cursor);
    const auto filter = [&](Binder& bind) {
      bind(or_null(*ns_row)).text_or_null(query.metadata);
      bind(query.parent);
    };
    SessionPage page;
    {
      Statement& st = query.parent ? sql_.agent_session_count_below : sql_.agent_session_count;
      Binder bind(st, ids_);
      filter(bind);
      Rows rows(st);
      if (rows.next()) page.total = static_cast<std::uint64_t>(st.integer(0));
    }
    Statement& st = query.parent ? sql_.agent_session_list_below : sql_.agent_session_list;
    Binder bind(st, ids_);
    filter(bind);
    bind(*below, one_more(query.limit));
    PageBytes bytes(limits::kPageBytesMax);
    std::int64_t last = 0;
    Rows rows(st);
    while (rows.next()) {
      AgentSession one = read_session(st, ids_).session;
      if (page.sessions.size() == query.limit || !bytes.fits(bytes_of(one))) {
        page.next = std::to_string(last);
        break;
      }
      last = st.integer(0);
      page.sessions.push_back(std::move(one));
    }
    return page;
  });
}

Result<Each<AgentRun>> AgentReads::get_agent_runs(const std::vector<JobId>& runs) {
  return over_snapshot<Each<AgentRun>>([&]() -> Result<Each<AgentRun>> {
    Each<AgentRun> out;
    for (const JobId& id : runs) {
      auto found = find_run(id);
      found ? out.emplace_back(std::move(*found)) : out.emplace_back(refusal::no_agent_run(id));
    }
    return out;
  });
}

Result<AgentRunPage> AgentReads::list_agent_runs(const AgentRunQuery& query) {
  return over_snapshot<AgentRunPage>([&]() -> Result<AgentRunPage> {
    const auto ns_row = namespace_row(query.ns);
    if (!ns_row.ok()) return ns_row.status();
    const auto below = below_of(query.cursor);
    if (!below) return refusal::bad_cursor(query.cursor);
    Statement& st = query.parent       ? sql_.agent_run_list_of_parent
                    : query.session    ? sql_.agent_run_list_of_session
                    : query.agent      ? sql_.agent_run_list_of_agent
                    : query.unfinished ? sql_.agent_run_list_unfinished
                                       : sql_.agent_run_list;
    Binder bind(st, ids_);
    bind(*below, or_null(*ns_row), query.session, query.agent);
    // A parent that no key stands for has no children.
    bind(query.parent ? std::optional(ids_.decode(*query.parent).value_or(0)) : std::nullopt);
    bind(query.state, query.mode, query.unfinished, one_more(query.limit));
    AgentRunPage page;
    PageBytes bytes(limits::kPageBytesMax);
    std::int64_t last = 0;
    Rows rows(st);
    while (rows.next()) {
      AgentRun one = read_agent_run(st, ids_);
      if (page.runs.size() == query.limit || !bytes.fits(bytes_of(one))) {
        page.next = std::to_string(last);
        break;
      }
      last = st.integer(0);
      page.runs.push_back(std::move(one));
    }
    return page;
  });
}

std::vector<ToolExecution> AgentReads::executions_of(const IterationId& iteration) {
  const std::string text = iteration.text();
  std::vector<ToolExecution> out;
  Statement& st = sql_.agent_execution_list_of_iteration;
  Rows rows(st.bind_text(1, text));
  while (rows.next()) out.push_back(read_execution(st, ids_));
  return out;
}

Result<AgentRunView> AgentReads::view(const JobId& run) {
  AgentRunView out;
  auto found = find_run(run);
  if (!found) return refusal::no_agent_run(run);
  out.run = std::move(*found);
  auto agent = find_agent(out.run.agent);
  if (!agent) return refusal::no_agent(out.run.agent);
  auto session = find_session(out.run.session);
  if (!session) return refusal::no_session(out.run.session);
  out.agent = std::move(*agent);
  out.session = std::move(*session);
  if (out.run.iteration_id) {
    out.iteration = find_iteration(*out.run.iteration_id);
    out.executions = executions_of(*out.run.iteration_id);
  }
  return out;
}

Result<AgentRunView> AgentReads::view_agent_run(const JobId& run) {
  return over_snapshot<AgentRunView>([&] { return view(run); });
}

Result<IterationList> AgentReads::list_iterations(const IterationQuery& query) {
  return over_snapshot<IterationList>([&]() -> Result<IterationList> {
    if (!find_run(query.run)) return refusal::no_agent_run(query.run);
    IterationList out;
    PageBytes bytes(limits::kPageBytesMax);
    Rows rows(sql_.agent_iteration_list.bind(1, ids_.decode(query.run).value_or(0)).bind(2, as_integer(limits::kPageMax)));
    while (rows.next()) {
      Iteration one = read_iteration(sql_.agent_iteration_list, ids_);
      if (!bytes.fits(bytes_of(one))) break;
      out.iterations.push_back(std::move(one));
    }
    std::reverse(out.iterations.begin(), out.iterations.end());
    return out;
  });
}

namespace {

// Parameters 1 to 9 of every statement that lists executions.
void bind_query(Binder& bind, const IdCodec& ids, const ExecutionQuery& query, std::int64_t below, std::int64_t ns_row) {
  const auto key_of = [&ids](const std::optional<JobId>& id) {
    return id ? std::optional(ids.decode(*id).value_or(0)) : std::nullopt;
  };
  bind(below, or_null(ns_row), key_of(query.run), query.id, key_of(query.job));
  bind.text_or_null(query.tool.text());
  bind(query.state, query.approval_asked, one_more(query.limit));
}

}  // namespace

Result<ExecutionPage> AgentReads::list_executions(const ExecutionQuery& query) {
  return over_snapshot<ExecutionPage>([&]() -> Result<ExecutionPage> {
    const auto ns_row = namespace_row(query.ns);
    if (!ns_row.ok()) return ns_row.status();
    return query.run ? executions_of_run(query, *ns_row) : newest_executions(query, *ns_row);
  });
}

Result<ExecutionPage> AgentReads::executions_of_run(const ExecutionQuery& query, std::int64_t ns_row) {
  ExecutionPlace behind;
  if (!query.cursor.empty()) {
    const auto parsed = parse_execution_cursor(query.cursor);
    if (!parsed) return refusal::bad_cursor(query.cursor);
    behind = *parsed;
  }
  Statement& st = sql_.agent_execution_list_of_run;
  Binder bind(st, ids_);
  bind_query(bind, ids_, query, kNewest, ns_row);
  bind(behind.iteration, behind.place, behind.row);
  ExecutionPage page;
  PageBytes bytes(limits::kPageBytesMax);
  Rows rows(st);
  while (rows.next()) {
    ToolExecution one = read_execution(st, ids_);
    if (page.executions.size() == query.limit || !bytes.fits(bytes_of(one))) {
      page.next = execution_cursor(behind);
      break;
    }
    behind = {st.integer(kExecutionColumns + 3), std::int64_t{one.place}, st.integer(0)};
    page.executions.push_back(std::move(one));
  }
  return page;
}

Result<ExecutionPage> AgentReads::newest_executions(const ExecutionQuery& query, std::int64_t ns_row) {
  const auto below = below_of(query.cursor);
  if (!below) return refusal::bad_cursor(query.cursor);
  Statement& st = query.id               ? sql_.agent_execution_list_of_id
                  : query.job            ? sql_.agent_execution_list_of_job
                  : query.approval_asked ? sql_.agent_execution_list_of_asked
                                         : sql_.agent_execution_list;
  Binder bind(st, ids_);
  bind_query(bind, ids_, query, *below, ns_row);
  ExecutionPage page;
  PageBytes bytes(limits::kPageBytesMax);
  std::int64_t last = 0;
  Rows rows(st);
  while (rows.next()) {
    ToolExecution one = read_execution(st, ids_);
    if (page.executions.size() == query.limit || !bytes.fits(bytes_of(one))) {
      page.next = std::to_string(last);
      break;
    }
    last = st.integer(0);
    page.executions.push_back(std::move(one));
  }
  return page;
}

Result<MessagePage> AgentReads::list_messages(const MessageQuery& query) {
  return over_snapshot<MessagePage>([&]() -> Result<MessagePage> {
    if (!find_session(query.session)) return refusal::no_session(query.session);
    std::optional<AgentRun> reader;
    if (query.context_of && !(reader = find_run(*query.context_of))) return refusal::no_agent_run(*query.context_of);
    const bool own = reader && reader->depth > 0;
    Statement& st = own ? sql_.agent_message_list_of_run : sql_.agent_message_list;
    Binder bind(st, ids_);
    bind(query.session, query.after);
    if (own)
      bind(reader->id);
    else
      reader ? bind.integer(0) : bind.null();  // the depth of root runs
    bind(one_more(query.limit));
    MessagePage page;
    PageBytes bytes(kMessagePageBytesMax);
    Rows rows(st);
    while (rows.next()) {
      // What a page has no room for is not read into memory.
      constexpr int kBlocks = 7;
      if (page.messages.size() == query.limit || !bytes.fits(st.view(kBlocks).size())) {
        page.more = true;
        break;
      }
      page.messages.push_back(read_message(st, 1, ids_).message);
    }
    return page;
  });
}

Result<Blob> AgentReads::get_blob(const Uuid& id) {
  return over_snapshot<Blob>([&]() -> Result<Blob> {
    const std::string text = id.text();
    Rows rows(sql_.agent_blob_get.bind_text(1, text));
    if (!rows.next()) return refusal::no_blob(id);
    return Blob{id, sql_.agent_blob_get.text(0)};
  });
}

Spending AgentReads::spending_of(std::int64_t ns_row, int scope, const std::string& name, std::int64_t day) {
  Spending out;
  Statement& st = sql_.agent_spending_get;
  Rows rows(st.bind(1, ns_row).bind(2, std::int64_t{scope}).bind_text(3, name).bind(4, day));
  if (!rows.next()) return out;
  ColumnsIn columns(st, 0, ids_);
  spending_columns(columns, out);
  return out;
}

Result<SpendingView> AgentReads::get_spending(const SpendingQuery& query) {
  return over_snapshot<SpendingView>([&]() -> Result<SpendingView> {
    const auto ns_row = namespace_row(query.ns);
    if (!ns_row.ok()) return ns_row.status();
    const auto spent = [&](SpendingScope scope, const std::string& name, std::int64_t day) {
      return spending_of(*ns_row, static_cast<int>(scope), name, day);
    };
    SpendingView out;
    const std::int64_t day = day_of(query.day);
    if (query.session) out.session = spent(SpendingScope::session, query.session->text(), 0);
    if (query.agent) out.agent_today = spent(SpendingScope::agent, query.agent->text(), day);
    out.namespace_today = spent(SpendingScope::ns, {}, day);
    return out;
  });
}

Result<CompactionPage> AgentReads::list_compactions(const CompactionQuery& query) {
  return over_snapshot<CompactionPage>([&]() -> Result<CompactionPage> {
    if (!find_session(query.session)) return refusal::no_session(query.session);
    const auto below = below_of(query.cursor);
    if (!below) return refusal::bad_cursor(query.cursor);
    CompactionPage page;
    PageBytes bytes(limits::kPageBytesMax);
    const std::string text = query.session.text();
    std::int64_t last = 0;
    Rows rows(sql_.agent_compaction_list.bind_text(1, text).bind(2, *below).bind(3, one_more(query.limit)));
    while (rows.next()) {
      CompactionEvent one = read_compaction(sql_.agent_compaction_list, ids_);
      if (page.events.size() == query.limit || !bytes.fits(bytes_of(one))) {
        page.next = std::to_string(last);
        break;
      }
      last = sql_.agent_compaction_list.integer(0);
      page.events.push_back(std::move(one));
    }
    return page;
  });
}

}  // namespace muster::store::sqlite
