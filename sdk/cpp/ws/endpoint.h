// Where a scheduler listens: `ws://HOST[:PORT][/PATH]`, or `wss://…` for TLS. The path is /ws/worker when none is given.
#pragma once

#include <string>
#include <string_view>

#include "sdk/cpp/resp/address.h"
#include "sdk/cpp/result.h"

namespace muster::sdk::ws {

struct Endpoint {
  resp::Address address;
  std::string host;    // for the header Host
  std::string target;  // path and query
  std::string url;     // as it was given
};

// invalid_argument: what is wrong, and the accepted form.
Result<Endpoint> parse_endpoint(std::string_view url);

}  // namespace muster::sdk::ws
