// Steps, signals and schedules of a copy, on their way into a target.
#pragma once

#include <vector>

#include "store/postgres/transfer_names.h"
#include "store/postgres/tx.h"
#include "store/transfer/record.h"

namespace muster::store::postgres {

void put_steps(Tx& tx, const std::vector<transfer::StepRecord>& records);
void put_signals(Tx& tx, const std::vector<transfer::SignalRecord>& records);
void put_schedules(Tx& tx, TransferNames& names, const std::vector<Schedule>& records);

}  // namespace muster::store::postgres
