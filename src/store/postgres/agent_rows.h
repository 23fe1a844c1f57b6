// Rows about agents: what store/codec/agent_columns.h lists, as parameters and back.
//
// Every statement selects the columns of a noun in the codec's order and behind them the key of its namespace, where it has one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/codec/agent_columns.h"
#include "store/postgres/tx.h"
#include "store/postgres/wire/connection.h"
#include "store/postgres/wire/params.h"

namespace muster::store::postgres {

// Rows on their way into a statement that takes them apart with unnest(): the Sink of ColumnsOut. A letter stands for each
// column: t text, b bytes, i bigint, d double precision, o boolean.
class RowsOut {
 public:
  explicit RowsOut(std::string_view letters);

  void null() { next().add_null(); }
  void flag(bool value) { next().add(std::int64_t{value}); }
  void integer(std::int64_t value) { next().add(value); }
  void real(double value) { next().add_real(value); }
  void text(std::string_view value) { next().add(value); }
  void made(const std::string& value) { next().add(std::string_view(value)); }

  bool empty() const { return columns_.front().size() == 0; }
  std::size_t size() const { return columns_.front().size(); }
  // Whole rows only; they are used up.
  Params params();

 private:
  Column& next();
  std::vector<Column> columns_;
  std::size_t at_ = 0;
};

inline constexpr std::string_view kAgentLetters = "ttbbbididbbbbbboiiiiiiibbiiiti";           // and metadata_key, namespace
inline constexpr std::string_view kToolLetters = "tbbtbtiidibbiiii";                          // and namespace
inline constexpr std::string_view kSessionLetters = "ttibbiiiiii";                            // and namespace
inline constexpr std::string_view kRunLetters = "itttitibtbiiiiiiittitbbiiiiiiitbtiiiiiiit";  // and namespace, public id
inline constexpr std::string_view kMovedRunLetters = "ittitbbiiiiiiitbtiiiiii";               // the key, and what changes
inline constexpr std::string_view kIterationLetters = "itiotbitiiiiiiiibbtoiiiiiitbiii";
inline constexpr std::string_view kExecutionLetters = "ittitbbbtiibtobtbbitiiiibiiii";
inline constexpr std::string_view kMessageLetters = "titiitbiiiioobit";
inline constexpr std::string_view kArchiveLetters = "ttitiitbiiiioobit";  // the event, and the message
inline constexpr std::string_view kCompactionLetters = "tttiiibbbioi";
inline constexpr std::string_view kSpendingLetters = "iitiiiiii";  // namespace, scope, subject, day, and what was spent
inline constexpr std::string_view kBlobLetters = "ttb";            // id, session, data

// A session's row that a transaction holds.
struct HeldSession : SessionRow {
  NamespaceKey ns = 0;
};

inline constexpr int kRunColumns = kRunOriginColumns + kRunMovingColumns;

// Values of one row, from the column `first` on. Their namespaces are not in them.
Agent read_agent(const Rows& rows, std::size_t row, const IdCodec& ids, int first = 0);
Tool read_tool(const Rows& rows, std::size_t row, const IdCodec& ids);
SessionRow read_session(const Rows& rows, std::size_t row, const IdCodec& ids, int first = 0);
AgentRun read_run(const Rows& rows, std::size_t row, const IdCodec& ids, int first = 0);
Iteration read_iteration(const Rows& rows, std::size_t row, const IdCodec& ids, int first = 0);
ToolExecution read_execution(const Rows& rows, std::size_t row, const IdCodec& ids);
MessageRow read_message(const Rows& rows, std::size_t row, const IdCodec& ids, int first = 0);
CompactionEvent read_compaction(const Rows& rows, std::size_t row, const IdCodec& ids);
Spending read_spending(const Rows& rows, std::size_t row, const IdCodec& ids, int first = 0);

// The same with the namespace, as a transaction finds it.
NamespaceName namespace_name(Tx& tx, std::int64_t key);
Agent agent_at(Tx& tx, const Rows& rows, std::size_t row, int first = 0);
Tool tool_at(Tx& tx, const Rows& rows, std::size_t row);
HeldSession session_at(Tx& tx, const Rows& rows, std::size_t row, int first = 0);
AgentRun run_at(Tx& tx, const Rows& rows, std::size_t row, int first = 0);

void add_agent(RowsOut& out, const Agent& agent, NamespaceKey ns, const IdCodec& ids);
void add_tool(RowsOut& out, const Tool& tool, NamespaceKey ns, const IdCodec& ids);
void add_session(RowsOut& out, const SessionRow& row, NamespaceKey ns, const IdCodec& ids);
void add_run(RowsOut& out, const AgentRun& run, NamespaceKey ns, const IdCodec& ids);
void add_moved_run(RowsOut& out, const AgentRun& run, const IdCodec& ids);
void add_iteration(RowsOut& out, const Iteration& iteration, const IdCodec& ids);
void add_execution(RowsOut& out, const ToolExecution& execution, const IdCodec& ids);
void add_message(RowsOut& out, const MessageRow& row, const IdCodec& ids);
void add_archived(RowsOut& out, const Uuid& event, const MessageRow& row, const IdCodec& ids);
void add_compaction(RowsOut& out, const CompactionEvent& event, const IdCodec& ids);
void add_blob(RowsOut& out, const Blob& blob, const AgentSessionId& session);

struct SpendingRow {
  NamespaceKey ns = 0;
  SpendingScope scope = SpendingScope::session;
  std::string subject;   // the id of a session or an agent
  std::int64_t day = 0;  // 0: of all days
  Spending spent;
};
void add_spending(RowsOut& out, const SpendingRow& row, const IdCodec& ids);

// How many of the rows are on a page: as many as were asked for and as its bytes hold, which the column `bytes_so_far` counts.
// One always is.
std::size_t fitting(const Rows& rows, std::size_t limit, int bytes_so_far);

// Ids as one parameter: text[].
template <class Ids>
Column texts_of(const Ids& ids) {
  Column out(Type::text);
  for (const auto& id : ids) out.add(std::string_view(id.text()));
  return out;
}

}  // namespace muster::store::postgres
