#include "store/sqlite/key_cache.h"

namespace muster::store::sqlite {
namespace {

// The nodes of the list and of the map, roughly.
constexpr std::size_t kEntryOverhead = 160;

std::size_t cost_of(const CachedText& entry) { return kEntryOverhead + entry.key.size() + (entry.text ? entry.text->size() : 0); }

}  // namespace

KeyGlance KeyCache::glance(std::string_view key, Instant now) const {
  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.by_key.find(key);
  if (found == shard.by_key.end()) return {};
  const auto entry = found->second;
  shard.recent.splice(shard.recent.begin(), shard.recent, entry);
  if (entry->expires_at && *entry->expires_at <= now) return {true, nullptr};
  return {true, entry->text};
}

void KeyCache::drop(Shard& shard, std::list<CachedText>::iterator entry) {
  shard.bytes -= cost_of(*entry);
  shard.by_key.erase(entry->key);
  shard.recent.erase(entry);
}

void KeyCache::put(CachedText text) {
  Shard& shard = shard_of(text.key);
  const std::lock_guard lock(shard.mutex);
  if (const auto old = shard.by_key.find(text.key); old != shard.by_key.end()) drop(shard, old->second);
  shard.bytes += cost_of(text);
  shard.recent.push_front(std::move(text));
  shard.by_key.emplace(shard.recent.front().key, shard.recent.begin());
  while (shard.bytes > shard_bytes_max_) drop(shard, std::prev(shard.recent.end()));
}

void KeyCache::forget(std::string_view key) {
  Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  if (const auto found = shard.by_key.find(key); found != shard.by_key.end()) drop(shard, found->second);
}

void KeyCache::apply(KeyChanges changes) {
  if (changes.cleared) clear();
  for (const std::string& key : changes.touched) forget(key);
  for (CachedText& text : changes.texts) put(std::move(text));
}

void KeyCache::clear() {
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    shard.by_key.clear();
    shard.recent.clear();
    shard.bytes = 0;
  }
}

std::size_t KeyCache::bytes() const {
  std::size_t sum = 0;
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    sum += shard.bytes;
  }
  return sum;
}

}  // namespace muster::store::sqlite
