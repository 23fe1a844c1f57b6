#include "store/postgres/agent_rows.h"

#include "base/check.h"
#include "model/limits.h"

namespace muster::store::postgres {
namespace {

Type type_of(char letter) {
  switch (letter) {
    case 't': return Type::text;
    case 'b': return Type::bytes;
    case 'd': return Type::float8;
    case 'o': return Type::boolean;
    default: return Type::int8;
  }
}

using In = ColumnsIn<Rows::Row>;
using Out = ColumnsOut<RowsOut>;

}  // namespace

RowsOut::RowsOut(std::string_view letters) {
  for (const char letter : letters) columns_.emplace_back(type_of(letter));
}

Column& RowsOut::next() {
  Column& column = columns_[at_];
  at_ = at_ + 1 == columns_.size() ? 0 : at_ + 1;
  return column;
}

Params RowsOut::params() {
  check(at_ == 0, "a row has a value for each column");
  Params params;
  for (Column& column : columns_) params.array(std::move(column));
  return params;
}

Agent read_agent(const Rows& rows, std::size_t row, const IdCodec& ids, int first) {
  Agent agent;
  const Rows::Row from = rows.at(row);
  In in(from, first, ids);
  agent_columns(in, agent);
  return agent;
}

Tool read_tool(const Rows& rows, std::size_t row, const IdCodec& ids) {
  Tool tool;
  const Rows::Row from = rows.at(row);
  In in(from, 0, ids);
  tool_columns(in, tool);
  return tool;
}

SessionRow read_session(const Rows& rows, std::size_t row, const IdCodec& ids, int first) {
  SessionRow out;
  const Rows::Row from = rows.at(row);
  In in(from, first, ids);
  session_columns(in, out);
  return out;
}

AgentRun read_run(const Rows& rows, std::size_t row, const IdCodec& ids, int first) {
  AgentRun run;
  const Rows::Row from = rows.at(row);
  In in(from, first, ids);
  run_origin_columns(in, run);
  run_moving_columns(in, run);
  return run;
}

Iteration read_iteration(const Rows& rows, std::size_t row, const IdCodec& ids, int first) {
  Iteration iteration;
  const Rows::Row from = rows.at(row);
  In in(from, first, ids);
  iteration_columns(in, iteration);
  return iteration;
}

ToolExecution read_execution(const Rows& rows, std::size_t row, const IdCodec& ids) {
  ToolExecution execution;
  const Rows::Row from = rows.at(row);
  In in(from, 0, ids);
  execution_columns(in, execution);
  return execution;
}

MessageRow read_message(const Rows& rows, std::size_t row, const IdCodec& ids, int first) {
  MessageRow out;
  const Rows::Row from = rows.at(row);
  In in(from, first, ids);
  message_columns(in, out);
  return out;
}

CompactionEvent read_compaction(const Rows& rows, std::size_t row, const IdCodec& ids) {
  CompactionEvent event;
  const Rows::Row from = rows.at(row);
  In in(from, 0, ids);
  compaction_columns(in, event);
  return event;
}

Spending read_spending(const Rows& rows, std::size_t row, const IdCodec& ids, int first) {
  Spending spent;
  const Rows::Row from = rows.at(row);
  In in(from, first, ids);
  spending_columns(in, spent);
  return spent;
}

NamespaceName namespace_name(Tx& tx, std::int64_t key) {
  for (const NamespaceEntry& entry : tx.directory().namespaces())
    if (entry.key == key) return entry.info.name;
  return {};
}

Agent agent_at(Tx& tx, const Rows& rows, std::size_t row, int first) {
  Agent agent = read_agent(rows, row, tx.ids(), first);
  agent.spec.ns = namespace_name(tx, rows.integer(row, first + kAgentColumns));
  return agent;
}

Tool tool_at(Tx& tx, const Rows& rows, std::size_t row) {
  Tool tool = read_tool(rows, row, tx.ids());
  tool.spec.ns = namespace_name(tx, rows.integer(row, kToolColumns));
  return tool;
}

HeldSession session_at(Tx& tx, const Rows& rows, std::size_t row, int first) {
  HeldSession out{read_session(rows, row, tx.ids(), first), 0};
  out.ns = static_cast<NamespaceKey>(rows.integer(row, first + kSessionColumns));
  out.session.ns = namespace_name(tx, out.ns);
  return out;
}

AgentRun run_at(Tx& tx, const Rows& rows, std::size_t row, int first) {
  AgentRun run = read_run(rows, row, tx.ids(), first);
  run.ns = namespace_name(tx, rows.integer(row, first + kRunColumns));
  return run;
}

void add_agent(RowsOut& out, const Agent& agent, NamespaceKey ns, const IdCodec& ids) {
  Out columns(out, &ids);
  agent_columns(columns, agent);
  columns(metadata_key(agent.spec.metadata), ns);
}

void add_tool(RowsOut& out, const Tool& tool, NamespaceKey ns, const IdCodec& ids) {
  Out columns(out, &ids);
  tool_columns(columns, tool);
  columns(ns);
}

void add_session(RowsOut& out, const SessionRow& row, NamespaceKey ns, const IdCodec& ids) {
  Out columns(out, &ids);
  session_columns(columns, row);
  columns(ns);
}

void add_run(RowsOut& out, const AgentRun& run, NamespaceKey ns, const IdCodec& ids) {
  Out columns(out, &ids);
  run_origin_columns(columns, run);
  run_moving_columns(columns, run);
  columns(ns, run.id.value);
}

void add_moved_run(RowsOut& out, const AgentRun& run, const IdCodec& ids) {
  Out columns(out, &ids);
  columns(run.id);
  run_moving_columns(columns, run);
}

void add_iteration(RowsOut& out, const Iteration& iteration, const IdCodec& ids) {
  Out columns(out, &ids);
  iteration_columns(columns, iteration);
}

void add_execution(RowsOut& out, const ToolExecution& execution, const IdCodec& ids) {
  Out columns(out, &ids);
  execution_columns(columns, execution);
}

void add_message(RowsOut& out, const MessageRow& row, const IdCodec& ids) {
  Out columns(out, &ids);
  message_columns(columns, row);
}

void add_archived(RowsOut& out, const Uuid& event, const MessageRow& row, const IdCodec& ids) {
  out.made(event.text());
  add_message(out, row, ids);
}

void add_compaction(RowsOut& out, const CompactionEvent& event, const IdCodec& ids) {
  Out columns(out, &ids);
  compaction_columns(columns, event);
}

void add_blob(RowsOut& out, const Blob& blob, const AgentSessionId& session) {
  out.made(blob.id.text());
  out.made(session.text());
  out.text(blob.data);
}

void add_spending(RowsOut& out, const SpendingRow& row, const IdCodec& ids) {
  out.integer(row.ns);
  out.integer(static_cast<std::int64_t>(row.scope));
  out.text(row.subject);
  out.integer(row.day);
  Out columns(out, &ids);
  spending_columns(columns, row.spent);
}

std::size_t fitting(const Rows& rows, std::size_t limit, int bytes_so_far) {
  std::size_t count = 0;
  while (count < rows.size() && count < limit &&
         (count == 0 || static_cast<std::size_t>(rows.integer(count, bytes_so_far)) <= limits::kPageBytesMax))
    ++count;
  return count;
}

}  // namespace muster::store::postgres
