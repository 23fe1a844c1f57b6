// A job's public id, derived reversibly from its integer key: the key and 62 zeros, spread over the UUID (spread.h). The zeros
// are the check: an id of another store, or one that was made up, is not found instead of naming somebody else's job. An indexed
// random id column would cost two thirds of the write rate (docs/decisions/0001).
//
// Ids that were given out before they were spread are still understood:
//
//   high: 48 bits of the key │ version 8 │ the key's low 12 bits       low: variant │ 62 check bits
#pragma once

#include <cstdint>
#include <optional>

#include "model/ids.h"
#include "store/codec/spread.h"

namespace muster::store {

using JobKey = std::int64_t;
inline constexpr JobKey kJobKeyMax = (JobKey{1} << 60) - 1;

class IdCodec {
 public:
  explicit IdCodec(std::uint64_t salt = 0) : salt_(salt), spread_(salt) {}

  JobId encode(JobKey key) const { return JobId{spread_.close({static_cast<std::uint64_t>(key), 0})}; }

  std::optional<JobKey> decode(const JobId& id) const {
    const auto halves = spread_.open(id.value);
    if (halves && halves->right == 0 && halves->left != 0 && halves->left <= static_cast<std::uint64_t>(kJobKeyMax))
      return static_cast<JobKey>(halves->left);
    return decode_early(id);
  }

  // As ids were before they were spread.
  JobId encode_early(JobKey key) const {
    const auto bits = static_cast<std::uint64_t>(key);
    const std::uint64_t high = ((bits >> 12) << 16) | 0x8000ULL | (bits & 0xFFF);
    return JobId{{high, 0x8000'0000'0000'0000ULL | (mix64(bits ^ mix64(salt_)) >> 2)}};
  }

 private:
  std::optional<JobKey> decode_early(const JobId& id) const {
    const auto key = static_cast<JobKey>(((id.value.high >> 16) << 12) | (id.value.high & 0xFFF));
    if (key <= 0 || encode_early(key) != id) return std::nullopt;
    return key;
  }

  std::uint64_t salt_;
  Spread spread_;
};

}  // namespace muster::store
