// What an error reply of the server means for what the worker does next. The texts are the protocol's.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster::worker {

enum class Refusal : std::uint8_t {
  stale,         // the job is not this worker's any more: stop, and drop what is known about it
  unregistered,  // the server does not know this worker: register again
  later,         // the server cannot now
  other,         // it will not, whatever is tried
};

Refusal read_refusal(std::string_view error);

}  // namespace muster::worker
