// The latest events of one tenant, numbered from 1, for those who listen and those who come back. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "fronts/ws/feed/shapes.h"

namespace muster::ws::feed {

inline constexpr std::size_t kFeedEventsMax = 1'000;
inline constexpr std::size_t kFeedBytesMax = 4 * 1024 * 1024;

class EventBuffer {
 public:
  std::uint64_t next_number() const { return next_; }
  std::uint64_t oldest() const { return next_ - events_.size(); }

  // REQUIRES: its number is next_number(). The oldest go when there are too many, or they are too long.
  void add(Event event);
  // REQUIRES: oldest() <= number < next_number().
  const Event& at(std::uint64_t number) const { return events_[number - oldest()]; }

  // The first number to send to somebody who has seen `last_event_id`: all that is here when it is absent or unknown.
  std::uint64_t resume_from(std::string_view last_event_id) const;

 private:
  std::deque<Event> events_;
  std::size_t bytes_ = 0;
  std::uint64_t next_ = 1;
};

}  // namespace muster::ws::feed
