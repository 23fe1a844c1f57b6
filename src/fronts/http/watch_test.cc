// What people who watch the whole ask for: actions on all that match, search by any id, timings while they are typed.
#include <fmt/format.h>

#include <numeric>

#include "command/watch/search.h"
#include "fronts/http/front_testing.h"
#include "model/limits.h"

namespace muster::http {
namespace {

class Watching : public FrontTest {
 protected:
  std::size_t count(const std::string& query) { return call_json("GET", "/api/v1/jobs?" + query)["jobs"].size(); }
  nlohmann::json act(const std::string& body) { return call_json("POST", "/api/v1/jobs/act", body); }
  std::vector<std::string> found(const std::string& text) {
    std::vector<std::string> out;
    const auto answer = call_json("GET", "/api/v1/search?q=" + text);
    for (const auto& one : answer["found"]) out.push_back(one["kind"].get<std::string>() + " " + one["id"].get<std::string>());
    return out;
  }
};

TEST_F(Watching, ADryRunCountsAndTheActionMeetsThoseAndNoOthers) {
  start();
  for (int i = 0; i < 3; ++i) submit(R"({"type":"t","queue":"mail"})");
  submit(R"({"type":"t","queue":"other"})");
  const auto counted = act(R"({"action":"cancel","filter":{"queue":"mail"},"dry_run":true})");
  check_members("Acted", counted);
  EXPECT_EQ(counted["matched"], 3);
  EXPECT_EQ(counted["more"], false);
  EXPECT_EQ(count("state=ready"), 4U) << "counting changes nothing";
  const auto done = act(R"({"action":"cancel","filter":{"queue":"mail"},"expected":3,"reason":"wrong"})");
  EXPECT_EQ(done["changed"], 3);
  EXPECT_EQ(done["skipped"], 0);
  EXPECT_EQ(count("state=cancelled&queue=mail"), 3U);
  EXPECT_EQ(count("state=ready"), 1U);
  EXPECT_EQ(act(R"({"action":"retry","filter":{"queue":"mail"}})")["matched"], 0) << "cancelled ones are not meant unless named";
  EXPECT_EQ(act(R"({"action":"retry","filter":{"queue":"mail","states":["cancelled"]}})")["changed"], 3);
  EXPECT_EQ(act(R"({"action":"cancel","filter":{"states":["completed"]},"dry_run":true})")["matched"], 0);
}

TEST_F(Watching, NothingIsDoneWhenMoreMatchThanWereCounted) {
  start();
  for (int i = 0; i < 3; ++i) submit(R"({"type":"t","queue":"mail"})");
  const std::string said =
      refused("POST", "/api/v1/jobs/act", R"({"action":"cancel","filter":{"queue":"mail"},"expected":2})", 409);
  EXPECT_NE(said.find("3 jobs match by now, not 2"), std::string::npos) << said;
  EXPECT_EQ(count("state=ready"), 3U);
}

TEST_F(Watching, AnActionGoesOnSliceBySliceAndMeetsEachOnce) {
  start();
  for (int i = 0; i < 5; ++i) submit(R"({"type":"t"})");
  std::string cursor;
  std::vector<int> slices;
  do {
    const auto slice = act(fmt::format(R"({{"action":"cancel","filter":{{}},"limit":2,"cursor":"{}"}})", cursor));
    slices.push_back(slice["changed"].get<int>());
    cursor = slice.value("next", "");
  } while (!cursor.empty() && slices.size() < 10);
  EXPECT_EQ(std::accumulate(slices.begin(), slices.end(), 0), 5);
  EXPECT_EQ(count("state=cancelled"), 5U);
  refused("POST", "/api/v1/jobs/act", R"({"action":"cancel","filter":{},"limit":1001})", 400);
  refused("POST", "/api/v1/jobs/act", R"({"action":"delete","filter":{}})", 400);
}

TEST_F(Watching, ActionsAreWrittenDownAndForOperatorsAlone) {
  HttpOptions options;
  options.auth.required = true;
  options.auth.tokens = {{.name = "ops", .role = command::Role::operator_role, .secret = "operator-secret", .worker = {}},
                         {.name = "eyes", .role = command::Role::read_only, .secret = "reader-secret", .worker = {}}};
  start(options);
  const auto as = [&](std::string_view secret, std::string_view method, std::string_view target, std::string_view body = {}) {
    return call(method, target, body, fmt::format("Authorization: Bearer {}\r\n", secret));
  };
  constexpr std::string_view kBody = R"({"action":"cancel","filter":{"namespace":"default","queue":"mail"}})";
  EXPECT_EQ(as("reader-secret", "POST", "/api/v1/jobs/act", kBody).status, 403);
  // Counting does nothing, and leaves nothing to be written down.
  constexpr std::string_view kDry = R"({"action":"cancel","dry_run":true,"filter":{"namespace":"default","queue":"mail"}})";
  EXPECT_EQ(as("operator-secret", "POST", "/api/v1/jobs/act", kDry).status, 200);
  EXPECT_EQ(as("operator-secret", "POST", "/api/v1/jobs/act", kBody).status, 200);
  const auto rows = nlohmann::json::parse(as("operator-secret", "GET", "/api/v1/audit?action=job.act&who=ops").body);
  ASSERT_EQ(rows["audit"].size(), 1U) << rows;
  EXPECT_EQ(rows["audit"][0]["target"], "cancel default/mail");
}

TEST_F(Watching, AnyIdIsFoundByItself) {
  start();
  const std::string job = submit(R"({"type":"mail.send","queue":"mail","idempotency_key":"order-17"})");
  register_worker("encoder-1.example.org");
  const auto run = call_json("POST", "/api/v1/runs", R"({"type":"order"})", 201)["id"].get<std::string>();
  const auto schedule = call_json("POST", "/api/v1/schedules",
                                  R"({"timing":{"text":"@daily"},"job":{"type":"report"},"note":"each day"})", 201)["id"]
                            .get<std::string>();
  using Texts = std::vector<std::string>;
  EXPECT_EQ(found(job), Texts{"job " + job});
  EXPECT_EQ(found("order-17"), Texts{"job " + job}) << "by the key of whoever submitted it";
  EXPECT_EQ(found(run), Texts{"run " + run});
  EXPECT_EQ(found("ENCODER"), Texts{"worker encoder-1.example.org"});
  EXPECT_EQ(found(schedule), Texts{"schedule " + schedule});
  EXPECT_EQ(found("each%20day"), Texts{"schedule " + schedule});
  EXPECT_EQ(found("mail"), Texts{"queue mail"});
  EXPECT_EQ(found("nothing-like-it"), Texts{});
  EXPECT_EQ(call_json("GET", "/api/v1/search?q=mail")["in_part"], nlohmann::json::array());
  refused("GET", "/api/v1/search?q=a", {}, 400);
  refused("GET", "/api/v1/search?q=" + std::string(257, 'a'), {}, 400);
}

TEST_F(Watching, AnIdBehindTheFirstPageIsFoundAndTheAnswerSaysThatNamesMayBeMissing) {
  start();
  for (std::size_t i = 0; i <= limits::kPageMax; ++i) register_worker(fmt::format("w{:04}-of-many", i));
  const std::string last = fmt::format("w{:04}-of-many", limits::kPageMax);
  EXPECT_EQ(found(last), std::vector<std::string>{"worker " + last});
  const auto reply = call_json("GET", "/api/v1/search?q=of-many");
  EXPECT_EQ(reply["found"].size(), command::kFoundMax);
  EXPECT_EQ(reply["in_part"], nlohmann::json::array({"worker"}));
}

TEST_F(Watching, WhatIsOfAnotherNamespaceIsNotFound) {
  HttpOptions options;
  options.auth.required = true;
  options.auth.tokens = {{.name = "ops", .role = command::Role::operator_role, .secret = "operator-secret", .worker = {}},
                         {.name = "bound",
                          .role = command::Role::read_only,
                          .secret = "bound-secret",
                          .worker = {},
                          .namespaces = std::vector{NamespaceName("a"), NamespaceName("b")}}};
  start(options);
  const auto as = [&](std::string_view secret, std::string_view method, std::string_view target, std::string_view body = {}) {
    return nlohmann::json::parse(call(method, target, body, fmt::format("Authorization: Bearer {}\r\n", secret)).body);
  };
  const auto id = as("operator-secret", "POST", "/api/v1/jobs", R"({"type":"t","queue":"mail"})")["id"].get<std::string>();
  EXPECT_EQ(as("operator-secret", "GET", "/api/v1/search?q=" + id)["found"].size(), 1U);
  EXPECT_EQ(as("bound-secret", "GET", "/api/v1/search?q=" + id)["found"].size(), 0U);
  EXPECT_EQ(as("bound-secret", "GET", "/api/v1/search?q=mail")["found"].size(), 0U);
}

TEST_F(Watching, ATimingIsExplainedBeforeItIsASchedule) {
  start();
  const auto said =
      call_json("POST", "/api/v1/schedules/preview",
                R"({"timing":{"text":"0 9 * * 1-5","zone":"Europe/Berlin"},"count":2,"after":"2026-11-13T12:00:00Z"})");
  check_members("TimingExplained", said);
  EXPECT_EQ(said["explanation"], "at 09:00, Monday to Friday, Europe/Berlin");
  EXPECT_EQ(said["fires"], nlohmann::json::parse(R"(["2026-11-16T08:00:00.000Z","2026-11-17T08:00:00.000Z"])"));
  const std::string why = refused("POST", "/api/v1/schedules/preview", R"({"timing":{"text":"0 25 * * *"}})", 400);
  EXPECT_NE(why.find("hours"), std::string::npos) << why;
  refused("POST", "/api/v1/schedules/preview", R"({"timing":{"text":"@daily"},"count":1001})", 400);
}

TEST_F(Watching, TheFiresOfAllSchedulesStandOnOneCalendar) {
  start();
  const auto id =
      call_json("POST", "/api/v1/schedules", R"({"timing":{"text":"0 */6 * * *"},"job":{"type":"report"}})", 201)["id"];
  call_json("POST", "/api/v1/schedules", R"({"timing":{"text":"@daily"},"job":{"type":"report"},"enabled":false})", 201);
  const auto fires = call_json("GET", "/api/v1/schedules/fires?from=2026-11-15T00:00:00Z&to=2026-11-16T00:00:00Z");
  ASSERT_EQ(fires["schedules"].size(), 1U) << "a paused one does not fire";
  EXPECT_EQ(fires["schedules"][0]["id"], id);
  EXPECT_EQ(fires["schedules"][0]["fires"].size(), 4U);
  refused("GET", "/api/v1/schedules/fires?from=2026-11-15T00:00:00Z&to=2026-11-15T00:00:00Z", {}, 400);
  refused("GET", "/api/v1/schedules/fires?from=2026-11-15T00:00:00Z&to=2027-11-15T00:00:00Z", {}, 400);
}

}  // namespace
}  // namespace muster::http
