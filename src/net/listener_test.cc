// Connections without a protocol: bytes in, bytes out, back-pressure, deadlines, the end.
#include "net/listener.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <new>
#include <stdexcept>
#include <thread>

#include "base/metrics.h"
#include "base/patience_testing.h"
#include "base/temp_folder_testing.h"

namespace muster::net {
namespace {

using namespace std::chrono_literals;

struct Script {
  std::function<void(Connection&, std::string_view)> received = [](Connection& connection, std::string_view bytes) {
    connection.send(std::string(bytes));
  };
  std::function<void(Connection&)> begin = [](Connection&) {};
  std::atomic<int> ended{0};
  std::atomic<int> expired{0};
  std::atomic<int> delivered{0};
  std::atomic<int> lost{0};
};

class ScriptedSession final : public Session {
 public:
  ScriptedSession(Script& script, Connection& connection) : script_(script), connection_(connection) {
    script_.begin(connection_);
  }
  void received(std::string_view bytes) override { script_.received(connection_, bytes); }
  void peer_finished() override { connection_.close_when_sent(); }
  void read_expired() override {
    ++script_.expired;
    connection_.close_now();
  }
  void drain() override { connection_.close_when_sent(); }
  void closed() override { ++script_.ended; }

 private:
  Script& script_;
  Connection& connection_;
};

class ListenerTest : public testing::Test {
 protected:
  void open(ListenerOptions options = {}) {
    options.address = "127.0.0.1";
    auto opened = Listener::open(loop, options, open_connections, [this](Connection& connection) {
      return std::make_shared<ScriptedSession>(script, connection);
    });
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    listener = *std::move(opened);
    loop.start();
  }
  void TearDown() override {
    listener.reset();
    loop.stop();
    for (const int socket : sockets) ::close(socket);
  }
  int make_socket() {
    sockets.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    const timeval limit = socket_patience();
    ::setsockopt(sockets.back(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    return sockets.back();
  }
  int connect_socket(int socket) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(listener->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return socket;
  }
  int connect() { return connect_socket(make_socket()); }
  static std::string receive(int socket, std::size_t bytes) {
    std::string out(bytes, '\0');
    const auto got = ::recv(socket, out.data(), bytes, MSG_WAITALL);
    out.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return out;
  }
  static void send(int socket, std::string_view bytes) {
    EXPECT_EQ(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }

  ManualClock clock;
  IoLoop loop{clock};
  Gauge open_connections;
  Script script;
  std::unique_ptr<Listener> listener;
  std::vector<int> sockets;
};

TEST_F(ListenerTest, CarriesBytesBothWays) {
  open();
  const int socket = connect();
  send(socket, "hello");
  EXPECT_EQ(receive(socket, 5), "hello");
  EXPECT_EQ(open_connections.value(), 1);
  ::shutdown(socket, SHUT_WR);
  EXPECT_EQ(receive(socket, 1), "");
  EXPECT_TRUE(eventually([&] { return script.ended == 1 && open_connections.value() == 0; }));
}

TEST_F(ListenerTest, ASessionThatThrowsEndsItsOwnConnectionAndNoOther) {
  script.received = [](Connection& connection, std::string_view bytes) {
    if (bytes == "bad") throw std::runtime_error("boom");
    connection.send(std::string(bytes));
  };
  open();
  const int good = connect(), bad = connect();
  send(bad, "bad");
  EXPECT_EQ(receive(bad, 1), "");
  EXPECT_TRUE(eventually([&] { return script.ended == 1 && open_connections.value() == 1; }));
  send(good, "hello");
  EXPECT_EQ(receive(good, 5), "hello");
}

TEST_F(ListenerTest, AConnectionWhoseSessionCannotBeMadeEndsAndOthersAreAccepted) {
  std::atomic<int> begun{0};
  script.begin = [&](Connection&) {
    if (++begun == 1) throw std::bad_alloc();
  };
  open();
  const int first = connect();
  EXPECT_EQ(receive(first, 1), "");
  const int second = connect();
  send(second, "hello");
  EXPECT_EQ(receive(second, 5), "hello");
  EXPECT_EQ(open_connections.value(), 1);
}

TEST_F(ListenerTest, DeliversMuchInOrder) {
  constexpr std::size_t kBytes = 8 * 1024 * 1024;
  script.received = [&](Connection& connection, std::string_view) {
    for (std::size_t i = 0; i < kBytes / 1024; ++i)
      connection.send(std::string(1024, static_cast<char>('a' + i % 26)),
                      [&](bool delivered) { ++(delivered ? script.delivered : script.lost); });
  };
  open();
  const int socket = connect();
  send(socket, "x");
  const std::string got = receive(socket, kBytes);
  ASSERT_EQ(got.size(), kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) ASSERT_EQ(got[i], static_cast<char>('a' + i / 1024 % 26));
  EXPECT_TRUE(eventually([&] { return script.delivered == static_cast<int>(kBytes / 1024); }));
  EXPECT_EQ(script.lost, 0);
}

TEST_F(ListenerTest, TellsWhatWasNotDelivered) {
  script.received = [&](Connection& connection, std::string_view) {
    for (int i = 0; i < 64; ++i)
      connection.send(std::string(1024 * 1024, 'x'), [&](bool delivered) { ++(delivered ? script.delivered : script.lost); });
  };
  open();
  const int socket = connect();
  send(socket, "x");
  receive(socket, 1);
  ::close(socket);
  sockets.pop_back();
  EXPECT_TRUE(eventually([&] { return script.delivered + script.lost == 64 && script.ended == 1; }));
  EXPECT_GT(script.lost, 0);
}

TEST_F(ListenerTest, ClosesAPeerThatDoesNotRead) {
  script.received = [&](Connection& connection, std::string_view) {
    connection.send(std::string(64 * 1024 * 1024, 'x'), [&](bool delivered) { ++(delivered ? script.delivered : script.lost); });
  };
  open({.write_timeout = 30s});
  send(connect(), "x");
  EXPECT_TRUE(eventually([&] {
    clock.advance(1s);
    return script.ended == 1;
  }));
  EXPECT_EQ(script.lost, 1);
}

TEST_F(ListenerTest, TellsWhenNothingWasReadInTime) {
  script.begin = [](Connection& connection) { connection.expire_reading_in(10s); };
  open();
  const int socket = connect();
  EXPECT_TRUE(eventually([&] { return open_connections.value() == 1; }));
  clock.advance(9s);
  send(socket, "x");
  EXPECT_EQ(receive(socket, 1), "x");
  EXPECT_EQ(script.expired, 0);
  clock.advance(1s);
  EXPECT_TRUE(eventually([&] { return script.expired == 1; }));
}

TEST_F(ListenerTest, ReceivesNothingWhilePaused) {
  std::atomic<int> received{0};
  Connection* paused = nullptr;  // the loop's thread alone uses it
  script.received = [&](Connection& connection, std::string_view bytes) {
    received += static_cast<int>(bytes.size());
    if (paused == nullptr) {
      paused = &connection;
      connection.pause_reading();
    }
    connection.send("!");
  };
  open();
  const int socket = connect();
  send(socket, "a");
  EXPECT_EQ(receive(socket, 1), "!");
  send(socket, "bc");
  std::promise<void> looked;
  loop.post([&] {
    EXPECT_EQ(received, 1);
    paused->resume_reading();
    looked.set_value();
  });
  looked.get_future().wait();
  EXPECT_TRUE(eventually([&] { return received == 3; }));
}

TEST_F(ListenerTest, SurvivesRunningOutOfDescriptors) {
  open();
  const int served = connect();
  send(served, "x");
  ASSERT_EQ(receive(served, 1), "x");
  const int waiting = make_socket();
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(waiting) + 1;
  // Lower descriptors may be free; fill them, so that accepting finds none.
  ::setrlimit(RLIMIT_NOFILE, &none);
  std::vector<int> fillers;
  for (int filler = ::dup(0); filler >= 0; filler = ::dup(0)) fillers.push_back(filler);
  connect_socket(waiting);
  send(waiting, "y");
  send(served, "z");
  EXPECT_EQ(receive(served, 1), "z") << "those who are in are served on";
  pollfd readable{.fd = waiting, .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&readable, 1, 250), 0) << "nobody could accept it";
  for (const int filler : fillers) ::close(filler);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(receive(waiting, 1), "y");
}

TEST_F(ListenerTest, ClosesWhatDoesNotDrainInTime) {
  open();
  const int socket = connect();
  send(socket, "x");
  receive(socket, 1);
  // The peer keeps its side open, so the goodbye waits for it until time is up.
  std::thread stopping([&] { listener->stop(5s); });
  EXPECT_TRUE(eventually([&] {
    clock.advance(1s);
    return script.ended == 1;
  }));
  stopping.join();
  listener->stop(5s);
}

TEST_F(ListenerTest, RefusesAnAddressThatIsNone) {
  const auto make = [](Connection&) { return std::shared_ptr<Session>(); };
  const auto opened = Listener::open(loop, {.address = "no such host.invalid"}, open_connections, make);
  EXPECT_EQ(opened.code(), Code::invalid_argument);
  const auto foreign = Listener::open(loop, {.address = "192.0.2.1"}, open_connections, make);
  EXPECT_EQ(foreign.code(), Code::unavailable);
}

TEST_F(ListenerTest, ServesAUnixSocketAndRemovesItsFile) {
  const TempFolder folder;
  const std::string path = folder.path("s");
  open({.unix_path = path});
  EXPECT_EQ(listener->address(), "unix:" + path);
  EXPECT_EQ(listener->port(), 0);
  EXPECT_TRUE(listener->is_loopback());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  sockets.push_back(::socket(AF_UNIX, SOCK_STREAM, 0));
  const int socket = sockets.back();
  ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  send(socket, "hello");
  EXPECT_EQ(receive(socket, 5), "hello");
  EXPECT_TRUE(eventually([&] { return open_connections.value() == 1; }));
  listener->stop(0s);
  EXPECT_EQ(receive(socket, 1), "");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(ListenerTest, AUnixSocketThatSomebodyListensOnIsNotTaken) {
  const TempFolder folder;
  open({.unix_path = folder.path("s")});
  const auto make = [](Connection&) { return std::shared_ptr<Session>(); };
  EXPECT_EQ(Listener::open(loop, {.unix_path = folder.path("s")}, open_connections, make).code(), Code::unavailable);
  EXPECT_TRUE(std::filesystem::is_socket(folder.path("s")));
  EXPECT_EQ(Listener::open(loop, {.unix_path = folder.path("none/s")}, open_connections, make).code(), Code::unavailable);
  listener->stop(0s);
}

TEST_F(ListenerTest, StopsThoughItsLoopNeverRan) {
  auto opened =
      Listener::open(loop, {.address = "127.0.0.1"}, open_connections, [](Connection&) { return std::shared_ptr<Session>(); });
  ASSERT_TRUE(opened.ok());
  (*opened)->stop(5s);
}

}  // namespace
}  // namespace muster::net
