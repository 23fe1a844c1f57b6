#include "store/sqlite/transfer_agents.h"

#include <charconv>

#include <fmt/format.h>

#include "store/sqlite/agent_rows.h"

namespace muster::store::sqlite {
namespace {

using transfer::Batch;
using transfer::Kind;
using transfer::Position;

std::size_t content_of(const Agent& one) { return one.spec.system_prompt.size() + one.spec.description.size(); }
std::size_t content_of(const Tool& one) { return one.spec.input_schema.size() + one.spec.description.size(); }
std::size_t content_of(const SessionRow& one) { return one.session.metadata.size() + one.session.variables.size(); }
std::size_t content_of(const AgentRun& one) {
  return one.prompt.size() + one.variables.size() + (one.response_text ? one.response_text->size() : 0);
}
std::size_t content_of(const Iteration& one) { return one.partial_text.size(); }
std::size_t content_of(const transfer::ExecutionRecord& one) {
  return one.execution.input.size() + (one.execution.output ? one.execution.output->size() : 0);
}
std::size_t content_of(const MessageRow& one) { return one.message.blocks.size(); }
std::size_t content_of(const CompactionEvent& one) { return one.summary.size(); }
std::size_t content_of(const transfer::ArchiveRecord& one) { return one.row.message.blocks.size(); }
std::size_t content_of(const transfer::BlobRecord& one) { return one.blob.data.size(); }

// By row, behind the one before.
template <class Read>
void read_rows(Statement& st, Batch& batch, const Position& after, std::size_t limit, Read read) {
  auto& out = batch.records.emplace<std::vector<decltype(read(st))>>();
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind(2, as_integer(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    out.push_back(read(st));
    bytes += content_of(out.back());
    batch.last.first = st.integer(0);
  }
}

// Spending has no row of its own: "scope day name" behind the namespace's.
struct SpendingPlace {
  std::int64_t scope = -1;
  std::int64_t day = 0;
  std::string name;
};

std::string to_text(const SpendingPlace& place) { return fmt::format("{} {} {}", place.scope, place.day, place.name); }

SpendingPlace spending_place(const std::string& text) {
  SpendingPlace out;
  const char* const end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, out.scope);
  if (read.ec != std::errc() || read.ptr == end) return out;
  read = std::from_chars(read.ptr + 1, end, out.day);
  if (read.ec == std::errc() && read.ptr != end) out.name = std::string(read.ptr + 1, end);
  return out;
}

}  // namespace

AgentRecords::AgentRecords(Connection& connection)
    : agents_(connection, "agent_transfer"),
      tools_(connection, "agent_tool_transfer"),
      sessions_(connection, "agent_session_transfer"),
      runs_(connection, "agent_run_transfer"),
      iterations_(connection, "agent_iteration_transfer"),
      executions_(connection, "agent_execution_transfer"),
      messages_(connection, "agent_message_transfer"),
      compactions_(connection, "agent_compaction_transfer"),
      archive_(connection, "agent_archive_transfer"),
      spending_(connection, "agent_spending_transfer"),
      blobs_(connection, "agent_blob_transfer") {}

void AgentRecords::read(Kind kind, Batch& batch, const Position& after, std::size_t limit, const IdCodec& ids) {
  const auto rows = [&](Statement& st, auto one) {
    read_rows(st, batch, after, limit, [&](const Statement& row) { return one(row, ids); });
  };
  if (kind == Kind::agents) rows(agents_, read_agent);
  if (kind == Kind::tools) rows(tools_, read_tool);
  if (kind == Kind::sessions) rows(sessions_, read_session);
  if (kind == Kind::agent_runs) rows(runs_, read_agent_run);
  if (kind == Kind::iterations) rows(iterations_, read_iteration);
  if (kind == Kind::compactions) rows(compactions_, read_compaction);
  if (kind == Kind::messages) rows(messages_, [](const Statement& st, const IdCodec& of) { return read_message(st, 1, of); });
  if (kind == Kind::executions)
    rows(executions_, [](const Statement& st, const IdCodec& of) {
      return transfer::ExecutionRecord{NamespaceName(st.text(1)), read_execution(st, of)};
    });
  if (kind == Kind::archive)
    rows(archive_, [](const Statement& st, const IdCodec& of) {
      return transfer::ArchiveRecord{Uuid::parse(st.view(1)).value_or(Uuid()), read_message(st, 2, of)};
    });
  if (kind == Kind::blobs)
    rows(blobs_, [](const Statement& st, const IdCodec&) {
      return transfer::BlobRecord{AgentSessionId::parse(st.view(2)).value_or(AgentSessionId()),
                                  {Uuid::parse(st.view(1)).value_or(Uuid()), st.text(3)}};
    });
  if (kind == Kind::spending) read_spending(batch, after, limit, ids);
}

void AgentRecords::read_spending(Batch& batch, const Position& after, std::size_t limit, const IdCodec& ids) {
  auto& out = batch.records.emplace<std::vector<transfer::SpendingRecord>>();
  const SpendingPlace behind = spending_place(after.second);
  Statement& st = spending_;
  st.bind(1, after.first).bind(2, behind.scope).bind_text(3, behind.name).bind(4, behind.day).bind(5, as_integer(limit));
  Rows rows(st);
  while (rows.next()) {
    transfer::SpendingRecord& record = out.emplace_back();
    std::int64_t scope = 0;
    ColumnsIn columns(st, 1, ids);
    columns(record.ns, scope, record.name, record.day);
    spending_columns(columns, record.spent);
    record.scope = static_cast<SpendingScope>(scope);
    batch.last = {st.integer(0), to_text({scope, record.day, record.name})};
  }
}

AgentRecordWriter::AgentRecordWriter(Connection& connection)
    : agent_put_(connection, "agent_insert"),
      tool_put_(connection, "agent_tool_insert"),
      session_put_(connection, "agent_session_insert"),
      run_put_(connection, "agent_run_insert"),
      iteration_put_(connection, "agent_iteration_put"),
      execution_put_(connection, "agent_execution_put"),
      message_put_(connection, "agent_message_insert"),
      compaction_put_(connection, "agent_compaction_insert"),
      archive_put_(connection, "agent_archive_insert"),
      spending_put_(connection, "agent_spending_add"),
      blob_put_(connection, "agent_blob_insert") {}

void AgentRecordWriter::put(const Agent& record, std::int64_t ns_row, const IdCodec& ids) {
  write_agent(agent_put_, ids, ns_row, record);
}
void AgentRecordWriter::put(const Tool& record, std::int64_t ns_row, const IdCodec& ids) {
  write_tool(tool_put_, ids, ns_row, record);
}
void AgentRecordWriter::put(const SessionRow& record, std::int64_t ns_row, const IdCodec& ids) {
  write_session(session_put_, ids, ns_row, record);
}
void AgentRecordWriter::put(const AgentRun& record, std::int64_t ns_row, const IdCodec& ids) {
  insert_agent_run(run_put_, ids, ns_row, record);
}
void AgentRecordWriter::put(const Iteration& record, const IdCodec& ids) {
  put_iteration(iteration_put_, ids, std::nullopt, record);
}
void AgentRecordWriter::put(const transfer::ExecutionRecord& record, std::int64_t ns_row, const IdCodec& ids) {
  put_execution(execution_put_, ids, std::nullopt, ns_row, record.execution);
}
void AgentRecordWriter::put(const MessageRow& record, const IdCodec& ids) { insert_message(message_put_, ids, record); }
void AgentRecordWriter::put(const CompactionEvent& record, const IdCodec& ids) {
  insert_compaction(compaction_put_, ids, record);
}
void AgentRecordWriter::put(const transfer::ArchiveRecord& record, const IdCodec& ids) {
  insert_archived(archive_put_, ids, record.event, record.row);
}
void AgentRecordWriter::put(const transfer::SpendingRecord& record, std::int64_t ns_row, const IdCodec& ids) {
  add_spending(spending_put_, ids, ns_row, record.scope, record.name, record.day, record.spent);
}
void AgentRecordWriter::put(const transfer::BlobRecord& record, const IdCodec& ids) {
  insert_blob(blob_put_, ids, record.session, record.blob);
}

}  // namespace muster::store::sqlite
