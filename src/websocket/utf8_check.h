// UTF-8 that arrives in pieces: whether it still is UTF-8, told as soon as it cannot be any more, however it is cut. The decoder
// asks it about text messages. What is UTF-8 is base/utf8.h's to say; this keeps the sequence that a cut went through.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace muster::websocket {

class Utf8Check {
 public:
  // False: no continuation can make it UTF-8. Nothing is fed after that.
  bool feed(std::string_view piece);
  // No sequence is cut off at the end.
  bool complete() const { return size_ == 0; }
  void reset() { size_ = 0; }

 private:
  std::array<char, 4> cut_{};  // a sequence whose end has not come
  std::size_t size_ = 0;
};

}  // namespace muster::websocket
