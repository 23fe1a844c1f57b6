#include "store/postgres/key_rows.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/uuid.h"

namespace muster::store::postgres {
namespace {

std::int64_t row_of(const KeyHead& head) { return static_cast<std::int64_t>(head.row); }
std::int64_t whole(std::uint64_t value) { return static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX)); }
Params of(const KeyHead& head) { return std::move(Params().int8(row_of(head))); }

// The columns of key_find from `first`.
KeyHead head_of(const Rows& rows, std::size_t row, int first) {
  KeyHead head;
  head.row = KeyRow{rows.integer(row, first)};
  head.type = static_cast<KeyType>(rows.integer(row, first + 1));
  if (const auto at = rows.maybe(row, first + 2)) head.expires_at = from_ms(*at);
  head.count = rows.integer(row, first + 3);
  head.head = rows.integer(row, first + 4);
  head.tail = rows.integer(row, first + 5);
  return head;
}

Params within(const KeyHead& head, const ScoreRange& range) {
  Params params = of(head);
  range.min ? params.float8(range.min->score) : params.null();
  params.boolean(range.min && range.min->exclusive);
  range.max ? params.float8(range.max->score) : params.null();
  params.boolean(range.max && range.max->exclusive);
  return params;
}

Params within(const KeyHead& head, const LexRange& range) {
  Params params = of(head);
  range.min ? params.bytes(range.min->member) : params.null();
  params.boolean(range.min && range.min->exclusive);
  range.max ? params.bytes(range.max->member) : params.null();
  params.boolean(range.max && range.max->exclusive);
  return params;
}

std::vector<ScoredMember> members_of(const Rows& rows) {
  std::vector<ScoredMember> out;
  for (std::size_t i = 0; i < rows.size(); ++i) out.push_back({rows.text(i, 0), rows.real(i, 1)});
  return out;
}

std::vector<ListItem> items_of(const Rows& rows) {
  std::vector<ListItem> out;
  for (std::size_t i = 0; i < rows.size(); ++i) out.push_back({rows.integer(i, 0), rows.text(i, 1)});
  return out;
}

Column names_of(const std::vector<std::string_view>& names) {
  Column column(Type::bytes);
  for (const std::string_view name : names) column.add(name);
  return column;
}

// The end of every question for a piece: how many rows from where, or behind which member, and how many bytes.
Params piece(Params params, const ScorePlace& place, std::size_t limit) {
  params.int8(whole(limit));
  place.after ? params.float8(place.after->score).bytes(place.after->member) : params.int8(whole(place.skip));
  return std::move(params.int8(whole(kPieceBytesMax)));
}

std::int64_t number_in(const Rows& rows) { return rows.size() == 0 ? 0 : rows.integer(0, 0); }

bool said_yes(const Rows& rows) { return rows.size() == 1 && rows.integer(0, 0) != 0; }

}  // namespace

std::int32_t stripe_of(const KeyScope& scope, std::string_view key) {
  // Every node must find the same stripe, whatever it was built with.
  std::uint64_t hash = mix64(static_cast<std::uint64_t>(scope.ns) * 2 + static_cast<std::uint64_t>(scope.space));
  for (const char byte : key) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x0000'0100'0000'01b3ULL;
  return static_cast<std::int32_t>(mix64(hash) % kKeyStripes);
}

void lock_keys(Tx& tx, const KeyScope& scope, const std::vector<std::string>& keys) {
  tx.write("key_gate_shared"_sql, Params().int4(scope.ns));
  std::vector<std::int32_t> stripes;
  for (const std::string& key : keys) stripes.push_back(stripe_of(scope, key));
  std::sort(stripes.begin(), stripes.end());
  stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
  if (!stripes.empty()) tx.write("key_lock"_sql, Params().int4s(stripes));
}

void lock_all_keys(Tx& tx, NamespaceKey ns) { tx.write("key_gate"_sql, Params().int4(ns)); }

Params RowsOfKeys::scoped() const { return std::move(Params().int4(scope_.ns).int2(static_cast<std::int64_t>(scope_.space))); }

void RowsOfKeys::expect(const std::vector<std::string>& keys) {
  Column names(Type::bytes);
  for (const std::string& key : keys)
    if (known_.try_emplace(key).second) names.add(std::string_view(key));
  if (names.size() == 0) return;
  Params params = scoped();
  params.array(std::move(names)).int4(static_cast<std::int64_t>(kTextRememberedMax));
  const Rows rows = tx_.ask("key_find"_sql, std::move(params));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Known& entry = known_[rows.text(i, 0)];
    entry.head = head_of(rows, i, 1);
    if (!rows.null(i, 7)) entry.text = rows.text(i, 7);
    names_of_row_[row_of(*entry.head)] = rows.text(i, 0);
  }
}

RowsOfKeys::Known& RowsOfKeys::known(std::string_view key) {
  std::string name(key);
  if (!known_.contains(name)) expect({name});
  return known_[name];
}

RowsOfKeys::Known* RowsOfKeys::of_row(const KeyHead& head) {
  const auto name = names_of_row_.find(row_of(head));
  return name == names_of_row_.end() ? nullptr : &known_[name->second];
}

void RowsOfKeys::write_out(Known& entry) {
  if (entry.head && entry.head_changed) {
    Params params = of(*entry.head);
    params.int8(to_ms(entry.head->expires_at)).int8(entry.head->count).int8(entry.head->head).int8(entry.head->tail);
    tx_.write("key_write"_sql, std::move(params));
  }
  if (entry.head && entry.text_changed) {
    Params params = of(*entry.head);
    tx_.write("key_text_put"_sql, std::move(params.bytes(*entry.text)));
  }
  entry.head_changed = entry.text_changed = false;
}

void RowsOfKeys::flush() {
  for (auto& [name, entry] : known_) write_out(entry);
}

std::optional<KeyHead> RowsOfKeys::find(std::string_view key) { return known(key).head; }

KeyHead RowsOfKeys::create(std::string_view key, KeyType type, std::optional<Instant> expires_at) {
  Params params = scoped();
  params.bytes(key).int2(static_cast<std::int64_t>(type)).int8(to_ms(expires_at));
  const Rows rows = tx_.ask("key_create"_sql, std::move(params));
  KeyHead head;
  if (rows.size() == 1) head.row = KeyRow{rows.integer(0, 0)};
  head.type = type;
  head.expires_at = expires_at;
  known_[std::string(key)] = {.head = head, .text = std::nullopt};
  names_of_row_[row_of(head)] = std::string(key);
  return head;
}

void RowsOfKeys::write(const KeyHead& head) {
  Known* entry = of_row(head);
  Known passing{.head = head, .head_changed = true};
  if (entry == nullptr) return write_out(passing);
  entry->head = head;
  entry->head_changed = true;
}

void RowsOfKeys::remove(std::string_view key, const KeyHead& head) {
  known_[std::string(key)] = Known();
  names_of_row_.erase(row_of(head));
  if (head.count > static_cast<std::int64_t>(kRemovedAtOnceMax)) return tx_.write("key_retire"_sql, of(head));
  tx_.write("key_remove"_sql, Params().int8s({row_of(head)}));
}

void RowsOfKeys::rename(std::string_view from, std::string_view to, const KeyHead& head) {
  Params params = of(head);
  tx_.write("key_rename"_sql, std::move(params.bytes(to)));
  Known moved = std::move(known(from));
  moved.head = head;
  known_[std::string(from)] = Known();
  known_[std::string(to)] = std::move(moved);
  names_of_row_[row_of(head)] = std::string(to);
}

std::vector<KeyName> RowsOfKeys::names(std::string_view after, std::size_t limit) {
  flush();
  Params params = scoped();
  const Rows rows = tx_.ask("key_names"_sql, std::move(params.bytes(after).int8(whole(limit)).int8(whole(kPieceBytesMax))));
  std::vector<KeyName> out;
  for (std::size_t i = 0; i < rows.size(); ++i) out.push_back({rows.text(i, 0), head_of(rows, i, 1)});
  return out;
}

std::int64_t RowsOfKeys::count(Instant now, std::size_t most) {
  flush();
  Params params = scoped();
  return number_in(tx_.ask("key_count"_sql, std::move(params.int8(to_ms(now)).int8(whole(most)))));
}

std::string RowsOfKeys::version(const KeyHead& head) {
  flush();
  return fmt::format("{}.{}", row_of(head), number_in(tx_.ask("key_version"_sql, of(head))));
}

std::size_t RowsOfKeys::clear(std::size_t most) {
  flush();
  known_.clear();
  names_of_row_.clear();
  Params params = scoped();
  return static_cast<std::size_t>(number_in(tx_.ask("key_clear"_sql, std::move(params.int8(whole(most))))));
}

std::string RowsOfKeys::text(const KeyHead& head) {
  Known* entry = of_row(head);
  if (entry != nullptr && entry->text) return *entry->text;
  const Rows rows = tx_.ask("key_text"_sql, of(head));
  std::string value = rows.size() == 0 ? std::string() : rows.text(0, 0);
  if (entry != nullptr && value.size() <= kTextRememberedMax) entry->text = value;
  return value;
}

void RowsOfKeys::put_text(std::string_view, const KeyHead& head, std::string_view value) {
  Known* entry = of_row(head);
  if (entry != nullptr) {
    entry->text.reset();
    entry->text_changed = false;
  }
  if (entry != nullptr && value.size() <= kTextRememberedMax) {
    entry->text = std::string(value);
    entry->text_changed = true;
    return;
  }
  Params params = of(head);
  tx_.write("key_text_put"_sql, std::move(params.bytes(value)));
}

std::vector<ListItem> RowsOfKeys::items(const KeyHead& head, ListEnd from, std::uint64_t skip, std::size_t limit) {
  Params params = of(head);
  params.int8(whole(limit)).int8(whole(skip)).int8(whole(kPieceBytesMax));
  return items_of(tx_.ask(from == ListEnd::left ? "key_items_left"_sql : "key_items_right"_sql, std::move(params)));
}

std::vector<ListItem> RowsOfKeys::items_past(const KeyHead& head, ListEnd from, std::int64_t position, std::size_t limit) {
  Params params = of(head);
  params.int8(position).int8(whole(limit)).int8(whole(kPieceBytesMax));
  return items_of(tx_.ask(from == ListEnd::left ? "key_items_past_left"_sql : "key_items_past_right"_sql, std::move(params)));
}

std::vector<std::int64_t> RowsOfKeys::positions(const KeyHead& head, ListEnd from, std::string_view value, std::size_t limit,
                                                std::size_t within) {
  Params params = of(head);
  params.bytes(value).int8(whole(limit)).int8(whole(within));
  const Rows rows = tx_.ask(from == ListEnd::left ? "key_positions_left"_sql : "key_positions_right"_sql, std::move(params));
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(rows.integer(i, 0));
  return out;
}

void RowsOfKeys::put_item(const KeyHead& head, std::int64_t position, std::string_view value) {
  Params params = of(head);
  tx_.write("key_item_put"_sql, std::move(params.int8(position).bytes(value)));
}

void RowsOfKeys::remove_item(const KeyHead& head, std::int64_t position) { remove_items(head, position, position); }

void RowsOfKeys::remove_items(const KeyHead& head, std::int64_t first, std::int64_t last) {
  Params params = of(head);
  tx_.write("key_items_remove"_sql, std::move(params.int8(first).int8(last)));
}

std::optional<std::string> RowsOfKeys::field(const KeyHead& head, std::string_view name) {
  Params params = of(head);
  const Rows rows = tx_.ask("key_field"_sql, std::move(params.bytes(name)));
  if (rows.size() == 0) return std::nullopt;
  return rows.text(0, 0);
}

bool RowsOfKeys::put_field(const KeyHead& head, std::string_view name, std::string_view value) {
  Params params = of(head);
  return said_yes(tx_.ask("key_field_put"_sql, std::move(params.bytes(name).bytes(value))));
}

bool RowsOfKeys::remove_field(const KeyHead& head, std::string_view name) {
  Params params = of(head);
  return tx_.ask("key_field_remove"_sql, std::move(params.bytes(name))).affected() == 1;
}

std::vector<KeyPair> RowsOfKeys::fields(const KeyHead& head, std::string_view after, std::size_t limit) {
  Params params = of(head);
  const Rows rows = tx_.ask("key_fields"_sql, std::move(params.bytes(after).int8(whole(limit)).int8(whole(kPieceBytesMax))));
  std::vector<KeyPair> out;
  for (std::size_t i = 0; i < rows.size(); ++i) out.push_back({rows.text(i, 0), rows.text(i, 1)});
  return out;
}

std::optional<KeyPair> RowsOfKeys::field_at(const KeyHead& head, std::uint64_t skip) {
  Params params = of(head);
  const Rows rows = tx_.ask("key_field_at"_sql, std::move(params.int8(whole(skip))));
  if (rows.size() == 0) return std::nullopt;
  return KeyPair{rows.text(0, 0), rows.text(0, 1)};
}

std::vector<std::optional<std::string>> RowsOfKeys::fields_of(const KeyHead& head, const std::vector<std::string_view>& names) {
  Params params = of(head);
  const Rows rows = tx_.ask("key_fields_of"_sql, std::move(params.array(names_of(names))));
  std::vector<std::optional<std::string>> out(names.size());
  for (std::size_t i = 0; i < std::min(rows.size(), out.size()); ++i)
    if (!rows.null(i, 0)) out[i] = rows.text(i, 0);
  return out;
}

std::int64_t RowsOfKeys::put_fields(const KeyHead& head, const std::vector<FieldView>& fields) {
  Column names(Type::bytes);
  Column values(Type::bytes);
  for (const FieldView& field : fields) {
    names.add(field.name);
    values.add(field.value);
  }
  Params params = of(head);
  return number_in(tx_.ask("key_fields_put"_sql, std::move(params.array(std::move(names)).array(std::move(values)))));
}

std::int64_t RowsOfKeys::remove_fields(const KeyHead& head, const std::vector<std::string_view>& names) {
  Params params = of(head);
  return static_cast<std::int64_t>(tx_.ask("key_fields_remove"_sql, std::move(params.array(names_of(names)))).affected());
}

std::optional<double> RowsOfKeys::score(const KeyHead& head, std::string_view member) {
  Params params = of(head);
  const Rows rows = tx_.ask("key_score"_sql, std::move(params.bytes(member)));
  if (rows.size() == 0) return std::nullopt;
  return rows.real(0, 0);
}

bool RowsOfKeys::put_score(const KeyHead& head, std::string_view member, double score) {
  Params params = of(head);
  return said_yes(tx_.ask("key_score_put"_sql, std::move(params.bytes(member).float8(score))));
}

bool RowsOfKeys::remove_score(const KeyHead& head, std::string_view member) {
  Params params = of(head);
  return tx_.ask("key_score_remove"_sql, std::move(params.bytes(member))).affected() == 1;
}

std::vector<ScoredMember> RowsOfKeys::scores(const KeyHead& head, const ScoreRange& range, bool reverse, const ScorePlace& place,
                                             std::size_t limit) {
  const Sql first = reverse ? "key_scores_down"_sql : "key_scores_up"_sql;
  const Sql next = reverse ? "key_scores_down_past"_sql : "key_scores_up_past"_sql;
  return members_of(tx_.ask(place.after ? next : first, piece(within(head, range), place, limit)));
}

std::vector<ScoredMember> RowsOfKeys::scores_between(const KeyHead& head, const LexRange& range, bool reverse,
                                                     const ScorePlace& place, std::size_t limit) {
  const Sql first = reverse ? "key_members_down"_sql : "key_members_up"_sql;
  const Sql next = reverse ? "key_members_down_past"_sql : "key_members_up_past"_sql;
  return members_of(tx_.ask(place.after ? next : first, piece(within(head, range), place, limit)));
}

std::int64_t RowsOfKeys::count_scores(const KeyHead& head, const ScoreRange& range, std::size_t most) {
  Params params = within(head, range);
  return number_in(tx_.ask("key_scores_count"_sql, std::move(params.int8(whole(most)))));
}

std::int64_t RowsOfKeys::rank(const KeyHead& head, const ScoredMember& member, std::size_t most) {
  Params params = of(head);
  return number_in(tx_.ask("key_rank"_sql, std::move(params.bytes(member.member).float8(member.score).int8(whole(most)))));
}

std::vector<ScoredMember> RowsOfKeys::scores_after(const KeyHead& head, std::string_view member, std::size_t limit) {
  Params params = of(head);
  return members_of(
      tx_.ask("key_scores_after"_sql, std::move(params.bytes(member).int8(whole(limit)).int8(whole(kPieceBytesMax)))));
}

std::vector<std::optional<double>> RowsOfKeys::scores_of(const KeyHead& head, const std::vector<std::string_view>& members) {
  Params params = of(head);
  const Rows rows = tx_.ask("key_scores_of"_sql, std::move(params.array(names_of(members))));
  std::vector<std::optional<double>> out(members.size());
  for (std::size_t i = 0; i < std::min(rows.size(), out.size()); ++i)
    if (!rows.null(i, 0)) out[i] = rows.real(i, 0);
  return out;
}

std::int64_t RowsOfKeys::put_scores(const KeyHead& head, const std::vector<ScoredMember>& members) {
  Column names(Type::bytes);
  Column scores(Type::float8);
  for (const ScoredMember& member : members) {
    names.add(std::string_view(member.member));
    scores.add_real(member.score);
  }
  Params params = of(head);
  return number_in(tx_.ask("key_scores_put"_sql, std::move(params.array(std::move(names)).array(std::move(scores)))));
}

std::int64_t RowsOfKeys::remove_scores(const KeyHead& head, const std::vector<std::string_view>& members) {
  Params params = of(head);
  return static_cast<std::int64_t>(tx_.ask("key_scores_remove"_sql, std::move(params.array(names_of(members)))).affected());
}

}  // namespace muster::store::postgres
