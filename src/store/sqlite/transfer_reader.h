// What a file holds, as records; for a source, and for a target that is read again.
#pragma once

#include "store/sqlite/db.h"
#include "store/sqlite/transfer_agents.h"
#include "store/sqlite/transfer_parts.h"
#include "store/transfer/copy.h"
#include "store/transfer/record.h"

namespace muster::store::sqlite {

class TransferReader final : public transfer::Source {
 public:
  // The connection outlives it, and so does whoever keeps others away from the file.
  explicit TransferReader(Connection& connection);

  Result<transfer::Numbers> numbers() override;
  Result<transfer::Counts> counts() override;
  Result<transfer::Batch> read(transfer::Kind kind, const transfer::Position& after, std::size_t limit) override;

 private:
  void read_namespaces(transfer::Batch& batch, const transfer::Position& after, std::size_t limit);
  void read_queues(transfer::Batch& batch, const transfer::Position& after, std::size_t limit);
  void read_workers(transfer::Batch& batch, const transfer::Position& after, std::size_t limit);
  void read_bonds(transfer::Batch& batch, const transfer::Position& after, std::size_t limit);
  void read_jobs(transfer::Batch& batch, const transfer::Position& after, std::size_t limit);
  void read_keys(transfer::Batch& batch, const transfer::Position& after, std::size_t limit);
  void read_dependencies(transfer::Batch& batch, const transfer::Position& after, std::size_t limit);
  transfer::JobRecord read_job();
  void read_apart(JobKey key, std::int64_t kind, std::string& into);
  void read_progress(transfer::JobRecord& record);
  void read_attempts(transfer::JobRecord& record);
  std::optional<std::int64_t> meta(const char* name);
  IdCodec ids() { return IdCodec(static_cast<std::uint64_t>(meta("salt").value_or(0))); }

  Connection& db_;
  Statement namespaces_;
  Statement queues_;
  Statement workers_;
  Statement bonds_;
  Statement jobs_;
  Statement keys_;
  Statement dependencies_;
  Statement attempts_;
  Statement content_;
  Statement progress_;
  Statement counts_;
  Statement meta_;
  Statement last_job_;
  PlanReader plans_;
  KeyspaceReader keyspace_;
  RunReader runs_;
  AgentRecords agents_;
};

}  // namespace muster::store::sqlite
