// The keyspace of a copy, written into a schema. Keys keep their numbers.
#pragma once

#include <vector>

#include "store/postgres/transfer_names.h"
#include "store/postgres/tx.h"
#include "store/transfer/record.h"

namespace muster::store::postgres {

void put_entries(Tx& tx, TransferNames& names, const std::vector<transfer::EntryRecord>& records);
void put_items(Tx& tx, const std::vector<transfer::ItemRecord>& records);
void put_fields(Tx& tx, const std::vector<transfer::FieldRecord>& records);
void put_scores(Tx& tx, const std::vector<transfer::ScoreRecord>& records);
// All are in: new ones get numbers above them.
void number_entries(Tx& tx);

}  // namespace muster::store::postgres
