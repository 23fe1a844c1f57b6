// Requests as streams of HTTP/2: raw frames on the front's loop. What they answer is what the tests of HTTP/1.1 say; here is what
// is different.
#include "fronts/http/front_testing.h"
#include "fronts/http/stream_session.h"
#include "fronts/http2/raw_peer_testing.h"

namespace muster::http {
namespace {

using namespace std::chrono_literals;
using http2::Fields;
using http2::frame;
using http2::kEndHeaders;
using http2::kEndStream;
using http2::Kind;
using http2::Said;

constexpr std::string_view kKnown = "Bearer s";

class Http2Test : public FrontTest {
 protected:
  void TearDown() override {
    store.let_go();
    peer.reset();
    FrontTest::TearDown();
  }
  void open(HttpOptions options = {}) {
    start(std::move(options));
    peer = std::make_unique<http2::RawPeer>(loop, http2::Limits(), front->streams());
  }
  static HttpOptions guarded() {
    HttpOptions options;
    options.auth = {.tokens = {{.name = "o", .role = command::Role::operator_role, .secret = "s", .worker = {}}},
                    .required = true};
    return options;
  }
  static Fields head(const std::string& method, const std::string& path, const Fields& more = {}) {
    Fields fields{{":method", method}, {":scheme", "http"}, {":path", path}, {":authority", "localhost"}};
    fields.insert(fields.end(), more.begin(), more.end());
    return fields;
  }
  Said ask(const Fields& fields, const std::string& body = {}) { return peer->answer(peer->begin(fields, body)); }

  std::unique_ptr<http2::RawPeer> peer;
};

TEST_F(Http2Test, AnAnswerWithoutABodyEndsWithItsHeadAndNeedsNoWindow) {
  open();
  peer->send(frame(Kind::settings, 0, 0, http2::setting(4, 0)));
  EXPECT_EQ(ask(head("HEAD", "/healthz")).head.at(":status"), "200");
  EXPECT_EQ(ask(head("OPTIONS", "/api/v1/jobs")).head.at(":status"), "204");
  EXPECT_EQ(ask(head("HEAD", "/events")).head.at("content-type"), "text/event-stream");
}

TEST_F(Http2Test, AHeadIsBoundedAsOnHttp1WhateverElseTheConnectionCarries) {
  open();
  EXPECT_EQ(ask(head("GET", "/healthz", {{"x-long", std::string(12'000, 'x')}})).head.at(":status"), "200");
  const Fields two{{"x-long", std::string(8'100, 'x')}, {"x-longer", std::string(8'100, 'x')}};
  EXPECT_EQ(ask(head("GET", "/healthz", two)).head.at(":status"), "431");
}

TEST_F(Http2Test, AShortBodyIsAnsweredByItsRouteAndALongOneOfAStrangerIsNotKept) {
  HttpOptions options = guarded();
  options.cors_origins = {"https://console.example"};
  open(std::move(options));
  const Fields strange = head("POST", "/api/v1/jobs", {{"origin", "https://console.example"}});
  const Said refused = ask(strange, "{}");
  EXPECT_EQ(refused.head.at(":status"), "401");
  EXPECT_EQ(refused.head.at("access-control-allow-origin"), "https://console.example") << "the page may read why";

  const std::uint32_t stream = peer->stream += 2;
  peer->send(frame(Kind::headers, kEndHeaders, stream, http2::block(head("POST", "/api/v1/jobs"))));
  const std::string piece(16'000, ' ');
  for (std::size_t sent = 0; sent <= kUncheckedBodyBytesMax; sent += piece.size()) {
    EXPECT_FALSE(peer->has_ended(stream));
    peer->send(frame(Kind::data, 0, stream, piece));
  }
  EXPECT_EQ(peer->answer(stream).head.at(":status"), "401") << "before all of it has come";

  const Fields known = head("POST", "/api/v1/jobs", {{"authorization", std::string(kKnown)}});
  const std::uint32_t long_one = peer->stream += 2;
  peer->send(frame(Kind::headers, kEndHeaders, long_one, http2::block(known)));
  for (std::size_t sent = 0; sent <= kUncheckedBodyBytesMax; sent += piece.size())
    peer->send(frame(Kind::data, 0, long_one, piece));
  peer->send(frame(Kind::data, kEndStream, long_one, R"({"type":"t"})"));
  EXPECT_EQ(peer->answer(long_one).head.at(":status"), "201");
}

TEST_F(Http2Test, LongAnswersOfAConnectionAreMadeOneAtATime) {
  open();
  store.hold();
  const std::vector<std::uint32_t> pages{peer->begin(head("GET", "/api/v1/jobs")), peer->begin(head("GET", "/api/v1/jobs")),
                                         peer->begin(head("GET", "/api/v1/jobs"))};
  ASSERT_TRUE(eventually([&] { return store.held() > 0; }));
  EXPECT_EQ(store.held(), 1u);
  EXPECT_EQ(ask(head("GET", "/healthz")).head.at(":status"), "200") << "a short one does not wait";
  EXPECT_EQ(store.held(), 1u);
  store.let_go();
  for (const std::uint32_t page : pages) EXPECT_EQ(peer->answer(page).head.at(":status"), "200");
}

TEST_F(Http2Test, ALongAnswerDoesNotWaitForAClaimThatWaitsItself) {
  open();
  register_worker("w1");
  const std::uint32_t parked = peer->begin(head("POST", "/api/v1/jobs/claim"), R"({"worker":"w1","wait_ms":60000})");
  EXPECT_EQ(ask(head("GET", "/api/v1/jobs")).head.at(":status"), "200");
  EXPECT_FALSE(peer->has_ended(parked));
}

TEST_F(Http2Test, AClaimThatComesWhileTheConnectionDrainsDoesNotWait) {
  open();
  register_worker("w1");
  const std::uint32_t parked = peer->begin(head("POST", "/api/v1/jobs/claim"), R"({"worker":"w1","wait_ms":60000})");
  net::run_on(loop, [&] { peer->session->drain(); });
  EXPECT_EQ(peer->answer(parked).head.at(":status"), "200");
}

TEST_F(Http2Test, AClaimThatWasOnItsWayWhenTheConnectionDrainedDoesNotWait) {
  open();
  register_worker("w1");
  store.hold();
  const std::uint32_t page = peer->begin(head("GET", "/api/v1/jobs"));  // keeps the connection open
  net::run_on(loop, [&] { peer->session->drain(); });
  const std::uint32_t late = peer->begin(head("POST", "/api/v1/jobs/claim"), R"({"worker":"w1","wait_ms":60000})");
  store.let_go();
  EXPECT_EQ(peer->answer(late).head.at(":status"), "200");
  EXPECT_EQ(peer->answer(page).head.at(":status"), "200");
}

TEST_F(Http2Test, AListenerThatCarriesOtherStreamsTellsTheLargerBounds) {
  HttpOptions options;
  options.other_streams = http2::Limits{.streams_max = 10'000, .header_list_bytes_max = 64 * 1024};
  open(std::move(options));
  Client client = connect();
  client.send(std::string(http2::kPrefaceText) + frame(Kind::settings, 0, 0));
  const std::string settings = client.read_until(http2::setting(6, 64 * 1024));
  EXPECT_NE(settings.find(http2::setting(3, 10'000)), std::string::npos);
}

TEST_F(Http2Test, AListenerOfItsOwnTellsTheBoundsOfHttp) {
  open();
  Client client = connect();
  client.send(std::string(http2::kPrefaceText) + frame(Kind::settings, 0, 0));
  const std::string settings = client.read_until(http2::setting(6, 16 * 1024));
  EXPECT_NE(settings.find(http2::setting(3, 64)), std::string::npos);
}

}  // namespace
}  // namespace muster::http
