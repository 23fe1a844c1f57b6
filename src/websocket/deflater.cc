#include "websocket/deflater.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace muster::websocket {
namespace {

constexpr int kDeflateLevel = 1;  // the loop's thread compresses: speed before size
constexpr int kDeflateMemoryLevel = 8;
// zlib makes no raw stream with a window of 8 bits. With 9 its matches reach back 512 bytes less the 262 it looks ahead, which
// are within 256, so what it makes then suits a receiver that has 8.
constexpr int kDeflateWindowBitsLeast = 9;
constexpr std::size_t kDeflateSliceBytes = 16 * 1024;
constexpr std::size_t kDeflateInputBytes = std::size_t{1} << 30;  // given to zlib at a time, which counts in 32 bits
constexpr std::string_view kFlushEnd("\x00\x00\xFF\xFF", 4);

}  // namespace

struct Deflater::State {
  explicit State(int window_bits) {
    usable = deflateInit2(&stream, kDeflateLevel, Z_DEFLATED, -std::max(window_bits, kDeflateWindowBitsLeast),
                          kDeflateMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~State() {
    if (usable) deflateEnd(&stream);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void add(std::string_view piece, int flush, std::string& out) {
    // zlib takes a pointer to mutable bytes and does not write through it.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    std::array<char, kDeflateSliceBytes> slice;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(slice.data());
      stream.avail_out = static_cast<uInt>(slice.size());
      const int outcome = deflate(&stream, flush);
      check(outcome == Z_OK || outcome == Z_BUF_ERROR, "a compressor that was made does not fail");
      out.append(slice.data(), slice.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  }

  z_stream stream{};
  bool usable = false;
};

Deflater::Deflater(DeflateDirection direction) : direction_(direction) {}
Deflater::~Deflater() = default;
Deflater::Deflater(Deflater&&) noexcept = default;
Deflater& Deflater::operator=(Deflater&&) noexcept = default;

std::optional<std::string> Deflater::compress(std::string_view message) {
  if (state_ == nullptr) {
    auto made = std::make_unique<State>(direction_.window_bits);
    if (!made->usable) return std::nullopt;
    state_ = std::move(made);
  } else if (!direction_.takeover) {
    check(deflateReset(&state_->stream) == Z_OK, "a compressor that was made can begin again");
  }
  std::string out;
  for (; message.size() > kDeflateInputBytes; message.remove_prefix(kDeflateInputBytes))
    state_->add(message.substr(0, kDeflateInputBytes), Z_NO_FLUSH, out);
  state_->add(message, Z_SYNC_FLUSH, out);
  if (out.ends_with(kFlushEnd)) out.resize(out.size() - kFlushEnd.size());
  // Nothing to flush: the start of an empty block, which the receiver completes (RFC 7692, section 7.2.3.6).
  if (out.empty()) out.push_back('\0');
  return out;
}

Deflater& shared_deflater(int window_bits) {
  constexpr int kKinds = kWindowBitsMost - kWindowBitsLeast + 1;
  check(window_bits >= kWindowBitsLeast && window_bits <= kWindowBitsMost, "window bits are within their bounds");
  thread_local std::array<std::unique_ptr<Deflater>, kKinds> shared;
  auto& found = shared[static_cast<std::size_t>(window_bits - kWindowBitsLeast)];
  if (found == nullptr) found = std::make_unique<Deflater>(DeflateDirection{.takeover = false, .window_bits = window_bits});
  return *found;
}

}  // namespace muster::websocket
