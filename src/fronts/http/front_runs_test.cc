// Durable workflows over real sockets, on the real store.
#include <fmt/format.h>

#include <future>

#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using nlohmann::json;

class RunsFront : public TickingFrontTest {
 protected:
  void begin() {
    start();
    register_worker("w1");
  }
  std::string start_run(std::string_view spec = R"({"type":"order","payload":{"order":17}})") {
    return call_json("POST", "/api/v1/runs", spec, 201).value("id", "");
  }
  static std::string path(const std::string& run, std::string_view rest = "") {
    return fmt::format("/api/v1/runs/{}{}", run, rest);
  }
  // Answers to calls about the run that is held under this grant.
  json steps(const json& grant, std::string_view calls) {
    return call_json("POST", path(grant["id"], "/steps"),
                     fmt::format(R"({{"fence":{},"calls":{}}})", grant["fence"].dump(), calls))
        .value("answers", json::array());
  }
  json complete(const json& grant, std::string_view result) {
    return call_json("POST", fmt::format("/api/v1/jobs/{}/complete", grant["id"].get<std::string>()),
                     fmt::format(R"({{"fence":{},"result":{}}})", grant["fence"].dump(), result));
  }
};

TEST_F(RunsFront, StartsARunThatShowsItsFacts) {
  begin();
  const std::string id = start_run(
      R"({"type":"order","queue":"orders","payload":{"order":17},"external_id":"o-17","version":"2","context":{"trace":"x"},
          "steps":{"attempts_max":-1,"first_delay_ms":500},"metadata":{"a":"b"},"deadline":"2999-01-01T00:00:00Z","labels":{"k":"v"}})");
  const json run = call_json("GET", path(id));
  EXPECT_EQ(run["external_id"], "o-17");
  EXPECT_EQ(run["version"], "2");
  EXPECT_EQ(run["context"], (json{{"trace", "x"}}));
  EXPECT_EQ(run["steps"], (json{{"attempts_max", -1}, {"first_delay_ms", 500}}));
  EXPECT_EQ(run["metadata"], (json{{"a", "b"}}));
  EXPECT_EQ(run["deadline"], "2999-01-01T00:00:00.000Z");
  EXPECT_EQ(run["needs"], (json{"workflow:order"}));
  EXPECT_EQ(run["payload"], (json{{"order", 17}}));
  EXPECT_EQ(run["sleeping"], false);
  EXPECT_EQ(call_json("GET", "/api/v1/jobs/" + id)["external_id"], "o-17") << "a run is a job and shows the same there";
  EXPECT_EQ(call_json("GET", "/api/v1/jobs/" + id)["unique"]["key"], "o-17") << "without the scope that is ours";
}

TEST_F(RunsFront, AnUnfinishedExternalIdIsStartedOnce) {
  begin();
  const std::string spec = R"({"type":"order","external_id":"o-17"})";
  const std::string id = start_run(spec);
  const json again = call_json("POST", "/api/v1/runs", spec, 200);
  EXPECT_EQ(again["id"], id);
  EXPECT_EQ(again["existed"], true);
  call_json("POST", path(id, "/cancel"));
  EXPECT_NE(start_run(spec), id) << "the name is free when its run is finished";
}

TEST_F(RunsFront, RemembersStepsAndHandsThemToWhoeverComesNext) {
  begin();
  const std::string id = start_run();
  const json first = claim_one("w1");
  ASSERT_EQ(first["id"], id);
  json answers = steps(first, R"([{"call":"begin","step":"charge","input":{"amount":5}},
                                  {"call":"complete","step":"charge","output":{"paid":true}},
                                  {"call":"begin","step":"ship"}])");
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0]["execute"], true);
  EXPECT_EQ(answers[0]["step"]["attempt"], 1);
  EXPECT_EQ(answers[1]["step"]["state"], "completed");
  EXPECT_EQ(answers[2]["execute"], true);
  call_json("POST", fmt::format("/api/v1/jobs/{}/release", id), fmt::format(R"({{"fence":{}}})", first["fence"].dump()));
  const json second = claim_one("w1");
  ASSERT_EQ(second["id"], id);
  answers = steps(second, R"([{"call":"begin","step":"charge"},{"call":"begin","step":"ship"}])");
  EXPECT_EQ(answers[0]["execute"], false) << "a step that completed is never executed again";
  EXPECT_EQ(answers[0]["step"]["output"], (json{{"paid", true}}));
  EXPECT_EQ(answers[1]["execute"], true);
  EXPECT_EQ(answers[1]["step"]["attempt"], 2) << "the attempt that was lost with its lease is another one";
  complete(second, R"({"shipped":true})");
  const json history = call_json("GET", path(id, "/history"))["steps"];
  ASSERT_EQ(history.size(), 3u);
  EXPECT_EQ(history[0]["name"], "charge");
  EXPECT_EQ(history[0]["worker"], "w1");
  EXPECT_EQ(history[1]["state"], "failed");
  EXPECT_EQ(call_json("GET", path(id, "/history?step=charge"))["steps"].size(), 1u);
  const json page = call_json("GET", path(id, "/history?limit=2"));
  ASSERT_EQ(page["steps"].size(), 2u);
  const json rest = call_json("GET", path(id, "/history?limit=2&cursor=" + page["next"].get<std::string>()));
  ASSERT_EQ(rest["steps"].size(), 1u);
  EXPECT_EQ(rest["steps"][0]["id"], history[2]["id"]);
}

TEST_F(RunsFront, RefusesAStaleFenceForEveryCallAndChangesNothing) {
  begin();
  const std::string id = start_run();
  json grant = claim_one("w1");
  const json good = grant;
  grant["fence"] = grant["fence"].get<std::uint64_t>() + 1;
  const json answers = steps(grant, R"([{"call":"begin","step":"a"},{"call":"sleep","length_ms":1000}])");
  for (const json& answer : answers) EXPECT_EQ(answer["error"]["code"], "lease_lost") << answer;
  EXPECT_TRUE(call_json("GET", path(id, "/history"))["steps"].empty());
  EXPECT_EQ(steps(good, R"([{"call":"begin","step":"a"}])")[0]["execute"], true);
}

TEST_F(RunsFront, SleepsWithoutALeaseAndGoesOn) {
  begin();
  const std::string id = start_run();
  const json answer = steps(claim_one("w1"), R"([{"call":"sleep","step":"nap","length_ms":10000}])")[0];
  EXPECT_EQ(answer["parked"], true);
  EXPECT_EQ(answer["state"], "scheduled");
  EXPECT_EQ(call_json("GET", path(id))["sleeping"], true);
  EXPECT_TRUE(claim_one("w1").is_null());
  clock.advance(Duration(10'001));  // not so long that the worker's silence is judged
  json grant;
  ASSERT_TRUE(eventually([&] { return !(grant = claim_one("w1")).is_null(); }));
  const json after = steps(grant, R"([{"call":"sleep","step":"nap","length_ms":10000}])")[0];
  EXPECT_EQ(after["parked"], false) << "a sleep that is over is not slept again";
  EXPECT_EQ(after["step"]["state"], "completed");
}

TEST_F(RunsFront, TakesASignalBeforeOrAfterItIsWaitedFor) {
  begin();
  const std::string id = start_run();
  EXPECT_EQ(call_json("POST", path(id, "/signal"), R"({"name":"early","data":[1,2.50]})")["taken"], false);
  const json grant = claim_one("w1");
  const json answers =
      steps(grant, R"([{"call":"await_signal","step":"a","signal":"early"},{"call":"await_signal","step":"b","signal":"late"}])");
  EXPECT_EQ(answers[0]["step"]["output"].dump(), "[1,2.5]");
  EXPECT_EQ(answers[1]["parked"], true);
  EXPECT_EQ(call_json("POST", path(id, "/signal"), R"({"name":"late"})")["taken"], true);
  json next;
  ASSERT_TRUE(eventually([&] { return !(next = claim_one("w1")).is_null(); }));
  const json taken = steps(next, R"([{"call":"await_signal","step":"b","signal":"late"}])")[0];
  EXPECT_EQ(taken["step"]["state"], "completed");
  EXPECT_TRUE(taken["step"]["output"].is_null()) << "a signal without data carries null";
}

TEST_F(RunsFront, WaitsForAChild) {
  begin();
  const std::string id = start_run();
  const json parent = claim_one("w1");
  const std::string child = start_run(fmt::format(R"({{"type":"ship","parent":{{"run":"{}","step":"shipping"}}}})", id));
  EXPECT_EQ(call_json("GET", path(child))["parent"], (json{{"run", id}, {"step", "shipping"}}));
  const std::string wait = fmt::format(R"([{{"call":"await_child","step":"shipping","child":"{}"}}])", child);
  EXPECT_EQ(steps(parent, wait)[0]["parked"], true);
  const json grant = claim_one("w1");
  ASSERT_EQ(grant["id"], child);
  complete(grant, R"({"parcel":9})");
  json woken;
  ASSERT_TRUE(eventually([&] { return !(woken = claim_one("w1")).is_null(); })) << "the end of a child wakes its parent";
  EXPECT_EQ(woken["id"], id);
  EXPECT_EQ(steps(woken, wait)[0]["step"]["output"], (json{{"parcel", 9}}));
}

TEST_F(RunsFront, TriesAFailedStepAgainAndStopsWhenItMayNot) {
  begin();
  start_run(R"({"type":"order","steps":{"attempts_max":2,"first_delay_ms":1000}})");
  const json first = claim_one("w1");
  const std::string fail = R"({"call":"fail","step":"a","error":{"kind":"net","message":"down"}})";
  json answers = steps(first, fmt::format(R"([{{"call":"begin","step":"a"}},{}])", fail));
  EXPECT_EQ(answers[1]["parked"], true);
  EXPECT_TRUE(answers[1]["step"].contains("until"));
  clock.advance(Duration(2'000));
  json second;
  ASSERT_TRUE(eventually([&] { return !(second = claim_one("w1")).is_null(); }));
  answers = steps(second, fmt::format(R"([{{"call":"begin","step":"a"}},{}])", fail));
  EXPECT_EQ(answers[0]["step"]["attempt"], 2);
  EXPECT_EQ(answers[1]["parked"], false) << "no attempts are left: the worker decides how the run goes on";
  EXPECT_FALSE(answers[1]["step"].contains("until"));
}

TEST_F(RunsFront, AnswersTheResultWhenTheRunEnds) {
  begin();
  const std::string id = start_run();
  EXPECT_EQ(call_json("GET", path(id, "/result"), "", 202)["finished"], false);
  auto waiting = std::async(std::launch::async, [&] { return call("GET", path(id, "/result?wait=30s")); });
  complete(claim_one("w1"), R"({"n":1})");
  const Answer answer = waiting.get();
  EXPECT_EQ(answer.status, 200);
  const json result = json::parse(answer.body);
  EXPECT_EQ(result["state"], "completed");
  EXPECT_EQ(result["result"], (json{{"n", 1}}));
  EXPECT_NE(refused("GET", path(id, "/result?wait=61s"), "", 400).find("60s"), std::string::npos);
  refused("GET", path(id, "/result?wait=30"), "", 400);
}

TEST_F(RunsFront, AnswersTheRunAsItIsWhenTheWaitIsOver) {
  begin();
  const std::string id = start_run();
  auto waiting = std::async(std::launch::async, [&] { return call("GET", path(id, "/result?wait=10s")); });
  std::future_status seen = std::future_status::timeout;
  // Whether it has begun to wait is not to be seen from here: time goes on until it answers.
  ASSERT_TRUE(eventually([&] {
    clock.advance(Duration(1'000));
    seen = waiting.wait_for(std::chrono::milliseconds(0));
    return seen == std::future_status::ready;
  }));
  EXPECT_EQ(waiting.get().status, 202);
}

TEST_F(RunsFront, KeepsATokenToItsRoleAndToTheRunsItsWorkerHolds) {
  HttpOptions options;
  options.auth.required = true;
  options.auth.tokens = {{.name = "ops", .role = command::Role::operator_role, .secret = "ops-secret", .worker = {}},
                         {.name = "one", .role = command::Role::worker, .secret = "one-secret", .worker = WorkerId("w1")},
                         {.name = "two", .role = command::Role::worker, .secret = "two-secret", .worker = WorkerId("w2")},
                         {.name = "eyes", .role = command::Role::read_only, .secret = "eyes-secret", .worker = {}}};
  start(options);
  const auto as = [&](std::string_view secret, std::string_view method, std::string_view target, std::string_view body = {}) {
    return call(method, target, body, fmt::format("Authorization: Bearer {}\r\n", secret));
  };
  EXPECT_EQ(as("one-secret", "POST", "/api/v1/runs", R"({"type":"t"})").status, 403);
  const std::string id = json::parse(as("ops-secret", "POST", "/api/v1/runs", R"({"type":"t"})").body)["id"];
  EXPECT_EQ(as("eyes-secret", "GET", path(id, "/history")).status, 200);
  EXPECT_EQ(as("eyes-secret", "POST", path(id, "/cancel")).status, 403);
  EXPECT_EQ(as("one-secret", "POST", path(id, "/signal"), R"({"name":"x"})").status, 403);
  EXPECT_EQ(as("one-secret", "POST", "/api/v1/workers", R"({"id":"w1","capabilities":["workflow:t"]})").status, 201);
  const json grant = json::parse(as("one-secret", "POST", "/api/v1/jobs/claim", R"({"worker":"w1"})").body)["jobs"][0];
  const std::string calls = fmt::format(R"({{"fence":{},"calls":[{{"call":"begin","step":"a"}}]}})", grant["fence"].dump());
  EXPECT_EQ(as("eyes-secret", "POST", path(id, "/steps"), calls).status, 403);
  EXPECT_EQ(as("two-secret", "POST", path(id, "/steps"), calls).status, 403)
      << "knowing a fence is no proof of holding the lease";
  EXPECT_EQ(as("one-secret", "POST", path(id, "/steps"), calls).status, 200);
}

TEST_F(RunsFront, ForgetsTheWaitOfAClientThatWentAway) {
  use({.parked_max = 1});
  begin();
  const std::string id = start_run();
  Client gone = connect();
  gone.send(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", path(id, "/result?wait=60s")));
  ASSERT_TRUE(eventually([&] { return call("GET", path(id, "/result")).status == 429; })) << "it holds the only place there is";
  gone.close();
  EXPECT_TRUE(eventually([&] { return call("GET", path(id, "/result")).status == 202; }));
}

TEST_F(RunsFront, AnswerAsTheDocumentDescribes) {
  begin();
  const std::string id = start_run(
      R"({"type":"order","external_id":"o","context":{},"steps":{"factor":3},"metadata":{"a":"b"},"deadline":"2999-01-01T00:00:00Z"})");
  check_members("Job", call_json("GET", path(id)));
  check_members("Signalled", call_json("POST", path(id, "/signal"), R"({"name":"x"})"));
  const json grant = claim_one("w1");
  const json answer = steps(grant, R"([{"call":"begin","step":"a","input":1,"policy":{"attempts_max":1}}])")[0];
  check_members("StepAnswer", answer);
  check_members("Step", answer["step"]);
  check_members("Step", steps(grant, R"([{"call":"fail","step":"a","error":{"kind":"k","message":"m"}}])")[0]["step"]);
  check_members("StepPage", call_json("GET", path(id, "/history")));
  complete(grant, "1");
  check_members("RunResult", call_json("GET", path(id, "/result")));
}

TEST_F(RunsFront, CancelsAndTerminatesAtOnce) {
  begin();
  const std::string one = start_run();
  const json grant = claim_one("w1");
  EXPECT_EQ(call_json("POST", path(one, "/cancel"), R"({"reason":"no longer wanted"})")["state"], "cancelled");
  EXPECT_EQ(steps(grant, R"([{"call":"begin","step":"a"}])")[0]["error"]["code"], "conflict");
  refused("POST", path(one, "/cancel"), "", 409);
  const std::string two = start_run();
  EXPECT_EQ(call_json("POST", path(two, "/terminate"), R"({"reason":"it loops"})")["state"], "dead");
  const json dead = call_json("GET", path(two));
  EXPECT_EQ(dead["error"], (json{{"kind", "terminated"}, {"message", "it loops"}}));
}

TEST_F(RunsFront, StartsAFinishedRunAgainUnderItsNameOrANewOne) {
  begin();
  const std::string id = start_run(R"({"type":"order","payload":7,"external_id":"o-1"})");
  refused("POST", path(id, "/retry"), "", 409);
  call_json("POST", path(id, "/cancel"));
  const json again = call_json("POST", path(id, "/retry"), "", 201);
  EXPECT_NE(again["id"], id);
  const json run = call_json("GET", path(again["id"]));
  EXPECT_EQ(run["external_id"], "o-1");
  EXPECT_EQ(run["payload"], 7);
  EXPECT_EQ(call_json("POST", path(id, "/retry"), "", 200)["id"], again["id"]) << "its name is taken by the one just started";
  const json other = call_json("POST", path(id, "/retry"), R"({"external_id":"o-2"})", 201);
  EXPECT_EQ(call_json("GET", path(other["id"]))["external_id"], "o-2");
  EXPECT_EQ(call_json("POST", "/api/v1/runs", R"({"type":"order","external_id":"o-2"})", 200)["id"], other["id"]);
}

TEST_F(RunsFront, ListsRunsAndNoOtherJobs) {
  begin();
  call_json("POST", "/api/v1/jobs", R"({"type":"order"})", 201);
  const std::string one = start_run();
  const std::string two = start_run(R"({"type":"ship","labels":{"schedule":"s-1"}})");
  json runs = call_json("GET", "/api/v1/runs?order=oldest")["jobs"];
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0]["id"], one);
  runs = call_json("GET", "/api/v1/runs?schedule=s-1")["jobs"];
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0]["id"], two);
  EXPECT_TRUE(call_json("GET", "/api/v1/runs?type=order&state=dead")["jobs"].empty());
  refused("GET", "/api/v1/runs?shedule=x", "", 400);
}

TEST_F(RunsFront, AreNotFoundWhereThereIsNoneOrOnlyAJob) {
  begin();
  const std::string job = call_json("POST", "/api/v1/jobs", R"({"type":"t"})", 201)["id"];
  for (const std::string& id : {std::string("0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0a1b"), job}) {
    refused("GET", path(id), "", 404);
    refused("GET", path(id, "/history"), "", 404);
    refused("GET", path(id, "/result"), "", 404);
    refused("POST", path(id, "/cancel"), "", 404);
    refused("POST", path(id, "/terminate"), "", 404);
    refused("POST", path(id, "/retry"), "", 404);
    refused("POST", path(id, "/signal"), R"({"name":"x"})", 404);
  }
  EXPECT_EQ(call_json("GET", "/api/v1/jobs/" + job)["state"], "ready") << "a job is not cancelled as a run";
  refused("GET", path("nope"), "", 400);
}

TEST_F(RunsFront, RefusesBadCallsWithWhatIsWrongAndChangesNothing) {
  begin();
  const std::string id = start_run();
  const json grant = claim_one("w1");
  const auto bad = [&](std::string_view calls) {
    return refused("POST", path(id, "/steps"), fmt::format(R"({{"fence":{},"calls":{}}})", grant["fence"].dump(), calls), 400);
  };
  EXPECT_NE(bad(R"([{"call":"begin","step":"a"},{"call":"beginn","step":"a"}])").find("did you mean \"begin\""),
            std::string::npos);
  EXPECT_NE(
      bad(R"([{"call":"complete","step":"a","length_ms":1}])").find("\"length_ms\" is not a field of the call \"complete\""),
      std::string::npos);
  EXPECT_NE(bad(R"([{"call":"sleep","length_ms":1,"until":"2999-01-01T00:00:00Z"}])").find("either"), std::string::npos);
  EXPECT_NE(bad(R"([{"call":"await_child","step":"a"}])").find("child"), std::string::npos);
  EXPECT_NE(bad(R"([{"call":"begin","step":"a","kind":"signal"}])").find("kind \"signal\""), std::string::npos);
  EXPECT_NE(bad("[]").find("empty"), std::string::npos);
  EXPECT_NE(refused("POST", path(id, "/steps"), R"({"calls":[{"call":"begin","step":"a"}]})", 400).find("fence"),
            std::string::npos);
  EXPECT_TRUE(call_json("GET", path(id, "/history"))["steps"].empty());
  // A name that is no name is refused by itself, the calls around it are not.
  const json answers = steps(grant, R"([{"call":"begin","step":""},{"call":"begin","step":"b"}])");
  EXPECT_EQ(answers[0]["error"]["code"], "invalid_argument");
  EXPECT_EQ(answers[1]["execute"], true);
  refused("POST", "/api/v1/runs", R"({"queue":"q"})", 400);
  refused("POST", "/api/v1/runs", R"({"type":"t","context":[1]})", 400);
  refused("POST", "/api/v1/runs", R"({"type":"t","steps":{"attempts_max":-2}})", 400);
}

}  // namespace
}  // namespace muster::http
