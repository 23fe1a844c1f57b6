// A listening socket and its connections: TCP, plain or TLS, or a Unix socket. Fronts open one per address; it outlives nothing
// and nobody but its front.
//
// Bounds: connections_max (one more is told `refusal` and closed), time-outs for the handshake and for writes without
// progress. When the process runs out of descriptors accepting pauses for a moment instead of spinning or ending.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/status.h"
#include "base/unique_function.h"
#include "net/budget.h"
#include "net/connection.h"
#include "net/io_loop.h"
#include "net/tls.h"

namespace muster::net {

struct ListenerOptions {
  std::string address;
  std::uint16_t port = 0;
  // Not empty: a Unix socket at this path instead of address and port, which its owner alone may use (0600). A socket file that
  // nobody listens on any more is replaced; the file goes when the listener stops. Never TLS.
  std::string unix_path;
  TlsOptions tls;
  std::size_t connections_max = 10'000;
  std::shared_ptr<ByteBudget> budget;  // shared with other listeners; null: one of its own
  Duration write_timeout{30'000};
  Duration handshake_timeout{10'000};
  std::string refusal;        // sent, as far as it goes, to a connection above connections_max; not over TLS
  std::string loopback_only;  // not empty: an address that other machines can reach is refused, for this reason
  bool offers_http2 = false;  // over TLS, by ALPN, beside HTTP/1.1; first bytes tell what a peer speaks in the end
};

class Listener {
 public:
  using SessionFactory = UniqueFunction<std::shared_ptr<Session>(Connection&)>;

  // Binds and listens before it returns; `open_connections` follows the number of connections and outlives the listener.
  // unavailable: the address is in use or not ours. invalid_argument: the address or a TLS file is wrong, or
  // the address is not accepted by loopback_only.
  static Result<std::unique_ptr<Listener>> open(IoLoop& loop, ListenerOptions options, Gauge& open_connections,
                                                SessionFactory factory);
  ~Listener();  // stops without grace

  std::uint16_t port() const;   // 0 for a Unix socket
  std::string address() const;  // "127.0.0.1:8080", "unix:/run/muster.sock"
  bool is_loopback() const;
  Status reload_tls();  // for new connections; on failure the old certificate stays

  // Accepts no more, tells every session to drain, and closes what is left after `grace`. Returns when the last connection
  // is gone. Idempotent. REQUIRES: not inside the loop.
  void stop(Duration grace);

 private:
  struct State;
  explicit Listener(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;  // shared with what it has posted and its connections
};

}  // namespace muster::net
