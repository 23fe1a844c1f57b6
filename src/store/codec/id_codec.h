// A job's public id, derived reversibly from its integer key.
//
//   high: 48 bits of the key │ version 8 │ the key's low 12 bits       low: variant │ 62 check bits
//
// Ids sort by arrival. The check bits come from the key and a salt of this file, so that an id of another store, or one
// that was made up, is not found instead of naming somebody else's job. An indexed random id column would cost two
// thirds of the write rate (docs/decisions/0001).
#pragma once

#include <cstdint>
#include <optional>

#include "model/ids.h"

namespace muster::store {

using JobKey = std::int64_t;
inline constexpr JobKey kJobKeyMax = (JobKey{1} << 60) - 1;

class IdCodec {
 public:
  explicit IdCodec(std::uint64_t salt = 0) : salt_(salt) {}

  JobId encode(JobKey key) const {
    const auto bits = static_cast<std::uint64_t>(key);
    const std::uint64_t high = ((bits >> 12) << 16) | 0x8000ULL | (bits & 0xFFF);
    return JobId{{high, 0x8000'0000'0000'0000ULL | (mix64(bits ^ mix64(salt_)) >> 2)}};
  }

  std::optional<JobKey> decode(const JobId& id) const {
    const auto key = static_cast<JobKey>(((id.value.high >> 16) << 12) | (id.value.high & 0xFFF));
    if (key <= 0 || encode(key) != id) return std::nullopt;
    return key;
  }

 private:
  std::uint64_t salt_;
};

}  // namespace muster::store
