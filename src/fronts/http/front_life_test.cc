// A job's life over real sockets, as docs/protocol-http.md tells it.
#include <fmt/format.h>

#include <filesystem>

#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using Life = FrontTest;

TEST_F(Life, GoesFromSubmitToCompleted) {
  start();
  register_worker("w1");
  const std::string id = submit(R"({"type":"email.send","payload":{"to":"a@b","n":1.50},"labels":{"k":"v"}})");
  const auto grant = claim_one("w1");
  EXPECT_EQ(grant["id"], id);
  EXPECT_EQ(grant["payload"]["to"], "a@b");
  EXPECT_EQ(grant["attempt"], 1);
  const auto renewed =
      call_json("POST", fmt::format("/api/v1/jobs/{}/heartbeat", id), fmt::format(R"({{"fence":{}}})", grant["fence"].dump()));
  EXPECT_EQ(renewed["cancel_requested"], false);
  call_json("POST", fmt::format("/api/v1/jobs/{}/progress", id),
            fmt::format(R"({{"fence":{},"fraction":0.5,"message":"half","partial":[1]}})", grant["fence"].dump()));
  const auto settled = call_json("POST", fmt::format("/api/v1/jobs/{}/complete", id),
                                 fmt::format(R"({{"fence":{},"result":{{"ok":true}}}})", grant["fence"].dump()));
  EXPECT_EQ(settled["state"], "completed");
  const auto job = call_json("GET", fmt::format("/api/v1/jobs/{}", id));
  EXPECT_EQ(job["state"], "completed");
  EXPECT_EQ(job["result"]["ok"], true);
  EXPECT_EQ(job["progress"]["fraction"], 0.5);
}

TEST_F(Life, KeepsThePayloadAsTheClientWroteIt) {
  start();
  const std::string payload = R"({"z":1,"a":1.50,"big":123456789012345678901234567890,"s":"\u00e9\/"})";
  const std::string id = submit(fmt::format(R"({{"type":"t","payload": {} }})", payload));
  const Answer answer = call("GET", fmt::format("/api/v1/jobs/{}", id));
  EXPECT_NE(answer.body.find("\"payload\":" + payload), std::string::npos) << answer.body;
}

TEST_F(Life, CarriesBytesAsBase64) {
  start();
  register_worker("w1");
  submit(R"({"type":"t","payload_base64":"AP8Q"})");
  EXPECT_EQ(claim_one("w1")["payload_base64"], "AP8Q");
}

TEST_F(Life, RefusesAStaleFenceWithLeaseLost) {
  start();
  register_worker("w1");
  const std::string id = submit(R"({"type":"t"})");
  const auto grant = claim_one("w1");
  const Answer answer = call("POST", fmt::format("/api/v1/jobs/{}/complete", id), R"({"fence":999})");
  EXPECT_EQ(answer.status, 409);
  EXPECT_EQ(answer.headers.at("content-type"), "application/problem+json");
  const auto problem = nlohmann::json::parse(answer.body);
  EXPECT_EQ(problem["code"], "lease_lost");
  EXPECT_EQ(problem["status"], 409);
  EXPECT_EQ(problem["instance"], fmt::format("/api/v1/jobs/{}/complete", id));
}

TEST_F(Life, AnswersARepeatedSubmissionWith200) {
  start();
  const std::string spec = R"({"type":"t","idempotency_key":"k"})";
  const std::string id = submit(spec);
  const auto again = call_json("POST", "/api/v1/jobs", spec, 200);
  EXPECT_EQ(again["id"], id);
  EXPECT_EQ(again["existed"], true);
}

TEST_F(Life, SubmitsManyAndSettlesManyWithAnAnswerEach) {
  start();
  register_worker("w1");
  const auto made = call_json("POST", "/api/v1/jobs/bulk", R"({"jobs":[{"type":"a"},{"type":"b"},{"type":"c"}]})", 201);
  ASSERT_EQ(made["jobs"].size(), 3u);
  const auto grants = call_json("POST", "/api/v1/jobs/claim", R"({"worker":"w1","limit":10})")["jobs"];
  ASSERT_EQ(grants.size(), 3u);
  const auto element = [&](int i, const char* more) {
    return fmt::format(R"({{"id":{},"fence":{}{}}})", grants[i]["id"].dump(), grants[i]["fence"].dump(), more);
  };
  const std::string body =
      fmt::format(R"({{"complete":[{},{{"id":{},"fence":12345}}],"fail":[{}],"release":[{}]}})", element(0, ""),
                  grants[0]["id"].dump(), element(1, R"(,"error":{"kind":"x","message":"y"},"retryable":false)"), element(2, ""));
  const auto answers = call_json("POST", "/api/v1/jobs/settle", body);
  EXPECT_EQ(answers["complete"][0]["state"], "completed");
  EXPECT_EQ(answers["complete"][1]["error"]["code"], "lease_lost");
  EXPECT_EQ(answers["fail"][0]["state"], "dead");
  EXPECT_EQ(answers["release"][0]["state"], "ready");
  EXPECT_TRUE(answers["snooze"].empty());
}

TEST_F(Life, CancelsRetriesListsAndExplains) {
  start();
  register_worker("w1");
  const std::string id = submit(R"({"type":"t","needs":["tool:x"]})");
  EXPECT_EQ(call_json("GET", fmt::format("/api/v1/jobs/{}/why", id))["details"]["missing"][0], "tool:x");
  EXPECT_EQ(call_json("POST", fmt::format("/api/v1/jobs/{}/cancel", id))["state"], "cancelled");
  EXPECT_EQ(call_json("POST", fmt::format("/api/v1/jobs/{}/cancel", id), "", 409)["code"], "conflict");
  EXPECT_EQ(call_json("GET", "/api/v1/jobs?state=cancelled")["jobs"].size(), 1u);
  EXPECT_EQ(call_json("POST", "/api/v1/jobs/search", R"({"states":["ready"]})")["jobs"].size(), 0u);
  EXPECT_EQ(call_json("POST", fmt::format("/api/v1/jobs/{}/retry", id))["state"], "ready");
  const auto many = call_json("POST", "/api/v1/jobs/cancel",
                              fmt::format(R"({{"ids":["{}","00000000-0000-0000-0000-000000000001"],"reason":"r"}})", id));
  EXPECT_EQ(many["jobs"][0]["state"], "cancelled");
  EXPECT_EQ(many["jobs"][1]["error"]["code"], "not_found");
  EXPECT_EQ(call_json("POST", "/api/v1/jobs/retry", R"({"filter":{"states":["dead"]}})")["ids"].size(), 0u);
}

TEST_F(Life, RunsAWorkerFromRegistrationToGoodbye) {
  start();
  const auto registered =
      call_json("POST", "/api/v1/workers",
                R"({"id":"w1","capabilities":["tool:x"],"labels":{"zone":"a"},"slots":4,"metadata":{"m":1}})", 201);
  EXPECT_EQ(registered["heartbeat_ms"], 10'000);
  EXPECT_EQ(registered["replaced"], false);
  const auto beat = call_json("POST", "/api/v1/workers/w1/heartbeat", R"({"stats":{"cpu":0.5},"held":[],"accepting":true})");
  EXPECT_EQ(beat["state"], "online");
  const auto worker = call_json("GET", "/api/v1/workers/w1");
  EXPECT_EQ(worker["health"], "healthy");
  EXPECT_EQ(worker["capabilities"][0], "tool:x");
  EXPECT_EQ(worker["stats"]["cpu"], 0.5);
  EXPECT_EQ(call_json("POST", "/api/v1/workers/w1/drain", R"({"deadline_ms":1000,"reason":"upgrade"})")["state"], "draining");
  EXPECT_EQ(call_json("GET", "/api/v1/workers")["workers"].size(), 1u);
  const auto back = call_json("POST", "/api/v1/workers/w1/resume", R"({"namespace":"default"})");
  EXPECT_EQ(back["state"], "online");
  EXPECT_FALSE(back.contains("drain_deadline") || back.contains("drain_reason"));
  EXPECT_EQ(call_json("POST", "/api/v1/workers/w1/heartbeat", R"({"accepting":false})")["drain_origin"], "itself");
  EXPECT_EQ(call_json("POST", "/api/v1/workers/w1/resume", "", 409)["code"], "conflict");
  EXPECT_EQ(call_json("POST", "/api/v1/workers/nobody/resume", "", 404)["code"], "not_found");
  EXPECT_EQ(call_json("DELETE", "/api/v1/workers/w1")["state"], "offline");
  EXPECT_EQ(call_json("POST", "/api/v1/workers/w1/resume", "", 404)["code"], "not_found");
  EXPECT_EQ(call_json("GET", "/api/v1/workers/nobody", "", 404)["code"], "not_found");
}

TEST_F(Life, ABackupHasANameAndNoPlace) {
  start();
  for (const char* name : {"", ".", "..", ".hidden", "a/b", "/etc/x", "..\\\\x", "a b", "a\\u0000b"}) {
    const auto refused = call_json("POST", "/api/v1/backups", fmt::format(R"({{"name":"{}"}})", name), 400);
    EXPECT_NE(refused["detail"].get<std::string>().find("name"), std::string::npos) << name;
  }
  call_json("POST", "/api/v1/backups", fmt::format(R"({{"name":"{}"}})", std::string(129, 'a')), 400);
  call_json("POST", "/api/v1/backups", "{}", 400);
  const auto old = call_json("POST", "/api/v1/backups", R"({"path":"/tmp/anywhere"})", 400);
  EXPECT_NE(old["detail"].get<std::string>().find("\"name\""), std::string::npos) << old;
}

TEST_F(Life, ManagesQueuesNamespacesAndBackups) {
  start();
  EXPECT_EQ(call_json("POST", "/api/v1/queues/mail/pause", R"({"reason":"maintenance"})")["paused"], true);
  EXPECT_EQ(call_json("POST", "/api/v1/queues/mail/resume")["paused"], false);
  const auto limited = call_json("PUT", "/api/v1/queues/mail/limits",
                                 R"({"running_max":5,"rate":{"count":2,"per_ms":1000,"burst":3},"running_max_by_type":{"t":1}})");
  EXPECT_EQ(limited["running_max"], 5);
  EXPECT_EQ(limited["rate"]["burst"], 3);
  EXPECT_EQ(limited["running_max_by_type"]["t"], 1);
  EXPECT_EQ(call_json("GET", "/api/v1/queues")["queues"].size(), 1u);
  EXPECT_EQ(call_json("POST", "/api/v1/namespaces", R"({"name":"team-a"})", 201)["name"], "team-a");
  EXPECT_EQ(call_json("POST", "/api/v1/namespaces", R"({"name":"team-a"})", 409)["code"], "already_exists");
  EXPECT_EQ(call_json("GET", "/api/v1/namespaces")["namespaces"].size(), 2u);
  EXPECT_EQ(call_json("DELETE", "/api/v1/namespaces/team-a")["name"], "team-a");
  const auto copy = call_json("POST", "/api/v1/backups", R"({"name":"copy.db"})", 201);
  EXPECT_EQ(copy["path"], facts.backup_folder + "/copy.db");
  EXPECT_EQ(copy["bytes"], std::filesystem::file_size(facts.backup_folder + "/copy.db"));
  EXPECT_EQ(call_json("POST", "/api/v1/backups", R"({"name":"copy.db"})", 409)["code"], "already_exists");
}

TEST_F(Life, ShowsTheServerAndItsHealth) {
  start();
  register_worker("w1");
  const auto info = call_json("GET", "/api/v1/server");
  EXPECT_EQ(info["version"], "0.1.0");
  EXPECT_EQ(info["workers"], 1);
  EXPECT_EQ(info["listeners"]["http"], front->address());
  EXPECT_EQ(call("GET", "/healthz").body, "ok\n");
  EXPECT_EQ(call("GET", "/readyz").status, 200);
  store.set_health({.writable = false, .reason = "the disk is full"});
  EXPECT_EQ(call("GET", "/readyz").status, 503);
  EXPECT_EQ(call_json("GET", "/api/v1/server")["reason"], "the disk is full");
}

TEST_F(Life, AListenerOfEverythingIsShownAndIsTheAddressOfAServerThatHasNoOther) {
  HttpOptions options;
  options.address = "";
  the_door().listeners().set("http", "off");
  start(std::move(options));
  ASSERT_TRUE(front->listen({.host = "127.0.0.1", .port = 0}).ok());
  const std::string& address = front->second_address();
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  const auto shown = [port](const char* path) { return nlohmann::json::parse(Client(port).call("GET", path).body); };
  EXPECT_EQ(shown("/api/v1/server")["listeners"]["listen"], address);
  EXPECT_EQ(shown("/api/v1/cluster")["nodes"][0]["address"], address);
}

TEST_F(Life, MeasuresRequestsByRouteAndStatus) {
  start();
  submit(R"({"type":"t"})");
  call("GET", "/nowhere");
  const std::string text = call("GET", "/metrics").body;
  EXPECT_NE(text.find("muster_http_requests_total{route=\"POST /api/v1/jobs\",status=\"201\"} 1"), std::string::npos) << text;
  EXPECT_NE(text.find("muster_http_requests_total{route=\"unmatched\",status=\"404\"} 1"), std::string::npos);
  EXPECT_NE(text.find("muster_http_request_duration_seconds_count{route=\"POST /api/v1/jobs\"} 1"), std::string::npos);
  EXPECT_NE(text.find("muster_http_connections_open"), std::string::npos);
}

TEST_F(Life, ExplainsEveryCodeAsAProblem) {
  start();
  struct Row {
    Code code;
    int status;
  };
  for (const Row row :
       {Row{Code::conflict, 409}, Row{Code::lease_lost, 409}, Row{Code::exhausted, 429}, Row{Code::unavailable, 503},
        Row{Code::outcome_unknown, 504}, Row{Code::corrupt, 500}, Row{Code::internal, 500}, Row{Code::not_found, 404},
        Row{Code::already_exists, 409}, Row{Code::permission_denied, 403}, Row{Code::invalid_argument, 400}}) {
    store.fail_with(Status(row.code, "because"));
    const Answer answer = call("GET", "/api/v1/queues");
    EXPECT_EQ(answer.status, row.status) << to_string(row.code);
    const auto problem = nlohmann::json::parse(answer.body);
    EXPECT_EQ(problem["code"], std::string(to_string(row.code)));
    EXPECT_EQ(problem["title"], problem["code"]);
    EXPECT_EQ(problem["detail"], "because");
    EXPECT_EQ(problem["type"], "https://muster.invalid/errors/" + std::string(to_string(row.code)));
    EXPECT_EQ(answer.headers.contains("retry-after"), row.code == Code::exhausted || row.code == Code::unavailable);
  }
}

}  // namespace
}  // namespace muster::http
