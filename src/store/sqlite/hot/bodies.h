// Payloads of plain jobs that were enqueued a moment ago, so that the usual claim needs no row read. Bounded in bytes: what does
// not fit is read from its row.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "store/codec/id_codec.h"

namespace muster::store::sqlite {

class Bodies {
 public:
  static constexpr std::size_t kBytesMax = 8 * 1024 * 1024;
  static constexpr std::size_t kBodyBytesMax = 1'024;

  void put(JobKey key, const std::string& payload) {
    if (payload.size() > kBodyBytesMax || bytes_ + cost(payload) > kBytesMax) return;
    if (bodies_.emplace(key, payload).second) bytes_ += cost(payload);
  }
  std::optional<std::string> take(JobKey key) {
    auto found = bodies_.extract(key);
    if (found.empty()) return std::nullopt;
    bytes_ -= cost(found.mapped());
    return std::move(found.mapped());
  }

 private:
  static constexpr std::size_t kEntryBytes = 80;  // what the map itself costs
  static std::size_t cost(const std::string& payload) { return payload.size() + kEntryBytes; }
  std::unordered_map<JobKey, std::string> bodies_;
  std::size_t bytes_ = 0;
};

}  // namespace muster::store::sqlite
