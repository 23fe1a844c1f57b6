// Rows about agents, read and bound by the columns of store/codec/agent_columns.h; for the verbs, the readers and both ends of a
// copy.
//
// Every statement selects the row first. Views add the name of the namespace behind it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "store/codec/agent_columns.h"
#include "store/sqlite/db.h"

namespace muster::store::sqlite {

// Binds values one after the other, and keeps the texts that were made for it until the statement has run.
class Binder {
 public:
  Binder(Statement& statement, const IdCodec& ids) : statement_(statement), columns_(*this, &ids) {}
  Binder(const Binder&) = delete;
  Binder& operator=(const Binder&) = delete;

  template <class... Values>
  Binder& operator()(const Values&... values) {
    columns_(values...);
    return *this;
  }
  ColumnsOut<Binder>& columns() { return columns_; }
  Statement& statement() { return statement_; }
  void run() { statement_.run(); }

  // As ColumnsOut wants it.
  void null() { statement_.bind_null(next_++); }
  void flag(bool value) { statement_.bind(next_++, std::int64_t{value}); }
  void integer(std::int64_t value) { statement_.bind(next_++, value); }
  void real(double value) { statement_.bind(next_++, value); }
  // A null pointer would bind NULL; an empty text is a value.
  void text(std::string_view value) { statement_.bind_text(next_++, value.empty() ? std::string_view("") : value); }
  void made(std::string value) { text(made_.emplace_back(std::move(value))); }
  void bytes(std::string_view value) { statement_.bind_blob(next_++, value); }
  // A filter that is not asked for.
  void text_or_null(std::string_view value) { value.empty() ? null() : text(value); }

 private:
  Statement& statement_;
  int next_ = 1;
  std::deque<std::string> made_;  // its elements stay where they are
  ColumnsOut<Binder> columns_;
};

Agent read_agent(const Statement& st, const IdCodec& ids);
Tool read_tool(const Statement& st, const IdCodec& ids);
SessionRow read_session(const Statement& st, const IdCodec& ids);
AgentRun read_agent_run(const Statement& st, const IdCodec& ids);
Iteration read_iteration(const Statement& st, const IdCodec& ids);
ToolExecution read_execution(const Statement& st, const IdCodec& ids);
MessageRow read_message(const Statement& st, int first, const IdCodec& ids);
CompactionEvent read_compaction(const Statement& st, const IdCodec& ids);

// Each runs its statement: agent_insert or agent_update, and so on.
void write_agent(Statement& st, const IdCodec& ids, std::int64_t ns_row, const Agent& agent);
void write_tool(Statement& st, const IdCodec& ids, std::int64_t ns_row, const Tool& tool);
void write_session(Statement& st, const IdCodec& ids, std::int64_t ns_row, const SessionRow& row);
void insert_agent_run(Statement& st, const IdCodec& ids, std::int64_t ns_row, const AgentRun& run);
void update_agent_run(Statement& st, const IdCodec& ids, const AgentRun& run);
void put_iteration(Statement& st, const IdCodec& ids, std::optional<std::int64_t> row, const Iteration& iteration);
void put_execution(Statement& st, const IdCodec& ids, std::optional<std::int64_t> row, std::int64_t ns_row,
                   const ToolExecution& execution);
void insert_message(Statement& st, const IdCodec& ids, const MessageRow& row);
void insert_archived(Statement& st, const IdCodec& ids, const Uuid& event, const MessageRow& row);
void insert_compaction(Statement& st, const IdCodec& ids, const CompactionEvent& event);
void insert_blob(Statement& st, const IdCodec& ids, const AgentSessionId& session, const Blob& blob);

void add_spending(Statement& st, const IdCodec& ids, std::int64_t ns_row, SpendingScope scope, const std::string& name,
                  std::int64_t day, const Spending& spent);

}  // namespace muster::store::sqlite
