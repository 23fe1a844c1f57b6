#include "agents/claude/event_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agents/claude/limits.h"

namespace muster::claude {
namespace {

using Events = std::vector<std::pair<std::string, std::string>>;

// Fed in pieces of this size.
Events read_events(std::string_view text, std::size_t piece) {
  EventReader reader;
  Events events;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    const Status fed = reader.feed(text.substr(0, piece), [&](const Event& event) {
      events.emplace_back(event.name, event.data);
      return Status();
    });
    EXPECT_TRUE(fed.ok());
  }
  return events;
}

TEST(EventReader, ReadsTheSameHoweverTheStreamIsCut) {
  const std::string text =
      "\xEF\xBB\xBF"
      "event: message_start\ndata: {\"a\":1}\n\n: a comment\n\nevent:ping\r\ndata:{}\r\n\r\nid: 7\rretry: 3\rdata: "
      "one\rdata\rdata:  three\r\r"
      "event: no_data\n\ndata: last\n\ndata: never ended\n";
  const Events expected{{"message_start", "{\"a\":1}"}, {"ping", "{}"}, {"message", "one\n\n three"}, {"message", "last"}};
  for (std::size_t piece = 1; piece <= text.size(); ++piece) EXPECT_EQ(read_events(text, piece), expected) << piece;
}

TEST(EventReader, RefusesAnEventBeyondItsBoundWhereverItIsCut) {
  const std::string piece(1024 * 1024, 'x');
  const auto ignore = [](const Event&) { return Status(); };
  EventReader one_line;
  ASSERT_TRUE(one_line.feed("data: ", ignore).ok());
  Status fed;
  std::size_t pieces = 0;
  while (fed.ok() && pieces++ < 100) fed = one_line.feed(piece, ignore);
  EXPECT_EQ(fed.code(), Code::corrupt);
  EXPECT_EQ(pieces, kModelEventBytesMax / piece.size());
  EventReader many_lines;
  fed = Status();
  for (pieces = 0; fed.ok() && pieces < 100; ++pieces) fed = many_lines.feed("data: " + piece + "\n", ignore);
  EXPECT_EQ(fed.code(), Code::corrupt);
}

TEST(EventReader, StopsWhereItsTakerFails) {
  EventReader reader;
  int taken = 0;
  const Status fed = reader.feed("data: 1\n\ndata: 2\n\n", [&](const Event&) {
    ++taken;
    return Status::corrupt("enough");
  });
  EXPECT_EQ(fed.message(), "enough");
  EXPECT_EQ(taken, 1);
}

}  // namespace
}  // namespace muster::claude
