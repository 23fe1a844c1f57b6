// The rows under the keyspace, as the rules of keyspace/ see them: one implementation per database, used inside one transaction.
//
// Plain row access, no rules: expiry, types and empty containers are judged by keyspace/. Failures of the database latch in the
// implementation and read as absence; whoever runs a batch looks at that at its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/keys.h"

namespace muster::store {

enum class KeyRow : std::int64_t {};

// A key's row. `count`: elements of a container. `head` and `tail`: for a list the positions of its ends; the next pushes go to
// head - 1 and tail + 1. Positions between may be missing (elements were removed).
struct KeyHead {
  KeyRow row{};
  KeyType type = KeyType::text;
  std::optional<Instant> expires_at;
  std::int64_t count = 0;
  std::int64_t head = 0;
  std::int64_t tail = -1;
};

struct KeyName {
  std::string name;
  KeyHead head;
};

struct ListItem {
  std::int64_t position = 0;
  std::string value;
};

struct FieldView {
  std::string_view name;
  std::string_view value;
};

// Where a walk through a sorted set goes on: behind this member of this score, or else behind so many of the range.
struct ScorePlace {
  std::uint64_t skip = 0;
  std::optional<ScoredMember> after;
};

// No piece of a walk holds many more bytes than this, so that neither memory nor a transaction is taken up by one: it ends with
// the row that passes it. A row is at most one value long.
inline constexpr std::size_t kPieceBytesMax = 4 * 1024 * 1024;
// Large keys that are gone for everybody, until the sweep has removed what was in them.
inline constexpr KeySpace kRemovedSpace{2};
// A container of more elements is out of sight at once and its elements are removed by the sweep of expired keys.
inline constexpr std::size_t kRemovedAtOnceMax = 1'000;
// Elements that one pass of that sweep removes.
inline constexpr std::size_t kSweptRowsMax = 5'000;

// A piece (of names, items, fields or scores) that is shorter than `limit` is the last one, unless it was cut for its bytes.
inline bool may_follow(std::size_t rows, std::size_t limit, std::size_t bytes) {
  return rows >= limit || bytes >= kPieceBytesMax;
}

class KeyRows {
 public:
  virtual ~KeyRows() = default;

  // --- keys: also expired ones; the rules judge ---
  virtual std::optional<KeyHead> find(std::string_view key) = 0;
  virtual KeyHead create(std::string_view key, KeyType type, std::optional<Instant> expires_at) = 0;
  virtual void write(const KeyHead& head) = 0;                         // expiry, count and ends; not the type
  virtual std::string version(const KeyHead& head) = 0;                // another one after every write of the key
  virtual void remove(std::string_view key, const KeyHead& head) = 0;  // with everything in it, the sweep helping
  virtual void rename(std::string_view from, std::string_view to, const KeyHead& head) = 0;  // REQUIRES: no key `to`
  virtual std::vector<KeyName> names(std::string_view after, std::size_t limit) = 0;         // byte order
  virtual std::int64_t count(Instant now, std::size_t most) = 0;                             // not expired, as far as `most`
  virtual std::size_t clear(std::size_t most) = 0;                                           // removes some keys; says how many

  // --- texts: the value is part of the key's row ---
  virtual std::string text(const KeyHead& head) = 0;
  virtual void put_text(std::string_view key, const KeyHead& head, std::string_view value) = 0;

  // --- lists ---
  // `skip` elements from that end, then up to `limit`; in the order met.
  virtual std::vector<ListItem> items(const KeyHead& head, ListEnd from, std::uint64_t skip, std::size_t limit) = 0;
  // Up to `limit` elements behind a position, seen from that end.
  virtual std::vector<ListItem> items_past(const KeyHead& head, ListEnd from, std::int64_t position, std::size_t limit) = 0;
  // Positions of elements equal to `value` among the first `within` from that end.
  virtual std::vector<std::int64_t> positions(const KeyHead& head, ListEnd from, std::string_view value, std::size_t limit,
                                              std::size_t within) = 0;
  virtual void put_item(const KeyHead& head, std::int64_t position, std::string_view value) = 0;
  virtual void remove_item(const KeyHead& head, std::int64_t position) = 0;
  virtual void remove_items(const KeyHead& head, std::int64_t first, std::int64_t last) = 0;  // positions, both included

  // --- hashes and sets: a set's values are empty ---
  virtual std::optional<std::string> field(const KeyHead& head, std::string_view name) = 0;
  virtual bool put_field(const KeyHead& head, std::string_view name, std::string_view value) = 0;  // true: it is new
  virtual bool remove_field(const KeyHead& head, std::string_view name) = 0;
  virtual std::vector<KeyPair> fields(const KeyHead& head, std::string_view after, std::size_t limit) = 0;  // byte order
  virtual std::optional<KeyPair> field_at(const KeyHead& head, std::uint64_t skip) = 0;                     // byte order
  // Many at once, for databases that are far away. What is put has a different name each.
  virtual std::vector<std::optional<std::string>> fields_of(const KeyHead& head, const std::vector<std::string_view>& names);
  virtual std::int64_t put_fields(const KeyHead& head, const std::vector<FieldView>& fields);  // how many are new
  virtual std::int64_t remove_fields(const KeyHead& head, const std::vector<std::string_view>& names);

  // --- sorted sets: by score, then by member in byte order ---
  virtual std::optional<double> score(const KeyHead& head, std::string_view member) = 0;
  virtual bool put_score(const KeyHead& head, std::string_view member, double score) = 0;  // true: it is new
  virtual bool remove_score(const KeyHead& head, std::string_view member) = 0;
  virtual std::vector<ScoredMember> scores(const KeyHead& head, const ScoreRange& range, bool reverse, const ScorePlace& place,
                                           std::size_t limit) = 0;
  virtual std::vector<ScoredMember> scores_between(const KeyHead& head, const LexRange& range, bool reverse,
                                                   const ScorePlace& place, std::size_t limit) = 0;
  virtual std::int64_t count_scores(const KeyHead& head, const ScoreRange& range, std::size_t most) = 0;  // as far as `most`
  virtual std::int64_t rank(const KeyHead& head, const ScoredMember& member, std::size_t most) = 0;       // those before it
  virtual std::vector<ScoredMember> scores_after(const KeyHead& head, std::string_view member,
                                                 std::size_t limit) = 0;  // by member
  // Many at once. What is put is a different member each.
  virtual std::vector<std::optional<double>> scores_of(const KeyHead& head, const std::vector<std::string_view>& members);
  virtual std::int64_t put_scores(const KeyHead& head, const std::vector<ScoredMember>& members);  // how many are new
  virtual std::int64_t remove_scores(const KeyHead& head, const std::vector<std::string_view>& members);
};

}  // namespace muster::store
