#include "session/receive_window.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace muster::session {

ReceiveWindow::ReceiveWindow(const ReceiveBounds& bounds) : bounds_(bounds) {
  check(bounds.window >= 1 && bounds.window <= kSessionWindowMax, "a receive window holds 1 to 64 frames");
}

Arrival ReceiveWindow::record(Envelope frame, Instant now, std::vector<Envelope>& deliver) {
  check(frame.session_seq.has_value(), "a frame of the window has a number");
  const std::uint64_t number = *frame.session_seq;
  if (number <= base_) return Arrival::stale;
  const std::uint64_t offset = number - base_ - 1;
  if (offset >= bounds_.window) return refuse(Arrival::out_of_window, number, now);
  if ((bitmap_ >> offset & 1) != 0) return Arrival::duplicate;
  if (offset == 0) {
    // The usual case passes without being held, and whatever is held never keeps the next frame out.
    deliver.push_back(std::move(frame));
    ++base_;
    bitmap_ >>= 1;
    deliver_contiguous(deliver);
    delivered_since_resume_ = true;
    return Arrival::delivered;
  }
  if (frame.bytes > bounds_.held_bytes - held_bytes_) return refuse(Arrival::no_room, number, now);
  held_bytes_ += frame.bytes;
  held_.emplace(number, HeldFrame{.frame = std::move(frame), .arrived_at = now});
  bitmap_ |= std::uint64_t{1} << offset;
  return Arrival::held;
}

void ReceiveWindow::deliver_contiguous(std::vector<Envelope>& deliver) {
  while ((bitmap_ & 1) != 0) {
    const auto next = held_.begin();
    held_bytes_ -= next->second.frame.bytes;
    deliver.push_back(std::move(next->second.frame));
    held_.erase(next);
    ++base_;
    bitmap_ >>= 1;
  }
  forget_refused();
}

Arrival ReceiveWindow::refuse(Arrival arrival, std::uint64_t number, Instant now) {
  if (number - base_ > kHoleNumbersMax) return arrival;
  // What found no room is sent on until it does. What was beyond the window may be the last try of its sender.
  const Duration wait = arrival == Arrival::no_room ? kHoleWaitConnected : kHoleWaitRefused;
  refused_.try_emplace(number, Refused{.since = now}).first->second.until = now + wait;
  if (refused_.size() > 2 * kSessionWindowMax) refused_.erase(std::prev(refused_.end()));
  return arrival;
}

void ReceiveWindow::forget_refused() {
  while (!refused_.empty() && refused_.begin()->first <= base_) refused_.erase(refused_.begin());
}

void ReceiveWindow::resumed(Instant now) {
  resumed_at_ = now;
  delivered_since_resume_ = false;
  refused_.clear();  // they come again with everything else
}

// Numbers used up while the peer was offline show themselves by its first frames after the resume. A hole that opens later, in a
// stream that flows, is filled by what the peer still sends again.
Instant ReceiveWindow::hole_due(Instant known_since) const {
  if (!resumed_at_) return known_since + kHoleWaitConnected;
  const bool from_outage = known_since <= *resumed_at_ + kHoleWaitAfterResume || !delivered_since_resume_;
  if (from_outage) return std::max(*resumed_at_ + kHoleWaitAfterResume, known_since + kHoleAgeMin);
  return known_since + kHoleWaitConnected;
}

std::optional<Instant> ReceiveWindow::hole_due() const {
  if (held_.empty()) {
    // Nothing is held, so it is a hole only if what the peer sends is beyond the window.
    if (refused_.empty() || refused_.rbegin()->first - base_ <= bounds_.window) return std::nullopt;
    const auto& [number, refused] = *refused_.begin();
    return number - base_ <= bounds_.window ? refused.until : hole_due(refused.since);
  }
  Instant known_since = Instant::max();  // everything held is above the hole, so the first of it to arrive showed the hole
  for (const auto& [number, held] : held_) known_since = std::min(known_since, held.arrived_at);
  Instant due = hole_due(known_since);
  for (auto at = refused_.begin(); at != refused_.end() && at->first < held_.begin()->first; ++at)
    due = std::max(due, at->second.until);
  return due;
}

std::uint64_t ReceiveWindow::skip_due_holes(Instant now, std::vector<Envelope>& deliver) {
  std::uint64_t skipped = 0;
  for (auto due = hole_due(); due && *due <= now; due = hole_due()) {
    const std::uint64_t next = held_.empty() ? refused_.begin()->first : held_.begin()->first;
    if (held_.empty() && next - base_ <= bounds_.window) {
      refused_.erase(refused_.begin());  // its sender gave it up
      continue;
    }
    bitmap_ = held_.empty() ? 0 : bitmap_ >> (next - base_ - 1);  // by less than 64: what is held lies within the window
    skipped += next - base_ - 1;
    base_ = next - 1;
    deliver_contiguous(deliver);
  }
  return skipped;
}

void ReceiveWindow::reset() { *this = ReceiveWindow(bounds_); }

bool ReceiveWindow::restore(std::uint64_t base, std::vector<HeldFrame> held) {
  reset();
  base_ = base;
  for (HeldFrame& one : held) {
    const std::uint64_t number = one.frame.session_seq.value_or(0);
    const bool fits = number > base && number - base >= 2 && number - base <= bounds_.window && !held_.contains(number) &&
                      one.frame.bytes <= bounds_.held_bytes - held_bytes_;
    if (!fits) {
      reset();
      return false;
    }
    held_bytes_ += one.frame.bytes;
    bitmap_ |= std::uint64_t{1} << (number - base - 1);
    held_.emplace(number, std::move(one));
  }
  return true;
}

}  // namespace muster::session
