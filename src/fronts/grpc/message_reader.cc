#include "fronts/grpc/message_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::rpc {

Result<std::optional<MessageReader::Message>> MessageReader::take(std::string_view& bytes) {
  if (head_size_ < kMessageHeadBytes) {
    const std::size_t some = std::min(bytes.size(), kMessageHeadBytes - head_size_);
    std::copy_n(bytes.begin(), some, head_.begin() + static_cast<std::ptrdiff_t>(head_size_));
    head_size_ += some;
    bytes.remove_prefix(some);
    if (head_size_ < kMessageHeadBytes) return std::optional<Message>();
    const auto flag = static_cast<unsigned char>(head_[0]);
    length_ = 0;
    for (std::size_t i = 1; i < kMessageHeadBytes; ++i) length_ = length_ << 8 | static_cast<unsigned char>(head_[i]);
    if (flag > 1) return Status::invalid_argument(fmt::format("the flag of a message is {}; 0 and 1 are known", flag));
    if (length_ > bytes_max_)
      return Status::exhausted(fmt::format("the message has {} bytes; {} are accepted", length_, bytes_max_));
    message_.compressed = flag == 1;
  }
  // Memory grows with what has come, not with what is announced.
  const std::size_t some = std::min(bytes.size(), length_ - message_.bytes.size());
  message_.bytes.append(bytes.substr(0, some));
  bytes.remove_prefix(some);
  if (message_.bytes.size() < length_) return std::optional<Message>();
  head_size_ = 0;
  return std::optional<Message>(std::exchange(message_, {}));
}

std::string framed(std::string_view message) {
  std::string out;
  out.reserve(kMessageHeadBytes + message.size());
  out.push_back('\0');
  for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>(message.size() >> shift & 0xFF));
  out.append(message);
  return out;
}

}  // namespace muster::rpc
