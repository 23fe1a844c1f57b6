// Tokens and roles, on the wire.
#include <fmt/format.h>

#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using namespace std::chrono_literals;
using command::Role;

class Auth : public FrontTest {
 protected:
  void start_with_tokens() {
    HttpOptions options;
    options.auth.required = true;
    options.auth.tokens = {{.name = "ops", .role = Role::operator_role, .secret = "operator-secret", .worker = {}},
                           {.name = "fleet", .role = Role::worker, .secret = "worker-secret", .worker = {}},
                           {.name = "one", .role = Role::worker, .secret = "bound-secret", .worker = WorkerId("w1")},
                           {.name = "eyes", .role = Role::read_only, .secret = "reader-secret", .worker = {}}};
    start(options);
  }
  int status(std::string_view secret, std::string_view method, std::string_view target, std::string_view body = {}) {
    return call(method, target, body, fmt::format("Authorization: Bearer {}\r\n", secret)).status;
  }
};

TEST_F(Auth, AsksForATokenAndSaysHow) {
  start_with_tokens();
  const Answer answer = call("GET", "/api/v1/queues");
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(answer.headers.at("www-authenticate"), "Bearer realm=\"muster\"");
  EXPECT_EQ(call("GET", "/healthz").status, 200);
  EXPECT_EQ(call("GET", "/readyz").status, 200);
  EXPECT_EQ(call("GET", "/api/v1/openapi.json").status, 200);
  EXPECT_EQ(call("GET", "/metrics").status, 401);
  EXPECT_EQ(call("GET", "/events").status, 401);
}

TEST_F(Auth, GivesEachRoleItsRights) {
  start_with_tokens();
  EXPECT_EQ(status("reader-secret", "GET", "/api/v1/queues"), 200);
  EXPECT_EQ(status("reader-secret", "GET", "/metrics"), 200);
  EXPECT_EQ(status("reader-secret", "POST", "/api/v1/workers", R"({"id":"w9"})"), 403);
  EXPECT_EQ(status("worker-secret", "POST", "/api/v1/workers", R"({"id":"w9"})"), 201);
  EXPECT_EQ(status("worker-secret", "POST", "/api/v1/queues/q/pause"), 403);
  EXPECT_EQ(status("worker-secret", "POST", "/api/v1/jobs", R"({"type":"t"})"), 403);
  EXPECT_EQ(status("operator-secret", "POST", "/api/v1/queues/q/pause"), 200);
  EXPECT_EQ(status("operator-secret", "POST", "/api/v1/jobs", R"({"type":"t"})"), 201);
}

TEST_F(Auth, KeepsABoundTokenToItsWorker) {
  start_with_tokens();
  EXPECT_EQ(status("bound-secret", "POST", "/api/v1/workers", R"({"id":"w2"})"), 403);
  EXPECT_EQ(status("bound-secret", "POST", "/api/v1/workers", R"({"id":"w1"})"), 201);
  EXPECT_EQ(status("worker-secret", "POST", "/api/v1/workers", R"({"id":"w2"})"), 201);
  EXPECT_EQ(status("bound-secret", "POST", "/api/v1/workers/w2/heartbeat", "{}"), 403);
  EXPECT_EQ(status("bound-secret", "DELETE", "/api/v1/workers/w2"), 403);
  EXPECT_EQ(status("bound-secret", "POST", "/api/v1/jobs/claim", R"({"worker":"w2"})"), 403);
}

TEST_F(Auth, KeepsABoundTokenToTheJobsItsWorkerHolds) {
  start_with_tokens();
  const std::string fleet = "Authorization: Bearer worker-secret\r\n";
  const std::string bound = "Authorization: Bearer bound-secret\r\n";
  const std::string ops = "Authorization: Bearer operator-secret\r\n";
  call("POST", "/api/v1/workers", R"({"id":"w1"})", fleet);
  call("POST", "/api/v1/workers", R"({"id":"w2"})", fleet);
  call("POST", "/api/v1/jobs", R"({"type":"t"})", ops);
  call("POST", "/api/v1/jobs", R"({"type":"t"})", ops);
  const auto others = nlohmann::json::parse(call("POST", "/api/v1/jobs/claim", R"({"worker":"w2"})", fleet).body)["jobs"][0];
  const auto own = nlohmann::json::parse(call("POST", "/api/v1/jobs/claim", R"({"worker":"w1"})", bound).body)["jobs"][0];
  const auto complete = [&](const nlohmann::json& grant) {
    return call("POST", fmt::format("/api/v1/jobs/{}/complete", grant["id"].get<std::string>()),
                fmt::format(R"({{"fence":{}}})", grant["fence"].dump()), bound)
        .status;
  };
  EXPECT_EQ(complete(others), 403);
  EXPECT_EQ(complete(own), 200);
  const std::string batch = fmt::format(R"({{"release":[{{"id":{},"fence":{}}}]}})", others["id"].dump(), others["fence"].dump());
  EXPECT_EQ(call("POST", "/api/v1/jobs/settle", batch, bound).status, 403);
}

TEST_F(Auth, AsksForATokenBeforeTheBodyHasCome) {
  start_with_tokens();
  Client client = connect();
  client.send("POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{");
  EXPECT_EQ(client.read_answer().status, 401);
  EXPECT_TRUE(client.read_end());
  Client known = connect();
  known.send(
      "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer operator-secret\r\nContent-Length: 12\r\n\r\n{");
  known.send(R"("type":"t"})");
  EXPECT_EQ(known.read_answer().status, 201);
}

TEST_F(Auth, MakesGuessersWaitAndNobodyElse) {
  start_with_tokens();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(status("wrong", "GET", "/api/v1/queues"), 401);
  const Answer blocked = call("GET", "/api/v1/queues", "", "Authorization: Bearer wrong\r\n");
  EXPECT_EQ(blocked.status, 429);
  EXPECT_TRUE(blocked.headers.contains("retry-after"));
  EXPECT_EQ(status("reader-secret", "GET", "/api/v1/queues"), 200) << "it was never used from here, and is right";
  clock.advance(2s);
  EXPECT_EQ(status("wrong", "GET", "/api/v1/queues"), 401);
}

TEST_F(Auth, AServerThatIsNotReadySaysWhyOnlyToThoseWithAToken) {
  start_with_tokens();
  store.set_health({.writable = false, .reason = "connection to 192.0.2.7 failed for user muster"});
  EXPECT_EQ(call("GET", "/readyz").status, 503);
  EXPECT_EQ(call("GET", "/readyz").body, "store_not_writable\n");
  const auto with = [&](std::string_view secret) {
    return call("GET", "/readyz", "", fmt::format("Authorization: Bearer {}\r\n", secret));
  };
  EXPECT_EQ(with("reader-secret").body, "connection to 192.0.2.7 failed for user muster\n");
  EXPECT_EQ(with("wrong").status, 503);
  EXPECT_EQ(with("wrong").body, "store_not_writable\n");
}

TEST_F(Auth, ReplacesTokensWhileRunning) {
  start_with_tokens();
  Client stream = connect();
  stream.send(request_text("GET", "/events", "", "Authorization: Bearer reader-secret\r\n"));
  stream.read_until("\r\n\r\n");
  AuthOptions changed{.tokens = {{.name = "ops", .role = Role::operator_role, .secret = "fresh-secret", .worker = {}}},
                      .required = true};
  ASSERT_TRUE(front->set_tokens(changed).ok());
  EXPECT_TRUE(stream.read_end()) << "its token is gone";
  EXPECT_EQ(status("operator-secret", "GET", "/api/v1/queues"), 401);
  EXPECT_EQ(status("fresh-secret", "GET", "/api/v1/queues"), 200);
  EXPECT_EQ(front->set_tokens({.tokens = {}, .required = true}).code(), Code::invalid_argument);
}

TEST_F(Auth, LetsEverybodyInWhereNoTokenIsRequiredButRefusesAWrongOne) {
  start();
  EXPECT_EQ(call("POST", "/api/v1/queues/q/pause").status, 200);
  EXPECT_EQ(status("wrong", "GET", "/api/v1/queues"), 401);
}

}  // namespace
}  // namespace muster::http
