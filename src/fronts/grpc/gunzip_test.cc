#include "fronts/grpc/gunzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace muster::rpc {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(Gunzip, UnpacksUpToItsBound) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{64 * 1024}, std::size_t{1 << 20}}) {
    const std::string text(size, 'x');
    const std::string packed = gzip(text);
    const auto out = gunzip(packed, size);
    ASSERT_TRUE(out.ok()) << out.status().text();
    EXPECT_EQ(*out, text);
    if (size == 0) continue;
    EXPECT_EQ(gunzip(packed, size - 1).code(), Code::exhausted);
  }
}

TEST(Gunzip, ABombIsGivenUpAtTheBound) {
  const std::string packed = gzip(std::string(64 << 20, '\0'));
  ASSERT_LT(packed.size(), 100u * 1024);
  EXPECT_EQ(gunzip(packed, 4 << 20).code(), Code::exhausted);
}

TEST(Gunzip, WhatIsCutOffOrIsNoGzipIsRefused) {
  const std::string packed = gzip("a message that is long enough to be cut");
  EXPECT_EQ(gunzip(packed.substr(0, packed.size() / 2), 1'000).code(), Code::invalid_argument);
  EXPECT_EQ(gunzip(packed.substr(0, packed.size() - 1), 1'000).code(), Code::invalid_argument);
  EXPECT_EQ(gunzip("\x1f\x8bno", 1'000).code(), Code::invalid_argument);
  EXPECT_EQ(gunzip("", 1'000).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster::rpc
