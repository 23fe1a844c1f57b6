// What all connections of the front share. Lives on the loop's thread from the first connection on; replies of the engine that
// are on their way keep it alive.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/incident.h"
#include "base/metrics.h"
#include "command/door.h"
#include "fronts/auth/browser_sessions.h"
#include "fronts/http/auth.h"
#include "fronts/http/event_hub.h"
#include "fronts/http/gzip.h"
#include "fronts/http/options.h"
#include "fronts/http/pages/pages.h"
#include "fronts/http/response.h"
#include "fronts/http/return_path.h"
#include "fronts/http/rpc.h"
#include "fronts/http/run_events.h"
#include "fronts/http/upgrade.h"
#include "fronts/http2/stream.h"
#include "net/io_loop.h"

namespace muster::http {

struct Route;

// Shared by sessions and replies.
class Core : public std::enable_shared_from_this<Core> {
 public:
  Core(net::IoLoop& with_loop, command::Door& with_door, Metrics& with_metrics, HttpOptions with_options);

  // Today's `Date` header, made once a second.
  const std::string& date();
  // Counts an answer; a null route is one that no row matched.
  void measure(const Route* route, unsigned status, Ticks took);

  // True: the body is gzip now.
  bool compress(ReturnPath::Outcome& outcome);
  // For what is told when an answer was sent, or never will be. Empty without grants.
  UniqueFunction<void(bool)> hand_back_unless_taken(std::vector<Grant> grants);

  // Would the credential still be let in?
  bool still_valid(const Credential& credential) const;
  // Closes the streams of those who would not.
  void revoke_streams();
  // Ends sessions of browsers, and their streams, when they are over; for as long as there are any.
  void watch_sessions();
  // Nobody is served any more.
  void end_sessions();

  net::IoLoop& loop;
  command::Door& door;
  Metrics& metrics;
  const Incidents incidents;
  const HttpOptions options;
  const std::shared_ptr<auth::Brake> brake;  // shared with the other fronts
  Authenticator authenticator;
  auth::BrowserSessions sessions;
  const std::shared_ptr<EventHub> events;  // shared with wakes that are on their way to it
  const Pages pages;
  Gzip gzip;
  RpcHandler rpc;               // empty: nobody takes calls
  RpcAnswersMuch much_of_rpc;   // empty: all of them may
  http2::Serve other_streams;   // takes streams of HTTP/2 that are not for this front; empty: all are
  UpgradeHandler upgrade;       // empty: nobody takes WebSockets
  RunEventsHandler run_events;  // its parts are empty: nobody tells them
  std::size_t run_streams = 0;  // that are open; on the loop's thread
  bool loopback = true;         // of the listener; the stricter answer until it is known

 private:
  struct RouteMetrics {
    std::string label;
    Histogram* duration = nullptr;
    std::map<unsigned, Counter*> requests;  // by status
  };
  RouteMetrics& metrics_of(const Route* route);

  std::map<const Route*, RouteMetrics> route_metrics_;
  net::Timer sessions_look_;
  bool sessions_watched_ = false;
  Instant date_at_{};
  std::string date_;
};

}  // namespace muster::http
