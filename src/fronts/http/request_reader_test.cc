#include "fronts/http/request_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

namespace muster::http {
namespace {

using Phase = RequestReader::Phase;

RequestReader::Bounds bounds() { return {.header_bytes_max = 1'024, .body_bytes_max = 1'000}; }

TEST(RequestReader, TakesRequestsOneAfterTheOther) {
  const std::string text =
      "GET /a HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n\r\nPOST /b HTTP/1.1\r\nAuthorization: Bearer "
      "t\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi";
  RequestReader reader(bounds());
  std::size_t used = reader.feed(text);
  ASSERT_EQ(reader.phase(), Phase::complete);
  const Request first = reader.take();
  EXPECT_EQ(first.method, Method::get);
  EXPECT_EQ(first.target, "/a");
  EXPECT_EQ(first.host, "h");
  EXPECT_TRUE(first.keep_alive);
  used += reader.feed(std::string_view(text).substr(used));
  EXPECT_EQ(used, text.size());
  ASSERT_EQ(reader.phase(), Phase::complete);
  const Request second = reader.take();
  EXPECT_EQ(second.method, Method::post);
  EXPECT_EQ(second.body, "hi");
  EXPECT_EQ(second.authorization, "Bearer t");
  EXPECT_FALSE(second.keep_alive);
  EXPECT_EQ(reader.phase(), Phase::idle);
}

TEST(RequestReader, ReadsTheSameHoweverTheBytesAreCut) {
  const std::string text =
      "POST /jobs HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    RequestReader reader(bounds());
    std::string pending;
    std::size_t at = 0;
    while (at < text.size() && reader.phase() != Phase::complete) {
      const std::size_t piece = 1 + random() % 9;
      pending.append(text, at, piece);
      at += piece;
      pending.erase(0, reader.feed(pending));
    }
    ASSERT_EQ(reader.phase(), Phase::complete);
    EXPECT_EQ(reader.take().body, "hello world");
  }
}

TEST(RequestReader, TellsItsPhase) {
  RequestReader reader(bounds());
  EXPECT_EQ(reader.phase(), Phase::idle);
  reader.feed("POST / HTTP/1.1\r\n");
  EXPECT_EQ(reader.phase(), Phase::header);
  RequestReader other(bounds());
  other.feed("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(other.phase(), Phase::body);
  EXPECT_TRUE(other.take_expectation());
  EXPECT_FALSE(other.take_expectation());
}

TEST(RequestReader, TellsWhoSendsALongBodyBeforeItIsThere) {
  const auto head_of_body = [](std::size_t length) {
    RequestReader reader({.header_bytes_max = 1'024, .body_bytes_max = 2 * kUncheckedBodyBytesMax});
    reader.feed(fmt::format("POST / HTTP/1.1\r\nAuthorization: x\r\nContent-Length: {}\r\n\r\n", length));
    auto head = reader.take_early_head();
    EXPECT_FALSE(reader.take_early_head()) << "once";
    return head;
  };
  const auto head = head_of_body(kUncheckedBodyBytesMax + 1);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->authorization, "x");
  EXPECT_FALSE(head_of_body(kUncheckedBodyBytesMax)) << "a short one is soon there";
}

TEST(RequestReader, NamesItsBounds) {
  RequestReader header(bounds());
  header.feed("GET / HTTP/1.1\r\nX: " + std::string(2'000, 'x') + "\r\n\r\n");
  ASSERT_EQ(header.phase(), Phase::failed);
  EXPECT_EQ(header.failure().status, 431u);
  RequestReader endless(bounds());
  endless.feed("GET / HTTP/1.1\r\nX: " + std::string(2'000, 'x'));
  EXPECT_EQ(endless.failure().status, 431u);
  RequestReader body(bounds());
  body.feed("POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n");
  ASSERT_EQ(body.phase(), Phase::failed);
  EXPECT_EQ(body.failure().status, 413u);
  EXPECT_NE(body.failure().detail.find("1000 bytes"), std::string::npos);
}

TEST(RequestReader, SurvivesAnyBytes) {
  // Method: valid requests with bytes changed, from a fixed seed. Every one ends in some phase, and none is read beyond its end.
  const std::string valid =
      "POST /api/v1/jobs?x=1 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Type: "
      "application/json\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
  std::mt19937 random(5);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = valid;
    for (std::size_t edits = 1 + random() % 4; edits > 0; --edits) text[random() % text.size()] = static_cast<char>(random());
    RequestReader reader(bounds());
    const std::size_t used = reader.feed(text);
    ASSERT_LE(used, text.size());
    if (reader.phase() == Phase::complete) reader.take();
    if (reader.phase() != Phase::failed) continue;
    ASSERT_GE(reader.failure().status, 400u);
  }
}

}  // namespace
}  // namespace muster::http
