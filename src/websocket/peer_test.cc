#include "websocket/peer.h"

#include <gtest/gtest.h>

#include "websocket/websocket_testing.h"

namespace muster::websocket {
namespace {

using namespace std::chrono_literals;

constexpr Ticks kStart = 1'000s;

static_assert(sizeof(Peer) < 1'024, "ten thousand idle peers take little");

std::string text_of(const std::optional<PeerEvent>& event) {
  if (!event) return "nothing";
  return std::visit([](const auto& each) { return websocket::text_of(Event(each)); }, *event);
}

// What a peer makes of bytes.
Events given(Peer& peer, std::string_view bytes, Ticks now = kStart) {
  Events out;
  while (auto event = peer.received(bytes, now)) out.push_back(text_of(event));
  EXPECT_TRUE(bytes.empty());
  return out;
}

// What the other side reads of what a server's peer sends.
Events sent(Peer& peer) { return decoded({.role = Role::client}, peer.take_output()); }

std::string to_server_peer(const TestFrame& frame) { return frame_to(Role::server, frame); }

TEST(Peer, GivesMessagesAndSendsThem) {
  Peer peer({}, kStart);
  EXPECT_EQ(given(peer, to_server_peer({Opcode::text, "a"}) + to_server_peer({Opcode::binary, "b"})),
            (Events{"text a", "binary b"}));
  EXPECT_FALSE(peer.has_output());
  EXPECT_TRUE(peer.send_text("c"));
  EXPECT_TRUE(peer.send_binary("d"));
  PreparedText prepared("e");
  EXPECT_TRUE(peer.send_text_prepared(prepared));
  EXPECT_EQ(sent(peer), (Events{"text c", "binary d", "text e"}));
  EXPECT_EQ(peer.take_output(), "");
}

TEST(Peer, AnswersTheNewestOfManyPings) {
  Peer peer({}, kStart);
  for (int i = 0; i < 1'000; ++i) EXPECT_EQ(given(peer, to_server_peer({Opcode::ping, std::to_string(i)})), Events{});
  EXPECT_LT(peer.buffered(), 1'000U) << "a flood of pings takes no memory";
  EXPECT_EQ(sent(peer), Events{"pong 999"});
  given(peer, to_server_peer({Opcode::ping, "x"}));
  EXPECT_EQ(sent(peer), Events{"pong x"});
}

TEST(Peer, EchoesACloseAndIsFinished) {
  Peer peer({}, kStart);
  EXPECT_EQ(
      given(peer, to_server_peer({Opcode::ping, "p"}) + to_server_peer({Opcode::close, close_payload(CloseCode(4001), "why")}) +
                      to_server_peer({Opcode::text, "late"})),
      Events{"close 4001 why"});
  EXPECT_TRUE(peer.finished());
  EXPECT_EQ(sent(peer), (Events{"pong p", "close 4001 "}));
  EXPECT_FALSE(peer.send_text("x"));
  EXPECT_EQ(given(peer, to_server_peer({Opcode::text, "later"})), Events{});
  EXPECT_EQ(peer.take_output(), "");
  EXPECT_FALSE(peer.next_due());
}

TEST(Peer, EchoesACloseWithoutACodeWithoutOne) {
  Peer peer({}, kStart);
  EXPECT_EQ(given(peer, to_server_peer({Opcode::close, ""})), Events{"close 1005 "});
  EXPECT_EQ(peer.take_output(), bytes_of("88 00"));
}

TEST(Peer, WaitsForTheEchoOfItsOwnCloseAndGivesNothingMeanwhile) {
  Peer peer({}, kStart);
  peer.send_text("last");
  peer.close(CloseCode::going_away, "restart", kStart + 5s);
  peer.close(CloseCode::normal, "again", kStart + 50s);
  EXPECT_TRUE(peer.closing());
  EXPECT_FALSE(peer.finished());
  EXPECT_FALSE(peer.send_text("x"));
  EXPECT_EQ(sent(peer), (Events{"text last", "close 1001 restart"}));
  EXPECT_EQ(peer.next_due(), kStart + 5s);
  EXPECT_EQ(given(peer, to_server_peer({Opcode::text, "on its way"}) + to_server_peer({Opcode::ping, "p"})), Events{});
  EXPECT_EQ(peer.take_output(), "") << "nothing follows a close frame";
  EXPECT_EQ(given(peer, to_server_peer({Opcode::close, close_payload(CloseCode::going_away, "")})), Events{"close 1001 "});
  EXPECT_TRUE(peer.finished());
  EXPECT_EQ(peer.take_output(), "");
}

TEST(Peer, AnswersAPingBeforeItsOwnClose) {
  Peer peer({}, kStart);
  given(peer, to_server_peer({Opcode::ping, "p"}));
  peer.close(CloseCode::normal, "", kStart + 5s);
  EXPECT_EQ(sent(peer), (Events{"pong p", "close 1000 "}));
}

TEST(Peer, EndsACloseThatNobodyEchoesAtItsDeadline) {
  Peer peer({}, kStart);
  peer.close(CloseCode::normal, "", kStart + 5s);
  EXPECT_EQ(text_of(peer.tick(kStart + 5s - 1ns)), "nothing");
  EXPECT_FALSE(peer.finished());
  EXPECT_EQ(text_of(peer.tick(kStart + 5s)), "close 1006 the peer did not answer our close frame in time");
  EXPECT_TRUE(peer.finished());
  EXPECT_EQ(text_of(peer.tick(kStart + 50s)), "nothing") << "it is told once";
}

TEST(Peer, TellsAFaultToBothSides) {
  Peer peer({}, kStart);
  peer.send_text("before");
  EXPECT_EQ(given(peer, to_server_peer({Opcode::text, "\xFF"}) + to_server_peer({Opcode::text, "late"})),
            Events{"fault 1007 a text message is not UTF-8"});
  EXPECT_TRUE(peer.finished());
  EXPECT_EQ(sent(peer), (Events{"text before", "close 1007 a text message is not UTF-8"}));
}

TEST(Peer, SaysGoodbyeOnceEvenWhenTheEchoIsAFault) {
  Peer peer({}, kStart);
  peer.close(CloseCode::normal, "", kStart + 5s);
  sent(peer);
  EXPECT_EQ(given(peer, bytes_of("83 00")).size(), 1U);
  EXPECT_TRUE(peer.finished());
  EXPECT_EQ(peer.take_output(), "");
}

TEST(Peer, PingsASilentPeerAndGivesUpOnOneThatStaysSilent) {
  Peer peer({}, kStart);
  EXPECT_EQ(peer.next_due(), kStart + kPingAfterDefault);
  EXPECT_EQ(text_of(peer.tick(kStart + 20s - 1ns)), "nothing");
  EXPECT_FALSE(peer.has_output());
  EXPECT_EQ(text_of(peer.tick(kStart + 21s)), "nothing");
  EXPECT_EQ(sent(peer), Events{"ping "});
  EXPECT_EQ(peer.next_due(), kStart + 41s) << "the time to answer begins when the question is asked";
  EXPECT_EQ(text_of(peer.tick(kStart + 40s)), "nothing");
  EXPECT_FALSE(peer.has_output()) << "one question is enough";
  EXPECT_EQ(text_of(peer.tick(kStart + 41s)), "fault 1011 nothing was heard for 20000 ms after a ping");
  EXPECT_TRUE(peer.finished());
  EXPECT_EQ(sent(peer).size(), 1U);
}

TEST(Peer, TakesEveryByteForASignOfLife) {
  Peer peer({.ping_after = 10s, .pong_within = 5s}, kStart);
  peer.tick(kStart + 10s);
  const std::string message = to_server_peer({Opcode::text, "slow"});
  given(peer, message.substr(0, 3), kStart + 14s);
  EXPECT_EQ(peer.next_due(), kStart + 24s) << "half a header is life, though no pong";
  EXPECT_EQ(text_of(peer.tick(kStart + 15s)), "nothing");
  EXPECT_EQ(given(peer, message.substr(3), kStart + 20s), Events{"text slow"});
  EXPECT_EQ(peer.next_due(), kStart + 30s);
  given(peer, "", kStart + 25s);
  EXPECT_EQ(peer.next_due(), kStart + 30s) << "no byte is no sign";
}

TEST(Peer, NeverMindsSilenceWhenToldSo) {
  Peer peer({.ping_after = 0s}, kStart);
  EXPECT_FALSE(peer.next_due());
  EXPECT_EQ(text_of(peer.tick(kStart + 1'000'000s)), "nothing");
  EXPECT_FALSE(peer.has_output());
}

TEST(Peer, KeepsSmallMessagesSmallUntilToldOtherwise) {
  Peer peer({.message_bytes_max = 10}, kStart);
  peer.set_message_bytes_max(20);
  EXPECT_EQ(given(peer, to_server_peer({Opcode::text, std::string(20, 'x')})).size(), 1U);
  EXPECT_FALSE(peer.finished());
  EXPECT_EQ(given(peer, to_server_peer({Opcode::text, std::string(21, 'x')})),
            Events{"fault 1009 the message is larger than 20 bytes"});
}

TEST(Peer, OfAClientMasksWhatItSendsAndTakesWhatAServerSends) {
  Chance chance(8);
  Peer peer({.role = Role::client, .mask_keys = [&] { return chance.mask(); }}, kStart);
  peer.send_text("a");
  peer.close(CloseCode::normal, "", kStart + 1s);
  EXPECT_EQ(decoded({.role = Role::server}, peer.take_output()), (Events{"text a", "close 1000 "}));
  EXPECT_EQ(given(peer, bytes_of("88 02 03 E8")), Events{"close 1000 "});
}

}  // namespace
}  // namespace muster::websocket
