// Plans, actions and what tools wrote, over real sockets.
#include <fmt/format.h>

#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using nlohmann::json;

constexpr const char* kPlan =
    R"({"plan_id":"count","plan_description":"Count.","tasks":[{"task_number":1,"command":"sort","args":["{{input.f}}"]},)"
    R"({"task_number":2,"command":"wc","input_from_task":1}]})";

class Plans : public FrontTest {
 protected:
  void submit_plan() { call_json("POST", "/api/v1/plans", kPlan, 201); }
  // Claims the next job and completes it with a result; its id.
  std::string complete_one(std::string_view result) {
    const json grant = claim_one("w1");
    const std::string id = grant["id"];
    call_json("POST", fmt::format("/api/v1/jobs/{}/complete", id),
              fmt::format(R"({{"fence":{},"result":{}}})", grant["fence"].dump(), result));
    return id;
  }
};

TEST_F(Plans, KeepTheTextTheyCameWith) {
  start();
  const json kept = call_json("POST", "/api/v1/plans", kPlan, 201);
  EXPECT_EQ(kept["id"], "count");
  EXPECT_EQ(kept["description"], "Count.");
  EXPECT_EQ(kept["tasks"], 2);
  EXPECT_EQ(kept["needs"], (json{"tool:sort", "tool:wc"}));
  EXPECT_EQ(kept["existed"], false);
  EXPECT_FALSE(kept.contains("document"));
  const Answer one = call("GET", "/api/v1/plans/count");
  EXPECT_NE(one.body.find(fmt::format("\"document\":{}", kPlan)), std::string::npos) << one.body;
  EXPECT_EQ(call_json("POST", "/api/v1/plans", kPlan, 200)["existed"], true);
}

TEST_F(Plans, AreReplacedOnlyWhenAsked) {
  start();
  submit_plan();
  const std::string other = R"({"plan_id":"count","tasks":[{"task_number":1,"command":"wc"}]})";
  EXPECT_EQ(call("POST", "/api/v1/plans", other).status, 409);
  EXPECT_EQ(call_json("GET", "/api/v1/plans/count")["tasks"], 2);
  EXPECT_EQ(call_json("POST", "/api/v1/plans?replace=true", other, 201)["tasks"], 1);
}

TEST_F(Plans, AreRefusedWithWhatIsWrong) {
  start();
  const Answer answer = call("POST", "/api/v1/plans", R"({"plan_id":"p","tasks":[]})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(json::parse(answer.body)["detail"], "Plan validation failed: [] has less than 1 item");
  EXPECT_EQ(call_json("GET", "/api/v1/plans")["total"], 0);
  EXPECT_EQ(call("POST", "/api/v1/plans", "").status, 400);
  EXPECT_EQ(call("POST", "/api/v1/plans?repalce=true", kPlan).status, 400);
}

TEST_F(Plans, AreListedInPagesAndDeleted) {
  start();
  for (const char* id : {"a", "b", "c"})
    call_json("POST", "/api/v1/plans", fmt::format(R"({{"plan_id":"{}","tasks":[{{"task_number":1,"command":"wc"}}]}})", id),
              201);
  const json page = call_json("GET", "/api/v1/plans?offset=1&limit=1");
  EXPECT_EQ(page["total"], 3);
  ASSERT_EQ(page["plans"].size(), 1u);
  EXPECT_EQ(page["plans"][0]["id"], "b");
  EXPECT_FALSE(page["plans"][0].contains("document"));
  EXPECT_EQ(call("GET", "/api/v1/plans?limit=0").status, 400);
  EXPECT_EQ(call_json("DELETE", "/api/v1/plans/b")["id"], "b");
  EXPECT_EQ(call("GET", "/api/v1/plans/b").status, 404);
  EXPECT_EQ(call("DELETE", "/api/v1/plans/b").status, 404);
}

TEST_F(Plans, RunOverManyInputsAsAnAction) {
  start();
  register_worker("w1", R"(["tool:sort","tool:wc"])");
  submit_plan();
  const json action = call_json("POST", "/api/v1/actions",
                                R"({"id":"a1","plan":"count","inputs":[{"f":"x"}, 2.50 ,null],"attempts_max":1})", 201);
  EXPECT_EQ(action["state"], "pending");
  EXPECT_EQ(action["jobs"], 3);
  ASSERT_EQ(action["job_ids"].size(), 3u);
  const json job = call_json("GET", fmt::format("/api/v1/jobs/{}", action["job_ids"][1].get<std::string>()));
  EXPECT_EQ(job["type"], "plan");
  EXPECT_EQ(job["queue"], "ready");
  EXPECT_EQ(job["payload"].dump(), "2.5");
  EXPECT_EQ(job["labels"], (json{{"action", "a1"}, {"plan", "count"}, {"input", "1"}}));
  EXPECT_EQ(job["needs"], (json{"tool:sort", "tool:wc"}));
  EXPECT_EQ(job["retry"]["attempts_max"], 1);
  complete_one("1");
  const json view = call_json("GET", "/api/v1/actions/a1?job_offset=2&job_limit=5");
  EXPECT_EQ(view["state"], "running");
  EXPECT_EQ(view["counts"]["completed"], 1);
  EXPECT_EQ(view["counts"]["waiting"], 2);
  EXPECT_EQ(view["job_ids"], (json{action["job_ids"][2]}));
  complete_one("1");
  complete_one("1");
  EXPECT_EQ(call_json("GET", "/api/v1/actions?plan=count")["actions"][0]["state"], "completed");
  EXPECT_EQ(call_json("GET", "/api/v1/actions?plan=other")["total"], 0);
  EXPECT_EQ(call_json("GET", "/api/v1/plans/count")["jobs"], 3);
}

TEST_F(Plans, MakeAJobOfEveryTaskWhenAsked) {
  start();
  submit_plan();
  const json action = call_json("POST", "/api/v1/actions", R"({"plan":"count","inputs":[1,2],"job_unit":"task"})", 201);
  EXPECT_EQ(action["jobs"], 4);
  EXPECT_EQ(action["id"].get<std::string>().find("action_"), 0u) << "an action without a name gets one";
}

TEST_F(Plans, RefuseActionsThatCannotRun) {
  start();
  submit_plan();
  const auto refused = [&](std::string_view body, int status) {
    const Answer answer = call("POST", "/api/v1/actions", body);
    EXPECT_EQ(answer.status, status) << body << answer.body;
    return json::parse(answer.body)["detail"].get<std::string>();
  };
  EXPECT_EQ(refused(R"({"plan":"nope","inputs":[1]})", 404), "plan 'nope' does not exist");
  EXPECT_EQ(refused(R"({"plan":"count","inputs":[]})", 400), "inputs array must contain at least one input");
  EXPECT_EQ(refused(R"({"plan":"count"})", 400), "field \"inputs\": required, and missing");
  EXPECT_EQ(refused(R"({"plan":"count","inputs":[1],"job_unit":"all"})", 400),
            "field \"job_unit\": \"all\" is not accepted; \"plan\" or \"task\" is");
  call_json("POST", "/api/v1/actions", R"({"id":"a1","plan":"count","inputs":[1]})", 201);
  EXPECT_EQ(refused(R"({"id":"a1","plan":"count","inputs":[1]})", 409), "action 'a1' exists already");
  EXPECT_EQ(call("DELETE", "/api/v1/plans/count").status, 409) << "its job still waits";
  EXPECT_EQ(call("GET", "/api/v1/actions/nope").status, 404);
  EXPECT_EQ(call("GET", "/api/v1/actions/a1?job_limit=10001").status, 400);
}

TEST_F(Plans, ShowWhatTheirToolsWroteTaskByTask) {
  start();
  register_worker("w1", R"(["tool:sort","tool:wc"])");
  submit_plan();
  call_json("POST", "/api/v1/actions", R"({"id":"a1","plan":"count","inputs":[1]})", 201);
  const std::string id =
      complete_one(R"({"task_results":[{"stdout":"one\n","stderr":"careful\n"},{"stdout_base64":"AP8=","stderr":""}]})");
  const json logs = call_json("GET", fmt::format("/api/v1/jobs/{}/logs", id));
  EXPECT_EQ(logs["state"], "completed");
  EXPECT_EQ(logs["stdout_base64"], "b25lCgD/");
  EXPECT_EQ(logs["stderr"], "careful\n");
  const Answer output = call("GET", fmt::format("/api/v1/jobs/{}/logs?stream=stdout", id));
  EXPECT_EQ(output.body, std::string("one\n\0\xFF", 6));
  EXPECT_EQ(output.headers.at("content-type"), "application/octet-stream");
  const Answer errors = call("GET", fmt::format("/api/v1/jobs/{}/logs?stream=stderr", id));
  EXPECT_EQ(errors.body, "careful\n");
  EXPECT_EQ(errors.headers.at("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(errors.headers.at("x-content-type-options"), "nosniff");
}

TEST_F(Plans, ShowWhatAWorkerLeftBehindBeforeItsJobFailed) {
  start();
  register_worker("w1");
  const std::string id = submit(R"({"type":"t"})");
  const std::string fence = claim_one("w1")["fence"].dump();
  call_json("POST", fmt::format("/api/v1/jobs/{}/progress", id),
            fmt::format(R"({{"fence":{},"fraction":1,"partial":[{{"stderr":"no such file\n"}}]}})", fence));
  EXPECT_EQ(call_json("GET", fmt::format("/api/v1/jobs/{}/logs", id))["stderr"], "no such file\n");
}

TEST_F(Plans, ShowStreamsOfAResultThatTellsNoTasksApart) {
  start();
  register_worker("w1");
  submit(R"({"type":"t"})");
  const std::string id = complete_one(R"({"stdout":"all\n","stderr":7})");
  const json logs = call_json("GET", fmt::format("/api/v1/jobs/{}/logs", id));
  EXPECT_EQ(logs["stdout"], "all\n");
  EXPECT_EQ(logs["stderr"], "");
  submit(R"({"type":"t"})");
  const std::string other = complete_one(R"("a text")");
  EXPECT_EQ(call_json("GET", fmt::format("/api/v1/jobs/{}/logs", other))["stdout"], "");
}

TEST_F(Plans, PreferStreamsThatWereHandedOverWhole) {
  start();
  const std::string id = submit(R"({"type":"t"})");
  std::string hex = id;
  std::erase(hex, '-');
  store::KeyBatch batch{.space = store::KeySpace::internal, .commands = {store::key::Set{"job:" + hex + ":stdout", "whole\n"}}};
  ASSERT_TRUE(ask<std::vector<store::KeyAnswer>>([&](auto reply) { store.keyspace(std::move(batch), std::move(reply)); }).ok());
  const json logs = call_json("GET", fmt::format("/api/v1/jobs/job_{}/logs", hex));
  EXPECT_EQ(logs["id"], id);
  EXPECT_EQ(logs["stdout"], "whole\n");
  EXPECT_EQ(logs["stderr"], "");
}

TEST_F(Plans, HaveNoLogsOfJobsThatAreNot) {
  start();
  EXPECT_EQ(call("GET", "/api/v1/jobs/0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0a1b/logs").status, 404);
  const std::string id = submit(R"({"type":"t"})");
  EXPECT_EQ(call("GET", fmt::format("/api/v1/jobs/{}/logs?stream=both", id)).status, 400);
  EXPECT_EQ(call_json("GET", fmt::format("/api/v1/jobs/{}/logs", id))["stdout"], "");
}

}  // namespace
}  // namespace muster::http
