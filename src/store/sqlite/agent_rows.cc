#include "store/sqlite/agent_rows.h"

namespace muster::store::sqlite {

Agent read_agent(const Statement& st, const IdCodec& ids) {
  Agent out;
  out.spec.ns = NamespaceName(st.text(1));
  ColumnsIn columns(st, 2, ids);
  agent_columns(columns, out);
  return out;
}

Tool read_tool(const Statement& st, const IdCodec& ids) {
  Tool out;
  out.spec.ns = NamespaceName(st.text(1));
  ColumnsIn columns(st, 2, ids);
  tool_columns(columns, out);
  return out;
}

SessionRow read_session(const Statement& st, const IdCodec& ids) {
  SessionRow out;
  out.session.ns = NamespaceName(st.text(1));
  ColumnsIn columns(st, 2, ids);
  session_columns(columns, out);
  return out;
}

AgentRun read_agent_run(const Statement& st, const IdCodec& ids) {
  AgentRun out;
  out.ns = NamespaceName(st.text(1));
  ColumnsIn columns(st, 2, ids);
  run_origin_columns(columns, out);
  run_moving_columns(columns, out);
  return out;
}

Iteration read_iteration(const Statement& st, const IdCodec& ids) {
  Iteration out;
  ColumnsIn columns(st, 1, ids);
  iteration_columns(columns, out);
  return out;
}

ToolExecution read_execution(const Statement& st, const IdCodec& ids) {
  ToolExecution out;
  ColumnsIn columns(st, 2, ids);
  execution_columns(columns, out);
  return out;
}

MessageRow read_message(const Statement& st, int first, const IdCodec& ids) {
  MessageRow out;
  ColumnsIn columns(st, first, ids);
  message_columns(columns, out);
  return out;
}

CompactionEvent read_compaction(const Statement& st, const IdCodec& ids) {
  CompactionEvent out;
  ColumnsIn columns(st, 1, ids);
  compaction_columns(columns, out);
  return out;
}

void write_agent(Statement& st, const IdCodec& ids, std::int64_t ns_row, const Agent& agent) {
  Binder bind(st, ids);
  bind(ns_row).made(metadata_key(agent.spec.metadata));
  agent_columns(bind.columns(), agent);
  bind.run();
}

void write_tool(Statement& st, const IdCodec& ids, std::int64_t ns_row, const Tool& tool) {
  Binder bind(st, ids);
  bind(ns_row);
  tool_columns(bind.columns(), tool);
  bind.run();
}

void write_session(Statement& st, const IdCodec& ids, std::int64_t ns_row, const SessionRow& row) {
  Binder bind(st, ids);
  bind(ns_row);
  session_columns(bind.columns(), row);
  bind.run();
}

void insert_agent_run(Statement& st, const IdCodec& ids, std::int64_t ns_row, const AgentRun& run) {
  Binder bind(st, ids);
  bind(ns_row);
  run_origin_columns(bind.columns(), run);
  run_moving_columns(bind.columns(), run);
  bind.run();
}

void update_agent_run(Statement& st, const IdCodec& ids, const AgentRun& run) {
  Binder bind(st, ids);
  bind(run.id);
  run_moving_columns(bind.columns(), run);
  bind.run();
}

void put_iteration(Statement& st, const IdCodec& ids, std::optional<std::int64_t> row, const Iteration& iteration) {
  Binder bind(st, ids);
  bind(row);
  iteration_columns(bind.columns(), iteration);
  bind.run();
}

void put_execution(Statement& st, const IdCodec& ids, std::optional<std::int64_t> row, std::int64_t ns_row,
                   const ToolExecution& execution) {
  Binder bind(st, ids);
  bind(row, ns_row);
  execution_columns(bind.columns(), execution);
  bind.run();
}

void insert_message(Statement& st, const IdCodec& ids, const MessageRow& row) {
  Binder bind(st, ids);
  message_columns(bind.columns(), row);
  bind.run();
}

void insert_archived(Statement& st, const IdCodec& ids, const Uuid& event, const MessageRow& row) {
  Binder bind(st, ids);
  bind(event);
  message_columns(bind.columns(), row);
  bind.run();
}

void insert_compaction(Statement& st, const IdCodec& ids, const CompactionEvent& event) {
  Binder bind(st, ids);
  compaction_columns(bind.columns(), event);
  bind.run();
}

void insert_blob(Statement& st, const IdCodec& ids, const AgentSessionId& session, const Blob& blob) {
  Binder bind(st, ids);
  bind(blob.id, session).bytes(blob.data);
  bind.run();
}

void add_spending(Statement& st, const IdCodec& ids, std::int64_t ns_row, SpendingScope scope, const std::string& name,
                  std::int64_t day, const Spending& spent) {
  Binder bind(st, ids);
  bind(ns_row, static_cast<std::int64_t>(scope), name, day);
  spending_columns(bind.columns(), spent);
  bind.run();
}

}  // namespace muster::store::sqlite
