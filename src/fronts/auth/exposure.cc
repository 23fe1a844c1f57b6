#include "fronts/auth/exposure.h"

#include <fmt/format.h>

#include <string_view>

namespace muster::auth {

std::string exposure_refusal(const Exposure& exposure) {
  if (exposure.insecure || (exposure.tls && exposure.tokens)) return {};
  const std::string_view missing = exposure.tls ? "authentication is" : exposure.tokens ? "TLS is" : "both are";
  return fmt::format(
      "an address that other machines can reach needs TLS and authentication, and {} missing; configure them, listen on "
      "127.0.0.1, or say that it shall be insecure",
      missing);
}

}  // namespace muster::auth
