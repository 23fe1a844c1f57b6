// Virtual time: a clock that stands still between events, and the list of what happens next.
//
// Monotonic time only goes forward; wall time can be made to jump, as it does on real machines. Events at the same instant run in
// the order they were added, so a run is a pure function of its seed.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace muster::sim {

class SimClock final : public Clock {
 public:
  Instant now() const override { return Instant(std::chrono::seconds(1'700'000'000)) + elapsed_ + wall_offset_; }
  Ticks elapsed() const override { return std::chrono::duration_cast<Ticks>(elapsed_); }
  Duration since_start() const { return elapsed_; }
  void move_to(Duration elapsed) { elapsed_ = elapsed; }
  void jump_wall(Duration by) { wall_offset_ += by; }

 private:
  Duration elapsed_{1'000};  // never zero, so that "no time yet" cannot be mistaken for the start
  Duration wall_offset_{0};
};

class Timeline {
 public:
  explicit Timeline(SimClock& clock) : clock_(clock) {}

  void after(Duration delay, std::function<void()> what) {
    events_.push(Event{clock_.since_start() + delay, ++added_, std::move(what)});
  }
  bool empty() const { return events_.empty(); }
  // Moves the clock to the next event and runs it. REQUIRES: !empty().
  void run_next() {
    // The queue gives const access only; the function is moved out because the event leaves the queue in the same breath.
    Event event = std::move(const_cast<Event&>(events_.top()));
    events_.pop();
    if (event.at > clock_.since_start()) clock_.move_to(event.at);
    event.what();
  }

 private:
  struct Event {
    Duration at;
    std::uint64_t order;
    std::function<void()> what;
    bool operator<(const Event& other) const { return std::pair(at, order) > std::pair(other.at, other.order); }
  };
  SimClock& clock_;
  std::priority_queue<Event> events_;
  std::uint64_t added_ = 0;
};

}  // namespace muster::sim
