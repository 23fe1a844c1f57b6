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

// A stretch of a sequence.
struct Slice {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
// Both ends included, negative ones counted from the end. Nothing: the stretch is empty.
std::optional<Slice> slice(std::int64_t start, std::int64_t stop, std::uint64_t length);

class Stage {
 public:
  Stage(KeyRows& rows_in, Instant now_in, std::uint64_t random, Ran& ran) : rows(rows_in), now(now_in), ran_(ran), lot_(random) {}

  KeyRows& rows;
  const Instant now;

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
  void clear();
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

// How many rows to read at a time: few while their size is unknown, then as many as are together of moderate size.
class Pace {
 public:
  std::size_t rows() const { return rows_; }
  void learn(std::size_t rows, std::size_t bytes) {
    if (rows > 0) rows_ = std::clamp<std::size_t>(kBytesAtOnce / std::max<std::size_t>(1, bytes / rows), 1, kRowsMax);
  }

 private:
  static constexpr std::size_t kRowsFirst = 16;
  static constexpr std::size_t kRowsMax = 100'000;
  static constexpr std::size_t kBytesAtOnce = 8 * 1024 * 1024;
  std::size_t rows_ = kRowsFirst;
};

// Elements of a list, met from that end; `take` says whether to go on.
template <class Take>
void walk_items(Stage& stage, const KeyHead& head, ListEnd from, Slice part, Take take) {
  Pace pace;
  while (part.count > 0) {
    auto items = stage.rows.items(head, from, part.first, std::min<std::uint64_t>(part.count, pace.rows()));
    if (items.empty()) return;
    std::size_t bytes = 0;
    for (ListItem& item : items) {
      bytes += item.value.size();
      if (!take(std::move(item))) return;
    }
    part.first += items.size();
    part.count -= items.size();
    pace.learn(items.size(), bytes);
  }
}

// Every field of a hash or member of a set in byte order.
template <class Take>
void walk_fields(Stage& stage, const KeyHead& head, Take take) {
  // Rows are asked for what comes after a name, and nothing comes before the empty one.
  if (auto value = stage.rows.field(head, {}))
    if (!take(KeyPair{{}, std::move(*value)})) return;
  Pace pace;
  std::string after;
  while (true) {
    auto fields = stage.rows.fields(head, after, pace.rows());
    if (fields.empty()) return;
    std::size_t bytes = 0;
    const bool last = fields.size() < pace.rows();
    after = fields.back().first;
    for (KeyPair& field : fields) {
      bytes += field.first.size() + field.second.size();
      if (!take(std::move(field))) return;
    }
    if (last) return;
    pace.learn(fields.size(), bytes);
  }
}

}  // namespace muster::store::keyspace
