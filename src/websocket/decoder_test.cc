#include "websocket/decoder.h"

#include <gtest/gtest.h>

#include "websocket/websocket_testing.h"

namespace muster::websocket {
namespace {

constexpr DecoderOptions kServer{.role = Role::server};
constexpr DecoderOptions kClient{.role = Role::client};

std::string to_server(const TestFrame& frame) { return frame_to(Role::server, frame); }

// The close code of the fault that a stream ends in; 0: it ends in none.
unsigned fault_of(const DecoderOptions& options, std::string_view bytes) {
  Decoder decoder(options);
  while (auto event = decoder.feed(bytes))
    if (const auto* fault = std::get_if<Fault>(&*event)) return static_cast<unsigned>(fault->code);
  return 0;
}

TEST(Decoder, ReadsTheExamplesOfRfc6455) {
  EXPECT_EQ(decoded(kClient, bytes_of("81 05 48 65 6c 6c 6f")), Events{"text Hello"});
  EXPECT_EQ(decoded(kServer, bytes_of("81 85 37 fa 21 3d 7f 9f 4d 51 58")), Events{"text Hello"});
  EXPECT_EQ(decoded(kClient, bytes_of("01 03 48 65 6c 80 02 6c 6f")), Events{"text Hello"});
  EXPECT_EQ(decoded(kClient, bytes_of("89 05 48 65 6c 6c 6f")), Events{"ping Hello"});
  EXPECT_EQ(decoded(kServer, bytes_of("8a 85 37 fa 21 3d 7f 9f 4d 51 58")), Events{"pong Hello"});
  const std::string of_256(256, 'x');
  EXPECT_EQ(decoded(kClient, bytes_of("82 7E 01 00") + of_256), Events{"binary " + of_256});
  const std::string of_64k(65'536, 'y');
  EXPECT_EQ(decoded(kClient, bytes_of("82 7F 00 00 00 00 00 01 00 00") + of_64k), Events{"binary " + of_64k});
}

TEST(Decoder, ReadsMessagesWithoutBytes) {
  EXPECT_EQ(decoded(kClient, bytes_of("81 00 82 00 89 00 8A 00 88 00")),
            (Events{"text ", "binary ", "ping ", "pong ", "close 1005 "}));
}

TEST(Decoder, GivesControlFramesBetweenTheFragmentsOfAMessage) {
  EXPECT_EQ(decoded(kServer, to_server({Opcode::text, "He", false}) + to_server({Opcode::ping, "a"}) +
                                 to_server({Opcode::continuation, "ll", false}) + to_server({Opcode::pong, "b"}) +
                                 to_server({Opcode::continuation, "o"})),
            (Events{"ping a", "pong b", "text Hello"}));
}

TEST(Decoder, StopsAtEachEventAndLeavesTheRest) {
  const std::string stream = bytes_of("81 01 61 81 01 62");
  std::string_view bytes = stream;
  Decoder decoder(kClient);
  EXPECT_EQ(text_of(*decoder.feed(bytes)), "text a");
  EXPECT_EQ(bytes.size(), 3U);
  EXPECT_EQ(text_of(*decoder.feed(bytes)), "text b");
  EXPECT_FALSE(decoder.feed(bytes));
}

TEST(Decoder, IsIndifferentToWhereAStreamIsCut) {
  Deflater deflater({.takeover = true});
  const std::string first = *deflater.compress("größe größe größe");
  const std::string second = *deflater.compress("größe größe größe!");
  const std::string stream = to_server({Opcode::text, "größe", false}) + to_server({Opcode::ping, "x"}) +
                             to_server({Opcode::continuation, "キュー 🙂"}) +
                             to_server({Opcode::binary, std::string(300, '\xFF')}) +
                             to_server({Opcode::text, first, true, true}) + to_server({Opcode::text, second, true, true}) +
                             to_server({Opcode::close, close_payload(CloseCode::going_away, "bis bald, ü")}) + "behind";
  const DecoderOptions options{.role = Role::server, .deflate = DeflateTerms{.client = {.takeover = true}}};
  const Events whole = decoded(options, stream);
  ASSERT_EQ(whole.size(), 6U);
  EXPECT_EQ(whole.back(), "close 1001 bis bald, ü");
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    Decoder decoder(options);
    Events events;
    feed_all(decoder, std::string_view(stream).substr(0, cut), events);
    feed_all(decoder, std::string_view(stream).substr(cut), events);
    ASSERT_EQ(events, whole) << "cut at " << cut;
  }
  for (std::size_t piece = 1; piece < 20; ++piece) ASSERT_EQ(decoded(options, stream, piece), whole) << "pieces of " << piece;
}

TEST(Decoder, WantsMasksOfClientsAndNoneOfServers) {
  EXPECT_EQ(fault_of(kServer, bytes_of("81 01 61")), 1002U);
  EXPECT_EQ(fault_of(kClient, bytes_of("81 81 00 00 00 00 61")), 1002U);
}

TEST(Decoder, RefusesReservedBitsAndOpcodes) {
  for (const std::string_view first : {"C1", "A1", "91", "F1"})
    EXPECT_EQ(fault_of(kClient, bytes_of(first) + bytes_of("00")), 1002U) << first;
  for (const std::string_view first : {"83", "84", "85", "86", "87", "8B", "8C", "8D", "8E", "8F"})
    EXPECT_EQ(fault_of(kClient, bytes_of(first) + bytes_of("00")), 1002U) << first;
  const DecoderOptions deflate{.role = Role::client, .deflate = DeflateTerms{}};
  for (const std::string_view first : {"A1", "91", "E1", "D1", "C8", "C9", "CA", "C0"})
    EXPECT_EQ(fault_of(deflate, bytes_of(first) + bytes_of("00")), 1002U) << first;
  EXPECT_EQ(fault_of(deflate, bytes_of("41 01 00 C0 00")), 1002U) << "only the first frame of a message is marked";
}

TEST(Decoder, RefusesLongAndFragmentedControlFrames) {
  EXPECT_EQ(fault_of(kClient, bytes_of("89 7D") + std::string(125, 'x')), 0U);
  EXPECT_EQ(fault_of(kClient, bytes_of("89 7E 00 7E")), 1002U);
  EXPECT_EQ(fault_of(kClient, bytes_of("09 00")), 1002U);
  EXPECT_EQ(fault_of(kClient, bytes_of("08 00")), 1002U);
}

TEST(Decoder, RefusesLengthsThatAreNotInTheirShortestForm) {
  EXPECT_EQ(fault_of(kClient, bytes_of("81 7E 00 05 48 65 6c 6c 6f")), 1002U);
  EXPECT_EQ(fault_of(kClient, bytes_of("81 7F 00 00 00 00 00 00 00 05")), 1002U);
  EXPECT_EQ(fault_of(kClient, bytes_of("81 7F FF FF FF FF FF FF FF FF")), 1002U);
}

TEST(Decoder, RefusesContinuationsOfNothingAndMessagesInsideMessages) {
  EXPECT_EQ(fault_of(kClient, bytes_of("80 01 61")), 1002U);
  EXPECT_EQ(fault_of(kClient, bytes_of("81 01 61 80 01 61")), 1002U);
  EXPECT_EQ(fault_of(kClient, bytes_of("01 01 61 81 01 61")), 1002U);
  EXPECT_EQ(fault_of(kClient, bytes_of("01 01 61 82 01 61")), 1002U);
}

TEST(Decoder, RefusesTextThatIsNotUtf8AsSoonAsItCannotBe) {
  EXPECT_EQ(fault_of(kClient, bytes_of("81 01 FF")), 1007U);
  EXPECT_EQ(fault_of(kClient, bytes_of("81 02 C3 28")), 1007U);
  EXPECT_EQ(fault_of(kClient, bytes_of("81 01 C3")), 1007U) << "cut off at the end";
  EXPECT_EQ(fault_of(kClient, bytes_of("01 01 C3 80 01 BC")), 0U) << "a character in two fragments";
  EXPECT_EQ(fault_of(kClient, bytes_of("01 01 C3 80 00")), 1007U);
  EXPECT_EQ(fault_of(kClient, bytes_of("81 7E 10 00 61 F4 90")), 1007U) << "long before the end of the frame";
  EXPECT_EQ(fault_of(kClient, bytes_of("82 01 FF")), 0U) << "binary is anything";
}

TEST(Decoder, JudgesTheCodeAndTheReasonOfACloseFrame) {
  const auto closed = [](unsigned code, std::string_view reason) {
    return std::string{static_cast<char>(code >> 8), static_cast<char>(code & 0xFF)} + std::string(reason);
  };
  const auto ended = [](const std::string& payload) { return fault_of(kServer, to_server({Opcode::close, payload})); };
  EXPECT_EQ(ended(""), 0U);
  EXPECT_EQ(ended("\x03"), 1002U) << "half a code";
  for (const unsigned code : {1000U, 1003U, 1007U, 1014U, 3000U, 4999U}) EXPECT_EQ(ended(closed(code, "ü")), 0U) << code;
  for (const unsigned code : {0U, 999U, 1004U, 1005U, 1006U, 1015U, 2999U, 5000U, 65535U})
    EXPECT_EQ(ended(closed(code, "")), 1002U) << code;
  EXPECT_EQ(ended(closed(1000, "\xFF")), 1007U);
  EXPECT_EQ(decoded(kServer, to_server({Opcode::close, closed(4001, "later")})), Events{"close 4001 later"});
}

TEST(Decoder, GivesNothingBehindACloseOrAFault) {
  EXPECT_EQ(decoded(kClient, bytes_of("88 00 81 01 61")), Events{"close 1005 "});
  EXPECT_EQ(decoded(kClient, bytes_of("83 00 81 01 61")).size(), 1U);
  Decoder decoder(kClient);
  const std::string stream = bytes_of("88 00 81 01 61");
  std::string_view bytes = stream;
  EXPECT_TRUE(decoder.feed(bytes));
  EXPECT_FALSE(decoder.feed(bytes));
  EXPECT_TRUE(bytes.empty());
}

TEST(Decoder, RefusesALargeMessageAtItsHeaderBeforeAnyOfItsBytes) {
  const DecoderOptions small{.role = Role::client, .message_bytes_max = 1'000};
  EXPECT_EQ(fault_of(small, bytes_of("82 7E 03 E8") + std::string(1'000, 'x')), 0U);
  EXPECT_EQ(fault_of(small, bytes_of("82 7E 03 E9")), 1009U);
  EXPECT_EQ(fault_of(small, bytes_of("82 7F 7F FF FF FF FF FF FF FF")), 1009U);
  EXPECT_EQ(fault_of(small, bytes_of("02 7E 03 E8") + std::string(1'000, 'x') + bytes_of("80 00")), 0U);
  EXPECT_EQ(fault_of(small, bytes_of("02 7E 03 E8") + std::string(1'000, 'x') + bytes_of("80 01")), 1009U)
      << "all fragments count";
}

TEST(Decoder, KeepsTheBoundThatAMessageBeganWith) {
  Decoder decoder({.role = Role::client, .message_bytes_max = 2});
  Events events;
  feed_all(decoder, bytes_of("02 01 61"), events);
  decoder.set_message_bytes_max(10);
  feed_all(decoder, bytes_of("80 01 62 82 03 61 62 63"), events);
  EXPECT_EQ(events, (Events{"binary ab", "binary abc"}));
  decoder.set_message_bytes_max(1);
  feed_all(decoder, bytes_of("82 02 61 62"), events);
  EXPECT_EQ(events.back(), "fault 1009 the message is larger than 1 bytes");
}

TEST(Decoder, BelievesNoAnnouncedLengthBeforeItsBytesHaveCome) {
  Decoder decoder(kClient);
  Events events;
  feed_all(decoder, bytes_of("82 7F 00 00 00 00 01 00 00 00"), events);  // 16 MiB
  EXPECT_TRUE(events.empty());
  EXPECT_LT(decoder.buffered(), 100U);
  feed_all(decoder, std::string(10'000, 'x'), events);
  EXPECT_LT(decoder.buffered(), 30'000U);
}

TEST(Decoder, TakesNoMoreMemoryThanTheMessageMayHave) {
  constexpr std::size_t kMax = 100'000;
  Decoder decoder({.role = Role::client, .message_bytes_max = kMax});
  Events events;
  const std::string fragment = bytes_of("00 7E 27 10") + std::string(10'000, 'x');
  feed_all(decoder, bytes_of("02 00"), events);
  for (int i = 0; i < 10; ++i) {
    feed_all(decoder, fragment, events);
    EXPECT_LE(decoder.buffered(), kMax + 100);
  }
  feed_all(decoder, bytes_of("80 00"), events);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].size(), std::string_view("binary ").size() + kMax);
  EXPECT_LT(decoder.buffered(), 100U) << "a message that was given is not kept";
}

TEST(Decoder, EndsFloodsOfFragments) {
  std::string empty = bytes_of("01 00");
  for (std::size_t i = 1; i < kEmptyFragmentsMax; ++i) empty += bytes_of("00 00");
  EXPECT_EQ(fault_of(kClient, empty + bytes_of("80 01 61")), 0U);
  EXPECT_EQ(fault_of(kClient, empty + bytes_of("00 00")), 1008U);
  std::string many = bytes_of("01 01 61");
  for (std::size_t i = 2; i < kFragmentsMax; ++i) many += bytes_of("00 01 61");
  EXPECT_EQ(fault_of(kClient, many + bytes_of("80 01 61")), 0U);
  EXPECT_EQ(fault_of(kClient, many + bytes_of("00 01 61 80 01 61")), 1008U);
}

TEST(Decoder, CountsFragmentsOfEachMessageByItself) {
  std::string stream;
  for (std::size_t message = 0; message < 3; ++message) {
    stream += bytes_of("01 00");
    for (std::size_t i = 1; i < kEmptyFragmentsMax; ++i) stream += bytes_of("00 00");
    stream += bytes_of("80 01 61");
  }
  EXPECT_EQ(decoded(kClient, stream), (Events{"text a", "text a", "text a"}));
}

}  // namespace
}  // namespace muster::websocket
