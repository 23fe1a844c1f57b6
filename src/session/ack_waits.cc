#include "session/ack_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace muster::session {

Status AckWaits::add(std::string id, std::string frame, Instant now, std::optional<Duration> deadline) {
  if (waits_.contains(id)) return Status::already_exists(fmt::format("frame '{}' waits for its ack already", id));
  if (waits_.size() >= kAckWaitsMax)
    return Status::exhausted(fmt::format("{} frames wait for acks, the most that may", kAckWaitsMax));
  if (frame.size() > kAckWaitBytesMax - bytes_)
    return Status::exhausted(
        fmt::format("{} bytes wait for acks, {} more would pass {}", bytes_, frame.size(), kAckWaitBytesMax));
  bytes_ += frame.size();
  Wait wait{.frame = std::move(frame),
            .due = now + jitter_.spread(retry_gap(0)),
            .deadline = deadline ? now + *deadline : Instant::max()};
  waits_.emplace(std::move(id), std::move(wait));
  return {};
}

bool AckWaits::acked(std::string_view id) {
  const auto at = waits_.find(id);
  if (at == waits_.end()) return false;
  bytes_ -= at->second.frame.size();
  waits_.erase(at);
  return true;
}

void AckWaits::tick(Instant now, Transmissions& out, std::vector<std::string>& given_up) {
  for (auto at = waits_.begin(); at != waits_.end();) {
    Wait& wait = at->second;
    const bool is_due = wait.due <= now;
    if (wait.deadline <= now || (is_due && wait.resends == kResendsUntilStalled)) {
      given_up.push_back(at->first);
      bytes_ -= wait.frame.size();
      at = waits_.erase(at);
      continue;
    }
    if (is_due) {
      ++wait.resends;
      wait.due = now + jitter_.spread(retry_gap(wait.resends));
      out.push_back(wait.frame);
    }
    ++at;
  }
}

std::optional<Instant> AckWaits::next_due() const {
  std::optional<Instant> due;
  for (const auto& [id, wait] : waits_) {
    const Instant own = std::min(wait.due, wait.deadline);
    if (!due || own < *due) due = own;
  }
  return due;
}

void AckWaits::clear() {
  waits_.clear();
  bytes_ = 0;
}

RunSequence::Verdict RunSequence::record(std::uint64_t seq) {
  if (seq <= base_) return Verdict::duplicate;
  const bool is_next = seq - base_ == 1 && bitmap_ == 0;
  constexpr std::uint64_t kRemembered = 64;
  if (seq - base_ > kRemembered) {
    // Too far ahead of what is missing: the oldest of it is given up.
    const std::uint64_t shift = seq - base_ - kRemembered;
    bitmap_ = shift < kRemembered ? bitmap_ >> shift : 0;
    base_ += shift;
  }
  const std::uint64_t bit = std::uint64_t{1} << (seq - base_ - 1);
  if ((bitmap_ & bit) != 0) return Verdict::duplicate;
  const bool is_newest = bitmap_ < bit;
  bitmap_ |= bit;
  const int done = std::countr_one(bitmap_);
  bitmap_ = done < 64 ? bitmap_ >> done : 0;
  base_ += static_cast<std::uint64_t>(done);
  if (is_next) return Verdict::in_order;
  return is_newest ? Verdict::gap : Verdict::late;
}

}  // namespace muster::session
