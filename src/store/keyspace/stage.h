// What every command of a batch works with: the rows behind the rules that hold for all types. A key whose time has come reads as
// absent and is removed before something is written in its place; a container that got empty goes; what was written is noted.
//
// One Stage runs one batch. Commands check everything first and write after.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/keyspace/keyspace.h"

namespace muster::store::keyspace {

// A key of the type a command is about, nothing, or something else.
struct Look {
  bool wrong = false;
  std::optional<KeyHead> head;
};
inline std::int64_t size_of(const Look& at) { return at.head ? at.head->count : 0; }

// A stretch of a sequence.
struct Slice {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
// Both ends included, negative ones counted from the end. Nothing: the stretch is empty.
std::optional<Slice> slice(std::int64_t start, std::int64_t stop, std::uint64_t length);

class Stage {
 public:
  Stage(KeyRows& rows_in, const Run& run, Ran& ran)
      : rows(rows_in), now(run.now), divisible(run.divisible), ran_(ran), lot_(run.random) {}

  KeyRows& rows;
  const Instant now;
  const bool divisible;

  std::optional<KeyHead> find(std::string_view key);
  std::optional<KeyHead> find_to_write(std::string_view key);
  Look look(std::string_view key, KeyType type) { return judge(find(key), type); }
  Look look_to_write(std::string_view key, KeyType type) { return judge(find_to_write(key), type); }

  bool is_over(const KeyHead& head) const { return head.expires_at && *head.expires_at <= now; }
  // The instant a command means; nothing when there is no such instant.
  std::optional<Instant> instant(Instant at, bool relative) const;

  KeyHead create(std::string_view key, KeyType type, std::optional<Instant> expires_at = std::nullopt);
  void save(std::string_view key, const KeyHead& head);  // a container without elements is removed instead
  void save_expiry(std::string_view key, const KeyHead& head);
  void remove(std::string_view key, const KeyHead& head);
  void rename(std::string_view from, std::string_view to, const KeyHead& head);
  // Removes keys, as many as a slice may change. False: some are left, and the command is to be run again.
  bool clear();
  void put_text(std::string_view key, const KeyHead& head, std::string_view value);
  // The key becomes this text, whatever it was.
  void set_text(std::string_view key, const std::optional<KeyHead>& found, std::string_view value,
                std::optional<Instant> expires_at);
  void note_pushed(std::string_view key);

  std::uint64_t draw(std::uint64_t below);  // REQUIRES: below > 0

 private:
  static Look judge(std::optional<KeyHead> head, KeyType type);
  void touch(std::string_view key);

  Ran& ran_;
  std::uint64_t lot_;
};

// --- refusals ---

inline KeyAnswer wrong_type() { return KeyAnswer::refuse(kWrongType); }
std::optional<KeyAnswer> refuse_key(std::string_view key);
std::optional<KeyAnswer> refuse_value(std::size_t bytes);
std::optional<KeyAnswer> refuse_count(std::uint64_t elements);
std::optional<KeyAnswer> refuse_pattern(std::string_view pattern);
KeyAnswer refuse_answer();
KeyAnswer refuse_read();
std::optional<KeyAnswer> refuse_keys(std::size_t keys);
std::optional<KeyAnswer> refuse_changes(std::uint64_t rows);
std::optional<KeyAnswer> refuse_search(std::uint64_t rows);

// --- answers of many elements ---

// Collects an answer within its bounds.
class Gathered {
 public:
  // False: the answer would be too large; it is to be refused.
  bool add(KeyAnswer answer);
  bool add(std::string value) { return add(KeyAnswer::bytes(std::move(value))); }
  KeyAnswer take() { return KeyAnswer::all(std::move(answers_)); }

 private:
  std::vector<KeyAnswer> answers_;
  std::size_t bytes_ = 0;
};

// Rows that are read at a time: what is quick is read as one, so that it is of one moment even where nothing is locked.
inline constexpr std::size_t kPieceRowsMax = Bounds::kQuickRowsMax;

// As many elements as places from end to end: then each place holds one, and an index is as good as a position.
inline bool has_no_gaps(const KeyHead& head) { return head.tail - head.head + 1 == head.count; }

// Elements of a list, met from that end; `take` says whether to go on.
template <class Take>
void walk_items(Stage& stage, const KeyHead& head, ListEnd from, Slice part, Take take) {
  std::optional<std::int64_t> past;
  if (has_no_gaps(head)) {
    const auto skip = static_cast<std::int64_t>(part.first);
    past = from == ListEnd::left ? head.head - 1 + skip : head.tail + 1 - skip;
  }
  while (part.count > 0) {
    const auto limit = static_cast<std::size_t>(std::min<std::uint64_t>(part.count, kPieceRowsMax));
    auto items = past ? stage.rows.items_past(head, from, *past, limit) : stage.rows.items(head, from, part.first, limit);
    if (items.empty()) return;
    past = items.back().position;
    part.count -= items.size();
    for (ListItem& item : items)
      if (!take(std::move(item))) return;
  }
}

// Calls `take` with each piece of the names and what is known of them.
template <class Take>
void ask_in_pieces(const std::vector<std::string>& names, std::size_t at_once, Take take) {
  for (std::size_t at = 0; at < names.size(); at += at_once) {
    const auto first = names.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = first + static_cast<std::ptrdiff_t>(std::min(at_once, names.size() - at));
    if (!take(std::vector<std::string_view>(first, end))) return;
  }
}

// Every field of a hash or member of a set in byte order.
template <class Take>
void walk_fields(Stage& stage, const KeyHead& head, Take take) {
  // Rows are asked for what comes after a name, and nothing comes before the empty one.
  std::int64_t left = head.count;
  if (auto value = stage.rows.field(head, {})) {
    --left;
    if (!take(KeyPair{{}, std::move(*value)})) return;
  }
  std::string after;
  while (left > 0) {
    auto fields = stage.rows.fields(head, after, kPieceRowsMax);
    if (fields.empty()) return;
    left -= static_cast<std::int64_t>(fields.size());
    after = fields.back().first;
    for (KeyPair& field : fields)
      if (!take(std::move(field))) return;
  }
}

}  // namespace muster::store::keyspace
