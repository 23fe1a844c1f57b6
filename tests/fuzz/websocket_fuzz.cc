// A stream of bytes as WebSocket frames, for both sides, with compression agreed: the first byte chooses the side, takeover and
// how the stream is cut, the second how large messages may be. How a stream is cut must not change what is read from it, memory
// stays within the bound of one message, and messages that were read are read again after our own encoder wrote them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "websocket/decoder.h"
#include "websocket/encoder.h"
#include "websocket/peer.h"

using namespace muster;
using namespace muster::websocket;

namespace {

constexpr std::size_t kInflaterBytes = 64 * 1024;
constexpr std::size_t kSmallBytes = 1'024;

struct Seen {
  std::vector<Event> events;
  friend bool operator==(const Seen& a, const Seen& b) {
    return std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(), same);
  }
  static bool same(const Event& a, const Event& b) {
    if (a.index() != b.index()) return false;
    if (const auto* close = std::get_if<Close>(&a))
      return close->code == std::get<Close>(b).code && close->reason == std::get<Close>(b).reason;
    if (const auto* fault = std::get_if<Fault>(&a))
      return fault->code == std::get<Fault>(b).code && fault->reason == std::get<Fault>(b).reason;
    return data_of(a) == data_of(b);
  }
  static std::string_view data_of(const Event& event) {
    return std::visit(
        [](const auto& each) -> std::string_view {
          if constexpr (requires { each.data; })
            return each.data;
          else
            return each.reason;
        },
        event);
  }
};

Seen read(const DecoderOptions& options, std::string_view bytes, std::size_t piece) {
  Decoder decoder(options);
  Seen out;
  bool ended = false;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    std::string_view part = bytes.substr(0, piece);
    while (auto event = decoder.feed(part)) {
      check(!ended, "nothing follows a close or a fault");
      check(Seen::data_of(*event).size() <= std::max(options.message_bytes_max, kControlBytesMax), "a message fits its bound");
      ended = std::holds_alternative<Close>(*event) || std::holds_alternative<Fault>(*event);
      out.events.push_back(*std::move(event));
    }
    check(part.empty(), "everything is taken");
    check(decoder.buffered() <= options.message_bytes_max + kInflaterBytes + kSmallBytes, "memory is bounded by the message");
  }
  return out;
}

// The messages of what was read, through an encoder of the same side as wrote them.
void write_and_read(const DecoderOptions& options, const Seen& seen) {
  std::uint8_t key = 1;
  Encoder encoder({.role = other(options.role), .deflate = options.deflate, .deflate_bytes_min = 4, .mask_keys = [&key] {
                     return MaskKey{key++, 2, 3, 4};
                   }});
  std::string stream;
  Seen written;
  for (const Event& event : seen.events) {
    if (const auto* text = std::get_if<Text>(&event))
      encoder.text(text->data, stream);
    else if (const auto* binary = std::get_if<Binary>(&event))
      encoder.binary(binary->data, stream);
    else if (const auto* ping = std::get_if<Ping>(&event))
      encoder.ping(ping->data, stream);
    else if (const auto* pong = std::get_if<Pong>(&event))
      encoder.pong(pong->data, stream);
    else if (const auto* close = std::get_if<Close>(&event))
      encoder.close(close->code, close->reason, stream);
    else
      continue;
    written.events.push_back(event);
  }
  check(read(options, stream, std::string_view::npos) == written, "what our encoder writes our decoder reads");
}

// A peer neither crashes nor says anything behind its close frame.
void meet(const DecoderOptions& options, std::string_view bytes) {
  std::uint8_t key = 1;
  Peer peer({.role = options.role,
             .deflate = options.deflate,
             .message_bytes_max = options.message_bytes_max,
             .mask_keys =
                 [&key] {
                   return MaskKey{key++, 2, 3, 4};
                 }},
            Ticks());
  while (auto event = peer.received(bytes, Ticks())) {
    if (const auto* text = std::get_if<Text>(&*event)) check(peer.send_text(text->data), "an open peer sends");
  }
  const Seen answers =
      read({.role = other(options.role), .deflate = options.deflate}, peer.take_output(), std::string_view::npos);
  for (const Event& answer : answers.events) check(!std::holds_alternative<Fault>(answer), "a peer keeps the rules itself");
  const bool said_goodbye = !answers.events.empty() && std::holds_alternative<Close>(answers.events.back());
  check(said_goodbye == peer.finished(), "a peer that is finished has said so");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  const bool takeover = (data[0] & 2) != 0;
  const DecoderOptions options{.role = (data[0] & 1) != 0 ? Role::server : Role::client,
                               .deflate = DeflateTerms{.server = {.takeover = takeover}, .client = {.takeover = takeover}},
                               .message_bytes_max = std::size_t{16} << (data[1] % 14)};
  const Seen whole = read(options, bytes, bytes.size());
  check(whole == read(options, bytes, 1 + data[0] / 4 % 17), "how a stream is cut does not change what is read");
  write_and_read(options, whole);
  meet(options, bytes);
  return 0;
}
