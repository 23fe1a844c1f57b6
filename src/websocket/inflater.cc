#include "websocket/inflater.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "websocket/message_growth.h"

namespace muster::websocket {
namespace {

constexpr std::size_t kInflateSliceBytes = 16 * 1024;
constexpr std::size_t kInflateInputBytes = std::size_t{1} << 30;  // given to zlib at a time, which counts in 32 bits
constexpr std::size_t kInflateStateBytes = 8 * 1024;              // of zlib, beside the window
constexpr std::size_t kDictionaryBytes = 32 * 1024;
constexpr int kBlockEnded = 128;  // a bit of z_stream.data_type
constexpr std::string_view kCutOff("\x00\x00\xFF\xFF", 4);

}  // namespace

struct Inflater::State {
  explicit State(int bits) : window_bits(bits) { usable = inflateInit2(&stream, -bits) == Z_OK; }
  ~State() {
    if (usable) inflateEnd(&stream);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Outcome run(std::string_view piece, int flush, std::string& message, std::size_t bytes_max);
  Outcome begin_again();

  z_stream stream{};
  int window_bits;
  bool usable = false;
  bool ended = false;  // the last block was marked as final, and nothing came behind it
};

// A block that is marked as final ends zlib's stream, not the message (RFC 7692, section 7.2.3.4): what follows goes on with the
// same window. Copying it costs as much as unpacking as many bytes, so such blocks are no better a bomb than others.
Inflater::Outcome Inflater::State::begin_again() {
  std::array<Bytef, kDictionaryBytes> window;
  uInt size = 0;
  check(inflateGetDictionary(&stream, window.data(), &size) == Z_OK, "a stream that ended still has its window");
  check(inflateReset(&stream) == Z_OK, "a stream that ended can begin again");
  ended = false;
  return inflateSetDictionary(&stream, window.data(), size) == Z_OK ? Outcome::ok : Outcome::no_memory;
}

Inflater::Outcome Inflater::State::run(std::string_view piece, int flush, std::string& message, std::size_t bytes_max) {
  // zlib takes a pointer to mutable bytes and does not write through it.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  stream.avail_in = static_cast<uInt>(piece.size());
  std::array<char, kInflateSliceBytes> slice;
  for (;;) {
    if (ended) {
      if (stream.avail_in == 0) return Outcome::ok;
      if (const Outcome again = begin_again(); again != Outcome::ok) return again;
    }
    stream.next_out = reinterpret_cast<Bytef*>(slice.data());
    stream.avail_out = static_cast<uInt>(slice.size());
    const int outcome = inflate(&stream, flush);
    const std::size_t got = slice.size() - stream.avail_out;
    const std::size_t room = bytes_max - message.size();
    append_within(message, {slice.data(), std::min(got, room)}, bytes_max);
    if (got > room) return Outcome::too_big;
    if (outcome == Z_BUF_ERROR) return Outcome::ok;  // it waits for more
    if (outcome == Z_MEM_ERROR) return Outcome::no_memory;
    if (outcome != Z_OK && outcome != Z_STREAM_END) return Outcome::invalid;
    ended = outcome == Z_STREAM_END;
    if (stream.avail_in == 0 && stream.avail_out != 0) return Outcome::ok;
  }
}

Inflater::Inflater(int window_bits) : state_(std::make_unique<State>(window_bits)) {}
Inflater::~Inflater() = default;

std::size_t Inflater::memory_bytes() const { return kInflateStateBytes + (std::size_t{1} << state_->window_bits); }

Inflater::Outcome Inflater::feed(std::string_view piece, std::string& message, std::size_t bytes_max) {
  if (!state_->usable) return Outcome::no_memory;
  while (!piece.empty()) {
    const std::string_view part = piece.substr(0, kInflateInputBytes);
    piece.remove_prefix(part.size());
    if (const Outcome outcome = state_->run(part, Z_NO_FLUSH, message, bytes_max); outcome != Outcome::ok) return outcome;
  }
  return Outcome::ok;
}

Inflater::Outcome Inflater::finish(std::string& message, std::size_t bytes_max) {
  if (!state_->usable) return Outcome::no_memory;
  // Some senders end a message with a final block and nothing behind it; nothing was cut off then.
  if (state_->ended) return Outcome::ok;
  // Stopping at the ends of blocks is what makes zlib tell that this is one.
  const Outcome outcome = state_->run(kCutOff, Z_BLOCK, message, bytes_max);
  if (outcome != Outcome::ok) return outcome;
  return (state_->stream.data_type & kBlockEnded) != 0 ? Outcome::ok : Outcome::invalid;
}

}  // namespace muster::websocket
