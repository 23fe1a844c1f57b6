// Unpacks messages of permessage-deflate as their bytes arrive, in slices, and stops at a bound before anything beyond it is
// kept. Used by the decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace muster::websocket {

// Takes about 8 kB and its window, 1 << window_bits bytes. A peer that reaches further back than its window is noticed only where
// those bytes are not at hand any more.
class Inflater {
 public:
  explicit Inflater(int window_bits);
  ~Inflater();

  enum class Outcome : std::uint8_t { ok, too_big, invalid, no_memory };

  // Appends to `message` what the piece unpacks to. too_big: there is more than bytes_max, and `message` has the first so many.
  // After anything but ok nothing more is to be fed.
  Outcome feed(std::string_view piece, std::string& message, std::size_t bytes_max);
  // The message has no further bytes: puts back what its sender cut off. invalid: it ends inside a block.
  Outcome finish(std::string& message, std::size_t bytes_max);

  std::size_t memory_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::websocket
