// Event streams: every `GET /events` that is open, fed from the engine's ring.
//
// Each stream has its own place in the ring and a bound of unsent bytes. A reader that is slower than the events stops being fed
// at that bound; when it reads on, it continues from the ring, and if the ring has moved past its place it is told by a `gap`.
// A paced stream (`coalesce_ms`) is fed once in its pace, what has happened to the same thing meanwhile as one event; one that
// has not taken its last turn waits for the next. Paced streams that want the same are given the same bytes. One that reads
// nothing at all is closed by the connection's write time-out. Lives on the loop's thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/incident.h"
#include "command/door.h"
#include "fronts/http/auth.h"
#include "fronts/http/codec/events.h"
#include "fronts/http/options.h"
#include "fronts/http/return_path.h"
#include "net/connection.h"
#include "net/io_loop.h"

namespace muster::http {

// Shared with wakes that are posted, which find it gone or keep it for their own turn.
class EventHub : public std::enable_shared_from_this<EventHub> {
 public:
  EventHub(net::IoLoop& loop, command::Events& events, const Limits& limits, Incidents incidents);
  ~EventHub();

  bool full() const { return streams_.size() >= limits_.event_streams_max; }
  std::size_t size() const { return streams_.size(); }

  // Feeds `connection` with what it asked for. The connection leaves with remove() before it goes.
  void add(net::Connection& connection, ReturnPath::StreamStart start);
  void remove(net::Connection& connection);
  // The connection took everything: it may be fed again.
  void drained(net::Connection& connection);
  // Closes the streams of those who would not be let in any more.
  void revoke(const std::function<bool(const Credential&)>& still_valid);

 private:
  struct Stream {
    EventFilter filter;
    std::uint64_t after = 0;
    Credential credential;
    Duration pace{};  // zero: at once
    Ticks due{};      // of a paced one: its next turn
    Ticks last_sent{};
    bool starved = false;  // there is more in the ring than could be fed
  };
  void subscribe();
  void unsubscribe();
  void feed_all();
  void feed(net::Connection& connection, Stream& stream);
  // Turns of paced streams. They fall on multiples of the pace, so that streams of one pace have theirs together.
  void plan_turn();
  void take_turns();
  void comment_on_silence();

  net::IoLoop& loop_;
  command::Events& events_;
  const Limits limits_;
  const Incidents incidents_;
  std::map<net::Connection*, Stream> streams_;
  std::atomic<bool> wake_pending_{false};  // the only thing a publishing thread touches
  std::size_t paced_ = 0;                  // of the streams
  std::optional<Ticks> turn_at_;           // when the next turn is, if one is planned
  bool subscribed_ = false;
  command::SubscriptionId subscription_{};
  net::Timer turn_;
  net::Timer silence_;
};

}  // namespace muster::http
