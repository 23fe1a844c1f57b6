#include "session/send_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "session/envelope.h"

namespace muster::session {
namespace {

// Beyond any stream's length, and far enough below 2^64 that sums of numbers and windows stay exact.
constexpr std::uint64_t kNumberBound = std::uint64_t{1} << 62;

std::uint64_t counted_bits(const WindowAck& ack) {
  const std::uint32_t width = std::min(ack.recv_window, kSessionWindowMax);
  return width == kSessionWindowMax ? ack.ack_bitmap : ack.ack_bitmap & ((std::uint64_t{1} << width) - 1);
}

}  // namespace

SendWindow::SendWindow(const SendBounds& bounds, std::uint64_t seed) : bounds_(bounds), jitter_(seed) {
  check(bounds.window >= 1 && bounds.window <= kSessionWindowMax, "a send window holds 1 to 64 frames");
}

Result<std::uint64_t> SendWindow::push(std::string frame, Instant now, Transmissions& out) {
  const std::size_t frames_max = bounds_.window + bounds_.queued_frames;
  if (entries_.size() >= frames_max)
    return Status::exhausted(fmt::format("{} frames wait for the peer, at most {} may", entries_.size(), frames_max));
  const std::uint64_t number = next_number();
  number_frame(frame, number);
  if (frame.size() > bounds_.bytes - bytes_)
    return Status::exhausted(
        fmt::format("{} bytes wait for the peer, {} more would pass {}", bytes_, frame.size(), bounds_.bytes));
  bytes_ += frame.size();
  entries_.push_back(Entry{.bytes = std::move(frame)});
  send_with_credit(now, out);
  return number;
}

void SendWindow::send_with_credit(Instant now, Transmissions& out) {
  if (!connected_) return;
  const std::uint64_t end = std::min(next_number(), first_ + bounds_.window);
  while (sent_ + 1 < end) transmit(entry(++sent_), now, out);
}

void SendWindow::transmit(Entry& entry, Instant now, Transmissions& out) {
  entry.due = now + jitter_.spread(retry_gap(entry.resends));
  due_ = std::min(due_, entry.due);
  out.push_back(entry.bytes);
}

bool SendWindow::acknowledge(const WindowAck& ack, Instant now, Transmissions& out) {
  std::uint64_t bits = counted_bits(ack);
  if (ack.ack_seq > sent_) return false;
  if (bits != 0 && ack.ack_seq + static_cast<std::uint64_t>(std::bit_width(bits)) > sent_) return false;
  acked_through_ = std::max(acked_through_, ack.ack_seq);
  while (first_ <= ack.ack_seq) {
    bytes_ -= entries_.front().bytes.size();
    entries_.pop_front();
    ++first_;
  }
  for (; bits != 0; bits &= bits - 1) mark_acked(ack.ack_seq + 1 + static_cast<std::uint64_t>(std::countr_zero(bits)));
  drop_acked_front();
  send_with_credit(now, out);
  return true;
}

void SendWindow::mark_acked(std::uint64_t number) {
  if (number < first_) return;
  Entry& done = entry(number);
  bytes_ -= done.bytes.size();
  done.acked = true;
  std::string().swap(done.bytes);
}

void SendWindow::drop_acked_front() {
  while (!entries_.empty() && entries_.front().acked) {
    entries_.pop_front();
    ++first_;
  }
}

void SendWindow::tick(Instant now, Transmissions& out, std::vector<std::uint64_t>& stalled) {
  if (!connected_ || due_ > now) return;
  due_ = Instant::max();
  for (std::uint64_t number = first_; number <= sent_; ++number) {
    Entry& one = entry(number);
    if (one.acked) continue;
    if (one.due > now) {
      due_ = std::min(due_, one.due);
      continue;
    }
    if (one.resends == kResendsUntilStalled) stalled.push_back(number);
    ++one.resends;
    transmit(one, now, out);
  }
}

std::optional<Instant> SendWindow::next_due() const {
  // sent_ + 1 == first_: everything that was sent is acknowledged, and due_ is left over from it.
  if (!connected_ || sent_ < first_) return std::nullopt;
  return due_;
}

bool SendWindow::resumed(std::optional<std::uint64_t> last_seen, Instant now, Transmissions& out) {
  connected_ = true;
  const bool matches = !last_seen || (*last_seen <= sent_ && *last_seen >= acked_through_);
  if (matches && last_seen) {
    acked_through_ = *last_seen;
    while (first_ <= *last_seen) {
      bytes_ -= entries_.front().bytes.size();
      entries_.pop_front();
      ++first_;
    }
    drop_acked_front();
  }
  due_ = Instant::max();
  for (std::uint64_t number = first_; number <= sent_; ++number) {
    Entry& one = entry(number);
    if (one.acked) continue;
    one.resends = 0;
    transmit(one, now, out);
  }
  send_with_credit(now, out);
  return matches;
}

std::vector<UnackedFrame> SendWindow::unacked() const {
  std::vector<UnackedFrame> frames;
  for (std::uint64_t i = 0; i < entries_.size(); ++i)
    if (!entries_[i].acked) frames.push_back({.number = first_ + i, .bytes = entries_[i].bytes});
  return frames;
}

void SendWindow::reset() {
  entries_.clear();
  first_ = 1;
  sent_ = acked_through_ = 0;
  bytes_ = 0;
  due_ = Instant::max();
  connected_ = true;
}

bool SendWindow::restore(std::uint64_t next_number, std::vector<UnackedFrame> unacked) {
  reset();
  const std::uint64_t first = unacked.empty() ? next_number : unacked.front().number;
  bool fits = next_number >= 1 && next_number < kNumberBound && first >= 1 && first <= next_number &&
              next_number - first <= bounds_.window + bounds_.queued_frames;
  std::uint64_t next = first;
  for (const UnackedFrame& frame : unacked) {
    fits = fits && frame.number >= next && frame.number < next_number && frame.bytes.size() <= bounds_.bytes - bytes_;
    if (!fits) break;
    bytes_ += frame.bytes.size();
    next = frame.number + 1;
  }
  if (!fits) {
    reset();
    return false;
  }
  first_ = first;
  entries_.resize(next_number - first, Entry{.acked = true});
  for (UnackedFrame& frame : unacked) {
    entry(frame.number).bytes = std::move(frame.bytes);
    entry(frame.number).acked = false;
  }
  // How far the window had come is not in the state; it never was beyond its credit.
  sent_ = std::min(next_number - 1, first - 1 + bounds_.window);
  acked_through_ = first - 1;
  connected_ = false;
  return true;
}

}  // namespace muster::session
