// The memory of frames that were handled, for streams without a window: v1, and v2 frames without a number.
//
// The real worker counts its frame ids from 0 in every process, so an id alone names nothing: the key is (epoch, id, corr), where
// the epoch is the owner's number of the session or connection. One memory per worker instance. A frame is remembered for ten
// minutes, and at most 4096 are; a call takes constant time, whatever a peer sends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "base/clock.h"

namespace muster::session {

inline constexpr std::size_t kDuplicatesRememberedMax = 4'096;
inline constexpr Duration kDuplicatesRememberedFor{10 * 60 * 1'000};

struct FrameKey {
  std::uint64_t epoch = 0;
  std::string_view id;
  std::optional<std::string_view> corr;  // an empty one is not an absent one
};

class Duplicates {
 public:
  // Whether this frame is new; it is remembered from now on. False: it was handled, acknowledge it and do nothing.
  [[nodiscard]] bool remember(const FrameKey& key, Instant now);
  // The frame was not handled after all: it is new when it comes again.
  void forget(const FrameKey& key);
  std::size_t size() const { return known_.size(); }

 private:
  // Texts of peers may be long; what is kept is a digest that nobody finds a second text for.
  using Digest = std::array<std::uint64_t, 2>;
  struct Hash {
    std::size_t operator()(const Digest& digest) const { return digest[0]; }
  };
  struct Entry {
    Digest digest;
    Instant seen_at;
  };
  static Digest digest_of(const FrameKey& key);
  void drop_oldest();

  std::unordered_set<Digest, Hash> known_;
  std::deque<Entry> by_age_;  // the same, oldest first
};

}  // namespace muster::session
