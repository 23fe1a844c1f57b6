// The grammar of the header Sec-WebSocket-Extensions (RFC 6455, section 9.1), which offers and answers share. What the only
// extension that we know means by it is deflate_negotiation.h's.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace muster::websocket {

inline constexpr std::size_t kExtensionsMax = 32;           // extensions that one request or answer names
inline constexpr std::size_t kExtensionParametersMax = 16;  // parameters of one of them

struct Extension {
  struct Parameter {
    std::string name;
    std::optional<std::string> value;  // without the quotes it may have had
  };
  std::string name;
  std::vector<Parameter> parameters;
};

// All lines of the header, in order. invalid_argument: this is not its grammar, or there is more than the bounds above allow.
Result<std::vector<Extension>> parse_extensions(const std::vector<std::string_view>& lines);

}  // namespace muster::websocket
