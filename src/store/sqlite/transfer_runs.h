// Steps, signals and schedules of a file as records, and back: a part of both ends of a copy.
#pragma once

#include "store/codec/id_codec.h"
#include "store/sqlite/db.h"
#include "store/sqlite/hot/job.h"
#include "store/transfer/ends.h"

namespace muster::store::sqlite {

class RunReader {
 public:
  explicit RunReader(Connection& connection);
  // `ids`: of the file, whose salt a target gets only when the copy begins.
  void read_steps(transfer::Batch& batch, const transfer::Position& after, std::size_t limit, const IdCodec& ids);
  void read_signals(transfer::Batch& batch, const transfer::Position& after, std::size_t limit);
  void read_schedules(transfer::Batch& batch, const transfer::Position& after, std::size_t limit, const IdCodec& ids);

 private:
  Statement steps_;
  Statement signals_;
  Statement schedules_;
};

class RunWriter {
 public:
  explicit RunWriter(Connection& connection);
  void put(const transfer::StepRecord& record, WorkerKey worker, const IdCodec& ids);
  void put(const transfer::SignalRecord& record);
  void put(const Schedule& schedule, std::int64_t ns_row, const IdCodec& ids);

 private:
  Statement step_put_;
  Statement signal_put_;
  Statement schedule_put_;
};

}  // namespace muster::store::sqlite
