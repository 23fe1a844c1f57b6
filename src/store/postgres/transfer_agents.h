// Agents and what belongs to them as records of a copy, and back: a part of both ends of a copy.
#pragma once

#include <functional>

#include "store/codec/id_codec.h"
#include "store/postgres/transfer_records.h"
#include "store/postgres/tx.h"
#include "store/transfer/record.h"

namespace muster::store::postgres {

// One statement with its parameters; the rows, or why not.
using AskRows = std::function<Result<Rows>(Sql statement, Params params)>;

inline bool is_about_agents(transfer::Kind kind) { return kind >= transfer::Kind::agents; }
// REQUIRES: is_about_agents(kind).
Result<transfer::Batch> read_agent_records(const AskRows& ask, transfer::Kind kind, const transfer::Position& after,
                                           std::size_t limit, const IdCodec& ids);

void put_records(Tx& tx, TransferNames& names, const std::vector<Agent>& records);
void put_records(Tx& tx, TransferNames& names, const std::vector<Tool>& records);
void put_records(Tx& tx, TransferNames& names, const std::vector<SessionRow>& records);
void put_records(Tx& tx, TransferNames& names, const std::vector<AgentRun>& records);
void put_records(Tx& tx, TransferNames& names, const std::vector<Iteration>& records);
void put_records(Tx& tx, TransferNames& names, const std::vector<transfer::ExecutionRecord>& records);
void put_records(Tx& tx, TransferNames& names, const std::vector<MessageRow>& records);
void put_records(Tx& tx, TransferNames& names, const std::vector<CompactionEvent>& records);
void put_records(Tx& tx, TransferNames& names, const std::vector<transfer::ArchiveRecord>& records);
void put_records(Tx& tx, TransferNames& names, const std::vector<transfer::SpendingRecord>& records);
void put_records(Tx& tx, TransferNames& names, const std::vector<transfer::BlobRecord>& records);

}  // namespace muster::store::postgres
