// Event streams: every `GET /events` that is open, fed from the engine's ring.
//
// Each stream has its own place in the ring and a bound of unsent bytes. A reader that is slower than the events stops being fed
// at that bound; when it reads on, it continues from the ring, and if the ring has moved past its place it is told by a `gap`.
// One that reads nothing at all is closed by the connection's write time-out. Lives on the loop's thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/incident.h"
#include "command/door.h"
#include "fronts/http/auth.h"
#include "fronts/http/codec/events.h"
#include "fronts/http/options.h"
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

  // Feeds `connection` with events after `after`. The connection leaves with remove() before it goes.
  void add(net::Connection& connection, EventFilter filter, std::uint64_t after, Credential credential);
  void remove(net::Connection& connection);
  // The connection took everything: it may be fed again.
  void drained(net::Connection& connection);
  // Closes the streams whose token is no longer accepted.
  void revoke(const Authenticator& authenticator);

 private:
  struct Stream {
    EventFilter filter;
    std::uint64_t after = 0;
    Credential credential;
    Ticks last_sent{};
    bool starved = false;  // there is more in the ring than could be fed
  };
  void subscribe();
  void unsubscribe();
  void feed_all();
  void feed(net::Connection& connection, Stream& stream);
  void comment_on_silence();

  net::IoLoop& loop_;
  command::Events& events_;
  const Limits limits_;
  const Incidents incidents_;
  std::map<net::Connection*, Stream> streams_;
  std::atomic<bool> wake_pending_{false};  // the only thing a publishing thread touches
  bool subscribed_ = false;
  command::SubscriptionId subscription_{};
  net::Timer silence_;
};

}  // namespace muster::http
