// Connections that leave HTTP: who takes them over gets every byte behind the request, and HTTP says no more on them.
#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

// Sends back what it gets; ends at "bye".
class Echo final : public net::Session {
 public:
  explicit Echo(net::Connection& connection) : connection_(connection) {}
  void received(std::string_view bytes) override {
    connection_.send("<" + std::string(bytes) + ">");
    if (bytes.ends_with("bye")) connection_.close_when_sent();
  }
  void peer_finished() override { connection_.close_now(); }
  void read_expired() override {}
  void drain() override { connection_.close_when_sent(); }
  void closed() override {}

 private:
  net::Connection& connection_;
};

class Upgrades : public FrontTest {
 protected:
  void start_echo() {
    start();
    front->set_upgrade([](const Request& request, net::Connection& connection) -> std::variant<UpgradeTaken, UpgradeRefusal> {
      for (const auto& [name, value] : request.metadata)
        if (name == "upgrade") return UpgradeTaken{"HTTP/1.1 101 Switching\r\n\r\n", std::make_shared<Echo>(connection)};
      return UpgradeRefusal{426, Status::invalid_argument("no upgrade was asked for"), {{"Upgrade", "echo"}}};
    });
  }
};

constexpr std::string_view kHead = "HTTP/1.1 101 Switching\r\n\r\n";

TEST_F(Upgrades, WhatFollowsTheRequestIsTheOtherSessions) {
  start_echo();
  Client client = connect();
  client.send(request_text("GET", kUpgradePath, "", "Upgrade: echo\r\n"));
  EXPECT_EQ(client.read_until("\r\n\r\n"), kHead);
  client.send("one");
  EXPECT_EQ(client.read_until(">"), "<one>");
  client.send("bye");
  EXPECT_EQ(client.read_until(">"), "<bye>");
  EXPECT_TRUE(client.read_end());
}

TEST_F(Upgrades, BytesThatCameWithTheRequestAreNotLost) {
  start_echo();
  Client client = connect();
  EXPECT_EQ(client.call("GET", "/healthz").status, 200) << "after another request";
  client.send(request_text("GET", kUpgradePath, "", "Upgrade: echo\r\n") + "early");
  EXPECT_EQ(client.read_until(">"), std::string(kHead) + "<early>");
}

TEST_F(Upgrades, ARefusalIsAnAnswerOfHttp) {
  start_echo();
  Client client = connect();
  const Answer answer = client.call("GET", kUpgradePath);
  EXPECT_EQ(answer.status, 426);
  EXPECT_EQ(answer.headers.at("upgrade"), "echo");
  EXPECT_EQ(client.call("GET", "/healthz").status, 200) << "the connection goes on";
}

TEST_F(Upgrades, BehindRequestsThatAreNotAnsweredYetItIsRefused) {
  start_echo();
  store.hold();
  Client client = connect();
  client.send(request_text("GET", "/api/v1/queues") + request_text("GET", kUpgradePath, "", "Upgrade: echo\r\n"));
  EXPECT_TRUE(eventually([&] { return metrics.text().find("status=\"400\"} 1") != std::string::npos; }));
  store.let_go();
  EXPECT_EQ(client.read_answer().status, 200);
  EXPECT_EQ(client.read_answer().status, 400);
}

TEST_F(Upgrades, AForeignPageIsNotLetIn) {
  start_echo();
  EXPECT_EQ(connect().call("GET", kUpgradePath, "", "Upgrade: echo\r\nOrigin: https://evil.example\r\n").status, 403);
}

TEST_F(Upgrades, WithoutAnybodyToTakeThemThePathIsUnknown) {
  start();
  EXPECT_EQ(connect().call("GET", kUpgradePath, "", "Upgrade: echo\r\n").status, 404);
}

}  // namespace
}  // namespace muster::http
