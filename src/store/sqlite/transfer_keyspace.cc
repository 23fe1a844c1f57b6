#include "store/sqlite/transfer_keyspace.h"

#include <charconv>

namespace muster::store::sqlite {
namespace {

std::int64_t number_in(const std::string& text) {
  // Below every position of a list: what is behind it is everything.
  std::int64_t value = INT64_MIN;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

KeyspaceReader::KeyspaceReader(Connection& connection)
    : entries_(connection, "transfer_entries"),
      items_(connection, "transfer_items"),
      fields_(connection, "transfer_fields"),
      scores_(connection, "transfer_scores") {}

void KeyspaceReader::read_entries(transfer::Batch& batch, const transfer::Position& after, std::size_t limit) {
  auto& out = batch.records.emplace<std::vector<transfer::EntryRecord>>();
  Statement& st = entries_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind(2, as_integer(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    transfer::EntryRecord& record = out.emplace_back();
    record.number = st.integer(0);
    record.ns = NamespaceName(st.text(1));
    record.space = static_cast<KeySpace>(st.integer(2));
    record.name = st.text(3);
    record.type = static_cast<KeyType>(st.integer(4));
    if (const auto at = st.optional_integer(5)) record.expires_at = from_ms(*at);
    record.count = st.integer(6);
    record.head = st.integer(7);
    record.tail = st.integer(8);
    record.text = st.text(9);
    bytes += record.name.size() + record.text.size();
    batch.last.first = record.number;
  }
}

void KeyspaceReader::read_items(transfer::Batch& batch, const transfer::Position& after, std::size_t limit) {
  auto& out = batch.records.emplace<std::vector<transfer::ItemRecord>>();
  Statement& st = items_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind(2, number_in(after.second)).bind(3, as_integer(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    out.push_back({st.integer(0), st.integer(1), st.text(2)});
    bytes += out.back().value.size();
    batch.last = {out.back().entry, std::to_string(out.back().position)};
  }
}

void KeyspaceReader::read_fields(transfer::Batch& batch, const transfer::Position& after, std::size_t limit) {
  auto& out = batch.records.emplace<std::vector<transfer::FieldRecord>>();
  Statement& st = fields_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind_blob(2, after.second).bind(3, as_integer(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    out.push_back({st.integer(0), st.text(1), st.text(2)});
    bytes += out.back().name.size() + out.back().value.size();
    batch.last = {out.back().entry, out.back().name};
  }
}

void KeyspaceReader::read_scores(transfer::Batch& batch, const transfer::Position& after, std::size_t limit) {
  auto& out = batch.records.emplace<std::vector<transfer::ScoreRecord>>();
  Statement& st = scores_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind_blob(2, after.second).bind(3, as_integer(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    out.push_back({st.integer(0), st.text(1), st.real(2)});
    bytes += out.back().member.size();
    batch.last = {out.back().entry, out.back().member};
  }
}

KeyspaceWriter::KeyspaceWriter(Connection& connection)
    : entry_put_(connection, "transfer_entry_put"),
      item_put_(connection, "transfer_item_put"),
      field_put_(connection, "transfer_field_put"),
      score_put_(connection, "transfer_score_put") {}

void KeyspaceWriter::put(const transfer::EntryRecord& record, std::int64_t ns_row) {
  Statement& st = entry_put_;
  st.bind(1, record.number).bind(2, ns_row).bind(3, static_cast<std::int64_t>(record.space)).bind_blob(4, record.name);
  st.bind(5, static_cast<std::int64_t>(record.type));
  record.expires_at ? st.bind(6, to_ms(*record.expires_at)) : st.bind_null(6);
  st.bind(7, record.count).bind(8, record.head).bind(9, record.tail);
  record.type == KeyType::text ? st.bind_blob(10, record.text) : st.bind_null(10);
  st.run();
}

void KeyspaceWriter::put(const transfer::ItemRecord& record) {
  item_put_.bind(1, record.entry).bind(2, record.position).bind_blob(3, record.value).run();
}

void KeyspaceWriter::put(const transfer::FieldRecord& record) {
  field_put_.bind(1, record.entry).bind_blob(2, record.name).bind_blob(3, record.value).run();
}

void KeyspaceWriter::put(const transfer::ScoreRecord& record) {
  score_put_.bind(1, record.entry).bind_blob(2, record.member).bind(3, record.score).run();
}

}  // namespace muster::store::sqlite
