#include "fronts/grpc/gunzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>

namespace muster::rpc {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr std::size_t kPieceBytes = 64 * 1024;

struct EndInflate {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

}  // namespace

Result<std::string> gunzip(std::string_view bytes, std::size_t bytes_max) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return Status::internal("no memory to read a compressed message");
  const std::unique_ptr<z_stream, EndInflate> ended(&stream);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  std::array<char, kPieceBytes> piece;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    const std::size_t got = piece.size() - stream.avail_out;
    if (state != Z_STREAM_END && (state != Z_OK || got == 0))
      return Status::invalid_argument("the message says that it is gzip, and is not");
    if (got > bytes_max - out.size())
      return Status::exhausted(
          fmt::format("the message has more than {} bytes when it is unpacked; {} are accepted", bytes_max, bytes_max));
    out.append(piece.data(), got);
  }
  return out;
}

}  // namespace muster::rpc
