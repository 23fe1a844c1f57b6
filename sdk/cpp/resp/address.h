// Where a RESP server listens: `HOST:PORT`, `[::1]:PORT`, `unix:/path`, with `resp://` or, for TLS, `resps://` in front.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sdk/cpp/result.h"

namespace muster::sdk::resp {

struct Address {
  std::string host;  // the path of a Unix socket when is_unix
  std::uint16_t port = 0;
  bool is_unix = false;
  bool tls = false;
  std::string_view tls_scheme = "resps://";  // how text() says that it is; a literal

  std::string text() const;
};

// invalid_argument: what is wrong, and the accepted forms.
Result<Address> parse_address(std::string_view text);

}  // namespace muster::sdk::resp
