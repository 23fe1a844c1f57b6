// Where a front may listen: an address that other machines can reach needs TLS and authentication, unless its operator wants it
// otherwise. One rule for every listener. Pure.
#pragma once

#include <string>

namespace muster::auth {

struct Exposure {
  bool tls = false;
  bool tokens = false;    // nobody is let in without one
  bool insecure = false;  // the operator says that it shall be so
};

// Why it may listen on loopback alone. Empty: any address will do.
std::string exposure_refusal(const Exposure& exposure);

}  // namespace muster::auth
