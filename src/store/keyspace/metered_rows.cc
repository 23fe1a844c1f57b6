#include "store/keyspace/metered_rows.h"

#include <algorithm>
#include <utility>

namespace muster::store::keyspace {
namespace {

std::uint64_t elements(const KeyHead& head) { return static_cast<std::uint64_t>(std::max<std::int64_t>(head.count, 0)); }

// Rows that a piece may bring: judged before it is asked for, so that what is too long is not even begun.
std::uint64_t piece(const KeyHead& head, std::size_t limit) { return std::min<std::uint64_t>(elements(head), limit); }

std::uint64_t bytes_of(const std::vector<ListItem>& items) {
  std::uint64_t bytes = 0;
  for (const ListItem& item : items) bytes += item.value.size();
  return bytes;
}
std::uint64_t bytes_of(const std::vector<KeyPair>& fields) {
  std::uint64_t bytes = 0;
  for (const KeyPair& field : fields) bytes += field.first.size() + field.second.size();
  return bytes;
}
std::uint64_t bytes_of(const std::vector<ScoredMember>& members) {
  std::uint64_t bytes = 0;
  for (const ScoredMember& member : members) bytes += member.member.size();
  return bytes;
}

}  // namespace

bool MeteredRows::may_read(std::uint64_t rows) {
  if (over_ || allowance_.rows - read_.rows < rows) over_ = true;
  return !over_;
}

void MeteredRows::read(std::uint64_t rows, std::uint64_t bytes) {
  spent_.rows += rows;
  spent_.bytes += bytes;
  if (allowance_.rows - read_.rows < rows || allowance_.bytes - read_.bytes < bytes) {
    over_ = true;
    return;
  }
  read_.rows += rows;
  read_.bytes += bytes;
}

void MeteredRows::wrote(std::uint64_t rows, std::uint64_t bytes) {
  spent_.rows += rows;
  spent_.bytes += bytes;
}

// --- keys ---

std::optional<KeyHead> MeteredRows::find(std::string_view key) {
  if (!may_read(1)) return std::nullopt;
  read(1, 0);
  return rows_.find(key);
}

KeyHead MeteredRows::create(std::string_view key, KeyType type, std::optional<Instant> expires_at) {
  wrote(1, key.size());
  return rows_.create(key, type, expires_at);
}

void MeteredRows::write(const KeyHead& head) {
  wrote(1, 0);
  rows_.write(head);
}

std::string MeteredRows::version(const KeyHead& head) {
  if (!may_read(1)) return {};
  read(1, 0);
  return rows_.version(head);
}

void MeteredRows::remove(std::string_view key, const KeyHead& head) {
  wrote(1 + std::min<std::uint64_t>(elements(head), kRemovedAtOnceMax), 0);
  rows_.remove(key, head);
}

void MeteredRows::rename(std::string_view from, std::string_view to, const KeyHead& head) {
  wrote(1, to.size());
  rows_.rename(from, to, head);
}

std::vector<KeyName> MeteredRows::names(std::string_view after, std::size_t limit) {
  if (!may_read(limit)) return {};
  auto names = rows_.names(after, limit);
  std::uint64_t bytes = 0;
  for (const KeyName& name : names) bytes += name.name.size();
  read(names.size(), bytes);
  return names;
}

std::int64_t MeteredRows::count(Instant now, std::size_t most) {
  if (!may_read(most)) return 0;
  const std::int64_t count = rows_.count(now, most);
  read(static_cast<std::uint64_t>(count), 0);
  return count;
}

std::size_t MeteredRows::clear(std::size_t most) {
  const std::size_t removed = rows_.clear(most);
  wrote(removed, 0);
  return removed;
}

// --- texts ---

std::string MeteredRows::text(const KeyHead& head) {
  if (!may_read(1)) return {};
  std::string value = rows_.text(head);
  // Nowhere is one text read quicker; it is the many that add up.
  const bool is_first = !std::exchange(read_text_, true);
  read(1, is_first ? 0 : value.size());
  if (is_first) spent_.bytes += value.size();
  return value;
}

void MeteredRows::put_text(std::string_view key, const KeyHead& head, std::string_view value) {
  wrote(1, value.size());
  rows_.put_text(key, head, value);
}

// --- lists ---

std::vector<ListItem> MeteredRows::items(const KeyHead& head, ListEnd from, std::uint64_t skip, std::size_t limit) {
  if (!may_read(skip + piece(head, limit))) return {};
  auto items = rows_.items(head, from, skip, limit);
  read(skip + items.size(), bytes_of(items));
  return items;
}

std::vector<ListItem> MeteredRows::items_past(const KeyHead& head, ListEnd from, std::int64_t position, std::size_t limit) {
  if (!may_read(piece(head, limit))) return {};
  auto items = rows_.items_past(head, from, position, limit);
  read(items.size(), bytes_of(items));
  return items;
}

std::vector<std::int64_t> MeteredRows::positions(const KeyHead& head, ListEnd from, std::string_view value, std::size_t limit,
                                                 std::size_t within) {
  const auto looked_at = std::min<std::uint64_t>(elements(head), within);
  if (!may_read(looked_at)) return {};
  read(looked_at, 0);
  return rows_.positions(head, from, value, limit, within);
}

void MeteredRows::put_item(const KeyHead& head, std::int64_t position, std::string_view value) {
  wrote(1, value.size());
  rows_.put_item(head, position, value);
}

void MeteredRows::remove_item(const KeyHead& head, std::int64_t position) {
  wrote(1, 0);
  rows_.remove_item(head, position);
}

void MeteredRows::remove_items(const KeyHead& head, std::int64_t first, std::int64_t last) {
  wrote(std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(last - first + 1, 0)), elements(head)), 0);
  rows_.remove_items(head, first, last);
}

// --- hashes and sets ---

std::optional<std::string> MeteredRows::field(const KeyHead& head, std::string_view name) {
  if (!may_read(1)) return std::nullopt;
  auto value = rows_.field(head, name);
  read(1, value ? value->size() : 0);
  return value;
}

bool MeteredRows::put_field(const KeyHead& head, std::string_view name, std::string_view value) {
  wrote(1, name.size() + value.size());
  return rows_.put_field(head, name, value);
}

bool MeteredRows::remove_field(const KeyHead& head, std::string_view name) {
  wrote(1, 0);
  return rows_.remove_field(head, name);
}

std::vector<KeyPair> MeteredRows::fields(const KeyHead& head, std::string_view after, std::size_t limit) {
  if (!may_read(piece(head, limit))) return {};
  auto fields = rows_.fields(head, after, limit);
  read(fields.size(), bytes_of(fields));
  return fields;
}

std::optional<KeyPair> MeteredRows::field_at(const KeyHead& head, std::uint64_t skip) {
  if (!may_read(skip + 1)) return std::nullopt;
  auto field = rows_.field_at(head, skip);
  read(skip + 1, field ? field->first.size() + field->second.size() : 0);
  return field;
}

std::vector<std::optional<std::string>> MeteredRows::fields_of(const KeyHead& head, const std::vector<std::string_view>& names) {
  if (!may_read(names.size())) return std::vector<std::optional<std::string>>(names.size());
  auto values = rows_.fields_of(head, names);
  std::uint64_t bytes = 0;
  for (const auto& value : values) bytes += value ? value->size() : 0;
  read(names.size(), bytes);
  return values;
}

std::int64_t MeteredRows::put_fields(const KeyHead& head, const std::vector<FieldView>& fields) {
  std::uint64_t bytes = 0;
  for (const FieldView& field : fields) bytes += field.name.size() + field.value.size();
  wrote(fields.size(), bytes);
  return rows_.put_fields(head, fields);
}

std::int64_t MeteredRows::remove_fields(const KeyHead& head, const std::vector<std::string_view>& names) {
  wrote(names.size(), 0);
  return rows_.remove_fields(head, names);
}

// --- sorted sets ---

std::optional<double> MeteredRows::score(const KeyHead& head, std::string_view member) {
  if (!may_read(1)) return std::nullopt;
  read(1, 0);
  return rows_.score(head, member);
}

bool MeteredRows::put_score(const KeyHead& head, std::string_view member, double score) {
  wrote(1, member.size());
  return rows_.put_score(head, member, score);
}

bool MeteredRows::remove_score(const KeyHead& head, std::string_view member) {
  wrote(1, 0);
  return rows_.remove_score(head, member);
}

std::vector<ScoredMember> MeteredRows::scores(const KeyHead& head, const ScoreRange& range, bool reverse, const ScorePlace& place,
                                              std::size_t limit) {
  if (!may_read(place.skip + piece(head, limit))) return {};
  auto members = rows_.scores(head, range, reverse, place, limit);
  read(place.skip + members.size(), bytes_of(members));
  return members;
}

// The order is by score, so a range of members is found by looking at each; a walk pays for that once.
std::vector<ScoredMember> MeteredRows::scores_between(const KeyHead& head, const LexRange& range, bool reverse,
                                                      const ScorePlace& place, std::size_t limit) {
  const std::uint64_t looked_at = place.after ? 0 : elements(head);
  if (!may_read(looked_at)) return {};
  auto members = rows_.scores_between(head, range, reverse, place, limit);
  read(looked_at, bytes_of(members));
  return members;
}

std::int64_t MeteredRows::count_scores(const KeyHead& head, const ScoreRange& range, std::size_t most) {
  if (!may_read(std::min<std::uint64_t>(elements(head), most))) return 0;
  const std::int64_t count = rows_.count_scores(head, range, most);
  read(static_cast<std::uint64_t>(count), 0);
  return count;
}

std::int64_t MeteredRows::rank(const KeyHead& head, const ScoredMember& member, std::size_t most) {
  if (!may_read(std::min<std::uint64_t>(elements(head), most))) return 0;
  const std::int64_t rank = rows_.rank(head, member, most);
  read(static_cast<std::uint64_t>(rank), 0);
  return rank;
}

std::vector<ScoredMember> MeteredRows::scores_after(const KeyHead& head, std::string_view member, std::size_t limit) {
  if (!may_read(piece(head, limit))) return {};
  auto members = rows_.scores_after(head, member, limit);
  read(members.size(), bytes_of(members));
  return members;
}

std::vector<std::optional<double>> MeteredRows::scores_of(const KeyHead& head, const std::vector<std::string_view>& members) {
  if (!may_read(members.size())) return std::vector<std::optional<double>>(members.size());
  read(members.size(), 0);
  return rows_.scores_of(head, members);
}

std::int64_t MeteredRows::put_scores(const KeyHead& head, const std::vector<ScoredMember>& members) {
  wrote(members.size(), bytes_of(members));
  return rows_.put_scores(head, members);
}

std::int64_t MeteredRows::remove_scores(const KeyHead& head, const std::vector<std::string_view>& members) {
  wrote(members.size(), 0);
  return rows_.remove_scores(head, members);
}

}  // namespace muster::store::keyspace
