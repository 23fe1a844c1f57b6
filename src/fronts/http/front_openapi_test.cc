// What the server really answers fits the document it serves, and what the document gives as examples is understood.
#include <fmt/format.h>

#include "base/ascii.h"
#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using nlohmann::json;
using LiveOpenApi = FrontTest;

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

TEST_F(LiveOpenApi, UnderstandsEveryExampleRequest) {
  // Examples name jobs and workers that do not exist: not_found, lease_lost or conflict are fine answers, a refusal of the form
  // is not.
  start();
  const json doc = json::parse(call("GET", "/api/v1/openapi.json").body);
  for (const auto& [path, operations] : doc["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      if (!operation.contains("requestBody")) continue;
      constexpr const char* kUuid = "0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0a1b";
      bool named_by_uuid = false;
      for (const char* noun : {"/jobs/", "/runs/", "/agent-runs/", "/sessions/"})
        named_by_uuid = named_by_uuid || path.find(noun) != std::string::npos;
      std::string target = replaced(replaced(path, "{id}", named_by_uuid ? kUuid : "w1"), "{name}", "mail");
      target = replaced(replaced(replaced(target, "{agent}", kUuid), "{event}", kUuid), "{tool}", "mail");
      const std::string verb = upper(method);
      const std::string example = operation["requestBody"]["content"]["application/json"]["example"].dump();
      const Answer answer = call(verb, target, example);
      EXPECT_NE(answer.status, 400) << verb << " " << target << " " << example << "\n" << answer.body;
      EXPECT_NE(answer.status, 0) << verb << " " << target;
    }
  }
}

TEST_F(LiveOpenApi, DescribesEveryMemberOfRealReplies) {
  start();
  check_members(
      "Registered",
      call_json("POST", "/api/v1/workers",
                R"({"id":"w1","hostname":"h","version":"1","metadata":{"a":1},"capabilities":["tool:x"],"labels":{"a":"b"}})",
                201));
  const std::string id = submit(
      R"({"type":"t","payload":1,"needs":["tool:x"],"selector":{"a":"b"},"labels":{"k":"v"},"expires_in_ms":1000,"timeout_ms":1000,"lease_ms":1000,
    "idempotency_key":"i","unique":{"key":"u"},"concurrency":{"key":"c"},"fairness":{"key":"f"},"affinity":{"sticky_key":"s"},"correlation":"x"})");
  check_members("Why", call_json("GET", "/api/v1/jobs/" + id + "/why"));
  const json grant = claim_one("w1");
  check_members("Grant", grant);
  const std::string fence = grant["fence"].dump();
  check_members("Renewed", call_json("POST", fmt::format("/api/v1/jobs/{}/progress", id),
                                     fmt::format(R"({{"fence":{},"fraction":0.1,"message":"m","partial":{{}}}})", fence)));
  check_members("Settled", call_json("POST", fmt::format("/api/v1/jobs/{}/fail", id),
                                     fmt::format(R"({{"fence":{},"error":{{"kind":"k","message":"m"}}}})", fence)));
  check_members("Job", call_json("GET", "/api/v1/jobs/" + id));
  check_members("BeatReply", call_json("POST", "/api/v1/workers/w1/heartbeat", R"({"stats":{"a":1}})"));
  check_members("Worker", call_json("POST", "/api/v1/workers/w1/drain", R"({"reason":"r"})"));
  check_members("Queue", call_json("PUT", "/api/v1/queues/q/limits",
                                   R"({"running_max":1,"running_max_by_type":{"t":1},"rate":{"count":1}})"));
  const char* plan = R"({"plan_id":"p1","plan_description":"d","tasks":[{"task_number":1,"command":"wc"}]})";
  check_members("PlanStored", call_json("POST", "/api/v1/plans", plan, 201));
  check_members("ActionView", call_json("POST", "/api/v1/actions", R"({"id":"a1","plan":"p1","inputs":[1]})", 201));
  check_members("Plan", call_json("GET", "/api/v1/plans/p1"));
  check_members("PlanPage", call_json("GET", "/api/v1/plans"));
  const json view = call_json("GET", "/api/v1/actions/a1");
  check_members("ActionView", view);
  check_members("ActionCounts", view["counts"]);
  check_members("Action", call_json("GET", "/api/v1/actions")["actions"][0]);
  check_members("JobLogs", call_json("GET", "/api/v1/jobs/" + id + "/logs"));
  check_members("Namespace", call_json("GET", "/api/v1/namespaces")["namespaces"][0]);
  const json cluster = call_json("GET", "/api/v1/cluster");
  check_members("Cluster", cluster);
  check_members("ClusterNode", cluster["nodes"][0]);
  check_members("Server", call_json("GET", "/api/v1/server"));
  check_members("Backup", call_json("POST", "/api/v1/backups", R"({"name":"x"})", 201));
}

}  // namespace
}  // namespace muster::http
