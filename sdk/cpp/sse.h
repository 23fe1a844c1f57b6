// text/event-stream, parsed as bytes arrive. Fed by the transport in pieces of any size; hands out whole events.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace muster::sdk {

struct ServerEvent {
  std::string id;     // of this event, or the last one that had an id
  std::string event;  // `job`, `worker`, `queue`, `gap`; "message" when the stream named none
  std::string data;
};

class EventStreamParser {
 public:
  // One event may not be longer than this; a stream that exceeds it is not ours.
  static constexpr std::size_t kEventBytesMax = 8 * 1024 * 1024;

  explicit EventStreamParser(std::function<void(const ServerEvent&)> deliver) : deliver_(std::move(deliver)) {}

  // False when kEventBytesMax was exceeded; the stream is to be dropped then.
  [[nodiscard]] bool feed(std::string_view bytes);

 private:
  void take_line(std::string_view line);
  void finish_event();

  std::function<void(const ServerEvent&)> deliver_;
  std::string line_;
  std::string last_id_;
  std::string event_;
  std::string data_;
  bool has_data_ = false;
  bool after_carriage_return_ = false;
};

}  // namespace muster::sdk
