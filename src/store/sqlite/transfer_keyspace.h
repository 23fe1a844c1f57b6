// The keyspace of a file as records, and back: a part of both ends of a copy.
#pragma once

#include "store/sqlite/db.h"
#include "store/transfer/ends.h"

namespace muster::store::sqlite {

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

}  // namespace muster::store::sqlite
