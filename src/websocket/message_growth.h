// How the buffer of a message grows as its bytes arrive: by doubling, as strings do, but never beyond the bound that the message
// itself has. Used by the decoder and the inflater.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace muster::websocket {

// REQUIRES: message and bytes together are at most bytes_max.
inline void append_within(std::string& message, std::string_view bytes, std::size_t bytes_max) {
  const std::size_t wanted = message.size() + bytes.size();
  if (wanted > message.capacity()) {
    // A new string, since reserve() may round what it is asked for up to twice what was there.
    std::string grown;
    grown.reserve(std::max(wanted, std::min(bytes_max, 2 * message.capacity())));
    grown.append(message);
    message.swap(grown);
  }
  message.append(bytes);
}

}  // namespace muster::websocket
