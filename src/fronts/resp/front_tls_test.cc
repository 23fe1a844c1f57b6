// TLS on the RESP front: the same bytes inside, clients with and without a certificate. Reloading is net's and tested with HTTP.
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fronts/resp/front_testing.h"
#include "net/certificate_testing.h"

#include "net/certificate_testing.h"

namespace muster::resp {
namespace {

// One TLS connection, blocking.
class TlsWire {
 public:
  TlsWire(std::uint16_t port, const std::string& certificate_file, const std::string& key_file) {
    context_ = SSL_CTX_new(TLS_client_method());
    if (!certificate_file.empty()) {
      SSL_CTX_use_certificate_file(context_, certificate_file.c_str(), SSL_FILETYPE_PEM);
      SSL_CTX_use_PrivateKey_file(context_, key_file.c_str(), SSL_FILETYPE_PEM);
    }
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval limit = socket_patience();
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ssl_ = SSL_new(context_);
    SSL_set_fd(ssl_, socket_);
    connected_ = SSL_connect(ssl_) == 1;
  }
  ~TlsWire() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
    ::close(socket_);
  }
  TlsWire(const TlsWire&) = delete;
  TlsWire& operator=(const TlsWire&) = delete;

  std::string exchange(const std::string& sent, std::size_t expected) {
    if (!connected_ || SSL_write(ssl_, sent.data(), static_cast<int>(sent.size())) <= 0) return {};
    std::string got;
    while (got.size() < expected) {
      char chunk[16 * 1024];
      const int bytes = SSL_read(ssl_, chunk, sizeof chunk);
      if (bytes <= 0) break;
      got.append(chunk, static_cast<std::size_t>(bytes));
    }
    return got;
  }

 private:
  SSL_CTX* context_ = nullptr;
  SSL* ssl_ = nullptr;
  int socket_ = -1;
  bool connected_ = false;
};

class FrontTlsTest : public FrontTest {
 protected:
  void SetUp() override {
    net::make_certificate(file("server.pem"), file("server.key"));
    net::make_certificate(file("client.pem"), file("client.key"));
  }
  std::string file(const std::string& name) const { return folder + "/" + name; }
  RespOptions options() const {
    RespOptions out;
    out.tls = {.certificate_file = file("server.pem"), .key_file = file("server.key"), .client_ca_file = {}};
    return out;
  }
};

TEST_F(FrontTlsTest, SpeaksRespInsideTls) {
  start(options());
  TlsWire wire(port(), "", "");
  const std::string large(300'000, 'x');
  EXPECT_EQ(wire.exchange(frame({"AUTH", kTestKey}) + frame({"PING"}), 12), "+OK\r\n+PONG\r\n");
  const std::string reply = "$300000\r\n" + large + "\r\n";
  EXPECT_EQ(wire.exchange(frame({"ECHO", large}), reply.size()), reply);
  Wire plain = connect();
  plain.send(frame({"PING"}));
  EXPECT_EQ(plain.read_to_end().find("PONG"), std::string::npos);
}

TEST_F(FrontTlsTest, AsksClientsForACertificateWhenTold) {
  RespOptions with_clients = options();
  with_clients.tls.client_ca_file = file("client.pem");
  start(with_clients);
  TlsWire known(port(), file("client.pem"), file("client.key"));
  EXPECT_EQ(known.exchange(frame({"AUTH", kTestKey}), 5), "+OK\r\n");
  TlsWire unknown(port(), "", "");
  EXPECT_EQ(unknown.exchange(frame({"AUTH", kTestKey}), 5), "");
}

TEST_F(FrontTlsTest, WithTlsAndKeysItMayBeReachedFromElsewhere) {
  RespOptions everywhere = options();
  everywhere.addresses = {{.host = "0.0.0.0"}};
  start(everywhere);
  TlsWire wire(port(), "", "");
  EXPECT_EQ(wire.exchange(frame({"PING"}), 37), "-ERR NOAUTH Authentication required\r\n");
  RespOptions mixed = options();
  mixed.tls.key_file = file("client.key");
  mixed.addresses = {{.host = "127.0.0.1"}};
  mixed.keys = {{.name = "operator", .role = command::Role::operator_role, .secret = kTestKey, .worker = {}}};
  EXPECT_EQ(RespFront::start(*loop, *door, *metrics, mixed).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster::resp
