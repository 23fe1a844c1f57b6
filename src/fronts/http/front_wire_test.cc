// HTTP itself: keep-alive, pipelining, compression, bounds, time-outs, bad requests.
#include <fmt/format.h>

#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using namespace std::chrono_literals;
using Wire = FrontTest;

TEST_F(Wire, KeepsTheConnectionAlive) {
  start();
  Client client = connect();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.call("GET", "/healthz").status, 200);
}

TEST_F(Wire, ServesDocumentsAsTheyAre) {
  HttpOptions options;
  options.documents = {{"/schemas/a.json", R"({"type":"object"})"}};
  options.auth = {.tokens = {{.name = "o", .role = command::Role::operator_role, .secret = "s", .worker = {}}}, .required = true};
  start(options);
  const Answer answer = connect().call("GET", "/schemas/a.json");
  EXPECT_EQ(answer.status, 200) << "no token is needed";
  EXPECT_EQ(answer.headers.at("content-type"), "application/json");
  EXPECT_EQ(answer.body, R"({"type":"object"})");
  EXPECT_EQ(connect().call("GET", "/schemas/b.json").status, 404);
}

TEST_F(Wire, ClosesWhenAsked) {
  start();
  Client client = connect();
  const Answer answer = client.call("GET", "/healthz", "", "Connection: close\r\n");
  EXPECT_EQ(answer.headers.at("connection"), "close");
  EXPECT_TRUE(client.read_end());
}

TEST_F(Wire, AnswersPipelinedRequestsInOrderThoughTheFirstIsSlow) {
  start();
  store.hold();
  Client client = connect();
  client.send(request_text("GET", "/api/v1/queues") + request_text("GET", "/healthz") +
              request_text("POST", "/api/v1/jobs", R"({"type":"t"})"));
  EXPECT_TRUE(eventually([&] { return metrics.text().find("route=\"GET /healthz\",status=\"200\"} 1") != std::string::npos; }))
      << "the second request is served while the first waits";
  store.let_go();
  EXPECT_NE(client.read_answer().body.find("queues"), std::string::npos);
  EXPECT_EQ(client.read_answer().body, "ok\n");
  EXPECT_EQ(client.read_answer().status, 201);
}

TEST_F(Wire, AnswersMorePipelinedRequestsThanItKeepsUnderWay) {
  start();
  Client client = connect();
  std::string burst;
  for (int i = 0; i < 1'000; ++i) burst += request_text("GET", "/healthz");
  client.send(burst);
  for (int i = 0; i < 1'000; ++i) ASSERT_EQ(client.read_answer().status, 200) << i;
}

TEST_F(Wire, ReadsARequestThatComesByteByByte) {
  start();
  Client client = connect();
  for (const char c : request_text("POST", "/api/v1/jobs", R"({"type":"t"})")) client.send(std::string(1, c));
  EXPECT_EQ(client.read_answer().status, 201);
}

TEST_F(Wire, ReadsAChunkedBody) {
  start();
  Client client = connect();
  client.send(
      "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
      "8\r\n{\"type\":\r\n4\r\n\"t\"}\r\n0\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 201);
}

TEST_F(Wire, LetsAClientGoOnThatExpectsContinue) {
  start();
  Client client = connect();
  client.send("POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 12\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send(R"({"type":"t"})");
  EXPECT_EQ(client.read_answer().status, 201);
}

TEST_F(Wire, CompressesLargeRepliesForThoseWhoAccept) {
  start();
  const Answer plain = call("GET", "/api/v1/openapi.json");
  const Answer packed = call("GET", "/api/v1/openapi.json", "", "Accept-Encoding: br, gzip;q=0.8\r\n");
  EXPECT_EQ(packed.headers.at("content-encoding"), "gzip");
  EXPECT_LT(packed.body.size(), plain.body.size());
  EXPECT_EQ(gunzip(packed.body), plain.body);
  EXPECT_FALSE(call("GET", "/api/v1/openapi.json", "", "Accept-Encoding: gzip;q=0\r\n").headers.contains("content-encoding"));
  EXPECT_FALSE(call("GET", "/healthz", "", "Accept-Encoding: gzip\r\n").headers.contains("content-encoding"))
      << "below the threshold";
}

TEST_F(Wire, SendsVeryLargeRepliesAsTheyAre) {
  start();
  const auto answer_of = [this](std::size_t payload) {
    const std::string body = fmt::format(R"({{"type":"t","payload":"{}"}})", std::string(payload, 'x'));
    const auto job = nlohmann::json::parse(call("POST", "/api/v1/jobs", body).body);
    return call("GET", "/api/v1/jobs/" + job["id"].get<std::string>(), "", "Accept-Encoding: gzip\r\n");
  };
  EXPECT_TRUE(answer_of(100'000).headers.contains("content-encoding"));
  const Answer large = answer_of(2'000'000);
  EXPECT_GT(large.body.size(), 2'000'000u);
  EXPECT_FALSE(large.headers.contains("content-encoding"));
}

TEST_F(Wire, RefusesABodyBeyondTheLimitAndStillAnswers) {
  HttpOptions options;
  options.limits.body_bytes_max = 100;
  start(options);
  const Answer answer = call("POST", "/api/v1/jobs", fmt::format(R"({{"type":"{}"}})", std::string(200, 'x')));
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(nlohmann::json::parse(answer.body)["code"], "invalid_argument");
  EXPECT_NE(answer.body.find("100 bytes"), std::string::npos);
}

TEST_F(Wire, RefusesAChunkedBodyBeyondTheLimit) {
  HttpOptions options;
  options.limits.body_bytes_max = 100;
  start(options);
  Client client = connect();
  client.send("POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nc8\r\n" +
              std::string(200, 'x') + "\r\n0\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 413);
}

TEST_F(Wire, RefusesHeadersBeyondTheLimit) {
  start();
  EXPECT_EQ(call("GET", "/healthz", "", fmt::format("X-Long: {}\r\n", std::string(20'000, 'x'))).status, 431);
}

TEST_F(Wire, RefusesWhatIsNotHttpAndCloses) {
  start();
  Client client = connect();
  client.send("\x16\x03\x01 hello\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 400);
  EXPECT_TRUE(client.read_end());
}

TEST_F(Wire, RefusesTwoContradictingLengths) {
  start();
  Client client = connect();
  client.send(
      "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\nTransfer-Encoding: "
      "chunked\r\n\r\n{\"type\":\"t\"}");
  EXPECT_EQ(client.read_answer().status, 400);
}

TEST_F(Wire, TimesOutSlowHeadersWith408) {
  start();
  Client client = connect();
  client.send("GET /healthz HT");
  EXPECT_TRUE(eventually([&] {
    clock.advance(1s);
    return metrics.text().find("status=\"408\"} 1") != std::string::npos;
  }));
  EXPECT_EQ(client.read_answer().status, 408);
  EXPECT_TRUE(client.read_end());
}

TEST_F(Wire, TimesOutASlowBodyWith408) {
  start();
  Client client = connect();
  client.send("POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n{");
  EXPECT_TRUE(eventually([&] {
    clock.advance(1s);
    return metrics.text().find("status=\"408\"} 1") != std::string::npos;
  }));
  EXPECT_EQ(client.read_answer().status, 408);
}

TEST_F(Wire, ClosesAnIdleConnectionWithoutAWord) {
  start();
  Client client = connect();
  EXPECT_EQ(client.call("GET", "/healthz").status, 200);
  EXPECT_TRUE(eventually([&] {
    clock.advance(10s);
    return metrics.gauge("muster_http_connections_open", "").value() == 0;
  }));
  EXPECT_TRUE(client.read_end());
}

TEST_F(Wire, RefusesConnectionsAboveTheLimit) {
  HttpOptions options;
  options.limits.connections_max = 2;
  start(options);
  Client first = connect();
  Client second = connect();
  EXPECT_EQ(first.call("GET", "/healthz").status, 200);
  EXPECT_EQ(second.call("GET", "/healthz").status, 200);
  Client third = connect();
  EXPECT_EQ(third.read_answer().status, 503);
  EXPECT_TRUE(third.read_end());
  first.close();
  EXPECT_TRUE(eventually([&] { return call("GET", "/healthz").status == 200; }));
}

TEST_F(Wire, AnswersHeadAndOptions) {
  start();
  const Answer head = call("HEAD", "/api/v1/openapi.json");
  EXPECT_EQ(head.status, 200);
  EXPECT_GT(std::stoi(head.headers.at("content-length")), 1'000);
  const Answer options = call("OPTIONS", "/api/v1/jobs");
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.headers.at("allow"), "POST, GET, HEAD, OPTIONS");
}

TEST_F(Wire, NamesTheMethodsOfAKnownPath) {
  start();
  const Answer answer = call("DELETE", "/api/v1/jobs");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.headers.at("allow"), "POST, GET, HEAD, OPTIONS");
  EXPECT_EQ(nlohmann::json::parse(answer.body)["code"], "not_found");
  EXPECT_EQ(call("GET", "/api/v1/nothing").status, 404);
  EXPECT_EQ(call("POST", "/api/v1/jobs/not-a-uuid/cancel").status, 400);
  EXPECT_EQ(call("GET", "/api/v1/jobs/%zz").status, 400);
}

TEST_F(Wire, RefusesABodyThatIsNotJson) {
  start();
  Client client = connect();
  client.send(
      "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n\r\n{\"type\":\"t\"}");
  EXPECT_EQ(client.read_answer().status, 415);
}

TEST_F(Wire, AnswersAClientThatFinishedSending) {
  start();
  Client client = connect();
  client.send(request_text("POST", "/api/v1/jobs", R"({"type":"t"})"));
  client.finish_sending();
  EXPECT_EQ(client.read_answer().status, 201);
  EXPECT_TRUE(client.read_end());
}

TEST_F(Wire, RefusesForeignHostsAndOriginsWithoutAuthentication) {
  HttpOptions options;
  options.cors_origins = {"https://console.example"};
  start(options);
  Client client = connect();
  client.send("GET /api/v1/queues HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 403);
  EXPECT_EQ(call("GET", "/api/v1/queues", "", "Origin: https://evil.example\r\n").status, 403);
  EXPECT_EQ(call("GET", "/api/v1/queues", "", "Origin: http://localhost\r\n").status, 200);
  const Answer allowed = call("GET", "/api/v1/queues", "", "Origin: https://console.example\r\n");
  EXPECT_EQ(allowed.status, 200);
  EXPECT_EQ(allowed.headers.at("access-control-allow-origin"), "https://console.example");
  EXPECT_TRUE(call("OPTIONS", "/api/v1/jobs", "", "Origin: https://console.example\r\n")
                  .headers.contains("access-control-allow-methods"));
}

TEST_F(Wire, FinishesWhatIsUnderWayWhenItStops) {
  start();
  store.hold();
  Client busy = connect();
  busy.send(request_text("POST", "/api/v1/jobs", R"({"type":"t"})"));
  Client idle = connect();
  EXPECT_EQ(idle.call("GET", "/healthz").status, 200);
  std::thread stopping([&] { front->stop(10s); });
  EXPECT_TRUE(idle.read_end());
  idle.close();
  store.let_go();
  const Answer answer = busy.read_answer();
  busy.close();
  stopping.join();
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.headers.at("connection"), "close");
  front->stop(10s);
  EXPECT_FALSE(Client(front->port()).connected());
}

TEST_F(Wire, SaysWhatToDoWhenThePortIsInUse) {
  start();
  HttpOptions options;
  options.port = front->port();
  const auto second = HttpFront::start(loop, the_door(), metrics, options);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.code(), Code::unavailable);
  EXPECT_NE(second.status().message().find(std::to_string(front->port())), std::string::npos);
  EXPECT_NE(second.status().message().find("in use"), std::string::npos);
}

TEST_F(Wire, RefusesAnOpenAddressWithoutTlsAndAuthentication) {
  HttpOptions options;
  options.address = "0.0.0.0";
  options.port = 0;
  EXPECT_EQ(HttpFront::start(loop, the_door(), metrics, options).code(), Code::invalid_argument);
  options.insecure = true;
  EXPECT_TRUE(HttpFront::start(loop, the_door(), metrics, options).ok());
}

}  // namespace
}  // namespace muster::http
