#include "sdk/cpp/sse.h"

namespace muster::sdk {

bool EventStreamParser::feed(std::string_view bytes) {
  for (const char c : bytes) {
    // CR, LF and CRLF each end a line; the LF of a CRLF may come in the next piece.
    const bool second_half = c == '\n' && after_carriage_return_;
    after_carriage_return_ = c == '\r';
    if (second_half) continue;
    if (c == '\n' || c == '\r') {
      take_line(line_);
      line_.clear();
      continue;
    }
    line_.push_back(c);
    if (line_.size() + data_.size() > kEventBytesMax) return false;
  }
  return true;
}

void EventStreamParser::take_line(std::string_view line) {
  if (line.empty()) return finish_event();
  if (line.front() == ':') return;
  const auto colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (has_data_) data_.push_back('\n');
    data_.append(value);
    has_data_ = true;
  } else if (field == "event") {
    event_ = value;
  } else if (field == "id") {
    last_id_ = value;
  }
}

void EventStreamParser::finish_event() {
  // Our `gap` event may carry no data; a named event is worth delivering all the same.
  if (has_data_ || !event_.empty())
    deliver_(ServerEvent{.id = last_id_, .event = event_.empty() ? "message" : event_, .data = data_});
  event_.clear();
  data_.clear();
  has_data_ = false;
}

}  // namespace muster::sdk
