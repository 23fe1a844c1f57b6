// Plans and actions of a file as records, and back: a part of both ends of a copy.
#pragma once

#include "store/sqlite/db.h"
#include "store/transfer/ends.h"

namespace muster::store::sqlite {

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

}  // namespace muster::store::sqlite
