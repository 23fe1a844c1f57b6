// Both ends of a copy for the nouns beside jobs: keys, plans and actions, runs and schedules.
#pragma once

#include "store/codec/id_codec.h"
#include "store/sqlite/db.h"
#include "store/sqlite/hot/job.h"
#include "store/transfer/record.h"

namespace muster::store::sqlite {

// The keyspace of a file as records, and back: a part of both ends of a copy.

class KeyspaceReader {
 public:
  explicit KeyspaceReader(Connection& connection);
  void read_entries(transfer::Batch& batch, const transfer::Position& after, std::size_t limit);
  void read_items(transfer::Batch& batch, const transfer::Position& after, std::size_t limit);
  void read_fields(transfer::Batch& batch, const transfer::Position& after, std::size_t limit);
  void read_scores(transfer::Batch& batch, const transfer::Position& after, std::size_t limit);

 private:
  Statement entries_;
  Statement items_;
  Statement fields_;
  Statement scores_;
};

class KeyspaceWriter {
 public:
  explicit KeyspaceWriter(Connection& connection);
  void put(const transfer::EntryRecord& record, std::int64_t ns_row);
  void put(const transfer::ItemRecord& record);
  void put(const transfer::FieldRecord& record);
  void put(const transfer::ScoreRecord& record);

 private:
  Statement entry_put_;
  Statement item_put_;
  Statement field_put_;
  Statement score_put_;
};

// Plans and actions of a file as records, and back: a part of both ends of a copy.

class PlanReader {
 public:
  explicit PlanReader(Connection& connection);
  void read_plans(transfer::Batch& batch, const transfer::Position& after, std::size_t limit);
  void read_actions(transfer::Batch& batch, const transfer::Position& after, std::size_t limit);

 private:
  Statement plans_;
  Statement actions_;
  Statement jobs_;
};

class PlanWriter {
 public:
  explicit PlanWriter(Connection& connection);
  void put(const Plan& plan, std::int64_t ns_row);
  void put(const transfer::ActionRecord& record, std::int64_t ns_row);

 private:
  Statement plan_put_;
  Statement action_put_;
  Statement jobs_put_;
};

// Steps, signals and schedules of a file as records, and back: a part of both ends of a copy.

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
