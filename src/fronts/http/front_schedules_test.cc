// Schedules over real sockets, on the real store.
#include <fmt/format.h>

#include "base/time_text.h"
#include "fronts/http/front_testing.h"

namespace muster::http {
namespace {

using nlohmann::json;

class SchedulesFront : public TickingFrontTest {
 protected:
  json create(std::string_view body) { return call_json("POST", "/api/v1/schedules", body, 201); }
  static std::string path(const json& schedule, std::string_view rest = "") {
    return fmt::format("/api/v1/schedules/{}{}", schedule["id"].get<std::string>(), rest);
  }
  std::size_t runs_of(const json& schedule) {
    return call_json("GET", "/api/v1/runs?limit=1000&schedule=" + schedule["id"].get<std::string>())["jobs"].size();
  }
};

constexpr const char* kEveryMinute =
    R"({"timing":{"text":"every 60s"},"run":{"type":"report","queue":"q","payload":{"days":1}}})";

TEST_F(SchedulesFront, AreShownAsTheyWereAskedFor) {
  start();
  const json made = create(
      R"({"timing":{"text":"0 30 2 * * *","zone":"Europe/Berlin","gap":"skip","fold":"twice","jitter_ms":5000},"overlap":"buffer_one",
          "catchup_max":10,"note":"nightly","run":{"type":"report","queue":"q","payload":{"days":1},"version":"3","labels":{"a":"b"}}})");
  const json seen = call_json("GET", path(made));
  EXPECT_EQ(seen, made);
  EXPECT_EQ(seen["timing"], (json{{"text", "0 30 2 * * *"},
                                  {"zone", "Europe/Berlin"},
                                  {"gap", "skip"},
                                  {"fold", "twice"},
                                  {"form", "native"},
                                  {"jitter_ms", 5000}}));
  EXPECT_EQ(seen["overlap"], "buffer_one");
  EXPECT_EQ(seen["catchup_max"], 10);
  EXPECT_EQ(seen["enabled"], true);
  EXPECT_EQ(seen["note"], "nightly");
  EXPECT_EQ(seen["run"]["type"], "report");
  EXPECT_EQ(seen["run"]["payload"], (json{{"days", 1}}));
  EXPECT_EQ(seen["run"]["needs"], (json{"workflow:report"}));
  EXPECT_EQ(seen["run"]["version"], "3");
  EXPECT_TRUE(seen.contains("next_fire_at"));
  const json job = create(R"({"timing":{"text":"@daily"},"job":{"type":"clean"}})");
  EXPECT_TRUE(job.contains("job"));
  EXPECT_FALSE(job.contains("run"));
  const json list = call_json("GET", "/api/v1/schedules");
  EXPECT_EQ(list["total"], 2);
  EXPECT_EQ(list["schedules"][0]["id"], job["id"]) << "the newest first";
  EXPECT_EQ(call_json("GET", "/api/v1/schedules?type=report&enabled=true")["schedules"].size(), 1u);
  EXPECT_TRUE(call_json("GET", "/api/v1/schedules?enabled=false")["schedules"].empty());
}

TEST_F(SchedulesFront, FireRunsThatNameThem) {
  start();
  const json schedule = create(kEveryMinute);
  clock.advance(Duration(60'000));
  ASSERT_TRUE(eventually([&] { return runs_of(schedule) == 1; }));
  const json run = call_json("GET", "/api/v1/runs?payload=true")["jobs"][0];
  EXPECT_EQ(run["schedule"], schedule["id"]);
  EXPECT_EQ(run["labels"]["schedule"], schedule["id"]);
  EXPECT_EQ(run["type"], "report");
  EXPECT_EQ(run["payload"], (json{{"days", 1}}));
  EXPECT_EQ(run["needs"], (json{"workflow:report"}));
  const json after = call_json("GET", path(schedule));
  EXPECT_EQ(after["fired"], 1);
  EXPECT_EQ(after["last_job"], run["id"]);
}

TEST_F(SchedulesFront, PauseResumeAndTrigger) {
  start();
  const json schedule = create(kEveryMinute);
  const json paused = call_json("POST", path(schedule, "/pause"), R"({"note":"maintenance"})");
  EXPECT_EQ(paused["enabled"], false);
  EXPECT_EQ(paused["note"], "maintenance");
  clock.advance(Duration(300'000));
  EXPECT_EQ(call_json("POST", path(schedule, "/trigger"), "", 201)["existed"], false);
  EXPECT_EQ(runs_of(schedule), 1u) << "triggered while it is paused, and no fire besides";
  EXPECT_EQ(call_json("POST", path(schedule, "/resume"))["enabled"], true);
  clock.advance(Duration(60'000));
  ASSERT_TRUE(eventually([&] { return runs_of(schedule) == 2; })) << "it goes on from now";
}

TEST_F(SchedulesFront, MakeUpForAPauseWhenAsked) {
  start();
  const json schedule = create(kEveryMinute);
  call_json("POST", path(schedule, "/pause"));
  clock.advance(Duration(300'000));
  call_json("POST", path(schedule, "/resume"), R"({"catch_up":true})");
  ASSERT_TRUE(eventually([&] { return runs_of(schedule) == 5; })) << runs_of(schedule);
}

TEST_F(SchedulesFront, AreChangedInPartAndKeepTheRest) {
  start();
  const json schedule = create(kEveryMinute);
  const json changed =
      call_json("PATCH", path(schedule), R"({"overlap":"skip","timing":{"text":"@hourly","zone":"Asia/Kathmandu"}})");
  EXPECT_EQ(changed["overlap"], "skip");
  EXPECT_EQ(changed["timing"]["text"], "@hourly");
  EXPECT_EQ(changed["run"], schedule["run"]);
  EXPECT_GT(changed["revision"], schedule["revision"]);
  const json job = call_json("PATCH", path(schedule), R"({"run":{"type":"other"}})");
  EXPECT_EQ(job["run"]["needs"], (json{"workflow:other"}));
  EXPECT_EQ(job["timing"], changed["timing"]);
  // What the server shows of a template it takes back.
  const json same = call_json("PATCH", path(schedule), json{{"run", job["run"]}}.dump());
  EXPECT_EQ(same["run"], job["run"]);
}

TEST_F(SchedulesFront, TellTheirNextFires) {
  start();
  const json schedule = create(R"({"timing":{"text":"0 0 12 * * *"},"job":{"type":"t"}})");
  const json fires = call_json("GET", path(schedule, "/preview?count=3&after=2026-11-15T12:00:00Z"))["fires"];
  EXPECT_EQ(fires, (json{"2026-11-16T12:00:00.000Z", "2026-11-17T12:00:00.000Z", "2026-11-18T12:00:00.000Z"}));
  EXPECT_EQ(call_json("GET", path(schedule, "/preview"))["fires"].size(), 10u);
  refused("GET", path(schedule, "/preview?count=0"), "", 400);
  refused("GET", path(schedule, "/preview?count=1001"), "", 400);
}

TEST_F(SchedulesFront, BackfillEachFireOnce) {
  start();
  const json schedule = create(R"({"timing":{"text":"@hourly"},"enabled":false,"run":{"type":"report"}})");
  const std::string range = R"({"from":"2023-01-01T00:00:00Z","to":"2023-01-01T05:00:00Z"})";
  const json first = call_json("POST", path(schedule, "/backfill"), range)["jobs"];
  ASSERT_EQ(first.size(), 5u);
  for (const json& job : first) EXPECT_EQ(job["existed"], false);
  const json second = call_json("POST", path(schedule, "/backfill"), range)["jobs"];
  ASSERT_EQ(second.size(), 5u);
  for (const json& job : second) EXPECT_EQ(job["existed"], true);
  EXPECT_EQ(runs_of(schedule), 5u);
  refused("POST", path(schedule, "/backfill"), "", 400);
  refused("POST", path(schedule, "/backfill"), R"({"from":"2023-01-01T00:00:00Z"})", 400);
}

TEST_F(SchedulesFront, AnswerAsTheDocumentDescribes) {
  start();
  const json schedule = create(kEveryMinute);
  check_members("Schedule", schedule);
  check_members("Timing", schedule["timing"]);
  check_members("ScheduledJob", schedule["run"]);
  check_members("SchedulePage", call_json("GET", "/api/v1/schedules"));
  check_members("Fires", call_json("GET", path(schedule, "/preview")));
  check_members("Submitted", call_json("POST", path(schedule, "/trigger"), "", 201));
  check_members("Backfilled",
                call_json("POST", path(schedule, "/backfill"), R"({"from":"2023-01-01T00:00:00Z","to":"2023-01-01T00:01:00Z"})"));
}

TEST_F(SchedulesFront, AreDeletedAndTheirJobsStay) {
  start();
  const json schedule = create(kEveryMinute);
  call_json("POST", path(schedule, "/trigger"), "", 201);
  EXPECT_EQ(call_json("DELETE", path(schedule))["id"], schedule["id"]);
  EXPECT_EQ(runs_of(schedule), 1u);
  for (const char* method : {"GET", "DELETE"}) refused(method, path(schedule), "", 404);
  refused("PATCH", path(schedule), R"({"note":"x"})", 404);
  for (const char* rest : {"/pause", "/resume", "/trigger"}) refused("POST", path(schedule, rest), "", 404);
  refused("GET", path(schedule, "/preview"), "", 404);
}

TEST_F(SchedulesFront, RefuseWhatCannotFireWithTheFieldThatIsWrong) {
  start();
  const auto bad = [&](std::string_view body) { return refused("POST", "/api/v1/schedules", body, 400); };
  const std::string hours = bad(R"({"timing":{"text":"0 0 25 * * *"},"job":{"type":"t"}})");
  EXPECT_NE(hours.find("field 3"), std::string::npos) << hours;
  EXPECT_NE(bad(R"({"timing":{"text":"@daily"}})").find("\"job\" or \"run\""), std::string::npos);
  EXPECT_NE(bad(R"({"timing":{"text":"@daily"},"job":{"type":"t"},"run":{"type":"t"}})").find("one of them"), std::string::npos);
  EXPECT_NE(bad(R"({"job":{"type":"t"}})").find("field \"timing\": required"), std::string::npos);
  EXPECT_NE(bad(R"({"timing":{"text":"@daily","zone":"Europe/Atlantis"},"job":{"type":"t"}})").find("Atlantis"),
            std::string::npos);
  EXPECT_NE(bad(R"({"timing":{"text":"@daily"},"overlap":"never","job":{"type":"t"}})").find("buffer_one"), std::string::npos);
  EXPECT_NE(bad(R"({"timing":{"text":"@daily"},"job":{"type":"t","namespace":"other"}})").find("namespace"), std::string::npos);
  bad(R"({"timing":{"text":"@daily"},"catchup_max":10001,"job":{"type":"t"}})");
  bad(R"({"timing":{"text":"@daily"},"job":{"queue":"q"}})");
  EXPECT_EQ(call_json("GET", "/api/v1/schedules")["total"], 0);
}

}  // namespace
}  // namespace muster::http
