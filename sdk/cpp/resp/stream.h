// Bytes to and from one server: TCP or a Unix socket, with TLS or without. Every wait has a deadline.
//
// One thread uses a stream at a time; wake() alone may be called from others.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "sdk/cpp/resp/address.h"
#include "sdk/cpp/result.h"

namespace muster::sdk::resp {

using Deadline = std::chrono::steady_clock::time_point;

struct TlsOptions {
  std::string ca_file;    // PEM; empty: the system's authorities
  std::string cert_file;  // PEM, for servers that want to know their clients
  std::string key_file;
};

class Stream {
 public:
  // unreachable: nobody there, or no TLS that can be trusted.
  static Result<std::unique_ptr<Stream>> open(const Address& address, const TlsOptions& tls, Deadline deadline);
  virtual ~Stream() = default;

  // Everything, or an error after which the stream is of no use. outcome_unknown: some of it may have arrived.
  virtual Result<Nothing> write(std::string_view bytes, Deadline deadline) = 0;
  // At least one byte, appended to `out`. unavailable: nothing came until the deadline, the stream is as it was. interrupted:
  // `wake_fd` (negative: none) became readable. outcome_unknown: the peer closed or the connection broke.
  virtual Result<Nothing> read(std::string& out, Deadline deadline, int wake_fd) = 0;
};

}  // namespace muster::sdk::resp
