// Server reflection, v1 and v1alpha: which services there are and what their messages look like, from the descriptors that are
// compiled in. Needs the role read-only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::rpc {

// The answer to one request of the stream; nullopt: the bytes are not a request.
std::optional<std::string> reflect(std::string_view request);

}  // namespace muster::rpc
