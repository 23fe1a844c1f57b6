// Texts of the keyspace that memory knows: what a GET finds without asking the writer. Clients' keys of the default namespace.
//
// The writer's thread puts in what it read between groups and what a group wrote, the latter only once that is durable and before
// its replies leave; so whoever heard of a write never sees what was before it. Any thread may look. Bounded by bytes; what was
// looked at least recently goes first.
#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "store/keys.h"

namespace muster::store::sqlite {

struct CachedText {
  std::string key;
  std::shared_ptr<const std::string> text;  // null: there is no such key
  std::optional<Instant> expires_at;        // from then on there is none
};

// What a group did to the keys that the cache may know.
struct KeyChanges {
  bool cleared = false;              // before the others
  std::vector<std::string> touched;  // no longer as they were
  std::vector<CachedText> texts;     // what they are now, as far as it is known

  bool empty() const { return !cleared && touched.empty() && texts.empty(); }
  void clear() { *this = {}; }
};

class KeyCache {
 public:
  static constexpr std::size_t kBytesMax = 64 * 1024 * 1024;
  static constexpr std::size_t kShards = 8;
  static constexpr std::size_t kEntryBytesMax = kBytesMax / kShards / 8;
  // Larger texts would push too many others out.
  static constexpr bool fits(std::size_t bytes) { return bytes <= kEntryBytesMax; }

  explicit KeyCache(std::size_t bytes_max = kBytesMax) : shard_bytes_max_(bytes_max / kShards) {}

  KeyGlance glance(std::string_view key, Instant now) const;
  void put(CachedText text);
  void apply(KeyChanges changes);
  void forget(std::string_view key);
  void clear();
  std::size_t bytes() const;

 private:
  struct Shard {
    std::mutex mutex;                                                              // leaf; guards everything below
    std::list<CachedText> recent;                                                  // looked at last: front
    std::unordered_map<std::string_view, std::list<CachedText>::iterator> by_key;  // names live in the list
    std::size_t bytes = 0;
  };
  Shard& shard_of(std::string_view key) const { return shards_[std::hash<std::string_view>()(key) % kShards]; }
  static void drop(Shard& shard, std::list<CachedText>::iterator entry);

  const std::size_t shard_bytes_max_;
  mutable std::array<Shard, kShards> shards_;
};

}  // namespace muster::store::sqlite
