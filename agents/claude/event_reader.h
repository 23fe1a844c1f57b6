// text/event-stream (server-sent events), read as bytes arrive in pieces of any size. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace muster::claude {

struct Event {
  std::string_view name;  // "message" when the stream names none
  std::string_view data;
};

class EventReader {
 public:
  // `take` is called for each event that is whole, with views that end with the call; a status of its that is not ok ends the
  // reading and is returned. `corrupt`: an event is longer than kModelEventBytesMax. After a failure nothing more may be fed.
  Status feed(std::string_view bytes, const std::function<Status(const Event&)>& take);

 private:
  Status take_line(std::string_view line, const std::function<Status(const Event&)>& take);
  Status finish_event(const std::function<Status(const Event&)>& take);

  std::string line_;  // the beginning of a line whose end has not come
  std::string name_;
  std::string data_;
  bool has_data_ = false;
  bool at_start_ = true;                // a byte order mark may come
  bool after_carriage_return_ = false;  // a line feed that follows belongs to it
};

}  // namespace muster::claude
