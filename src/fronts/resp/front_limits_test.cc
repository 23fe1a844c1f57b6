// The bounds of a connection, and what is said at each.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "fronts/resp/clients.h"
#include "fronts/resp/front_testing.h"

namespace muster::resp {
namespace {

class FrontLimitsTest : public FrontTest {};

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
  EXPECT_EQ(RespFront::start(*loop, *engine, *metrics, options, facts).code(), Code::unavailable);
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
    EXPECT_EQ(RespFront::start(*loop, *engine, *metrics, options, facts).code(), Code::invalid_argument);
    EXPECT_TRUE(std::filesystem::is_regular_file(file));
    options.addresses = {{.host = folder + "/" + std::string(200, 'x'), .port = 0, .is_unix = true}};
    EXPECT_EQ(RespFront::start(*loop, *engine, *metrics, options, facts).code(), Code::invalid_argument);
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
  EXPECT_EQ(RespFront::start(*loop, *engine, *metrics, options, facts).code(), Code::unavailable);
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
