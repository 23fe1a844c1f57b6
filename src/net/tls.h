// What an operator sets about TLS. The context itself is private to net/.
#pragma once

#include <string>

namespace muster::net {

// Empty certificate_file: no TLS. TLS 1.2 is the oldest version spoken.
struct TlsOptions {
  std::string certificate_file;  // PEM, the chain, leaf first
  std::string key_file;          // PEM
  std::string client_ca_file;    // PEM; given: clients must present a certificate signed by it

  bool enabled() const { return !certificate_file.empty(); }
};

}  // namespace muster::net
