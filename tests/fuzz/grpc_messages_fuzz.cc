// A stream of bytes as gRPC's messages: the first byte is how large they may be, the second how the stream is cut. How it is cut
// must not change what is read, no message is above its bound, and messages that were read are read again after our own writer
// wrote them. The bytes are tried as gzip, too.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "fronts/grpc/gunzip.h"
#include "fronts/grpc/message_reader.h"

using namespace muster;
using namespace muster::rpc;

namespace {

struct Seen {
  std::vector<std::string> messages;
  Code ended = Code::ok;
  bool inside = false;
  bool operator==(const Seen&) const = default;
};

Seen read(std::string_view bytes, std::size_t bytes_max, std::size_t piece) {
  MessageReader reader(bytes_max);
  Seen seen;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    std::string_view part = bytes.substr(0, piece);
    while (!part.empty()) {
      auto taken = reader.take(part);
      if (!taken.ok()) {
        seen.ended = taken.code();
        return seen;
      }
      check(reader.buffered() <= bytes_max, "a message fits its bound");
      if (!*taken) break;
      check((*taken)->bytes.size() <= bytes_max, "a message fits its bound");
      seen.messages.push_back(std::move((*taken)->bytes));
    }
  }
  seen.inside = reader.is_inside();
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t bytes_max = static_cast<std::size_t>(data[0]) * 4;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Seen whole = read(bytes, bytes_max, bytes.size() + 1);
  check(whole == read(bytes, bytes_max, data[1] % 16 + 1), "how a stream is cut does not matter");
  std::string again;
  for (const std::string& message : whole.messages) again += framed(message);
  check(read(again, bytes_max, again.size() + 1).messages == whole.messages, "what was read can be written and read again");
  if (const auto plain = gunzip(bytes, bytes_max); plain.ok())
    check(plain->size() <= bytes_max, "what is unpacked fits its bound");
  return 0;
}
