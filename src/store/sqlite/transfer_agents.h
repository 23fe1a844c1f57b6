// Agents and what belongs to them as records, and back: a part of both ends of a copy.
#pragma once

#include "store/codec/id_codec.h"
#include "store/sqlite/db.h"
#include "store/transfer/record.h"

namespace muster::store::sqlite {

class AgentRecords {
 public:
  explicit AgentRecords(Connection& connection);
  // REQUIRES: a kind from Kind::agents on. `ids`: of the file, whose salt a target gets only when the copy begins.
  void read(transfer::Kind kind, transfer::Batch& batch, const transfer::Position& after, std::size_t limit, const IdCodec& ids);

 private:
  void read_spending(transfer::Batch& batch, const transfer::Position& after, std::size_t limit, const IdCodec& ids);

  Statement agents_;
  Statement tools_;
  Statement sessions_;
  Statement runs_;
  Statement iterations_;
  Statement executions_;
  Statement messages_;
  Statement compactions_;
  Statement archive_;
  Statement spending_;
  Statement blobs_;
};

class AgentRecordWriter {
 public:
  explicit AgentRecordWriter(Connection& connection);
  void put(const Agent& record, std::int64_t ns_row, const IdCodec& ids);
  void put(const Tool& record, std::int64_t ns_row, const IdCodec& ids);
  void put(const SessionRow& record, std::int64_t ns_row, const IdCodec& ids);
  void put(const AgentRun& record, std::int64_t ns_row, const IdCodec& ids);
  void put(const Iteration& record, const IdCodec& ids);
  void put(const transfer::ExecutionRecord& record, std::int64_t ns_row, const IdCodec& ids);
  void put(const MessageRow& record, const IdCodec& ids);
  void put(const CompactionEvent& record, const IdCodec& ids);
  void put(const transfer::ArchiveRecord& record, const IdCodec& ids);
  void put(const transfer::SpendingRecord& record, std::int64_t ns_row, const IdCodec& ids);
  void put(const transfer::BlobRecord& record, const IdCodec& ids);

 private:
  Statement agent_put_;
  Statement tool_put_;
  Statement session_put_;
  Statement run_put_;
  Statement iteration_put_;
  Statement execution_put_;
  Statement message_put_;
  Statement compaction_put_;
  Statement archive_put_;
  Statement spending_put_;
  Statement blob_put_;
};

}  // namespace muster::store::sqlite
