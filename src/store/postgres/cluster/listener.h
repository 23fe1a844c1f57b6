// Hears what the other nodes committed, and looks for itself where it cannot hear.
//
// One thread with the one connection that keeps session state: LISTEN. Whether notifications arrive is not believed but tried:
// the notifier sends a probe on the test channel, and it must come back within kProbePatience. A pooler in transaction mode
// swallows it; then, as while the connection is away, the node looks for work every poll_every instead. The probe is repeated
// with every poll, so that both ways out and back in are found without anybody's help.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/metrics.h"
#include "store/postgres/cluster/backoff.h"
#include "store/postgres/cluster/notifier.h"
#include "store/postgres/cluster/payload.h"
#include "store/postgres/node.h"
#include "store/postgres/wire/connection.h"

namespace muster::store::postgres {

inline constexpr Duration kProbePatience{2'000};

class ClusterListener {
 public:
  // `poll` wakes every lane that has ready jobs, and brings the directory up to date on the way. It must not block, and asking
  // again while one waits to be run must cost nothing. What is heard goes to node.outbox.
  ClusterListener(Node& node, Notifier& notifier, Metrics& metrics, std::function<void()> poll);
  ~ClusterListener();
  ClusterListener(const ClusterListener&) = delete;
  ClusterListener& operator=(const ClusterListener&) = delete;

  void start();
  void stop();  // idempotent; at most connect_timeout when a connection is just being made

 private:
  void run();
  bool connect();
  void serve();                 // until the connection is gone or stop() was called
  void rest(Duration longest);  // without a connection
  void hear(const Connection::Notification& notification);
  void hear_guarded(const Connection::Notification& notification);  // what it throws ends here
  void send_probe();
  void judge_probe();
  void poll_if_due();
  Duration until_next() const;
  void poll_now();
  void set_listening(bool listening, const std::string& why);
  Ticks now() const { return clock_.elapsed(); }

  Node& node_;
  Notifier& notifier_;
  const std::function<void()> poll_;
  const Channels channels_;
  Gauge& listening_;
  const RealClock clock_;
  int wake_ = -1;  // readable once stop() was called
  std::atomic<bool> stopping_{false};

  // The thread's own.
  Backoff backoff_;
  std::unique_ptr<Connection> connection_;
  Ticks next_poll_{};
  Ticks probe_deadline_{};
  std::string probe_;  // empty: none is under way
  std::uint64_t probes_ = 0;
  bool connected_before_ = false;
  bool told_trouble_ = false;
  std::thread thread_;
};

}  // namespace muster::store::postgres
