// Rounds of the loop as a peer sees them, and streams under TLS.
#include "net/stream_connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/metrics.h"
#include "base/patience_testing.h"
#include "base/temp_folder_testing.h"
#include "net/certificate_testing.h"
#include "net/listener.h"
#include "net/on_loop_testing.h"

namespace muster::net {
namespace {

struct Told {
  std::atomic<std::size_t> bytes{0};
  std::atomic<int> finished{0};
  std::atomic<int> ended{0};
};

class TellingSession final : public Session {
 public:
  using Answer = std::function<void(Connection&, std::string_view)>;
  TellingSession(Connection& connection, Told& told, Answer answer)
      : connection_(connection), told_(told), answer_(std::move(answer)) {}
  void received(std::string_view bytes) override {
    told_.bytes += bytes.size();
    answer_(connection_, bytes);
  }
  void peer_finished() override {
    ++told_.finished;
    connection_.close_when_sent();
  }
  void read_expired() override {}
  void drain() override { connection_.close_when_sent(); }
  void closed() override { ++told_.ended; }

 private:
  Connection& connection_;
  Told& told_;
  Answer answer_;
};

class StreamTest : public testing::Test {
 protected:
  void open(TellingSession::Answer answer, TlsOptions tls = {}) {
    ListenerOptions options;
    options.address = "127.0.0.1";
    options.tls = std::move(tls);
    auto opened = Listener::open(loop, options, open_connections, [this, answer](Connection& connection) {
      begin(connection);
      return std::make_shared<TellingSession>(connection, told, answer);
    });
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    listener = *std::move(opened);
  }
  TlsOptions tls_options() {
    make_certificate(folder.path("server.pem"), folder.path("server.key"));
    return {.certificate_file = folder.path("server.pem"), .key_file = folder.path("server.key"), .client_ca_file = {}};
  }
  void TearDown() override {
    listener.reset();
    loop.stop();
  }
  Fd connect() const {
    Fd socket(::socket(AF_INET, SOCK_STREAM, 0));
    const timeval limit = socket_patience();
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(listener->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return socket;
  }

  TempFolder folder;
  RealClock clock;
  IoLoop loop{clock};
  Gauge open_connections;
  Told told;
  std::function<void(Connection&)> begin = [](Connection&) {};
  std::unique_ptr<Listener> listener;
};

void echo(Connection& connection, std::string_view bytes) { connection.send(std::string(bytes)); }

TEST_F(StreamTest, WhatARoundSaysLeavesTogether) {
  open([](Connection& connection, std::string_view) {
    for (int i = 0; i < 10; ++i) connection.send("0123456789");
    connection.send(std::string(20'000, 'x'));  // a piece of its own
    connection.send("end");
  });
  loop.start();
  const Fd socket = connect();
  ASSERT_EQ(::send(socket.get(), "?", 1, 0), 1);
  pollfd readable{.fd = socket.get(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&readable, 1, static_cast<int>(patience().count()) * 1000), 1);
  std::string got(30'000, '\0');
  EXPECT_EQ(::recv(socket.get(), got.data(), got.size(), 0), 20'103);
}

TEST_F(StreamTest, WhatAPeerSaidBeforeItsEndIsHeard) {
  open(echo);
  const Fd socket = connect();  // into the backlog: all of it is there when the loop first looks
  ASSERT_EQ(::send(socket.get(), "last words", 10, 0), 10);
  ::shutdown(socket.get(), SHUT_WR);
  loop.start();
  std::string got(64, '\0');
  EXPECT_EQ(::recv(socket.get(), got.data(), 10, MSG_WAITALL), 10);
  EXPECT_EQ(::recv(socket.get(), got.data(), got.size(), 0), 0);
  EXPECT_TRUE(eventually([&] { return told.ended == 1; }));
  EXPECT_EQ(told.finished, 1);
  EXPECT_EQ(told.bytes, 10u);
}

TEST_F(StreamTest, APeerThatNeverStopsSendingLeavesOthersTheirTurn) {
  open([](Connection& connection, std::string_view bytes) {
    if (bytes.size() == 1) connection.send("!");
  });
  loop.start();
  const Fd loud = connect();
  std::atomic<bool> stop{false};
  std::thread flood([&] {
    const std::string much(1'000'000, 'x');
    while (!stop && ::send(loud.get(), much.data(), much.size(), MSG_NOSIGNAL) > 0) {
    }
  });
  EXPECT_TRUE(eventually([&] { return told.bytes > 10'000'000; }));
  const Fd quiet = connect();
  for (int i = 0; i < 20; ++i) {
    char answer = 0;
    EXPECT_EQ(::send(quiet.get(), "?", 1, 0), 1);
    EXPECT_EQ(::recv(quiet.get(), &answer, 1, 0), 1);
  }
  stop = true;
  flood.join();
}

// A client of OpenSSL's own.
class TlsClient {
 public:
  explicit TlsClient(Fd socket)
      : socket_(std::move(socket)), context_(SSL_CTX_new(TLS_client_method())), stream_(SSL_new(context_)) {
    SSL_set_fd(stream_, socket_.get());
  }
  ~TlsClient() {
    SSL_free(stream_);
    SSL_CTX_free(context_);
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;
  void show(const std::string& certificate_file, const std::string& key_file) {
    SSL_use_certificate_file(stream_, certificate_file.c_str(), SSL_FILETYPE_PEM);
    SSL_use_PrivateKey_file(stream_, key_file.c_str(), SSL_FILETYPE_PEM);
  }
  bool shake_hands() { return SSL_connect(stream_) == 1; }
  SSL_SESSION* session() const { return SSL_get1_session(stream_); }
  void resume(SSL_SESSION* session) { SSL_set_session(stream_, session); }
  bool resumed() const { return SSL_session_reused(stream_) == 1; }
  // Makes the server say something of the protocol's own.
  bool ask_for_new_keys() { return SSL_key_update(stream_, SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(stream_) == 1; }
  bool send(const std::string& bytes) { return SSL_write(stream_, bytes.data(), static_cast<int>(bytes.size())) > 0; }
  std::string receive(std::size_t bytes) {
    std::string out;
    std::string part(64 * 1024, '\0');
    while (out.size() < bytes) {
      const int got = SSL_read(stream_, part.data(), static_cast<int>(part.size()));
      if (got <= 0) break;
      out.append(part, 0, static_cast<std::size_t>(got));
    }
    return out;
  }
  void say_goodbye() { SSL_shutdown(stream_); }
  bool heard_goodbye() const { return (SSL_get_shutdown(stream_) & SSL_RECEIVED_SHUTDOWN) != 0; }

 private:
  Fd socket_;
  SSL_CTX* context_;
  SSL* stream_;
};

TEST_F(StreamTest, CarriesMuchBothWaysOverTls) {
  open(echo, tls_options());
  loop.start();
  TlsClient client(connect());
  ASSERT_TRUE(client.shake_hands());
  std::string much(4 * 1024 * 1024, '\0');
  for (std::size_t i = 0; i < much.size(); ++i) much[i] = static_cast<char>(i * 7 % 251);
  constexpr std::size_t kPart = 100'000;
  std::string got;
  for (std::size_t at = 0; at < much.size(); at += kPart) {
    const std::string part = much.substr(at, kPart);
    ASSERT_TRUE(client.send(part));
    got += client.receive(part.size());
  }
  EXPECT_EQ(got, much);
}

TEST_F(StreamTest, AnswersOfManyPiecesArriveWholeOverTls) {
  constexpr std::size_t kPieces = 300;
  constexpr std::size_t kBytes = 20'000;
  std::atomic<int> sent{0};
  open(
      [&](Connection& connection, std::string_view) {
        for (std::size_t i = 0; i < kPieces; ++i)
          connection.send(std::string(kBytes, static_cast<char>('a' + i % 26)), [&](bool taken) { sent += taken ? 1 : 0; });
      },
      tls_options());
  loop.start();
  TlsClient client(connect());
  ASSERT_TRUE(client.shake_hands());
  ASSERT_TRUE(client.send("?"));
  const std::string got = client.receive(kPieces * kBytes);
  ASSERT_EQ(got.size(), kPieces * kBytes);
  for (std::size_t i = 0; i < got.size(); i += kBytes) ASSERT_EQ(got[i], static_cast<char>('a' + i / kBytes % 26));
  EXPECT_TRUE(eventually([&] { return sent == static_cast<int>(kPieces); }));
}

TEST_F(StreamTest, AGoodbyeOverTlsIsAnsweredWithOne) {
  open(echo, tls_options());
  loop.start();
  TlsClient client(connect());
  ASSERT_TRUE(client.shake_hands());
  ASSERT_TRUE(client.send("x"));
  EXPECT_EQ(client.receive(1), "x");
  client.say_goodbye();
  EXPECT_EQ(client.receive(1), "");
  EXPECT_TRUE(client.heard_goodbye());
  EXPECT_TRUE(eventually([&] { return told.ended == 1; }));
  EXPECT_EQ(told.finished, 1);
}

TEST_F(StreamTest, ATlsStreamThatIsCutOffHasNotFinished) {
  open(echo, tls_options());
  loop.start();
  {
    TlsClient client(connect());
    ASSERT_TRUE(client.shake_hands());
    ASSERT_TRUE(client.send("x"));
    EXPECT_EQ(client.receive(1), "x");
  }
  EXPECT_TRUE(eventually([&] { return told.ended == 1; }));
  EXPECT_EQ(told.finished, 0);
}

TEST_F(StreamTest, WhatIsSaidBeforeTheHandshakeWaitsForIt) {
  begin = [](Connection& connection) {
    connection.send("no room");
    connection.close_when_sent();
  };
  open(echo, tls_options());
  loop.start();
  TlsClient client(connect());
  ASSERT_TRUE(client.shake_hands());
  EXPECT_EQ(client.receive(8), "no room");
  EXPECT_TRUE(client.heard_goodbye());
}

// A server's end of a stream for which the system keeps little. The other end is the peer's.
class NarrowTest : public StreamTest {
 protected:
  Fd connect(TellingSession::Answer answer) {
    if (!context_) context_ = make_tls_context(tls_options(), false).value();
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    Fd ours(ends[0]);
    const int small = 8'192;
    ::setsockopt(ours.get(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
    const timeval limit = socket_patience();
    ::setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    run_on(loop, [&] {
      const Duration wait = patience();
      StreamOptions options{.peer_address = "peer",
                            .budget = std::make_shared<ByteBudget>(loop, BudgetBounds()),
                            .write_timeout = wait,
                            .handshake_timeout = wait,
                            .tls = context_};
      connection_ = std::make_shared<StreamConnection>(loop, std::move(ours), std::move(options));
      connection_->start(std::make_shared<TellingSession>(*connection_, told, std::move(answer)), [] {});
    });
    return Fd(ends[1]);
  }
  void TearDown() override {
    run_on(loop, [&] { connection_->close_now(); });
    run_on(loop, [&] { connection_.reset(); });
    StreamTest::TearDown();
  }

 private:
  TlsContext context_;
  std::shared_ptr<StreamConnection> connection_;  // also held by the loop while it is buried
};

TEST_F(NarrowTest, AGoodbyeOverTlsArrivesThoughTheSystemHadNoRoomForIt) {
  loop.start();
  for (std::size_t size = 1'000; size <= 16'000; size += 1'000) {
    TlsClient client(connect([size](Connection& connection, std::string_view) {
      connection.send(std::string(size, 'x'));
      connection.close_when_sent();
    }));
    ASSERT_TRUE(client.shake_hands());
    const std::size_t before = told.bytes;
    ASSERT_TRUE(client.send("?"));
    ASSERT_TRUE(eventually([&] { return told.bytes > before; }));
    // By now the server has sent what fits, and nothing more leaves before the client reads.
    run_on(loop, [] {});
    run_on(loop, [] {});
    EXPECT_EQ(client.receive(size + 1).size(), size);
    EXPECT_TRUE(client.heard_goodbye()) << size;
  }
}

TEST_F(NarrowTest, APeerThatAsksMuchOfTlsItselfAndReadsNothingIsClosed) {
  loop.start();
  TlsClient client(connect(echo));
  ASSERT_TRUE(client.shake_hands());
  ASSERT_TRUE(client.send("x"));
  EXPECT_EQ(client.receive(1), "x");
  constexpr int kFarMoreThanItKeeps = 40'000;  // answers of more than 20 bytes
  int asked = 0;
  while (asked < kFarMoreThanItKeeps && client.ask_for_new_keys()) ++asked;
  EXPECT_LT(asked, kFarMoreThanItKeeps);
  EXPECT_TRUE(eventually([&] { return told.ended == 1; }));
}

TEST_F(StreamTest, AClientWithACertificateResumesItsTlsSession) {
  TlsOptions options = tls_options();
  make_certificate(folder.path("client.pem"), folder.path("client.key"), "client");
  options.client_ca_file = folder.path("client.pem");
  open(echo, options);
  loop.start();
  SSL_SESSION* session = nullptr;
  for (const bool again : {false, true}) {
    TlsClient client(connect());
    client.show(folder.path("client.pem"), folder.path("client.key"));
    if (again) client.resume(session);
    ASSERT_TRUE(client.shake_hands());
    ASSERT_TRUE(client.send("x"));
    EXPECT_EQ(client.receive(1), "x");
    EXPECT_EQ(client.resumed(), again);
    if (!again) session = client.session();
    client.say_goodbye();
  }
  SSL_SESSION_free(session);
}

TEST_F(StreamTest, WhatIsNoTlsEndsAtTheHandshake) {
  open(echo, tls_options());
  loop.start();
  const Fd socket = connect();
  const std::string words = "PING\r\nPING\r\nPING\r\n";
  ASSERT_GT(::send(socket.get(), words.data(), words.size(), 0), 0);
  char byte = 0;
  EXPECT_EQ(::recv(socket.get(), &byte, 1, 0), 0);
  EXPECT_TRUE(eventually([&] { return told.ended == 1; }));
  EXPECT_EQ(told.bytes, 0u);
}

}  // namespace
}  // namespace muster::net
