#include "store/postgres/transfer_agents.h"

#include <charconv>

#include <fmt/format.h>

#include "base/check.h"
#include "store/postgres/agent_rows.h"

namespace muster::store::postgres {
namespace {

using transfer::Batch;
using transfer::Kind;
using transfer::Position;

constexpr std::size_t kUuidChars = 36;

// Where reading a kind begins, and how its rows are read. `place` fills in behind which row it goes on.
class AgentReader {
 public:
  AgentReader(const AskRows& ask, const Position& after, std::size_t limit, const IdCodec& ids)
      : ask_(ask), after_(after), limit_(static_cast<std::int64_t>(limit)), ids_(ids) {}

  // By a number of its own, which is in this column.
  template <class Read>
  Result<Batch> by_number(Sql statement, int column, Read read) {
    return all(ask_(statement, bounded(Params().int8(after_.first))), read, [column](const Rows& rows, std::size_t row) {
      return Position{rows.integer(row, column), {}};
    });
  }
  // By its id, which is in this column.
  template <class Read>
  Result<Batch> by_id(Sql statement, int column, Read read) {
    return all(ask_(statement, bounded(Params().text(after_.second))), read, [column](const Rows& rows, std::size_t row) {
      return Position{0, rows.text(row, column)};
    });
  }
  Result<Batch> tools() {
    return all(
        ask_("transfer_tools"_sql, bounded(Params().int8(after_.first).text(after_.second))),
        [this](const Rows& rows, std::size_t row) {
          Tool tool = read_tool(rows, row, ids_);
          tool.spec.ns = NamespaceName(rows.text(row, kToolColumns));
          return tool;
        },
        [](const Rows& rows, std::size_t row) {
          return Position{rows.integer(row, kToolColumns + 1), rows.text(row, 0)};
        });
  }
  Result<Batch> iterations() {
    return all(
        ask_("transfer_iterations"_sql, bounded(Params().int8(after_.first).int8(number_in(after_.second)))),
        [this](const Rows& rows, std::size_t row) { return read_iteration(rows, row, ids_); },
        [](const Rows& rows, std::size_t row) {
          return Position{rows.integer(row, 0), std::to_string(rows.integer(row, 2))};
        });
  }
  // Behind "<event><number>".
  Result<Batch> archive() {
    const std::string event = after_.second.substr(0, kUuidChars);
    const std::string number = after_.second.size() > kUuidChars ? after_.second.substr(kUuidChars) : std::string();
    return all(
        ask_("transfer_archive"_sql, bounded(Params().text(event).int8(number_in(number)))),
        [this](const Rows& rows, std::size_t row) {
          return transfer::ArchiveRecord{Uuid::parse(rows.view(row, kMessageColumns)).value_or(Uuid()),
                                         read_message(rows, row, ids_)};
        },
        [](const Rows& rows, std::size_t row) {
          return Position{0, fmt::format("{}{}", rows.view(row, kMessageColumns), rows.integer(row, 1))};
        });
  }
  // Behind "<scope> <day> <subject>" of the namespace.
  Result<Batch> spending() {
    Params params;
    std::size_t first = after_.second.find(' ');
    const bool begun = first != std::string::npos;
    const std::size_t second = begun ? after_.second.find(' ', first + 1) : first;
    params.int8(after_.first).int8(begun ? number_in(after_.second.substr(0, first)) : -1);
    params.int8(begun ? number_in(after_.second.substr(first + 1, second - first - 1)) : 0);
    params.text(begun ? after_.second.substr(second + 1) : std::string()).int8(limit_);
    return all(
        ask_("transfer_spending"_sql, std::move(params)),
        [this](const Rows& rows, std::size_t row) {
          transfer::SpendingRecord record;
          record.spent = read_spending(rows, row, ids_);
          record.ns = NamespaceName(rows.text(row, kSpendingColumns));
          record.scope = static_cast<SpendingScope>(rows.integer(row, kSpendingColumns + 2));
          record.name = rows.text(row, kSpendingColumns + 3);
          record.day = rows.integer(row, kSpendingColumns + 4);
          return record;
        },
        [](const Rows& rows, std::size_t row) {
          return Position{rows.integer(row, kSpendingColumns + 1),
                          fmt::format("{} {} {}", rows.integer(row, kSpendingColumns + 2),
                                      rows.integer(row, kSpendingColumns + 4), rows.view(row, kSpendingColumns + 3))};
        });
  }

 private:
  static std::int64_t number_in(const std::string& text) {
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  Params bounded(Params& from) const {
    return std::move(from.int8(limit_).int8(static_cast<std::int64_t>(transfer::kCopyBatchBytesMax)));
  }
  template <class Read, class Place>
  static Result<Batch> all(Result<Rows> rows, Read read, Place place) {
    if (!rows.ok()) return rows.status();
    Batch batch;
    auto& out = batch.records.emplace<std::vector<decltype(read(*rows, 0))>>();
    out.reserve(rows->size());
    for (std::size_t i = 0; i < rows->size(); ++i) out.push_back(read(*rows, i));
    if (rows->size() > 0) batch.last = place(*rows, rows->size() - 1);
    return batch;
  }

  const AskRows& ask_;
  const Position& after_;
  const std::int64_t limit_;
  const IdCodec& ids_;
};

template <class Records, class Add>
void put_all(Tx& tx, Sql statement, std::string_view letters, const Records& records, Add add) {
  if (records.empty()) return;
  RowsOut out(letters);
  for (const auto& record : records) add(out, record);
  tx.write("transfer_quiet"_sql);
  tx.write(statement, out.params());
}

}  // namespace

Result<Batch> read_agent_records(const AskRows& ask, Kind kind, const Position& after, std::size_t limit, const IdCodec& ids) {
  AgentReader from(ask, after, limit, ids);
  switch (kind) {
    case Kind::agents:
      return from.by_id("transfer_agents"_sql, 0, [&](const Rows& rows, std::size_t row) {
        Agent agent = read_agent(rows, row, ids);
        agent.spec.ns = NamespaceName(rows.text(row, kAgentColumns));
        return agent;
      });
    case Kind::tools: return from.tools();
    case Kind::sessions:
      return from.by_number("transfer_sessions"_sql, kSessionColumns + 1, [&](const Rows& rows, std::size_t row) {
        SessionRow session = read_session(rows, row, ids);
        session.session.ns = NamespaceName(rows.text(row, kSessionColumns));
        return session;
      });
    case Kind::agent_runs:
      return from.by_number("transfer_agent_runs"_sql, 0, [&](const Rows& rows, std::size_t row) {
        AgentRun run = read_run(rows, row, ids);
        run.ns = NamespaceName(rows.text(row, kRunColumns));
        return run;
      });
    case Kind::iterations: return from.iterations();
    case Kind::executions:
      return from.by_number("transfer_executions"_sql, kExecutionColumns + 1, [&](const Rows& rows, std::size_t row) {
        return transfer::ExecutionRecord{NamespaceName(rows.text(row, kExecutionColumns)), read_execution(rows, row, ids)};
      });
    case Kind::messages:
      return from.by_id("transfer_messages"_sql, 2,
                        [&](const Rows& rows, std::size_t row) { return read_message(rows, row, ids); });
    case Kind::compactions:
      return from.by_number("transfer_compactions"_sql, kCompactionColumns,
                            [&](const Rows& rows, std::size_t row) { return read_compaction(rows, row, ids); });
    case Kind::archive: return from.archive();
    case Kind::spending: return from.spending();
    case Kind::blobs:
      return from.by_id("transfer_blobs"_sql, 0, [](const Rows& rows, std::size_t row) {
        return transfer::BlobRecord{AgentSessionId::parse(rows.view(row, 1)).value_or(AgentSessionId()),
                                    {Uuid::parse(rows.view(row, 0)).value_or(Uuid()), rows.text(row, 2)}};
      });
    default: unreachable();
  }
}

void put_records(Tx& tx, TransferNames& names, const std::vector<Agent>& records) {
  put_all(tx, "agent_put"_sql, kAgentLetters, records,
          [&](RowsOut& out, const Agent& one) { add_agent(out, one, names.ns(one.spec.ns), tx.ids()); });
}

void put_records(Tx& tx, TransferNames& names, const std::vector<Tool>& records) {
  put_all(tx, "tool_put"_sql, kToolLetters, records,
          [&](RowsOut& out, const Tool& one) { add_tool(out, one, names.ns(one.spec.ns), tx.ids()); });
}

void put_records(Tx& tx, TransferNames& names, const std::vector<SessionRow>& records) {
  put_all(tx, "agent_session_put"_sql, kSessionLetters, records,
          [&](RowsOut& out, const SessionRow& one) { add_session(out, one, names.ns(one.session.ns), tx.ids()); });
}

void put_records(Tx& tx, TransferNames& names, const std::vector<AgentRun>& records) {
  put_all(tx, "agent_runs_put"_sql, kRunLetters, records,
          [&](RowsOut& out, const AgentRun& one) { add_run(out, one, names.ns(one.ns), tx.ids()); });
}

void put_records(Tx& tx, TransferNames&, const std::vector<Iteration>& records) {
  put_all(tx, "agent_iterations_put"_sql, kIterationLetters, records,
          [&](RowsOut& out, const Iteration& one) { add_iteration(out, one, tx.ids()); });
}

void put_records(Tx& tx, TransferNames&, const std::vector<transfer::ExecutionRecord>& records) {
  put_all(tx, "agent_executions_put"_sql, kExecutionLetters, records,
          [&](RowsOut& out, const transfer::ExecutionRecord& one) { add_execution(out, one.execution, tx.ids()); });
}

void put_records(Tx& tx, TransferNames&, const std::vector<MessageRow>& records) {
  put_all(tx, "agent_messages_put"_sql, kMessageLetters, records,
          [&](RowsOut& out, const MessageRow& one) { add_message(out, one, tx.ids()); });
}

void put_records(Tx& tx, TransferNames&, const std::vector<CompactionEvent>& records) {
  put_all(tx, "agent_compaction_put"_sql, kCompactionLetters, records,
          [&](RowsOut& out, const CompactionEvent& one) { add_compaction(out, one, tx.ids()); });
}

void put_records(Tx& tx, TransferNames&, const std::vector<transfer::ArchiveRecord>& records) {
  put_all(tx, "transfer_archive_put"_sql, kArchiveLetters, records,
          [&](RowsOut& out, const transfer::ArchiveRecord& one) { add_archived(out, one.event, one.row, tx.ids()); });
}

void put_records(Tx& tx, TransferNames& names, const std::vector<transfer::SpendingRecord>& records) {
  put_all(tx, "agent_spending_put"_sql, kSpendingLetters, records, [&](RowsOut& out, const transfer::SpendingRecord& one) {
    add_spending(out, {names.ns(one.ns), one.scope, one.name, one.day, one.spent}, tx.ids());
  });
}

void put_records(Tx& tx, TransferNames&, const std::vector<transfer::BlobRecord>& records) {
  put_all(tx, "agent_blobs_put"_sql, kBlobLetters, records,
          [](RowsOut& out, const transfer::BlobRecord& one) { add_blob(out, one.blob, one.session); });
}

}  // namespace muster::store::postgres
