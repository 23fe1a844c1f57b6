// A permutation of 122 bits by a store's salt, and where those bits stand in a UUID of version 8. Neighbouring numbers become ids
// that have nothing in common, and back: what people see of an id, its first digits, tells it from every other.
//
// It is no cipher: whoever has many ids and patience may find the salt. Nothing rests on that; rights are checked elsewhere.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/uuid.h"

namespace muster::store {

class Spread {
 public:
  static constexpr std::uint64_t kHalfMax = (std::uint64_t{1} << 61) - 1;
  // 61 bits each.
  struct Halves {
    std::uint64_t left = 0;
    std::uint64_t right = 0;
  };

  explicit Spread(std::uint64_t salt) {
    for (std::uint64_t& key : keys_) key = salt = mix64(salt);
  }

  // A Feistel network: each round changes one half by the other, so that it can be walked backwards.
  Uuid close(Halves halves) const {
    for (const std::uint64_t key : keys_) halves = {halves.right, halves.left ^ changed(halves.right, key)};
    const std::uint64_t top = halves.left >> 1;  // the 60 bits of the first half of the UUID
    return {((top >> 12) << 16) | kVersion | (top & kLow12), kVariant | ((halves.left & 1) << 61) | halves.right};
  }

  // Nothing: it is no UUID of version 8.
  std::optional<Halves> open(const Uuid& id) const {
    if ((id.high & kVersionBits) != kVersion || (id.low & kVariantBits) != kVariant) return std::nullopt;
    const std::uint64_t top = ((id.high >> 16) << 12) | (id.high & kLow12);
    Halves halves{(top << 1) | ((id.low >> 61) & 1), id.low & kHalfMax};
    for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) halves = {halves.right ^ changed(halves.left, *key), halves.left};
    return halves;
  }

 private:
  static constexpr std::uint64_t kVersion = 0x8000;
  static constexpr std::uint64_t kVersionBits = 0xF000;
  static constexpr std::uint64_t kLow12 = 0xFFF;
  static constexpr std::uint64_t kVariant = 0x8000'0000'0000'0000ULL;
  static constexpr std::uint64_t kVariantBits = 0xC000'0000'0000'0000ULL;
  static std::uint64_t changed(std::uint64_t half, std::uint64_t key) { return mix64(half ^ key) & kHalfMax; }

  std::array<std::uint64_t, 6> keys_{};
};

}  // namespace muster::store
