// Compression on the wire: the examples of RFC 7692, bombs, and windows of every size.
#include <gtest/gtest.h>

#include "websocket/decoder.h"
#include "websocket/deflater.h"
#include "websocket/websocket_testing.h"

namespace muster::websocket {
namespace {

constexpr DeflateTerms kKeepsWindows{.server = {.takeover = true}, .client = {.takeover = true}};
constexpr DecoderOptions kPlainWindows{.role = Role::client, .deflate = DeflateTerms{}};
constexpr DecoderOptions kKeptWindows{.role = Role::client, .deflate = kKeepsWindows};

std::string packed_frame(const std::string& payload) {
  return frame_to(Role::client, {.opcode = Opcode::text, .payload = payload, .compressed = true});
}

TEST(Inflate, ReadsTheExamplesOfRfc7692) {
  const Events hello{"text Hello"};
  EXPECT_EQ(decoded(kPlainWindows, bytes_of("c1 07 f2 48 cd c9 c9 07 00")), hello);
  EXPECT_EQ(decoded(kPlainWindows, bytes_of("41 03 f2 48 cd 80 04 c9 c9 07 00")), hello) << "in two fragments";
  EXPECT_EQ(decoded(kKeptWindows, bytes_of("c1 07 f2 48 cd c9 c9 07 00 c1 05 f2 00 11 00 00")),
            (Events{"text Hello", "text Hello"}))
      << "the second refers to the first";
  EXPECT_EQ(decoded(kPlainWindows, bytes_of("c1 0b 00 05 00 fa ff 48 65 6c 6c 6f 00")), hello) << "a block without compression";
  EXPECT_EQ(decoded(kPlainWindows, bytes_of("c1 08 f3 48 cd c9 c9 07 00 00")), hello) << "a block marked as final";
  EXPECT_EQ(decoded(kPlainWindows, bytes_of("c1 0d f2 48 05 00 00 00 ff ff ca c9 c9 07 00")), hello) << "two blocks";
  EXPECT_EQ(decoded(kPlainWindows, bytes_of("c1 01 00")), Events{"text "});
}

TEST(Inflate, GoesOnWithTheSameWindowBehindAFinalBlock) {
  for (const std::string_view first : {"c1 08 f3 48 cd c9 c9 07 00 00", "c1 07 f3 48 cd c9 c9 07 00"}) {
    const std::string stream = bytes_of(first) + bytes_of("c1 05 f2 00 11 00 00");
    for (std::size_t piece = 1; piece <= stream.size(); ++piece)
      EXPECT_EQ(decoded(kKeptWindows, stream, piece), (Events{"text Hello", "text Hello"})) << first << " in pieces of " << piece;
  }
}

TEST(Inflate, ForgetsTheWindowBetweenMessagesWhenNoTakeoverWasAgreed) {
  const Events events = decoded(kPlainWindows, bytes_of("c1 07 f2 48 cd c9 c9 07 00 c1 05 f2 00 11 00 00"));
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1], "fault 1007 a compressed message cannot be unpacked");
}

TEST(Inflate, TakesMessagesThatAreNotCompressedInBetween) {
  EXPECT_EQ(decoded(kKeptWindows, bytes_of("c1 07 f2 48 cd c9 c9 07 00 81 01 61 c1 05 f2 00 11 00 00")),
            (Events{"text Hello", "text a", "text Hello"}));
}

TEST(Inflate, RefusesWhatIsNoDeflate) {
  EXPECT_EQ(decoded(kPlainWindows, packed_frame("\xFF\xFF\xFF")), Events{"fault 1007 a compressed message cannot be unpacked"});
  EXPECT_EQ(decoded(kPlainWindows, packed_frame("")), Events{"fault 1007 a compressed message cannot be unpacked"});
  EXPECT_EQ(decoded(kPlainWindows, packed_frame(bytes_of("f2 48 cd"))),
            Events{"fault 1007 a compressed message cannot be unpacked"})
      << "it ends inside a block";
  EXPECT_EQ(decoded(kPlainWindows, packed_frame(*shared_deflater(15).compress("ab\xFF"))),
            Events{"fault 1007 a text message is not UTF-8"});
}

TEST(Inflate, StopsABombAtTheLimitAndKeepsNoMoreThanThat) {
  constexpr std::size_t kMax = 1024 * 1024;
  const std::string bomb = packed_frame(*shared_deflater(15).compress(std::string(64 * kMax, 'x')));
  ASSERT_LT(bomb.size(), kMax / 2) << "it is a bomb";
  for (const std::size_t piece : {std::string_view::npos, std::size_t{1'000}}) {
    Decoder decoder({.role = Role::client, .deflate = DeflateTerms{}, .message_bytes_max = kMax});
    Events events;
    std::string_view bytes = bomb;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
      feed_all(decoder, bytes.substr(0, piece), events);
      EXPECT_LE(decoder.buffered(), kMax + 100 + 48 * 1024);
    }
    EXPECT_EQ(events, Events{"fault 1009 the message is larger than 1048576 bytes"});
    EXPECT_LT(decoder.buffered(), 100U);
  }
}

TEST(Inflate, TakesExactlyTheLimitAndNotOneByteMore) {
  const DecoderOptions options{.role = Role::client, .deflate = DeflateTerms{}, .message_bytes_max = 50'000};
  EXPECT_EQ(decoded(options, packed_frame(*shared_deflater(15).compress(std::string(50'000, 'x')))),
            Events{"text " + std::string(50'000, 'x')});
  EXPECT_EQ(decoded(options, packed_frame(*shared_deflater(15).compress(std::string(50'001, 'x')))),
            Events{"fault 1009 the message is larger than 50000 bytes"});
  EXPECT_EQ(decoded(options, packed_frame(*shared_deflater(15).compress(Chance(3).bytes(50'000)))),
            Events{"fault 1007 a text message is not UTF-8"})
      << "what does not compress is longer on the wire, and not too long";
}

TEST(Inflate, EndsAMessageOfBlocksWithoutContent) {
  std::string blocks;
  for (int i = 0; i < 300; ++i) blocks += bytes_of("00 00 00 FF FF");
  const DecoderOptions options{.role = Role::client, .deflate = DeflateTerms{}, .message_bytes_max = 1'000};
  EXPECT_EQ(decoded(options, packed_frame(blocks)), Events{"fault 1009 the message is larger than 1000 bytes"});
  EXPECT_EQ(decoded(options, packed_frame(blocks.substr(0, 1'000) + std::string(1, '\0'))), Events{"text "});
}

TEST(Inflate, HoldsNoMemoryBetweenMessagesWithoutTakeoverAndItsWindowWithIt) {
  const std::string message = bytes_of("c1 07 f2 48 cd c9 c9 07 00");
  Events events;
  Decoder without(kPlainWindows);
  feed_all(without, message.substr(0, 5), events);
  EXPECT_GT(without.buffered(), 30'000U);
  feed_all(without, message.substr(5), events);
  EXPECT_LT(without.buffered(), 100U);
  Decoder with(kKeptWindows);
  EXPECT_LT(with.buffered(), 100U) << "nothing came yet";
  feed_all(with, message, events);
  EXPECT_GT(with.buffered(), 30'000U);
  EXPECT_LT(with.buffered(), 50'000U);
}

TEST(Deflate, MakesTheExamplesOfRfc7692) {
  Deflater kept({.takeover = true});
  EXPECT_EQ(kept.compress("Hello"), bytes_of("f2 48 cd c9 c9 07 00"));
  EXPECT_EQ(kept.compress("Hello"), bytes_of("f2 00 11 00 00"));
  EXPECT_EQ(shared_deflater(15).compress("Hello"), bytes_of("f2 48 cd c9 c9 07 00"));
  EXPECT_EQ(shared_deflater(15).compress("Hello"), bytes_of("f2 48 cd c9 c9 07 00"));
}

TEST(Deflate, MakesOneByteOfNothingAgainAndAgain) {
  Deflater kept({.takeover = true});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(kept.compress(""), std::string(1, '\0'));
  EXPECT_EQ(shared_deflater(15).compress(""), std::string(1, '\0'));
}

TEST(Deflate, FitsTheReceiversWindowWhateverItsSize) {
  for (int bits = kWindowBitsLeast; bits <= kWindowBitsMost; ++bits) {
    for (const bool takeover : {false, true}) {
      Chance chance(static_cast<std::uint64_t>(bits));
      const DeflateDirection direction{.takeover = takeover, .window_bits = bits};
      Deflater deflater(direction);
      Decoder decoder({.role = Role::client, .deflate = DeflateTerms{.server = direction}});
      for (int round = 0; round < 20; ++round) {
        const std::string message = chance.words(chance.below(20'000));
        Events events;
        // In small pieces, so that the inflater has only its window to look back into.
        const std::string frame = packed_frame(*deflater.compress(message));
        for (std::size_t at = 0; at < frame.size(); at += 7) feed_all(decoder, std::string_view(frame).substr(at, 7), events);
        ASSERT_EQ(events, Events{"text " + message}) << bits << " bits, takeover " << takeover;
      }
    }
  }
}

}  // namespace
}  // namespace muster::websocket
