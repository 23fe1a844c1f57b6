// Plans and actions of a copy, written into a schema.
#pragma once

#include <vector>

#include "store/postgres/transfer_names.h"
#include "store/postgres/tx.h"
#include "store/transfer/record.h"

namespace muster::store::postgres {

void put_plans(Tx& tx, TransferNames& names, const std::vector<Plan>& records);
void put_actions(Tx& tx, TransferNames& names, const std::vector<transfer::ActionRecord>& records);

}  // namespace muster::store::postgres
