// The pieces under the client that need no server: addresses, times, the event stream, back-off, and calls that cannot connect.
#include <gtest/gtest.h>

#include "sdk/cpp/backoff.h"
#include "sdk/cpp/client.h"
#include "sdk/cpp/sse.h"
#include "sdk/cpp/time.h"
#include "sdk/cpp/url.h"

namespace muster::sdk {
namespace {

TEST(BaseUrl, AcceptsAddressesAndNormalisesThem) {
  EXPECT_EQ(*base_url("http://127.0.0.1:8080"), "http://127.0.0.1:8080");
  EXPECT_EQ(*base_url("https://muster.example/"), "https://muster.example");
  EXPECT_EQ(*base_url("localhost:8080"), "http://localhost:8080");
}

TEST(BaseUrl, RefusesWhatIsNoAddress) {
  for (const char* bad : {"", "http://", "ftp://x", "http://:80", "http://a b", "http://user@x", "http://x?y"})
    EXPECT_FALSE(base_url(bad).ok()) << bad;
}

TEST(Path, EncodesSegmentsAndLeavesOutEmptyQueryValues) {
  Path path("/api/v1/queues");
  path.segment("a/b c").literal("/pause").query("x", "").query("y", "1=2").query("z", "ü");
  EXPECT_EQ(path.text(), "/api/v1/queues/a%2Fb%20c/pause?y=1%3D2&z=%C3%BC");
}

TEST(InstantText, RoundTripsAndAcceptsOffsetsAndFractions) {
  EXPECT_EQ(format_instant(*parse_instant("2026-02-28T23:59:59.123Z")), "2026-02-28T23:59:59.123Z");
  EXPECT_EQ(format_instant(*parse_instant("2026-11-15T09:00:00+02:00")), "2026-11-15T07:00:00.000Z");
  EXPECT_EQ(format_instant(*parse_instant("2026-11-15T09:00:00.5Z")), "2026-11-15T09:00:00.500Z");
  EXPECT_EQ(format_instant(*parse_instant("2026-11-15T09:00:00.123456Z")), "2026-11-15T09:00:00.123Z");
}

TEST(InstantText, RefusesWhatIsNoInstant) {
  for (const char* bad : {"", "2026-11-15", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-15T25:00:00Z",
                          "2026-11-15T09:00:00", "2026-11-15T09:00:00.Z", "2026-11-15T09:00:00Zx"})
    EXPECT_FALSE(parse_instant(bad)) << bad;
}

std::vector<ServerEvent> parse_in_pieces(std::string_view stream, std::size_t piece) {
  std::vector<ServerEvent> events;
  EventStreamParser parser([&events](const ServerEvent& event) { events.push_back(event); });
  for (std::size_t at = 0; at < stream.size(); at += piece) EXPECT_TRUE(parser.feed(stream.substr(at, piece)));
  return events;
}

TEST(EventStream, DeliversTheSameEventsHoweverTheBytesAreCut) {
  constexpr std::string_view kStream =
      ": hello\n\nid: 1\nevent: job\ndata: {\"a\":1}\n\nid:2\r\nevent: worker\r\ndata: x\r\ndata: y\r\n\r\nevent: gap\n\n: "
      "quiet\n\ndata: last\n\n";
  for (std::size_t piece = 1; piece <= kStream.size(); ++piece) {
    const std::vector<ServerEvent> events = parse_in_pieces(kStream, piece);
    ASSERT_EQ(events.size(), 4U) << piece;
    EXPECT_EQ(events[0].id, "1");
    EXPECT_EQ(events[0].event, "job");
    EXPECT_EQ(events[0].data, R"({"a":1})");
    EXPECT_EQ(events[1].event, "worker");
    EXPECT_EQ(events[1].data, "x\ny");
    EXPECT_EQ(events[2].event, "gap");
    EXPECT_EQ(events[3].event, "message");
    EXPECT_EQ(events[3].id, "2");
  }
}

TEST(EventStream, HoldsBackAnEventThatIsNotComplete) { EXPECT_TRUE(parse_in_pieces("id: 1\ndata: x\n", 5).empty()); }

TEST(EventStream, RefusesAnEventWithoutEnd) {
  EventStreamParser parser([](const ServerEvent&) {});
  const std::string piece(1024 * 1024, 'x');
  bool accepted = true;
  for (int i = 0; i < 9 && accepted; ++i) accepted = parser.feed(piece);
  EXPECT_FALSE(accepted);
}

TEST(Backoff, DoublesWithinItsSpreadUpToTheCapAndStartsOverAfterSuccess) {
  using std::chrono::milliseconds;
  Backoff backoff({.min = milliseconds(100), .max = milliseconds(800)}, 1);
  for (const std::int64_t step : {100, 200, 400, 800, 800, 800}) {
    const auto wait = backoff.next();
    EXPECT_GE(wait.count(), step / 2);
    EXPECT_LE(wait.count(), step);
  }
  backoff.reset();
  EXPECT_LE(backoff.next().count(), 100);
}

TEST(Backoff, StaysAtTheCapHoweverOftenItIsAsked) {
  Backoff backoff({}, 7);
  for (int i = 0; i < 200; ++i) EXPECT_LE(backoff.next().count(), 10'000);
}

TEST(Backoff, WaitsAtLeastAsLongAsTheServerAsked) {
  Backoff backoff({}, 7);
  EXPECT_EQ(backoff.next(std::chrono::milliseconds(60'000)).count(), 60'000);
}

TEST(Client, SaysUnreachableWhenNobodyListens) {
  // Port 1 of the loopback is reserved and closed everywhere these tests run.
  const auto client = Client::open({.server = "http://127.0.0.1:1", .token = {}, .ca_file = {}, .user_agent = "test"});
  ASSERT_TRUE(client.ok());
  const auto info = (*client)->server();
  ASSERT_FALSE(info.ok());
  EXPECT_EQ(info.error().code, Code::unreachable);
  EXPECT_NE(info.error().detail.find("127.0.0.1:1"), std::string::npos);
}

TEST(Client, AnswersInterruptedAfterAnInterrupt) {
  const auto client = Client::open({.server = "http://127.0.0.1:1", .token = {}, .ca_file = {}, .user_agent = "test"});
  ASSERT_TRUE(client.ok());
  (*client)->interrupt();
  EXPECT_EQ((*client)->server().error().code, Code::interrupted);
}

TEST(Client, RefusesATokenThatWouldBreakTheHeader) {
  EXPECT_FALSE(Client::open({.server = "http://x", .token = "a\r\nb", .ca_file = {}, .user_agent = "test"}).ok());
}

TEST(Codes, RoundTripByName) {
  for (int i = 0; i <= static_cast<int>(Code::bad_reply); ++i) {
    const auto code = static_cast<Code>(i);
    EXPECT_EQ(parse_code(to_string(code)), code);
  }
  EXPECT_FALSE(parse_code("nonsense"));
}

}  // namespace
}  // namespace muster::sdk
