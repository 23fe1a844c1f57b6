// Takes gRPC's messages out of a stream of bytes: each has a head of five bytes, a flag and a length. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace muster::rpc {

inline constexpr std::size_t kMessageHeadBytes = 5;

class MessageReader {
 public:
  explicit MessageReader(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  struct Message {
    std::string bytes;
    bool compressed = false;
  };
  // Takes from the front of `bytes` what belongs to the next message; nullopt: it is not complete, and all bytes are taken.
  // exhausted: it says that it is longer than accepted. invalid_argument: its flag is unknown. Nothing can be read after those.
  Result<std::optional<Message>> take(std::string_view& bytes);

  bool is_inside() const { return head_size_ > 0; }  // a message has begun and is not complete
  std::size_t buffered() const { return message_.bytes.size(); }

 private:
  const std::size_t bytes_max_;
  std::array<char, kMessageHeadBytes> head_{};
  std::size_t head_size_ = 0;
  std::size_t length_ = 0;
  Message message_;
};

// A message with its head, as it is sent: never compressed.
std::string framed(std::string_view message);

}  // namespace muster::rpc
