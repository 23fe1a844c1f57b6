// An error of the SDK that no HTTP answer stands behind.
#pragma once

#include <string>
#include <utility>

#include "sdk/cpp/result.h"

namespace muster::sdk::ws {

inline Error error_of(Code code, std::string detail) {
  return {.code = code, .status = 0, .detail = std::move(detail), .retry_after = {}};
}

}  // namespace muster::sdk::ws
