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
#include "model/limits.h"
#include "model/run.h"
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

// The public id of one attempt at a step, derived reversibly from its run's integer key and its place in that run.
//
// Run and place, and 47 zeros to check, are spread over the UUID (spread.h) by a salt made from that of the job ids, so that
// neither a job's id nor one of another store names a step. Ids that were given out before are still understood:
//
//   high: the run's key, as in IdCodec::encode_early       low: variant │ 14 bits of the place │ 48 check bits

// The n-th attempt of a run at any of its steps, from 1.
struct StepKey {
  JobKey run = 0;
  std::int64_t place = 0;
  friend bool operator==(const StepKey&, const StepKey&) = default;
};

class StepIdCodec {
 public:
  // The salt of the job ids.
  explicit StepIdCodec(std::uint64_t salt = 0) : salt_(mix64(salt ^ kApart)), spread_(salt_) {}

  StepId encode(const StepKey& key) const {
    return StepId{spread_.close({static_cast<std::uint64_t>(key.run), static_cast<std::uint64_t>(key.place) & kPlaceMask})};
  }

  std::optional<StepKey> decode(const StepId& id) const {
    const auto halves = spread_.open(id.value);
    if (halves && halves->left != 0 && halves->left <= static_cast<std::uint64_t>(kJobKeyMax) && halves->right != 0 &&
        halves->right <= kPlaceMask)
      return StepKey{static_cast<JobKey>(halves->left), static_cast<std::int64_t>(halves->right)};
    return decode_early(id);
  }

  // As ids were before they were spread.
  StepId encode_early(const StepKey& key) const {
    const auto run = static_cast<std::uint64_t>(key.run);
    const auto place = static_cast<std::uint64_t>(key.place) & kPlaceMask;
    const std::uint64_t high = ((run >> 12) << 16) | 0x8000ULL | (run & 0xFFF);
    const std::uint64_t check = mix64(run ^ mix64(salt_ + place)) >> (64 - kCheckBits);
    return StepId{{high, 0x8000'0000'0000'0000ULL | (place << kCheckBits) | check}};
  }

 private:
  std::optional<StepKey> decode_early(const StepId& id) const {
    const StepKey key{static_cast<JobKey>(((id.value.high >> 16) << 12) | (id.value.high & 0xFFF)),
                      static_cast<std::int64_t>((id.value.low >> kCheckBits) & kPlaceMask)};
    if (key.run <= 0 || key.place <= 0 || encode_early(key) != id) return std::nullopt;
    return key;
  }

  static constexpr int kCheckBits = 48;
  static constexpr std::uint64_t kPlaceMask = (1ULL << 14) - 1;
  static constexpr std::uint64_t kApart = 0x7374'6570'7374'6570ULL;
  static_assert(limits::kStepsPerRunMax <= kPlaceMask);
  std::uint64_t salt_;
  Spread spread_;
};

}  // namespace muster::store
