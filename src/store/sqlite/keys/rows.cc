#include "store/sqlite/keys/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/uuid.h"

namespace muster::store::sqlite {

namespace {

std::int64_t id_of(const KeyHead& head) { return static_cast<std::int64_t>(head.row); }
std::int64_t as_number(std::uint64_t value) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max()));
}

// Columns from `at`: id, type, expires_at, count, head, tail.
KeyHead read_head(const Statement& st, int at) {
  KeyHead head;
  head.row = KeyRow{st.integer(at)};
  head.type = static_cast<KeyType>(st.integer(at + 1));
  if (const auto expires = st.optional_integer(at + 2)) head.expires_at = from_ms(*expires);
  head.count = st.integer(at + 3);
  head.head = st.integer(at + 4);
  head.tail = st.integer(at + 5);
  return head;
}

// Both ends included; an end that is excluded is the next double inside. Nothing: no score is in it.
struct Ends {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};
std::optional<Ends> ends_of(const ScoreRange& range) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Ends ends;
  if (range.min) {
    if (range.min->exclusive && range.min->score == kInfinity) return std::nullopt;
    ends.min = range.min->exclusive ? std::nextafter(range.min->score, kInfinity) : range.min->score;
  }
  if (range.max) {
    if (range.max->exclusive && range.max->score == -kInfinity) return std::nullopt;
    ends.max = range.max->exclusive ? std::nextafter(range.max->score, -kInfinity) : range.max->score;
  }
  return ends;
}

void bind_bound(Statement& st, int index, const std::optional<LexBound>& bound) {
  if (bound)
    st.bind_blob(index, bound->member);
  else
    st.bind_null(index);
  st.bind(index + 1, std::int64_t{bound && bound->exclusive});
}

std::vector<ScoredMember> read_scores(Statement& st) {
  std::vector<ScoredMember> out;
  std::size_t bytes = 0;
  Rows rows(st);
  while (bytes < kPieceBytesMax && rows.next()) {
    out.push_back({st.text(0), st.real(1)});
    bytes += out.back().member.size();
  }
  return out;
}

std::vector<KeyPair> read_pairs(Statement& st) {
  std::vector<KeyPair> out;
  std::size_t bytes = 0;
  Rows rows(st);
  while (bytes < kPieceBytesMax && rows.next()) {
    out.push_back({st.text(0), st.text(1)});
    bytes += out.back().first.size() + out.back().second.size();
  }
  return out;
}

std::vector<ListItem> read_items(Statement& st) {
  std::vector<ListItem> out;
  std::size_t bytes = 0;
  Rows rows(st);
  while (bytes < kPieceBytesMax && rows.next()) {
    out.push_back({st.integer(0), st.text(1)});
    bytes += out.back().value.size();
  }
  return out;
}

std::int64_t read_number(Statement& st) {
  Rows rows(st);
  return rows.next() ? st.integer(0) : 0;
}

// A text has no row before it has a value: one statement writes both.
constexpr KeyRow kNotYet{-1};

}  // namespace

void remove_contents(KeyStatements& sql, KeyRow row, KeyType type) {
  const auto id = static_cast<std::int64_t>(row);
  switch (type) {
    case KeyType::text: return;
    case KeyType::list: return sql.items_delete_all.bind(1, id).run();
    case KeyType::hash:
    case KeyType::set: return sql.fields_delete_all.bind(1, id).run();
    case KeyType::scores: return sql.scores_delete_all.bind(1, id).run();
  }
}

void remove_some(KeyStatements& sql, KeyRow row, KeyType type, std::size_t elements) {
  Statement& st = type == KeyType::list     ? sql.items_delete_some
                  : type == KeyType::scores ? sql.scores_delete_some
                                            : sql.fields_delete_some;
  st.bind(1, static_cast<std::int64_t>(row)).bind(2, as_number(elements)).run();
}

std::vector<CachedText> SqliteKeyRows::take_texts() {
  std::vector<CachedText> out;
  for (auto& [row, text] : texts_) out.push_back(std::move(text));
  texts_.clear();
  return out;
}

// --- keys ---

std::optional<KeyHead> SqliteKeyRows::find(std::string_view key) {
  Rows rows(sql_.find.bind(1, namespace_).bind(2, space_).bind_blob(3, key));
  if (!rows.next()) return std::nullopt;
  const KeyHead head = read_head(sql_.find, 0);
  if (remembers_reads_) {
    found_name_ = key;
    found_row_ = head.row;
  }
  return head;
}

KeyRow SqliteKeyRows::insert(std::string_view key, const KeyHead& head, std::optional<std::string_view> value) {
  Statement& st = sql_.insert;
  st.bind(1, namespace_).bind(2, space_).bind_blob(3, key).bind(4, static_cast<std::int64_t>(head.type));
  st.bind_optional(5, to_ms(head.expires_at));
  if (value)
    st.bind_blob(6, *value);
  else
    st.bind_null(6);
  constexpr int kRoomToGrow = 2;  // bits: versions are counted up
  lot_ = mix64(lot_);
  st.bind(7, static_cast<std::int64_t>(lot_ >> kRoomToGrow));
  Rows rows(st);
  const KeyRow row = rows.next() ? KeyRow{st.integer(0)} : KeyRow{0};
  rows.next();  // a statement that returns rows has done its work only at their end
  return row;
}

KeyHead SqliteKeyRows::create(std::string_view key, KeyType type, std::optional<Instant> expires_at) {
  KeyHead head;
  head.type = type;
  head.expires_at = expires_at;
  head.row = type == KeyType::text ? kNotYet : insert(key, head, std::nullopt);
  return head;
}

void SqliteKeyRows::write(const KeyHead& head) {
  Statement& st = sql_.write;
  st.bind(1, id_of(head));
  st.bind_optional(2, to_ms(head.expires_at));
  st.bind(3, head.count).bind(4, head.head).bind(5, head.tail).run();
  if (const auto text = texts_.find(head.row); text != texts_.end()) text->second.expires_at = head.expires_at;
}

void SqliteKeyRows::remove(std::string_view, const KeyHead& head) {
  if (head.count > static_cast<std::int64_t>(kRemovedAtOnceMax)) return sql_.retire.bind(1, id_of(head)).run();
  remove_contents(sql_, head.row, head.type);
  sql_.remove.bind(1, id_of(head)).run();
  texts_.erase(head.row);
}

void SqliteKeyRows::rename(std::string_view, std::string_view to, const KeyHead& head) {
  sql_.rename.bind(1, id_of(head)).bind_blob(2, to).run();
  texts_.erase(head.row);
}

std::vector<KeyName> SqliteKeyRows::names(std::string_view after, std::size_t limit) {
  std::vector<KeyName> out;
  std::size_t bytes = 0;
  Rows rows(sql_.names.bind(1, namespace_).bind(2, space_).bind_blob(3, after).bind(4, as_number(limit)));
  while (bytes < kPieceBytesMax && rows.next()) {
    out.push_back({sql_.names.text(0), read_head(sql_.names, 1)});
    bytes += out.back().name.size();
  }
  return out;
}

std::int64_t SqliteKeyRows::count(Instant now, std::size_t most) {
  return read_number(sql_.count.bind(1, namespace_).bind(2, space_).bind(3, to_ms(now)).bind(4, as_number(most)));
}

std::string SqliteKeyRows::version(const KeyHead& head) {
  Rows rows(sql_.version.bind(1, id_of(head)));
  return rows.next() ? fmt::format("{}.{}", id_of(head), sql_.version.integer(0)) : std::string();
}

std::size_t SqliteKeyRows::clear(std::size_t most) {
  // Once the texts among the first keys are gone, what is left of those are the first.
  std::size_t removed = 0;
  for (Statement* st : {&sql_.clear_texts, &sql_.retire_first}) {
    st->bind(1, namespace_).bind(2, space_).bind(3, static_cast<std::int64_t>(most - removed)).run();
    if (!connection_.fault().ok()) return 0;
    removed += static_cast<std::size_t>(connection_.changes());
  }
  texts_.clear();
  return removed;
}

// --- texts ---

std::string SqliteKeyRows::text(const KeyHead& head) {
  Rows rows(sql_.text.bind(1, id_of(head)));
  std::string value = rows.next() ? sql_.text.text(0) : std::string();
  if (remembers_reads_ && head.row == found_row_) remember(head.row, found_name_, value, head.expires_at);
  return value;
}

void SqliteKeyRows::put_text(std::string_view key, const KeyHead& head, std::string_view value) {
  KeyRow row = head.row;
  if (row == kNotYet)
    row = insert(key, head, value);
  else
    sql_.put_text.bind(1, id_of(head)).bind_blob(2, value).run();
  remember(row, key, value, head.expires_at);
}

void SqliteKeyRows::remember(KeyRow row, std::string_view key, std::string_view value, std::optional<Instant> expires_at) {
  if (KeyCache::fits(key.size() + value.size()))
    texts_[row] = {std::string(key), std::make_shared<const std::string>(value), expires_at};
  else
    texts_.erase(row);
}

// --- lists ---

std::vector<ListItem> SqliteKeyRows::items(const KeyHead& head, ListEnd from, std::uint64_t skip, std::size_t limit) {
  Statement& st = from == ListEnd::left ? sql_.items_left : sql_.items_right;
  return read_items(st.bind(1, id_of(head)).bind(2, as_number(limit)).bind(3, as_number(skip)));
}

std::vector<ListItem> SqliteKeyRows::items_past(const KeyHead& head, ListEnd from, std::int64_t position, std::size_t limit) {
  Statement& st = from == ListEnd::left ? sql_.items_past_left : sql_.items_past_right;
  return read_items(st.bind(1, id_of(head)).bind(2, position).bind(3, as_number(limit)));
}

std::vector<std::int64_t> SqliteKeyRows::positions(const KeyHead& head, ListEnd from, std::string_view value, std::size_t limit,
                                                   std::size_t within) {
  Statement& st = from == ListEnd::left ? sql_.positions_left : sql_.positions_right;
  std::vector<std::int64_t> out;
  Rows rows(st.bind(1, id_of(head)).bind_blob(2, value).bind(3, as_number(limit)).bind(4, as_number(within)));
  while (rows.next()) out.push_back(st.integer(0));
  return out;
}

void SqliteKeyRows::put_item(const KeyHead& head, std::int64_t position, std::string_view value) {
  sql_.item_put.bind(1, id_of(head)).bind(2, position).bind_blob(3, value).run();
}

void SqliteKeyRows::remove_item(const KeyHead& head, std::int64_t position) { remove_items(head, position, position); }

void SqliteKeyRows::remove_items(const KeyHead& head, std::int64_t first, std::int64_t last) {
  sql_.items_delete.bind(1, id_of(head)).bind(2, first).bind(3, last).run();
}

// --- hashes and sets ---

std::optional<std::string> SqliteKeyRows::field(const KeyHead& head, std::string_view name) {
  Rows rows(sql_.field.bind(1, id_of(head)).bind_blob(2, name));
  if (!rows.next()) return std::nullopt;
  return sql_.field.text(0);
}

bool SqliteKeyRows::put_field(const KeyHead& head, std::string_view name, std::string_view value) {
  sql_.field_insert.bind(1, id_of(head)).bind_blob(2, name).bind_blob(3, value).run();
  if (changed()) return true;
  sql_.field_update.bind(1, id_of(head)).bind_blob(2, name).bind_blob(3, value).run();
  return false;
}

bool SqliteKeyRows::remove_field(const KeyHead& head, std::string_view name) {
  sql_.field_delete.bind(1, id_of(head)).bind_blob(2, name).run();
  return changed();
}

std::vector<KeyPair> SqliteKeyRows::fields(const KeyHead& head, std::string_view after, std::size_t limit) {
  return read_pairs(sql_.fields.bind(1, id_of(head)).bind_blob(2, after).bind(3, as_number(limit)));
}

std::optional<KeyPair> SqliteKeyRows::field_at(const KeyHead& head, std::uint64_t skip) {
  auto found = read_pairs(sql_.field_at.bind(1, id_of(head)).bind(2, as_number(skip)));
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

// --- sorted sets ---

std::optional<double> SqliteKeyRows::score(const KeyHead& head, std::string_view member) {
  Rows rows(sql_.score.bind(1, id_of(head)).bind_blob(2, member));
  if (!rows.next()) return std::nullopt;
  return sql_.score.real(0);
}

bool SqliteKeyRows::put_score(const KeyHead& head, std::string_view member, double score) {
  sql_.score_insert.bind(1, id_of(head)).bind_blob(2, member).bind(3, score).run();
  if (changed()) return true;
  sql_.score_update.bind(1, id_of(head)).bind_blob(2, member).bind(3, score).run();
  return false;
}

bool SqliteKeyRows::remove_score(const KeyHead& head, std::string_view member) {
  sql_.score_delete.bind(1, id_of(head)).bind_blob(2, member).run();
  return changed();
}

std::vector<ScoredMember> SqliteKeyRows::scores(const KeyHead& head, const ScoreRange& range, bool reverse,
                                                const ScorePlace& place, std::size_t limit) {
  const auto ends = ends_of(range);
  if (!ends) return {};
  if (place.after) {
    Statement& st = reverse ? sql_.scores_down_past : sql_.scores_up_past;
    st.bind(1, id_of(head)).bind(2, place.after->score).bind_blob(3, place.after->member);
    return read_scores(st.bind(4, reverse ? ends->min : ends->max).bind(5, as_number(limit)));
  }
  Statement& st = reverse ? sql_.scores_down : sql_.scores_up;
  return read_scores(
      st.bind(1, id_of(head)).bind(2, ends->min).bind(3, ends->max).bind(4, as_number(limit)).bind(5, as_number(place.skip)));
}

std::vector<ScoredMember> SqliteKeyRows::scores_between(const KeyHead& head, const LexRange& range, bool reverse,
                                                        const ScorePlace& place, std::size_t limit) {
  Statement& first = reverse ? sql_.scores_between_down : sql_.scores_between_up;
  Statement& next = reverse ? sql_.scores_between_down_past : sql_.scores_between_up_past;
  Statement& st = place.after ? next : first;
  st.bind(1, id_of(head));
  bind_bound(st, 2, range.min);
  bind_bound(st, 4, range.max);
  st.bind(6, as_number(limit));
  if (place.after) return read_scores(st.bind(7, place.after->score).bind_blob(8, place.after->member));
  return read_scores(st.bind(7, as_number(place.skip)));
}

std::int64_t SqliteKeyRows::count_scores(const KeyHead& head, const ScoreRange& range, std::size_t most) {
  const auto ends = ends_of(range);
  if (!ends) return 0;
  return read_number(sql_.scores_count.bind(1, id_of(head)).bind(2, ends->min).bind(3, ends->max).bind(4, as_number(most)));
}

std::int64_t SqliteKeyRows::rank(const KeyHead& head, const ScoredMember& member, std::size_t most) {
  return read_number(
      sql_.scores_rank.bind(1, id_of(head)).bind(2, member.score).bind_blob(3, member.member).bind(4, as_number(most)));
}

std::vector<ScoredMember> SqliteKeyRows::scores_after(const KeyHead& head, std::string_view member, std::size_t limit) {
  return read_scores(sql_.scores_after.bind(1, id_of(head)).bind_blob(2, member).bind(3, as_number(limit)));
}

}  // namespace muster::store::sqlite
