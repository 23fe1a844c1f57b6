// The bounds of a connection, and what is said at each.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "fronts/resp/call.h"
#include "fronts/resp/clients.h"
#include "fronts/resp/front_testing.h"

namespace muster::resp {
namespace {

class FrontLimitsTest : public FrontTest {
 protected:
  std::size_t used() {
    std::size_t bytes = 0;
    on_loop([&] { bytes = core().options.budget->used(); });
    return bytes;
  }
  // The most there were until nothing moved for a while.
  std::size_t settled() {
    std::size_t most = used();
    std::size_t last = most;
    for (int still = 0; still < 20; ++still) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const std::size_t now = used();
      most = std::max(most, now);
      if (now != last) still = 0;
      last = now;
    }
    return most;
  }
};

TEST_F(FrontLimitsTest, OneConnectionTooManyIsToldSo) {
  RespOptions options;
  options.limits.connections_max = 2;
  start(options);
  Wire first = operate();
  Wire second = connect();
  EXPECT_EQ(second.call({"PING"}), "-ERR NOAUTH Authentication required\r\n");
  EXPECT_EQ(connect().read_to_end(), "-ERR max number of clients reached\r\n");
  second.close();
  EXPECT_TRUE(eventually([&] { return connect().call({"AUTH", kTestKey}) == "+OK\r\n"; }));
}

TEST_F(FrontLimitsTest, OneAddressMayNotTakeAllConnections) {
  RespOptions options;
  options.limits.connections_per_address_max = 1;
  start(options);
  Wire first = operate();
  EXPECT_EQ(connect().read_to_end(), "-ERR max number of clients reached\r\n");
  Wire elsewhere(port(), "127.0.0.2");
  EXPECT_EQ(elsewhere.call({"AUTH", kTestKey}), "+OK\r\n");
}

TEST_F(FrontLimitsTest, OnlyConnectionsThatNeverAuthenticatedEndByIdleness) {
  start();
  Wire known = operate();
  Wire unknown = connect();
  EXPECT_EQ(unknown.call({"PING"}), "-ERR NOAUTH Authentication required\r\n");
  advance(Duration(61'000));
  EXPECT_TRUE(unknown.closed());
  advance(Duration(24 * 3'600'000LL));
  EXPECT_EQ(known.call({"PING"}), "+PONG\r\n");
}

TEST_F(FrontLimitsTest, AnIdleTimeIsKeptWhenItIsConfigured) {
  RespOptions options;
  options.limits.idle = Duration(5'000);
  start(options);
  Wire wire = operate();
  advance(Duration(4'000));
  EXPECT_EQ(wire.call({"PING"}), "+PONG\r\n");
  advance(Duration(4'000));
  EXPECT_EQ(wire.call({"PING"}), "+PONG\r\n");
  advance(Duration(6'000));
  EXPECT_TRUE(wire.closed());
}

TEST_F(FrontLimitsTest, APipelineLongerThanTheBoundIsReadInPieces) {
  RespOptions options;
  options.limits.pipeline_max = 3;
  start(options);
  Wire wire = operate();
  std::string sent;
  for (int i = 0; i < 50; ++i) sent += frame({"INFO", "memory"}) + frame({"ECHO", std::to_string(i)});
  wire.send(sent);
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(wire.read_reply().starts_with("$")) << i;
    const std::string word = std::to_string(i);
    ASSERT_EQ(wire.read_reply(), "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n");
  }
}

TEST_F(FrontLimitsTest, APeerThatDoesNotReadIsNotAnsweredWithoutEnd) {
  start();
  Wire wire = operate();
  const std::string word(1'000'000, 'x');
  const std::string sent = frame({"ECHO", word});
  const std::string reply = "$1000000\r\n" + word + "\r\n";
  std::thread writer([&] {
    for (int i = 0; i < 40; ++i) wire.send(sent);
  });
  for (int i = 0; i < 40; ++i) ASSERT_EQ(wire.read(reply.size()), reply) << i;
  writer.join();
}

TEST_F(FrontLimitsTest, PipelinedReadsOfALargeValueHoldABoundedNumberOfBytes) {
  start();
  Wire wire = operate();
  constexpr int kReads = 1'000;
  const std::vector<std::string> values{std::string(1 << 20, 'a'), std::string(1 << 20, 'b'), std::string(1 << 20, 'c')};
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(wire.call({"SET", std::to_string(i), values[i]}), "+OK\r\n");
  std::string sent;
  for (int i = 0; i < kReads; ++i) sent += frame({"GET", std::to_string(i % 3)});
  wire.send(sent);
  // One part of the connection is full, and what was made on top of it is one run's worth.
  ASSERT_TRUE(eventually([&] { return used() >= net::kConnectionBytesDefault; }));
  EXPECT_LE(settled(), net::kConnectionBytesDefault + kRunAnswerBytesMax + (32u << 20));
  for (int i = 0; i < kReads; ++i) {
    const std::string& value = values[static_cast<std::size_t>(i % 3)];
    ASSERT_EQ(wire.read(value.size() + 12), "$1048576\r\n" + value + "\r\n") << i;
  }
  EXPECT_TRUE(eventually([&] { return used() == 0; }));
}

TEST_F(FrontLimitsTest, WhatComesBehindABlockedPopIsBounded) {
  start();
  Wire wire = operate();
  const std::string value(1 << 20, 'x');
  constexpr int kWrites = 100;
  std::thread writer([&] {
    wire.send(frame({"BRPOP", "nothing", "0"}));
    for (int i = 0; i < kWrites; ++i) wire.send(frame({"SET", "k", value}));
  });
  ASSERT_TRUE(eventually([&] { return used() >= net::kConnectionBytesDefault; }));
  EXPECT_LE(settled(), net::kConnectionBytesDefault + (2u << 20));
  Wire other = operate();
  EXPECT_EQ(other.call({"LPUSH", "nothing", "e"}), ":1\r\n");
  EXPECT_EQ(wire.read_reply(), "*2\r\n$7\r\nnothing\r\n$1\r\ne\r\n");
  for (int i = 0; i < kWrites; ++i) ASSERT_EQ(wire.read_reply(), "+OK\r\n") << i;
  writer.join();
}

TEST_F(FrontLimitsTest, AnswersOfThisProcessAreNotMadeForAPeerThatDoesNotRead) {
  start();
  Wire wire = operate();
  constexpr int kAsked = 5'000;
  std::string sent;
  for (int i = 0; i < kAsked; ++i) sent += frame({"COMMAND", "DOCS"});
  std::thread writer([&] { wire.send(sent); });
  ASSERT_TRUE(eventually([&] { return used() >= net::kConnectionBytesDefault; }));
  EXPECT_LE(settled(), net::kConnectionBytesDefault + kRunAnswerBytesMax);
  const std::string first = wire.read_reply();
  EXPECT_TRUE(first.starts_with("*"));
  for (int i = 1; i < kAsked; ++i) ASSERT_EQ(wire.read(first.size()), first) << i;
  writer.join();
}

TEST_F(FrontLimitsTest, AFullNodeStillServesThoseWithLittleUnderWay) {
  RespOptions options;
  start(options);
  net::ByteBudget::Share others(core().options.budget, [] {});
  on_loop([&] { others.set(net::kNodeBytesDefault); });
  Wire wire = operate();
  EXPECT_EQ(wire.call({"SET", "k", std::string(1 << 20, 'x')}), "+OK\r\n") << "one of the large ones is let through";
  EXPECT_EQ(wire.call({"GET", "k"}).size(), (1u << 20) + 12);
  EXPECT_EQ(wire.call({"PING"}), "+PONG\r\n");
  on_loop([&] { others.end(); });
}

TEST_F(FrontLimitsTest, ALargeCommandWaitsForRoomAndGoesOnWhenThereIs) {
  start();
  net::ByteBudget::Share others(core().options.budget, [] {});
  on_loop([&] {
    others.set(net::kNodeBytesDefault);
    EXPECT_TRUE(others.within_node()) << "it is the one that is let through";
  });
  Wire wire = operate();
  const std::string value(8 << 20, 'x');
  std::thread writer([&] { wire.send(frame({"SET", "k", value})); });
  ASSERT_TRUE(eventually([&] { return used() > net::kNodeBytesDefault + net::kFreeBytesMax; }));
  EXPECT_LE(settled(), net::kNodeBytesDefault + (1u << 20)) << "no more of it is read";
  Wire small = operate();
  EXPECT_EQ(small.call({"PING"}), "+PONG\r\n");
  on_loop([&] { others.end(); });
  EXPECT_EQ(wire.read_reply(), "+OK\r\n");
  writer.join();
}

TEST_F(FrontLimitsTest, AConnectionHasATimeToAuthenticateHoweverItTrickles) {
  start();
  Wire wire = connect();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(wire.call({"PING"}), "-ERR NOAUTH Authentication required\r\n");
    advance(Duration(30'000));
  }
  EXPECT_TRUE(wire.closed());
  Wire known = operate();
  advance(Duration(24 * 3'600'000LL));
  EXPECT_EQ(known.call({"PING"}), "+PONG\r\n");
}

TEST_F(FrontLimitsTest, ACommandThatDoesNotArriveInTimeIsToldSo) {
  start();
  Wire wire = operate();
  EXPECT_EQ(wire.call({"PING"}), "+PONG\r\n");
  wire.send("*2\r\n$3\r\nGE");
  ASSERT_TRUE(eventually([&] { return used() > 0; }));
  advance(Duration(40'000));
  wire.send("T\r\n");
  advance(Duration(21'000));
  EXPECT_EQ(wire.read_to_end(), "-ERR Protocol error: the command did not arrive in time\r\n");
}

TEST_F(FrontLimitsTest, EachCommandOfAStreamHasItsOwnTime) {
  start();
  Wire wire = operate();
  const std::string ping = frame({"PING"});
  wire.send(ping.substr(0, 6));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(eventually([&] { return used() > 0; }));
    advance(Duration(40'000));
    wire.send(ping.substr(6) + ping.substr(0, 6));
    ASSERT_EQ(wire.read_reply(), "+PONG\r\n") << i;
  }
}

TEST_F(FrontLimitsTest, NamesOfSubscriptionsCountByTheirBytes) {
  RespOptions options;
  options.limits.channel_bytes_max = 2'000;
  options.limits.channel_bytes_in_all_max = 3'000;
  start(options);
  Wire wire = operate();
  const std::string long_name(700, 'n');
  EXPECT_TRUE(wire.call({"SUBSCRIBE", long_name + "1"}).starts_with("*3"));
  EXPECT_TRUE(wire.call({"PSUBSCRIBE", long_name + "2"}).starts_with("*3"));
  EXPECT_EQ(wire.call({"SUBSCRIBE", "short"}),
            "-ERR too many subscriptions; at most 2000 bytes of one connection, 256 and the name each\r\n");
  Wire second = operate();
  EXPECT_TRUE(second.call({"SUBSCRIBE", long_name}).starts_with("*3"));
  EXPECT_EQ(second.call({"SUBSCRIBE", "short"}),
            "-ERR too many subscriptions; at most 3000 bytes of all connections; try again later\r\n");
  wire.close();
  EXPECT_TRUE(eventually([&] { return second.call({"SUBSCRIBE", "short"}).starts_with("*3"); }));
}

TEST_F(FrontLimitsTest, StoppingDoesNotWaitForPeersThatNeitherReadNorFinish) {
  start();
  Wire full = operate();
  ASSERT_EQ(full.call({"SET", "k", std::string(1 << 20, 'x')}), "+OK\r\n");
  std::string sent;
  for (int i = 0; i < 200; ++i) sent += frame({"GET", "k"});
  full.send(sent);
  Wire half = operate();
  half.send("*2\r\n$3\r\nGE");
  ASSERT_TRUE(eventually([&] { return used() >= net::kConnectionBytesDefault; }));
  std::thread stopping([&] { front->stop(Duration(5'000)); });
  EXPECT_TRUE(half.closed());
  half.close();
  advance(Duration(5'100));
  stopping.join();
}

TEST_F(FrontLimitsTest, ServesAUnixSocketThatIsItsOwnersAlone) {
  const std::string path = folder + "/resp.sock";
  RespOptions options;
  options.addresses = {{.host = "127.0.0.1"}, {.host = path, .port = 0, .is_unix = true}};
  start(options);
  EXPECT_EQ(front->addresses().at(1), "unix:" + path);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_TRUE(S_ISSOCK(info.st_mode));
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
  Wire wire(path);
  ASSERT_TRUE(wire.connected());
  EXPECT_EQ(wire.call({"PING"}), "-ERR NOAUTH Authentication required\r\n");
  EXPECT_EQ(wire.call({"AUTH", kTestKey}), "+OK\r\n");
  EXPECT_EQ(wire.call({"PING"}), "+PONG\r\n");
  EXPECT_NE(wire.call({"CLIENT", "INFO"}).find("addr=unix "), std::string::npos);
  Wire tcp = operate();
  EXPECT_EQ(tcp.call({"PING"}), "+PONG\r\n");

  // A second one on the same file is refused while the first lives.
  options.addresses = {{.host = path, .port = 0, .is_unix = true}};
  options.keys = {{.name = "operator", .role = command::Role::operator_role, .secret = kTestKey, .worker = {}}};
  EXPECT_EQ(RespFront::start(*loop, *door, *metrics, options).code(), Code::unavailable);
  EXPECT_EQ(wire.call({"PING"}), "+PONG\r\n");
  stop_all();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(FrontLimitsTest, AStaleSocketFileIsReplacedAndAnyOtherFileIsNot) {
  const std::string path = folder + "/resp.sock";
  {
    // A socket that nobody listens on, as a killed process leaves it.
    RespOptions options;
    options.addresses = {{.host = path, .port = 0, .is_unix = true}};
    const std::string moved = folder + "/kept.sock";
    start(options);
    std::filesystem::rename(path, moved);
    stop_all();
    std::filesystem::rename(moved, path);
    ASSERT_TRUE(std::filesystem::is_socket(path));
    start(options);
    Wire wire(path);
    EXPECT_EQ(wire.call({"AUTH", kTestKey}), "+OK\r\n");
    options.keys = {{.name = "operator", .role = command::Role::operator_role, .secret = kTestKey, .worker = {}}};
    const std::string file = folder + "/precious";
    std::ofstream(file) << "text";
    options.addresses = {{.host = file, .port = 0, .is_unix = true}};
    EXPECT_EQ(RespFront::start(*loop, *door, *metrics, options).code(), Code::invalid_argument);
    EXPECT_TRUE(std::filesystem::is_regular_file(file));
    options.addresses = {{.host = folder + "/" + std::string(200, 'x'), .port = 0, .is_unix = true}};
    EXPECT_EQ(RespFront::start(*loop, *door, *metrics, options).code(), Code::invalid_argument);
  }
}

TEST_F(FrontLimitsTest, SeveralAddressesServeAndOneThatIsTakenStopsTheStart) {
  RespOptions options;
  options.addresses = {{.host = "127.0.0.1"}, {.host = "127.0.0.2"}, {.host = "::1"}};
  start(options);
  ASSERT_EQ(front->addresses().size(), 3u);
  EXPECT_TRUE(front->addresses()[2].starts_with("[::1]:"));
  Wire wire = operate();
  EXPECT_EQ(wire.call({"PING"}), "+PONG\r\n");
  options.keys = {{.name = "operator", .role = command::Role::operator_role, .secret = kTestKey, .worker = {}}};
  options.addresses = {{.host = "127.0.0.1"}, {.host = "127.0.0.1", .port = port()}};
  EXPECT_EQ(RespFront::start(*loop, *door, *metrics, options).code(), Code::unavailable);
  EXPECT_EQ(wire.call({"PING"}), "+PONG\r\n");
}

TEST_F(FrontLimitsTest, StoppingEndsIdleAndSubscribedConnections) {
  start();
  Wire idle = operate();
  Wire subscribed = operate();
  EXPECT_EQ(subscribed.call({"SUBSCRIBE", "jobs"}), "*3\r\n$9\r\nsubscribe\r\n$4\r\njobs\r\n:1\r\n");
  std::thread stopping([&] { front->stop(Duration(5'000)); });
  for (Wire* wire : {&idle, &subscribed}) {
    EXPECT_TRUE(wire->closed());
    wire->close();
  }
  stopping.join();
  front->stop(Duration(5'000));
  EXPECT_FALSE(Wire(port()).connected());
}

}  // namespace
}  // namespace muster::resp
