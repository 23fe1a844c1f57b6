// What an operator can set about the HTTP front. Defaults are those of docs/limits.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/embedded.h"
#include "fronts/auth/authenticator.h"
#include "fronts/http2/limits.h"
#include "net/budget.h"
#include "net/tls.h"

namespace muster::http {

using auth::AuthOptions;
using auth::Token;

struct Limits {
  std::size_t header_bytes_max = 16 * 1024;         // 431 beyond
  std::size_t body_bytes_max = 8 * 1024 * 1024;     // 413 beyond
  std::size_t connections_max = 10'000;             // 503 and close beyond
  std::size_t pipeline_max = 64;                    // unanswered requests of one connection; reading pauses beyond
  std::size_t event_streams_max = 1'000;            // 429 beyond
  std::size_t event_buffer_bytes_max = 256 * 1024;  // unsent bytes of one event stream; it waits, then sees a gap
  std::size_t gzip_bytes_min = 1'024;               // smaller replies are sent as they are
  Duration header_read{10'000};                     // from a request's first byte to the end of its headers: 408
  Duration body_read{30'000};                       // from there to the end of its body: 408
  Duration write{30'000};                           // without progress: closed
  Duration idle{75'000};                            // between requests: closed
  Duration handshake{10'000};                       // TLS: closed
  Duration event_silence{15'000};                   // a comment line is sent to quiet event streams
};

struct HttpOptions {
  std::string address = "127.0.0.1";  // an IP address, or a name that resolves to one; empty: no listener of its own
  std::uint16_t port = 8080;          // 0 picks a free one
  net::TlsOptions tls;
  std::shared_ptr<net::ByteBudget> budget;  // shared with other fronts; null: the listener has its own
  AuthOptions auth;
  Limits limits;
  std::optional<http2::Limits> other_streams;  // what others need whose streams come to the same listeners; the larger counts
  std::shared_ptr<auth::Brake> brake;          // shared with the other fronts; null: one of its own
  std::vector<std::string> cors_origins;       // browsers' pages that may call, beside the server's own; * is any, with tokens
  std::vector<std::string> rpc_origins;        // the same for gRPC-Web
  std::vector<std::string> host_names;         // accepted in `Host` on a listener without authentication, beside loopback names
  std::map<std::string, std::string_view> documents;  // by path: JSON that everybody may read, as it is
  bool exposed = false;                               // others bring requests that came from other machines
  std::span<const embedded::File> pages;              // the dashboard's; they live as long as the program
  std::string_view pages_missing;                     // why there are none
  bool insecure = false;                              // allows an address other than loopback without TLS and authentication
};

}  // namespace muster::http
