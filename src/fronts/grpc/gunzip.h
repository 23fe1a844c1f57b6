// Messages that clients compressed, unpacked after their caller was let in, up to the size a plain message may have.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/status.h"

namespace muster::rpc {

// exhausted: more than `bytes_max` come out. invalid_argument: it is not gzip, or not all of it.
Result<std::string> gunzip(std::string_view bytes, std::size_t bytes_max);

}  // namespace muster::rpc
