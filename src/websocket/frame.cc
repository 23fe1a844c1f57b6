#include "websocket/frame.h"

#include <bit>
#include <cstring>

#include "base/check.h"
#include "base/utf8.h"

namespace muster::websocket {
namespace {

constexpr unsigned kFinalBit = 0x80;
constexpr unsigned kCompressedBit = 0x40;
constexpr unsigned kReservedBits = 0x30;
constexpr unsigned kOpcodeBits = 0x0F;
constexpr unsigned kMaskBit = 0x80;
constexpr unsigned kLengthBits = 0x7F;
constexpr unsigned kLengthIn2Bytes = 126;
constexpr unsigned kLengthIn8Bytes = 127;

unsigned byte_of(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

std::uint64_t read_big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) value = value << 8 | byte_of(bytes, i);
  return value;
}

void append_big_endian(std::string& out, std::uint64_t value, std::size_t size) {
  for (std::size_t i = size; i-- > 0;) out.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
}

std::size_t length_bytes(unsigned short_length) {
  return short_length == kLengthIn8Bytes ? 8 : short_length == kLengthIn2Bytes ? 2 : 0;
}

}  // namespace

bool may_travel(CloseCode code) {
  if (code >= CloseCode::registered_first) return code <= CloseCode::private_last;
  return (code >= CloseCode::normal && code <= CloseCode::unsupported_data) ||
         (code >= CloseCode::invalid_data && code <= CloseCode::bad_gateway);
}

std::size_t header_bytes(std::string_view start) {
  if (start.size() < 2) return 2;
  const unsigned second = byte_of(start, 1);
  return 2 + length_bytes(second & kLengthBits) + ((second & kMaskBit) != 0 ? sizeof(MaskKey) : 0);
}

std::optional<FrameHeader> read_header(std::string_view bytes) {
  const unsigned first = byte_of(bytes, 0);
  const unsigned second = byte_of(bytes, 1);
  FrameHeader header{.opcode = static_cast<Opcode>(first & kOpcodeBits),
                     .final = (first & kFinalBit) != 0,
                     .compressed = (first & kCompressedBit) != 0,
                     .reserved = (first & kReservedBits) != 0,
                     .length = second & kLengthBits};
  const std::size_t extended = length_bytes(second & kLengthBits);
  if (extended != 0) {
    header.length = read_big_endian(bytes.substr(2, extended));
    const std::uint64_t least = extended == 2 ? kLengthIn2Bytes : 0x1'0000;
    if (header.length < least || header.length >> 63 != 0) return std::nullopt;
  }
  if ((second & kMaskBit) != 0) std::memcpy(header.mask.emplace().data(), bytes.data() + 2 + extended, sizeof(MaskKey));
  return header;
}

void append_header(std::string& out, const FrameHeader& header) {
  out.push_back(static_cast<char>(static_cast<unsigned>(header.opcode) | (header.final ? kFinalBit : 0) |
                                  (header.compressed ? kCompressedBit : 0)));
  const std::size_t extended = header.length > 0xFFFF ? 8 : header.length >= kLengthIn2Bytes ? 2 : 0;
  const unsigned length = extended == 8   ? kLengthIn8Bytes
                          : extended == 2 ? kLengthIn2Bytes
                                          : static_cast<unsigned>(header.length);
  out.push_back(static_cast<char>(length | (header.mask ? kMaskBit : 0)));
  append_big_endian(out, header.length, extended);
  if (header.mask) out.append(reinterpret_cast<const char*>(header.mask->data()), header.mask->size());
}

void apply_mask(char* data, std::size_t size, const MaskKey& key, std::uint64_t offset) {
  // The key as it lies over the first bytes of `data`, twice, so that it fills a word.
  std::array<unsigned char, 8> turned{};
  for (std::size_t i = 0; i < turned.size(); ++i) turned[i] = key[(offset + i) % key.size()];
  const auto pattern = std::bit_cast<std::uint64_t>(turned);
  std::size_t at = 0;
  // Four words at a time, which the compiler makes two instructions of.
  std::array<std::uint64_t, 4> words;
  for (; at + sizeof words <= size; at += sizeof words) {
    std::memcpy(words.data(), data + at, sizeof words);
    for (std::uint64_t& word : words) word ^= pattern;
    std::memcpy(data + at, words.data(), sizeof words);
  }
  for (; at + sizeof pattern <= size; at += sizeof pattern) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + at, sizeof word);
    word ^= pattern;
    std::memcpy(data + at, &word, sizeof word);
  }
  for (; at < size; ++at) data[at] = static_cast<char>(static_cast<unsigned char>(data[at]) ^ turned[at % turned.size()]);
}

std::string close_payload(CloseCode code, std::string_view reason) {
  if (code == CloseCode::no_status) {
    check(reason.empty(), "a close frame without a code has no reason");
    return {};
  }
  check(may_travel(code), "a close frame carries a code that may travel");
  std::size_t kept = 0;
  while (kept < reason.size()) {
    const std::size_t next = utf8_length(reason.substr(kept));
    if (next == 0 || kept + next > kReasonBytesMax) break;
    kept += next;
  }
  std::string payload;
  append_big_endian(payload, static_cast<std::uint16_t>(code), 2);
  payload.append(reason.substr(0, kept));
  return payload;
}

}  // namespace muster::websocket
