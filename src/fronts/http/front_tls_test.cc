// TLS: a certificate made on the spot, clients with and without one, a reload while running.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fronts/http/front_testing.h"

#include "net/certificate_testing.h"

namespace muster::http {
namespace {

using namespace std::chrono_literals;

class Tls : public FrontTest {
 protected:
  void SetUp() override {
    net::make_certificate(file("server.pem"), file("server.key"), "server");
    net::make_certificate(file("client.pem"), file("client.key"), "client");
  }
  std::string file(const char* name) const { return folder.path(name); }
  HttpOptions options() const {
    HttpOptions out;
    out.tls = {.certificate_file = file("server.pem"), .key_file = file("server.key"), .client_ca_file = {}};
    return out;
  }
};

TEST_F(Tls, ServesOverTls) {
  start(options());
  Client client(front->port(), {.ca_file = file("server.pem"), .certificate_file = {}, .key_file = {}});
  ASSERT_TRUE(client.connected());
  EXPECT_EQ(client.call("GET", "/healthz").status, 200);
  EXPECT_EQ(
      client.call("POST", "/api/v1/jobs", fmt::format(R"({{"type":"t","payload":"{}"}})", std::string(1'000'000, 'x'))).status,
      201);
  EXPECT_EQ(client.call("GET", "/healthz", "", "Connection: close\r\n").status, 200);
  EXPECT_TRUE(client.read_end());
}

TEST_F(Tls, AnswersALargeReplyOverTls) {
  start(options());
  Client client(front->port(), {.ca_file = file("server.pem"), .certificate_file = {}, .key_file = {}});
  const auto made = nlohmann::json::parse(
      client.call("POST", "/api/v1/jobs", fmt::format(R"({{"type":"t","payload":"{}"}})", std::string(3'000'000, 'x'))).body);
  const Answer answer = client.call("GET", "/api/v1/jobs/" + made["id"].get<std::string>());
  EXPECT_GT(answer.body.size(), 3'000'000u);
}

TEST_F(Tls, ClosesAPlainConnection) {
  start(options());
  Client client = connect();
  client.send("GET /healthz HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 0);
}

TEST_F(Tls, ClosesAHandshakeThatDoesNotCome) {
  start(options());
  Client client = connect();
  EXPECT_TRUE(eventually([&] { return metrics.gauge("muster_http_connections_open", "").value() == 1; }));
  EXPECT_TRUE(eventually([&] {
    clock.advance(1s);
    return metrics.gauge("muster_http_connections_open", "").value() == 0;
  }));
  EXPECT_TRUE(client.read_end());
}

TEST_F(Tls, AsksClientsForACertificateWhenTold) {
  HttpOptions with_clients = options();
  with_clients.tls.client_ca_file = file("client.pem");
  start(with_clients);
  Client known(front->port(),
               {.ca_file = file("server.pem"), .certificate_file = file("client.pem"), .key_file = file("client.key")});
  EXPECT_EQ(known.call("GET", "/healthz").status, 200);
  Client unknown(front->port(), {.ca_file = file("server.pem"), .certificate_file = {}, .key_file = {}});
  EXPECT_EQ(unknown.call("GET", "/healthz").status, 0);
}

TEST_F(Tls, ReloadsItsCertificateForNewConnections) {
  start(options());
  Client before(front->port(), {.ca_file = file("server.pem"), .certificate_file = {}, .key_file = {}});
  ASSERT_TRUE(before.connected());
  net::make_certificate(file("server.pem"), file("server.key"), "renewed");
  ASSERT_TRUE(front->reload_tls().ok());
  EXPECT_TRUE(eventually([&] {
    return Client(front->port(), {.ca_file = file("server.pem"), .certificate_file = {}, .key_file = {}}).connected();
  }));
  EXPECT_EQ(before.call("GET", "/healthz").status, 200) << "the old connection lives on";
}

TEST_F(Tls, KeepsTheOldCertificateWhenTheNewOneIsBad) {
  start(options());
  std::filesystem::copy_file(file("server.pem"), file("copy.pem"));
  std::ofstream(file("server.pem")) << "not a certificate";
  const Status reloaded = front->reload_tls();
  EXPECT_EQ(reloaded.code(), Code::invalid_argument);
  EXPECT_NE(reloaded.message().find("server.pem"), std::string::npos);
  EXPECT_TRUE(Client(front->port(), {.ca_file = file("copy.pem"), .certificate_file = {}, .key_file = {}}).connected());
}

TEST_F(Tls, RefusesAKeyOfAnotherCertificate) {
  HttpOptions mixed = options();
  mixed.tls.key_file = file("client.key");
  EXPECT_EQ(HttpFront::start(loop, the_door(), metrics, mixed).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster::http
