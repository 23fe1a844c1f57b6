// From the words of `workflow start` and `schedule create|update` to the requests they stand for.
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "cli/schedules.h"
#include "cli/workflows.h"
#include "sdk/cpp/codec.h"

namespace muster::cli {
namespace {

using nlohmann::json;

// What would be sent, or why nothing is.
struct Mapped {
  json request;
  std::string problem;
};

std::string parse(CLI::App& app, std::vector<std::string> words) {
  try {
    std::reverse(words.begin(), words.end());
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

template <class Request>
Mapped mapped(const sdk::Result<Request>& request) {
  if (!request.ok()) return {.request = {}, .problem = request.error().detail};
  const sdk::Result<std::string> text = sdk::encode(*request);
  if (!text.ok()) return {.request = {}, .problem = text.error().detail};
  return {.request = json::parse(*text), .problem = {}};
}

Mapped map_start(std::vector<std::string> words) {
  CLI::App app;
  StartArguments arguments;
  describe_start(app, arguments);
  if (std::string problem = parse(app, std::move(words)); !problem.empty()) return {.request = {}, .problem = problem};
  return mapped(to_run(arguments, "n"));
}

Mapped map_create(std::vector<std::string> words) {
  CLI::App app;
  ScheduleArguments arguments;
  describe_schedule(app, arguments, ScheduleUse::create);
  if (std::string problem = parse(app, std::move(words)); !problem.empty()) return {.request = {}, .problem = problem};
  return mapped(to_schedule(arguments, "n"));
}

Mapped update(std::vector<std::string> words) {
  CLI::App app;
  ScheduleArguments arguments;
  describe_schedule(app, arguments, ScheduleUse::update);
  if (std::string problem = parse(app, std::move(words)); !problem.empty()) return {.request = {}, .problem = problem};
  sdk::Schedule now;
  now.ns = "n";
  now.timing = {.text = "@daily", .zone = "Europe/Berlin", .gap = "skip", .fold = "once", .jitter = sdk::Duration(7)};
  now.is_run = true;
  now.job_document = R"({"queue":"q","type":"report","payload":{"a":1},"needs":["gpu:x","workflow:report"],"version":"1"})";
  return mapped(to_change(arguments, now));
}

TEST(WorkflowStart, MapsEveryFlagToItsField) {
  const Mapped all = map_start({"--type",
                                "order",
                                "--queue",
                                "q",
                                "--input",
                                R"({"order":17})",
                                "--id",
                                "o-17",
                                "--version",
                                "2",
                                "--context",
                                R"({"t":1})",
                                "--metadata",
                                "a=b",
                                "--label",
                                "k=v",
                                "--priority",
                                "5",
                                "--delay",
                                "90s",
                                "--deadline",
                                "2027-01-01T00:00:00Z",
                                "--timeout",
                                "1h",
                                "--rescues",
                                "4",
                                "--step-attempts",
                                "-1",
                                "--step-delay",
                                "2s",
                                "--idempotency-key",
                                "i",
                                "--correlation",
                                "c"});
  EXPECT_EQ(all.problem, "");
  EXPECT_EQ(all.request, json::parse(R"({"namespace":"n","type":"order","queue":"q","payload":{"order":17},"external_id":"o-17",
    "version":"2","context":{"t":1},"metadata":{"a":"b"},"labels":{"k":"v"},"priority":5,"delay_ms":90000,
    "deadline":"2027-01-01T00:00:00.000Z","timeout_ms":3600000,"rescues_max":4,"steps":{"attempts_max":-1,"first_delay_ms":2000},
    "idempotency_key":"i","correlation":"c"})"));
  EXPECT_EQ(map_start({"--type", "order", "--input", "hi", "--binary"}).request["payload_base64"], "aGk=");
}

TEST(WorkflowStart, RefusesWhatMakesNoSense) {
  EXPECT_NE(map_start({}).problem.find("--type"), std::string::npos);
  EXPECT_NE(map_start({"--type", "t", "--input", "{oops"}).problem.find("--input is not JSON"), std::string::npos);
  EXPECT_NE(map_start({"--type", "t", "--context", "[1]"}).problem.find("context is not a JSON object"), std::string::npos);
  EXPECT_NE(map_start({"--type", "t", "--deadline", "tomorrow"}).problem.find("a time such as"), std::string::npos);
  EXPECT_FALSE(map_start({"--type", "t", "--delay", "1s", "--at", "2027-01-01T00:00:00Z"}).problem.empty());
}

TEST(ScheduleCreate, MapsEveryFlagToItsField) {
  const Mapped all = map_create(
      {"--cron",  "0 */5 * * * *", "--timezone", "Europe/Berlin", "--gap",      "skip",    "--fold",    "twice",  "--jitter",
       "5s",      "--overlap",     "skip",       "--catchup",     "10",         "--queue", "q",         "--type", "t",
       "--input", R"({"a":1})",    "--label",    "k=v",           "--priority", "-1",      "--timeout", "1m",     "--note",
       "x",       "--paused"});
  EXPECT_EQ(all.problem, "");
  EXPECT_EQ(all.request, json::parse(R"({"namespace":"n","timing":{"text":"0 */5 * * * *","zone":"Europe/Berlin","gap":"skip",
    "fold":"twice","jitter_ms":5000},"overlap":"skip","catchup_max":10,"note":"x","enabled":false,
    "run":{"queue":"q","type":"t","payload":{"a":1},"labels":{"k":"v"},"priority":-1,"timeout_ms":60000}})"));
  EXPECT_EQ(map_create({"--every", "90s", "--type", "t", "--job"}).request,
            json::parse(R"({"namespace":"n","timing":{"text":"every 90s"},"job":{"type":"t"}})"));
  EXPECT_EQ(map_create({"--every", "1m500ms", "--type", "t"}).request["timing"]["text"], "every 60500ms");
}

TEST(ScheduleCreate, RefusesWhatMakesNoSense) {
  EXPECT_NE(map_create({"--type", "t"}).problem.find("--cron or --every"), std::string::npos);
  EXPECT_FALSE(map_create({"--type", "t", "--cron", "@daily", "--every", "1s"}).problem.empty());
  EXPECT_FALSE(map_create({"--cron", "@daily"}).problem.empty());
  EXPECT_FALSE(map_create({"--type", "t", "--cron", "@daily", "--overlap", "never"}).problem.empty());
  EXPECT_FALSE(map_create({"--type", "t", "--every", "90"}).problem.empty());
}

TEST(ScheduleUpdate, SendsOnlyWhatChangesButATimingAndATemplateWhole) {
  EXPECT_EQ(update({"--note", "x"}).request, json::parse(R"({"namespace":"n","note":"x"})"));
  EXPECT_EQ(update({"--every", "2s"}).request["timing"],
            json::parse(R"({"text":"every 2s","zone":"Europe/Berlin","gap":"skip","fold":"once","jitter_ms":7})"));
  EXPECT_EQ(update({"--timezone", "UTC"}).request["timing"]["text"], "@daily");
  EXPECT_EQ(
      update({"--input", "[2]"}).request,
      json::parse(
          R"({"namespace":"n","run":{"queue":"q","type":"report","payload":[2],"needs":["gpu:x","workflow:report"],"version":"1"}})"));
  EXPECT_EQ(update({"--type", "other"}).request["run"]["needs"], json::parse(R"(["gpu:x"])"))
      << "the old workflow is needed no more";
}

}  // namespace
}  // namespace muster::cli
