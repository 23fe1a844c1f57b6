// Messages that clients compressed. gRPC hands them over as they came (front.cc turns its own decompression off, which knows no
// bound), and they are read here, after their caller was let in, up to the size a plain message may have.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace muster::rpc {

// No message begins like this by itself: its first byte would be a field of a kind that does not exist.
bool is_gzip(std::string_view bytes);
// exhausted: more than `bytes_max` come out. invalid_argument: it is not gzip, or not all of it.
Result<std::string> gunzip(std::string_view bytes, std::size_t bytes_max);

}  // namespace muster::rpc
