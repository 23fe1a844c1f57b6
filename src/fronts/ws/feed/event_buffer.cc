#include "fronts/ws/feed/event_buffer.h"

#include <charconv>
#include <utility>

namespace muster::ws::feed {

void EventBuffer::add(Event event) {
  bytes_ += event.bytes();
  events_.push_back(std::move(event));
  ++next_;
  while (events_.size() > kFeedEventsMax || (bytes_ > kFeedBytesMax && events_.size() > 1)) {
    bytes_ -= events_.front().bytes();
    events_.pop_front();
  }
}

std::uint64_t EventBuffer::resume_from(std::string_view last_event_id) const {
  std::uint64_t seen = 0;
  const auto [end, error] = std::from_chars(last_event_id.data(), last_event_id.data() + last_event_id.size(), seen);
  const bool known =
      error == std::errc() && end == last_event_id.data() + last_event_id.size() && seen >= oldest() && seen < next_;
  return known ? seen + 1 : oldest();
}

}  // namespace muster::ws::feed
