#include "base/listening.h"

namespace muster {

void ListenedTime::listen(Ticks length) {
  const Ticks still = std::min(catching_up_, length);
  catching_up_ -= still;
  counted_ += length - still;
}

void ListenedTime::pause(Ticks length) {
  counted_ += std::min<Ticks>(length, kListeningGapMax);
  catching_up_ = std::max(catching_up_, std::min<Ticks>(length, kCatchUpMax));
}

void ListeningClock::note() {
  const Ticks now = clock_.elapsed();
  const Instant wall = clock_.now();
  const std::lock_guard lock(mutex_);
  if (!time_)
    time_.emplace(now);
  else
    time_->pass(now - noted_at_);
  // The monotonic clock stands still while the machine sleeps; only the wall clock tells of it.
  const Ticks asleep = noted_wall_ == Instant() ? Ticks(0) : (wall - noted_wall_) - (now - noted_at_);
  if (asleep > kListeningGapMax) time_->pause(std::min<Ticks>(asleep, kCatchUpMax));
  noted_at_ = now;
  noted_wall_ = wall;
}

bool ListeningClock::noted() const {
  const std::lock_guard lock(mutex_);
  return time_.has_value();
}

Ticks ListeningClock::now() const {
  const Ticks elapsed = clock_.elapsed();
  const std::lock_guard lock(mutex_);
  if (!time_) return elapsed;
  ListenedTime until_now = *time_;
  until_now.listen(std::min<Ticks>(elapsed - noted_at_, kListeningGapMax));
  return until_now.counted();
}

}  // namespace muster
