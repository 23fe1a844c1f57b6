// What a session allows its peer, and what becomes of one that asks for more: floods, bombs, silence, windows, the end.
#include "fronts/http2/session.h"

#include <algorithm>
#include <string>

#include "fronts/http2/session_testing.h"

namespace muster::http2 {
namespace {

using namespace std::chrono_literals;

std::string text_of_goaway(const std::vector<Frame>& all) {
  for (const Frame& each : all)
    if (each.kind == Kind::goaway) return each.payload.substr(8);
  return {};
}

TEST_F(SessionTest, ARequestIsAnsweredWithHeadBodyAndTrailers) {
  connect();
  send(request(1, kEndHeaders) + frame(Kind::data, 0, 1, "hal") + frame(Kind::data, kEndStream, 1, "lo"));
  const std::vector<Frame> sent = frames();
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[0].kind, Kind::headers);
  EXPECT_EQ(sent[1].payload, "hallo");
  EXPECT_EQ(sent[2].kind, Kind::headers);
  EXPECT_EQ(sent[2].flags & kEndStream, kEndStream);
  EXPECT_EQ(script.paths, std::vector<std::string>{"/x"});
  EXPECT_TRUE(script.taken.empty()) << "the operating system has not taken it yet";
  for (auto& done : connection.waiting) done(true);
  EXPECT_EQ(script.taken, std::vector<bool>{true});
  EXPECT_EQ(script.closed, 1);
}

TEST_F(SessionTest, BytesThatArriveOneByOneMeanTheSame) {
  connect();
  for (const char byte : request(1, kEndHeaders) + frame(Kind::data, kEndStream, 1, "hallo")) send({&byte, 1});
  EXPECT_TRUE(answered(1));
  EXPECT_EQ(script.bodies[1], "hallo");
}

TEST_F(SessionTest, AnAnswerThatItsPeerCancelsIsNotTaken) {
  script.answer = std::string(200'000, 'x');  // more than the peer's window
  connect();
  send(request(1));
  EXPECT_FALSE(answered(1));
  send(frame(Kind::rst_stream, 0, 1, number32(8)));
  EXPECT_EQ(script.taken, std::vector<bool>{false});
  EXPECT_EQ(script.closed, 1);
}

TEST_F(SessionTest, EverythingEndsWithTheConnection) {
  script.waits = true;
  connect();
  send(request(1) + request(3, kEndHeaders));
  session->closed();
  EXPECT_EQ(script.closed, 2);
}

TEST_F(SessionTest, PingsThatComeTooOftenEndTheConnectionInTheWordsClientsKnow) {
  connect();
  for (int i = 0; i < 3; ++i) send(frame(Kind::ping, 0, 0, "12345678"));
  EXPECT_EQ(goaway(), std::nullopt) << "one is allowed, and two strikes";
  send(frame(Kind::ping, 0, 0, "12345678"));
  EXPECT_EQ(goaway(), Fault::calm_down);
  EXPECT_EQ(text_of_goaway(all), "too_many_pings");
  EXPECT_TRUE(connection.closed);
}

TEST_F(SessionTest, PingsAreFineAfterAWhileAndAfterAnAnswer) {
  connect();
  for (int i = 0; i < 20; ++i) {
    send(frame(Kind::ping, 0, 0, "12345678"));
    clock.advance(10s);
  }
  for (std::uint32_t i = 0; i < 20; ++i) send(frame(Kind::ping, 0, 0, "12345678") + request(2 * i + 1));
  EXPECT_EQ(goaway(), std::nullopt);
}

TEST_F(SessionTest, APingForEveryAnswerIsNoFloodHoweverManyThereAre) {
  connect();
  for (std::uint32_t i = 0; i < 2 * kControlsBurst; ++i) send(frame(Kind::ping, 0, 0, "12345678") + request(2 * i + 1));
  EXPECT_EQ(goaway(), std::nullopt);
}

TEST_F(SessionTest, AFloodOfSettingsEndsTheConnection) {
  connect();
  for (std::uint64_t i = 0; i < kControlsBurst; ++i) send(frame(Kind::settings, 0, 0));
  EXPECT_EQ(goaway(), Fault::calm_down);
  EXPECT_TRUE(connection.closed);
}

TEST_F(SessionTest, AFloodOfEmptyDataOrOfPrioritiesEndsTheConnection) {
  connect();
  send(request(1, kEndHeaders));
  for (std::uint64_t i = 0; i < kControlsBurst; ++i)
    send(i % 2 == 0 ? frame(Kind::data, 0, 1) : frame(Kind::priority, 0, 3, number32(0) + "\x10"));
  EXPECT_EQ(goaway(), Fault::calm_down);
}

TEST_F(SessionTest, StreamsThatAreOpenedAndResetAllTheTimeEndTheConnection) {
  script.waits = true;
  connect();
  for (std::uint32_t i = 0; i <= 10 * kResetsBurst && !connection.closed; ++i)
    send(request(2 * i + 1) + frame(Kind::rst_stream, 0, 2 * i + 1, number32(8)));
  EXPECT_TRUE(goaway().has_value());
  EXPECT_TRUE(connection.closed);
  EXPECT_TRUE(script.open.empty());
}

TEST_F(SessionTest, ABlockOfTooManyFramesEndsTheConnection) {
  connect();
  send(frame(Kind::headers, kEndStream, 1, block(request_fields())));
  for (std::size_t i = 0; i <= kContinuationsMax && !connection.closed; ++i)
    send(frame(Kind::continuation, 0, 1, block({{"x", "y"}})));
  EXPECT_TRUE(connection.closed);
  EXPECT_EQ(script.begun, 0u);
}

TEST_F(SessionTest, AHeaderListThatGrowsOutOfBoundsEndsTheConnection) {
  Limits narrow;
  narrow.header_list_bytes_max = 4'096;
  connect(narrow);
  auto fields = request_fields();
  fields.emplace_back("x-large", std::string(5'000, 'x'));
  send(frame(Kind::headers, kEndStream | kEndHeaders, 1, block(fields)));
  EXPECT_EQ(script.begun, 1u) << "its handler answers for it";
  EXPECT_EQ(goaway(), std::nullopt);
  // One entry of the table, named over and over: a few bytes that mean megabytes.
  std::string bomb = block(request_fields());
  bomb += "\x40\x01x\x7f\x81\x1e" + std::string(4'000, 'x') + std::string(1'000, '\xbe');
  send(frame(Kind::headers, kEndStream | kEndHeaders, 3, bomb));
  EXPECT_EQ(goaway(), Fault::calm_down);
  EXPECT_TRUE(connection.closed);
}

TEST_F(SessionTest, ABodyIsReadAsFarAsItsHandlerKeepsUpAndTheConnectionHasRoom) {
  Limits narrow;
  narrow.stream_window_bytes = 65'535;
  narrow.unfinished_bytes_max = 100'000;
  script.waits = true;
  connect(narrow);
  const std::string piece(16'000, 'x');
  send(request(1, kEndHeaders) + request(3, kEndHeaders));
  const auto windows = [this](std::uint32_t stream) {
    frames();
    return std::count_if(all.begin(), all.end(),
                         [&](const Frame& each) { return each.kind == Kind::window_update && each.stream == stream; });
  };
  for (int i = 0; i < 4; ++i) send(frame(Kind::data, 0, 1, piece) + frame(Kind::data, 0, 3, piece));
  EXPECT_GT(windows(1), 0);
  const auto before = windows(3);
  for (int i = 0; i < 3; ++i) send(frame(Kind::data, 0, 3, piece));
  EXPECT_EQ(windows(3), before) << "too much is kept: the oldest alone goes on";
  const auto oldest = windows(1);
  for (int i = 0; i < 4; ++i) send(frame(Kind::data, 0, 1, piece));
  EXPECT_GT(windows(1), oldest);
  send(frame(Kind::rst_stream, 0, 1, number32(8)));
  EXPECT_GT(windows(3), before) << "there is room again";
  session->closed();
}

TEST_F(SessionTest, WithoutRoomANewRequestIsRefusedAndAYoungerBodyGivenUp) {
  script.waits = true;
  connect();
  send(request(1, kEndHeaders) + request(3, kEndHeaders));
  connection.room = false;
  send(request(5) + frame(Kind::data, 0, 3, "x") + frame(Kind::data, 0, 1, "x"));
  EXPECT_EQ(reset_of(5), Fault::refused);
  EXPECT_EQ(reset_of(3), Fault::calm_down);
  EXPECT_EQ(reset_of(1), std::nullopt) << "the oldest goes on, or nothing would";
  session->closed();
}

TEST_F(SessionTest, APeerThatReadsNothingIsReadNoFurtherUntilItDoes) {
  script.waits = true;
  connect();
  send(request(1));
  connection.room = false;
  connection.stuck = true;
  constexpr std::uint32_t kTries = 200'000;
  std::uint32_t i = 1;
  for (; i < kTries && !connection.paused; ++i) send(request(2 * i + 1));
  EXPECT_TRUE(connection.paused);
  EXPECT_LT(connection.sent.size(), 2 * kUnreadFrameBytesMax);
  pass(60s);
  session->output_drained();
  EXPECT_TRUE(connection.paused) << "there was room in the node, not on the connection";
  connection.stuck = false;
  session->output_drained();
  EXPECT_FALSE(connection.paused);
  send(request(2 * i + 1));
  EXPECT_TRUE(reset_of(2 * i + 1).has_value());
  session->closed();
}

TEST_F(SessionTest, AnAnswerThatIsNeverSentToItsLastByteLetsGoOfWhatHasLeft) {
  script.waits = true;
  connect();
  send(request(1));
  Stream& stream = *script.open.at(1);
  stream.respond(200, {});
  std::string expected(70'000, '-');
  stream.send(expected);
  for (char piece = 'a'; piece <= 'z'; ++piece) {
    // A little is always left: the window was too small from the start.
    stream.send(std::string(65'000, piece));
    expected.append(65'000, piece);
    send(frame(Kind::window_update, 0, 0, number32(64'000)) + frame(Kind::window_update, 0, 1, number32(64'000)));
    EXPECT_LT(stream.kept(), 2 * stream.unsent() + 2 * kSentBytesKept) << piece;
  }
  ASSERT_GT(stream.unsent(), 0u);
  frames();
  std::string got;
  for (const Frame& each : all)
    if (each.kind == Kind::data) got += each.payload;
  EXPECT_TRUE(expected.starts_with(got));
  EXPECT_EQ(got.size(), expected.size() - stream.unsent());
  session->closed();
}

TEST_F(SessionTest, APeerThatOwesBytesIsNotWaitedForForEver) {
  connect();
  send(request(1, kEndHeaders) + frame(Kind::data, 0, 1, "x"));
  pass(29s);
  EXPECT_EQ(script.expired, 0);
  pass(1s);
  EXPECT_EQ(script.expired, 1);
  EXPECT_EQ(reset_of(1), Fault::cancel);
}

TEST_F(SessionTest, AStreamWhoseWindowIsWithheldOwesNothingUntilItIsGivenBack) {
  Limits narrow;
  narrow.unfinished_bytes_max = 30'000;
  script.waits = true;
  connect(narrow);
  const std::string piece(16'000, 'x');
  send(request(1, kEndHeaders) + request(3, kEndHeaders) + frame(Kind::data, 0, 1, piece) + frame(Kind::data, 0, 3, piece));
  pass(20s);
  send(frame(Kind::data, 0, 1, "x"));
  pass(20s);
  EXPECT_EQ(script.expired, 0) << "the older one sends, the younger one waits for us";
  send(frame(Kind::data, kEndStream, 1, "x"));
  pass(29s);
  EXPECT_EQ(script.expired, 0);
  pass(1s);
  EXPECT_EQ(script.expired, 1);
  EXPECT_EQ(reset_of(3), Fault::cancel);
  session->closed();
}

TEST_F(SessionTest, AStreamWhoseHandlerReadsNoFurtherOwesNothing) {
  script.waits = true;
  connect();
  send(request(1, kEndHeaders) + frame(Kind::data, 0, 1, "x"));
  script.open.at(1)->pause_input();
  pass(60s);
  EXPECT_EQ(script.expired, 0);
  script.open.at(1)->resume_input();
  pass(29s);
  EXPECT_EQ(script.expired, 0);
  pass(1s);
  EXPECT_EQ(script.expired, 1);
}

TEST_F(SessionTest, AnAnswerThatWaitsForTheSystemAloneIsNotGivenUp) {
  script.answer = std::string(600'000, 'x');
  connect();
  send(frame(Kind::settings, 0, 0, setting(4, 1'000'000)) + frame(Kind::window_update, 0, 0, number32(1'000'000)));
  connection.stuck = true;
  send(request(1));
  EXPECT_FALSE(answered(1));
  pass(60s);
  EXPECT_EQ(reset_of(1), std::nullopt);
  connection.stuck = false;
  for (int i = 0; i < 3; ++i) session->output_drained();
  EXPECT_TRUE(answered(1));
}

TEST_F(SessionTest, AnAnswerThatWaitsForRoomIsWholeWhateverOtherConnectionsAreSentMeanwhile) {
  constexpr std::size_t kBytes = 600'000;
  script.answer = std::string(kBytes, 'x');
  connect();
  send(frame(Kind::settings, 0, 0, setting(4, 1'000'000)) + frame(Kind::window_update, 0, 0, number32(1'000'000)));
  connection.stuck = true;
  send(request(1));
  net::HeldConnection elsewhere;
  const auto other = std::make_shared<Session>(service, elsewhere);
  other->begin();
  script.answer = "short";
  other->received(std::string(kPrefaceText) + frame(Kind::settings, 0, 0) + request(1));
  EXPECT_NE(elsewhere.sent.find("short"), std::string::npos) << "they make their frames in the same place";
  connection.stuck = false;
  for (int i = 0; i < 3; ++i) session->output_drained();
  EXPECT_TRUE(answered(1));
  std::string body;
  for (const Frame& each : all)
    if (each.kind == Kind::data) body += each.payload;
  EXPECT_EQ(body, std::string(kBytes, 'x'));
  other->closed();
}

TEST_F(SessionTest, AMalformedHeadEndsItsStreamAndIsNotWaitedForAfterwards) {
  connect();
  auto without_path = request_fields();
  without_path.erase(without_path.begin() + 2);
  send(frame(Kind::headers, kEndStream | kEndHeaders, 1, block(without_path)));
  EXPECT_EQ(reset_of(1), Fault::protocol);
  auto shouting = request_fields();
  shouting.emplace_back("X-Loud", "yes");
  send(frame(Kind::headers, kEndStream | kEndHeaders, 3, block(shouting)));
  EXPECT_EQ(reset_of(3), Fault::protocol);
  pass(60s);
  EXPECT_EQ(goaway(), std::nullopt);
  send(request(5));
  EXPECT_TRUE(answered(5));
}

TEST_F(SessionTest, APeerThatOpensNoWindowLosesItsAnswer) {
  script.answer = std::string(200'000, 'x');
  connect();
  send(request(1));
  pass(30s);
  EXPECT_EQ(reset_of(1), Fault::cancel);
  EXPECT_EQ(script.taken, std::vector<bool>{false});
  EXPECT_FALSE(connection.closed);
}

TEST_F(SessionTest, AnAnswerIsTimedAfterOthersThatHadNoByte) {
  script.trailers = false;
  connect();
  send(request(1));
  EXPECT_TRUE(answered(1));
  script.answer = std::string(200'000, 'x');
  send(request(3));
  pass(1ms);
  EXPECT_EQ(connection.expires_in, Limits().output_silence);
}

TEST_F(SessionTest, AnAnswerWithoutAByteWhoseEndFindsNoWindowIsNotKeptForEver) {
  script.trailers = false;
  connect();
  send(frame(Kind::settings, 0, 0, setting(4, 0)) + request(1));
  EXPECT_FALSE(answered(1)) << "even an end without bytes waits for a window";
  pass(1ms);
  EXPECT_EQ(connection.expires_in, Limits().output_silence);
  pass(30s);
  EXPECT_EQ(reset_of(1), Fault::cancel);
  EXPECT_EQ(script.closed, 1);
}

TEST_F(SessionTest, AnAnswerWhoseHeadOrTrailersAreTooLongIsAnErrorOfOursAndNotKept) {
  script.waits = true;
  connect();
  send(request(1) + request(3));
  const std::string long_text(70'000, 'x');
  const std::vector<Field> fields{{"x-long", long_text}};
  script.open.at(1)->respond_and_end(200, fields);
  script.open.at(2)->respond(200, {});
  script.open.at(2)->finish(fields);
  session->output_drained();
  EXPECT_EQ(reset_of(1), Fault::internal);
  EXPECT_EQ(reset_of(3), Fault::internal);
  EXPECT_EQ(script.closed, 2);
}

TEST_F(SessionTest, AnIdleConnectionEndsInGoodOrder) {
  Limits brief;
  brief.idle = Duration(60'000);
  connect(brief);
  pass(60s);
  EXPECT_EQ(goaway(), Fault::none);
  EXPECT_TRUE(connection.closed);
}

TEST_F(SessionTest, APeerThatSaysNothingAtFirstIsLetGo) {
  begin();
  pass(10s);
  EXPECT_TRUE(connection.closed);
}

TEST_F(SessionTest, AQuietPeerIsAskedWhetherItIsThereAndEndsWhenItDoesNotAnswer) {
  Limits watchful;
  watchful.keepalive = Duration(20'000);
  script.waits = true;
  connect(watchful);
  send(request(1));
  pass(20s);
  std::vector<Frame> sent = frames();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].kind, Kind::ping);
  send(frame(Kind::ping, kAck, 0, sent[0].payload));
  pass(20s);
  EXPECT_EQ(frames().size(), 1u);
  EXPECT_FALSE(connection.closed);
  pass(20s);
  EXPECT_TRUE(connection.closed);
  session->closed();
}

TEST_F(SessionTest, DrainingSaysSoServesWhatIsUnderWayAndEnds) {
  script.waits = true;
  connect();
  send(request(1, kEndHeaders));
  session->drain();
  EXPECT_EQ(script.draining, 1);
  std::vector<Frame> sent = frames();
  ASSERT_EQ(sent.size(), 2u) << "a notice, and a ping that shows when it was heard";
  EXPECT_EQ(sent[0].payload.substr(0, 4), number32(0x7fffffff));
  send(request(3));
  EXPECT_EQ(script.begun, 2u) << "it was on its way";
  EXPECT_EQ(script.draining, 2) << "and is told at once";
  send(frame(Kind::ping, kAck, 0, sent[1].payload));
  sent = frames();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].payload.substr(0, 4), number32(3));
  send(request(5));
  EXPECT_EQ(script.begun, 2u);
  EXPECT_FALSE(connection.closed);
  script.waits = false;
  send(frame(Kind::data, kEndStream, 1, "x") + frame(Kind::rst_stream, 0, 3, number32(8)));
  EXPECT_TRUE(answered(1));
  EXPECT_TRUE(connection.closed);
}

TEST_F(SessionTest, AConnectionWithNothingUnderWayDrainsAtOnce) {
  connect();
  session->drain();
  send(frame(Kind::ping, kAck, 0, "draining"));
  EXPECT_EQ(goaway(), Fault::none);
  EXPECT_TRUE(connection.closed);
}

TEST_F(SessionTest, LongAnswersAreMadeOneAtATimeAndAsFarAsThereIsRoom) {
  script.waits = true;
  connect();
  std::vector<std::uint32_t> begun;
  for (std::uint32_t i = 1; i <= 5; ++i) {
    send(request(2 * i - 1));
    script.open.at(i)->when_room([&begun, i] { begun.push_back(i); });
  }
  EXPECT_EQ(begun, (std::vector<std::uint32_t>{1}));
  const auto answer = [this](std::uint32_t i) {
    script.open.at(i)->respond(200, {});
    script.open.at(i)->send(std::string(100'000, 'x'));  // more than the window
    script.open.at(i)->finish({});
    session->output_drained();
  };
  answer(1);
  EXPECT_EQ(begun, (std::vector<std::uint32_t>{1, 2})) << "the first is made, and there is room";
  connection.room = false;
  answer(2);
  EXPECT_EQ(begun.size(), 2u);
  send(frame(Kind::rst_stream, 0, 5, number32(8)));
  connection.room = true;
  session->output_drained();
  EXPECT_EQ(begun, (std::vector<std::uint32_t>{1, 2, 4})) << "the third went away";
  script.open.at(4)->make_way();
  session->output_drained();
  EXPECT_EQ(begun, (std::vector<std::uint32_t>{1, 2, 4, 5})) << "it waits itself";
  session->closed();
}

TEST_F(SessionTest, TenThousandStreamsAtOnceAreServedAndLeaveNothing) {
  script.waits = true;
  connect();
  std::string burst;
  for (std::uint32_t i = 0; i < 10'000; ++i) burst += request(2 * i + 1);
  send(burst);
  EXPECT_EQ(script.open.size(), 10'000u);
  session->closed();
  EXPECT_EQ(script.closed, 10'000);
}

}  // namespace
}  // namespace muster::http2
