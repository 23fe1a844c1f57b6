// Every rule of a frame, and the promise that pieces read like the whole.
#include "fronts/resp/wire/parser.h"

#include <gtest/gtest.h>

namespace muster::resp::wire {
namespace {

constexpr Bounds kBounds{.message_bytes_max = 1'000, .value_bytes_max = 500, .elements_max = 20, .inline_bytes_max = 100};
constexpr std::size_t kDepth = 7;

struct Read {
  std::vector<Words> commands;
  std::vector<std::string> refusals;  // that stay
  bool ended = false;                 // by one that closes
  std::string last;                   // its text
};

Read read(std::string_view bytes, std::size_t piece, Bounds bounds = kBounds) {
  Parser parser(bounds, kDepth);
  Read out;
  for (std::size_t from = 0; from < bytes.size() && !out.ended; from += piece) {
    std::string_view part = bytes.substr(from, piece);
    while (!part.empty() && !out.ended) {
      const Parser::Step step = parser.feed(part);
      part.remove_prefix(step.used);
      if (step.outcome == Parser::Outcome::command) out.commands.push_back(parser.take());
      if (step.outcome != Parser::Outcome::refused) continue;
      out.ended = parser.refusal().close;
      if (out.ended)
        out.last = parser.refusal().text;
      else
        out.refusals.push_back(parser.refusal().text);
    }
  }
  return out;
}

// At once, byte by byte and in threes: the same every time.
Read read_all_ways(std::string_view bytes, Bounds bounds = kBounds) {
  const Read whole = read(bytes, bytes.size(), bounds);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}}) {
    const Read cut = read(bytes, piece, bounds);
    EXPECT_EQ(cut.commands.size(), whole.commands.size()) << piece;
    for (std::size_t i = 0; i < std::min(cut.commands.size(), whole.commands.size()); ++i) {
      EXPECT_EQ(cut.commands[i].words, whole.commands[i].words);
      EXPECT_EQ(cut.commands[i].not_bulk, whole.commands[i].not_bulk);
    }
    EXPECT_EQ(cut.refusals, whole.refusals) << piece;
    EXPECT_EQ(cut.ended, whole.ended) << piece;
    EXPECT_EQ(cut.last, whole.last) << piece;
  }
  return whole;
}

using Args = std::vector<std::string>;

std::string closing_text(std::string_view bytes, Bounds bounds = kBounds) {
  const Read got = read_all_ways(bytes, bounds);
  EXPECT_TRUE(got.ended) << bytes;
  return got.last;
}

TEST(Parser, ReadsCommandsBehindEachOtherAndWaitsForTheRest) {
  const Read got = read_all_ways("*1\r\n$4\r\nPING\r\n*2\r\n$3\r\nGET\r\n$0\r\n\r\n*1\r\n$4\r");
  ASSERT_EQ(got.commands.size(), 2u);
  EXPECT_EQ(got.commands[0].words, (Args{"PING"}));
  EXPECT_EQ(got.commands[1].words, (Args{"GET", ""}));
  EXPECT_FALSE(got.ended);
}

TEST(Parser, TakesAnyByteInsideABulkString) {
  const std::string value("\r\n\0$*\xff", 6);
  const Read got = read_all_ways("*2\r\n$3\r\nSET\r\n$6\r\n" + value + "\r\n");
  ASSERT_EQ(got.commands.size(), 1u);
  EXPECT_EQ(got.commands[0].words[1], value);
}

TEST(Parser, AnEmptyOrOtherTopLevelIsRefusedAndTheNextFrameIsRead) {
  const std::string expected = "Protocol error: Expected array with at least one element";
  for (const std::string_view frame : {"*0\r\n", "+PING\r\n", "-x\r\n", ":5\r\n", "$4\r\nPING\r\n", "$-1\r\n"}) {
    const Read got = read_all_ways(std::string(frame) + "*1\r\n$4\r\nPING\r\n");
    EXPECT_EQ(got.refusals, (Args{expected})) << frame;
    EXPECT_EQ(got.commands.size(), 1u) << frame;
    EXPECT_FALSE(got.ended) << frame;
  }
}

TEST(Parser, RemembersTheFirstElementThatIsNoBulkString) {
  EXPECT_EQ(read_all_ways("*2\r\n$3\r\nGET\r\n$-1\r\n").commands.at(0).not_bulk, 1u);
  EXPECT_EQ(read_all_ways("*1\r\n*1\r\n$4\r\nPING\r\n").commands.at(0).not_bulk, 0u);
  EXPECT_EQ(read_all_ways("*3\r\n$3\r\nGET\r\n:-7\r\n+x\r\n").commands.at(0).not_bulk, 1u);
  EXPECT_EQ(read_all_ways("*3\r\n$3\r\nGET\r\n$1\r\na\r\n*2\r\n*0\r\n*1\r\n:1\r\n").commands.at(0).not_bulk, 2u);
  EXPECT_EQ(read_all_ways("*2\r\n$3\r\nGET\r\n$1\r\na\r\n").commands.at(0).not_bulk, kNone);
}

TEST(Parser, NestedArraysLeaveTheCountOfTheOuterOneAlone) {
  const Read got = read_all_ways("*3\r\n$1\r\na\r\n*2\r\n$1\r\nx\r\n$1\r\ny\r\n$1\r\nb\r\n");
  ASSERT_EQ(got.commands.size(), 1u);
  EXPECT_EQ(got.commands[0].words, (Args{"a", "", "b"}));
}

TEST(Parser, AWrongArraySizeCloses) {
  for (const std::string_view frame : {"*abc\r\n", "*-1\r\n", "*\r\n", "*1\n", "*1\rx", "*99999999999999999999\r\n", "*--1\r\n",
                                       "*9223372036854775808\r\n", "*1 \r\n", "*\xff\r\n"})
    EXPECT_EQ(closing_text(frame), "Protocol error: Invalid array size") << frame;
}

TEST(Parser, AWrongBulkSizeCloses) {
  for (const std::string_view frame : {"*1\r\n$-2\r\n", "*1\r\n$abc\r\n", "*1\r\n$\r\n", "*1\r\n$1.5\r\n", "$-7\r\n"})
    EXPECT_EQ(closing_text(frame), "Protocol error: Invalid bulk string size") << frame;
}

TEST(Parser, AWrongNumberCloses) { EXPECT_EQ(closing_text("*1\r\n:x\r\n"), "Protocol error: Invalid integer"); }

TEST(Parser, AMissingEndOfABulkStringCloses) {
  EXPECT_EQ(closing_text("*1\r\n$4\r\nPINGxx"), "Protocol error: Invalid CRLF");
  EXPECT_EQ(closing_text("*1\r\n$4\r\nPING\rx"), "Protocol error: Invalid CRLF");
}

TEST(Parser, AnUnknownTypeIsNamedByItsByteAndCloses) {
  EXPECT_EQ(closing_text("*1\r\n!4\r\nPING\r\n"), "Protocol error: Unknown RESP type: 33");
  EXPECT_EQ(closing_text("\x16\x03\x01"), "Protocol error: Unknown RESP type: 22");
  EXPECT_EQ(closing_text("%1\r\n"), "Protocol error: Unknown RESP type: 37");
}

TEST(Parser, TooManyElementsAreToldBeforeAnyOfThemCame) {
  EXPECT_EQ(closing_text("*21\r\n"), "Protocol error: Array size 21 exceeds maximum 20");
  EXPECT_FALSE(read_all_ways("*20\r\n").ended);
  EXPECT_EQ(closing_text("*1\r\n*21\r\n"), "Protocol error: Array size 21 exceeds maximum 20");
}

TEST(Parser, WhatIsTooLargeIsToldByItsAnnouncedLength) {
  EXPECT_EQ(closing_text("*2\r\n$4\r\nAUTH\r\n$501\r\n"), "Message too large");
  EXPECT_FALSE(read_all_ways("*2\r\n$4\r\nAUTH\r\n$500\r\n").ended);
  // Each part fits; together they do not.
  const std::string part = "$400\r\n" + std::string(400, 'x') + "\r\n";
  EXPECT_EQ(closing_text("*3\r\n" + part + part + "$400\r\n"), "Message too large");
  EXPECT_EQ(closing_text("+" + std::string(2'000, 'x')), "Message too large");
}

TEST(Parser, ACommandMayFillItsBoundsToTheLastByte) {
  const std::string frame = "*2\r\n$3\r\nGET\r\n$10\r\n0123456789\r\n";
  Bounds bounds{.message_bytes_max = frame.size(), .value_bytes_max = 10, .elements_max = 2, .inline_bytes_max = 10};
  EXPECT_EQ(read_all_ways(frame + frame, bounds).commands.size(), 2u);
  bounds.value_bytes_max = 9;
  EXPECT_EQ(closing_text(frame, bounds), "Message too large");
  bounds.value_bytes_max = 10;
  --bounds.message_bytes_max;
  EXPECT_EQ(closing_text(frame, bounds), "Message too large");
}

TEST(Parser, DepthIsBounded) {
  std::string deep;
  for (std::size_t i = 0; i < kDepth; ++i) deep += "*1\r\n";
  EXPECT_EQ(read_all_ways(deep + "$1\r\nx\r\n").commands.size(), 1u);
  EXPECT_EQ(closing_text(deep + "*1\r\n"), "Protocol error: Nesting exceeds maximum 7");
}

TEST(Parser, ReadsLinesThatPeopleType) {
  const Read got = read_all_ways("  SET k \"a b\\n\\x41\\\"\" 'it\\'s' \r\n\r\n\nping\n");
  ASSERT_EQ(got.commands.size(), 2u);
  EXPECT_EQ(got.commands[0].words, (Args{"SET", "k", "a b\nA\"", "it's"}));
  EXPECT_EQ(got.commands[1].words, (Args{"ping"}));
  for (const std::string_view line : {"SET k \"open\r\n", "SET k 'open\r\n", "SET k \"a\"b\r\n"})
    EXPECT_EQ(closing_text(line), "Protocol error: unbalanced quotes in request") << line;
  EXPECT_EQ(closing_text("GET " + std::string(200, 'x')), "Message too large");
}

TEST(Parser, ABrowserIsShownTheDoorWithoutAWord) {
  for (const std::string_view line : {"GET / HTTP/1.1\r\n", "POST /api HTTP/1.0\n", "Host: x\r\n"})
    EXPECT_EQ(closing_text(line), "") << line;
  EXPECT_EQ(read_all_ways("SET page HTTP/1.1\r\n").commands.size(), 1u);
}

TEST(Parser, BoundsMayGrowBetweenFrames) {
  Parser parser({.message_bytes_max = 50, .value_bytes_max = 10, .elements_max = 2, .inline_bytes_max = 10}, kDepth);
  parser.set_bounds(kBounds);
  const std::string frame = "*2\r\n$3\r\nGET\r\n$100\r\n" + std::string(100, 'k') + "\r\n";
  EXPECT_EQ(parser.feed(frame).outcome, Parser::Outcome::command);
  EXPECT_EQ(parser.take().words.size(), 2u);
  EXPECT_TRUE(parser.idle());
}

}  // namespace
}  // namespace muster::resp::wire
