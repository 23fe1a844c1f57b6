// What the tests of this room share: bytes as hexadecimal text, events as text that can be compared, streams cut in pieces, and
// chance that comes from a seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.h"
#include "websocket/decoder.h"
#include "websocket/encoder.h"

namespace muster::websocket {

// "81 05 48" as bytes.
inline std::string bytes_of(std::string_view hex) {
  std::string out;
  int high = -1;
  for (const char c : hex) {
    const int value = hex_value(c);
    if (value < 0) continue;
    if (high < 0) {
      high = value;
    } else {
      out.push_back(static_cast<char>(high << 4 | value));
      high = -1;
    }
  }
  return out;
}

inline std::string text_of(const Event& event) {
  struct {
    std::string operator()(const Text& text) const { return "text " + text.data; }
    std::string operator()(const Binary& binary) const { return "binary " + binary.data; }
    std::string operator()(const Ping& ping) const { return "ping " + ping.data; }
    std::string operator()(const Pong& pong) const { return "pong " + pong.data; }
    std::string operator()(const Close& close) const {
      return fmt::format("close {} {}", static_cast<unsigned>(close.code), close.reason);
    }
    std::string operator()(const Fault& fault) const {
      return fmt::format("fault {} {}", static_cast<unsigned>(fault.code), fault.reason);
    }
  } const show;
  return std::visit(show, event);
}

using Events = std::vector<std::string>;

inline void feed_all(Decoder& decoder, std::string_view bytes, Events& out) {
  while (auto event = decoder.feed(bytes)) out.push_back(text_of(*event));
}

// What a fresh decoder makes of a stream that comes in pieces of this size.
inline Events decoded(const DecoderOptions& options, std::string_view bytes, std::size_t piece = std::string_view::npos) {
  Decoder decoder(options);
  Events out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) feed_all(decoder, bytes.substr(0, piece), out);
  return out;
}

// A frame as a test writes it. To a server it is masked.
struct TestFrame {
  Opcode opcode = Opcode::text;
  std::string payload;
  bool final = true;
  bool compressed = false;
};
inline constexpr MaskKey kTestMask{0x37, 0xFA, 0x21, 0x3D};

inline std::string frame_to(Role receiver, const TestFrame& frame) {
  FrameHeader header{
      .opcode = frame.opcode, .final = frame.final, .compressed = frame.compressed, .length = frame.payload.size()};
  if (receiver == Role::server) header.mask = kTestMask;
  std::string out;
  append_header(out, header);
  const std::size_t from = out.size();
  out += frame.payload;
  if (header.mask) apply_mask(out.data() + from, frame.payload.size(), kTestMask, 0);
  return out;
}

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }
  std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }
  MaskKey mask() {
    MaskKey key;
    for (auto& byte : key) byte = static_cast<unsigned char>(below(256));
    return key;
  }
  std::string bytes(std::size_t size) {
    std::string out(size, '\0');
    for (char& c : out) c = static_cast<char>(below(256));
    return out;
  }
  // Words in UTF-8 that repeat, so that there is something to compress.
  std::string words(std::size_t size) {
    static constexpr std::string_view kWords[] = {"job ",    "worker ", "lease ",   "größe ",
                                                  "キュー ", "🙂 ",   "{\"id\":", "0123456789"};
    std::string out;
    while (out.size() < size) out += kWords[below(std::size(kWords))];
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace muster::websocket
