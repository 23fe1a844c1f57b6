#include "websocket/frame.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "websocket/websocket_testing.h"

namespace muster::websocket {
namespace {

TEST(FrameHeader, IsReadAsItWasWrittenAtEveryEdgeOfTheLengths) {
  for (const std::uint64_t length : {0ULL, 1ULL, 125ULL, 126ULL, 127ULL, 0xFFFFULL, 0x1'0000ULL, (1ULL << 63) - 1}) {
    for (const bool masked : {false, true}) {
      FrameHeader header{.opcode = Opcode::binary, .final = false, .compressed = true, .length = length};
      if (masked) header.mask = kTestMask;
      std::string bytes;
      append_header(bytes, header);
      ASSERT_EQ(header_bytes(bytes), bytes.size()) << length;
      const auto read = read_header(bytes);
      ASSERT_TRUE(read) << length;
      EXPECT_EQ(read->opcode, header.opcode);
      EXPECT_EQ(read->final, header.final);
      EXPECT_EQ(read->compressed, header.compressed);
      EXPECT_FALSE(read->reserved);
      EXPECT_EQ(read->length, length);
      EXPECT_EQ(read->mask, header.mask);
    }
  }
}

TEST(FrameHeader, TakesTheShortestLengthAndRefusesOthers) {
  EXPECT_FALSE(read_header(bytes_of("82 7E 00 7D")));
  EXPECT_TRUE(read_header(bytes_of("82 7E 00 7E")));
  EXPECT_FALSE(read_header(bytes_of("82 7F 00 00 00 00 00 00 FF FF")));
  EXPECT_TRUE(read_header(bytes_of("82 7F 00 00 00 00 00 01 00 00")));
  EXPECT_FALSE(read_header(bytes_of("82 7F 80 00 00 00 00 00 00 00")));
}

TEST(ApplyMask, IsTheSameByteByByteAndInWordsFromAnyOffset) {
  Chance chance(1);
  for (std::size_t size = 0; size < 40; ++size) {
    for (std::uint64_t offset = 0; offset < 9; ++offset) {
      const std::string plain = chance.bytes(size);
      std::string masked = plain;
      apply_mask(masked.data(), masked.size(), kTestMask, offset);
      for (std::size_t i = 0; i < size; ++i)
        ASSERT_EQ(static_cast<unsigned char>(masked[i]), static_cast<unsigned char>(plain[i]) ^ kTestMask[(offset + i) % 4]);
    }
  }
}

TEST(CloseCode, MayTravelAsTheRegistrySays) {
  const auto travels = [](int code) { return may_travel(static_cast<CloseCode>(code)); };
  for (const int code : {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999})
    EXPECT_TRUE(travels(code)) << code;
  for (const int code : {0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535})
    EXPECT_FALSE(travels(code)) << code;
}

TEST(ClosePayload, HasTheCodeInTwoBytesAndTheReasonBehindIt) {
  EXPECT_EQ(close_payload(CloseCode::normal, "bye"), bytes_of("03 E8") + "bye");
  EXPECT_EQ(close_payload(CloseCode::no_status, ""), "");
}

TEST(ClosePayload, CutsALongReasonBetweenTwoCharacters) {
  std::string reason = "x";
  while (reason.size() < 200) reason += "ü";
  const std::string payload = close_payload(CloseCode::normal, reason);
  EXPECT_EQ(payload.size(), kControlBytesMax);  // 2 + 1 + 61 * 2
  EXPECT_TRUE(is_utf8(std::string_view(payload).substr(2)));
  EXPECT_EQ(close_payload(CloseCode::normal,
                          "a\xFF"
                          "b")
                .substr(2),
            "a");
}

}  // namespace
}  // namespace muster::websocket
