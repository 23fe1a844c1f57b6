// Compresses messages for permessage-deflate: raw DEFLATE, flushed, without the four bytes that end every flush (RFC 7692,
// section 7.2.1). Used by the encoder. The only files that know zlib are this one's source and the inflater's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "websocket/deflate_terms.h"

namespace muster::websocket {

// One direction's compressor. Takes about 4 << window_bits bytes and 128 kB, from its first message on.
class Deflater {
 public:
  explicit Deflater(DeflateDirection direction);
  ~Deflater();
  Deflater(Deflater&&) noexcept;
  Deflater& operator=(Deflater&&) noexcept;

  // The message compressed; nullopt: there is no memory for it, and the window is as before.
  std::optional<std::string> compress(std::string_view message);

 private:
  struct State;
  DeflateDirection direction_;
  std::unique_ptr<State> state_;  // made for the first message
};

// The calling thread's compressor without takeover; all connections of a thread share it, since no message needs another's
// window.
Deflater& shared_deflater(int window_bits);

}  // namespace muster::websocket
