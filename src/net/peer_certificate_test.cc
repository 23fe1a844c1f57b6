// What a session learns of its peer's certificate: real handshakes with certificates made on the spot.
#include "net/peer_certificate.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <memory>

#include "base/metrics.h"
#include "base/patience_testing.h"
#include "base/temp_folder_testing.h"
#include "net/certificate_testing.h"
#include "net/listener.h"

namespace muster::net {
namespace {

// Tells what its connection shows when the first bytes come.
class ShownCertificate final : public Session {
 public:
  using Told = std::promise<std::optional<PeerCertificate>>;
  ShownCertificate(Connection& connection, std::shared_ptr<Told> told) : connection_(connection), told_(std::move(told)) {}
  void received(std::string_view) override {
    const PeerCertificate* shown = connection_.peer_certificate();
    told_->set_value(shown != nullptr ? std::optional(*shown) : std::nullopt);
    connection_.close_now();
  }
  void peer_finished() override { connection_.close_now(); }
  void read_expired() override {}
  void drain() override { connection_.close_now(); }
  void closed() override {}

 private:
  Connection& connection_;
  std::shared_ptr<Told> told_;  // shared with the test
};

class PeerCertificateTest : public testing::Test {
 protected:
  void SetUp() override {
    make_certificate(file("server.pem"), file("server.key"), "server");
    make_certificate(file("client.pem"), file("client.key"), "encoder-1", "DNS:encoder-1.example,URI:spiffe://fleet/encoder-1");
    loop_.start();
  }
  void TearDown() override {
    listener_.reset();
    loop_.stop();
  }
  std::string file(const char* name) const { return folder_.path(name); }

  void listen(bool tls, bool ask_clients) {
    ListenerOptions options;
    options.address = "127.0.0.1";
    if (tls)
      options.tls = {.certificate_file = file("server.pem"),
                     .key_file = file("server.key"),
                     .client_ca_file = ask_clients ? file("client.pem") : std::string()};
    auto opened = Listener::open(loop_, options, metrics_.gauge("open", ""), [this](Connection& connection) {
      return std::make_shared<ShownCertificate>(connection, told_);
    });
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    listener_ = *std::move(opened);
  }

  // Connects, says a byte, and gives what the session was shown.
  std::optional<PeerCertificate> shown(bool tls) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(listener_->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_use_certificate_file(context, file("client.pem").c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(context, file("client.key").c_str(), SSL_FILETYPE_PEM);
    SSL* const stream = SSL_new(context);
    SSL_set_fd(stream, socket);
    if (tls) {
      EXPECT_EQ(SSL_connect(stream), 1);
      EXPECT_EQ(SSL_write(stream, "x", 1), 1);
    } else {
      EXPECT_EQ(::send(socket, "x", 1, 0), 1);
    }
    auto answer = told_->get_future();
    const bool came = answer.wait_for(patience()) == std::future_status::ready;
    EXPECT_TRUE(came);
    SSL_free(stream);
    SSL_CTX_free(context);
    ::close(socket);
    return came ? answer.get() : std::nullopt;
  }

  std::array<std::uint8_t, 32> fingerprint(const char* name) const {
    std::FILE* in = std::fopen(file(name).c_str(), "r");
    X509* const certificate = PEM_read_X509(in, nullptr, nullptr, nullptr);
    std::fclose(in);
    std::array<std::uint8_t, 32> out{};
    unsigned int length = 0;
    X509_digest(certificate, EVP_sha256(), out.data(), &length);
    X509_free(certificate);
    return out;
  }

  TempFolder folder_;
  ManualClock clock_;
  Metrics metrics_;
  IoLoop loop_{clock_};
  std::shared_ptr<ShownCertificate::Told> told_ = std::make_shared<ShownCertificate::Told>();  // shared with the session
  std::unique_ptr<Listener> listener_;
};

TEST_F(PeerCertificateTest, AVerifiedCertificateShowsItsFingerprintAndNames) {
  listen(true, true);
  const auto certificate = shown(true);
  ASSERT_TRUE(certificate);
  EXPECT_EQ(certificate->sha256, fingerprint("client.pem"));
  EXPECT_EQ(certificate->common_name, "encoder-1");
  EXPECT_EQ(certificate->names, (std::vector<std::string>{"encoder-1.example", "spiffe://fleet/encoder-1"}));
}

TEST_F(PeerCertificateTest, ACertificateThatNobodyAskedForIsNotShown) {
  listen(true, false);
  EXPECT_FALSE(shown(true));
}

TEST_F(PeerCertificateTest, APlainConnectionHasNone) {
  listen(false, false);
  EXPECT_FALSE(shown(false));
}

}  // namespace
}  // namespace muster::net
