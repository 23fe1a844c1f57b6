// Runs and schedules on the wire as docs/protocol-http.md writes them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sdk/cpp/codec.h"

namespace muster::sdk {
namespace {

using nlohmann::json;

TEST(RunEncoding, WritesWhatOnlyRunsHaveBesideTheFieldsOfAJob) {
  RunRequest run;
  run.job.type = "order";
  run.job.payload = Content{.data = R"({"order":17})", .binary = false};
  run.job.deadline = parse_instant("2027-01-01T00:00:00Z");
  run.external_id = "o-17";
  run.version = "2";
  run.context = R"({"trace":"x"})";
  run.steps = StepRetry{
      .attempts_max = -1, .first_delay = Duration(500), .factor = 1.5, .delay_max = Duration(9), .non_retryable = {"no"}};
  run.parent_run = "p-1";
  run.parent_step = "ship";
  run.metadata = {{"a", "b"}};
  const Result<std::string> text = encode(run);
  ASSERT_TRUE(text.ok()) << text.error().text();
  EXPECT_EQ(json::parse(*text), json::parse(R"({"type":"order","payload":{"order":17},"deadline":"2027-01-01T00:00:00.000Z",
    "external_id":"o-17","version":"2","context":{"trace":"x"},"parent":{"run":"p-1","step":"ship"},"metadata":{"a":"b"},
    "steps":{"attempts_max":-1,"first_delay_ms":500,"factor":1.5,"delay_max_ms":9,"non_retryable":["no"]}})"));
  run.context = "[1]";
  EXPECT_EQ(encode(run).error().code, Code::invalid_argument);
}

TEST(StepEncoding, LeavesOutWhatACallHasNot) {
  StepCall begin{.call = "begin", .step = "charge"};
  begin.input = Content{.data = "[1]", .binary = false};
  StepCall fail{.call = "fail", .step = "charge"};
  fail.error = Failure{.kind = "card", .message = "declined"};
  fail.retryable = false;
  StepCall sleep{.call = "sleep"};
  sleep.length = Duration(1'000);
  const Result<std::string> text = encode_steps({.id = "r", .fence = 7}, std::vector{begin, fail, sleep});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(json::parse(*text), json::parse(R"({"fence":7,"calls":[{"call":"begin","step":"charge","input":[1]},
    {"call":"fail","step":"charge","error":{"kind":"card","message":"declined"},"retryable":false},{"call":"sleep","length_ms":1000}]})"));
}

TEST(StepDecoding, GivesEachCallItsAnswerOrItsError) {
  const auto answers = decode_step_answers(
      R"({"answers":[{"execute":true,"step":{"id":"s","run":"r","name":"charge","kind":"function","state":"running","attempt":2,
          "begun_at":"2026-11-15T09:00:00.000Z","worker":"w","fence":7},"parked":false,"state":"running","cancel_requested":true},
          {"error":{"code":"lease_lost","detail":"gone"}}]})");
  ASSERT_TRUE(answers.ok()) << answers.error().text();
  ASSERT_EQ(answers->size(), 2U);
  const StepAnswer& first = *(*answers)[0];
  EXPECT_TRUE(first.execute);
  EXPECT_TRUE(first.cancel_requested);
  ASSERT_TRUE(first.step);
  EXPECT_EQ(first.step->name, "charge");
  EXPECT_EQ(first.step->attempt, 2U);
  EXPECT_EQ((*answers)[1].error().code, Code::lease_lost);
}

TEST(RunDecoding, FindsTheFactsOfARunAmongThoseOfItsJob) {
  const Result<Job> run = decode_job(
      R"({"id":"r","state":"scheduled","type":"order","version":"1","external_id":"o-17","schedule":"s-1","sleeping":true,
          "parent":{"run":"p","step":"x"},"metadata":{"a":"b"},"deadline":"2027-01-01T00:00:00.000Z"})");
  ASSERT_TRUE(run.ok());
  ASSERT_TRUE(run->run);
  EXPECT_EQ(run->run->external_id, "o-17");
  EXPECT_EQ(run->run->schedule, "s-1");
  EXPECT_EQ(run->run->parent_step, "x");
  EXPECT_TRUE(run->run->sleeping);
  EXPECT_EQ(run->deadline, parse_instant("2027-01-01T00:00:00Z"));
  EXPECT_FALSE(decode_job(R"({"id":"j","state":"ready"})")->run) << "a job that is no run has none";
}

TEST(ScheduleEncoding, SendsATimingWholeAndAJobOrARun) {
  ScheduleRequest request;
  request.timing = Timing{.text = "@daily", .zone = "Europe/Berlin", .gap = "skip", .fold = {}, .jitter = Duration(5'000)};
  request.run.emplace();
  request.run->job.type = "report";
  request.overlap = "skip";
  request.catchup_max = 0;
  request.enabled = false;
  request.note = "";
  Result<std::string> text = encode(request);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(json::parse(*text), json::parse(R"({"timing":{"text":"@daily","zone":"Europe/Berlin","gap":"skip","jitter_ms":5000},
    "run":{"type":"report"},"overlap":"skip","catchup_max":0,"enabled":false,"note":""})"));
  ScheduleRequest change;
  change.job_document = R"({"type":"t","payload":1})";
  text = encode(change);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(json::parse(*text), json::parse(R"({"job":{"type":"t","payload":1}})"));
  change.job_document = "7";
  EXPECT_EQ(encode(change).error().code, Code::invalid_argument);
}

TEST(ScheduleDecoding, ReadsTheTemplateOfEitherKind) {
  const Result<SchedulePage> page = decode_schedule_page(
      R"({"schedules":[{"id":"s-1","namespace":"n","timing":{"text":"every 90s","zone":"UTC","jitter_ms":0},"run":{"queue":"q","type":"report"},
          "overlap":"allow","catchup_max":100,"enabled":true,"next_fire_at":"2026-11-15T09:00:00.000Z","fired":3,"skipped":1,"revision":9},
          {"id":"s-2","timing":{"text":"@daily"},"job":{"queue":"q","type":"clean"}}],"total":2})");
  ASSERT_TRUE(page.ok()) << page.error().text();
  EXPECT_EQ(page->total, 2U);
  EXPECT_TRUE(page->schedules[0].is_run);
  EXPECT_EQ(page->schedules[0].type, "report");
  EXPECT_EQ(page->schedules[0].fired, 3U);
  EXPECT_EQ(page->schedules[0].next_fire_at, parse_instant("2026-11-15T09:00:00Z"));
  EXPECT_FALSE(page->schedules[1].is_run);
  EXPECT_EQ(page->schedules[1].job_document, R"({"queue":"q","type":"clean"})");
  EXPECT_EQ(decode_schedule("[]").error().code, Code::bad_reply);
}

}  // namespace
}  // namespace muster::sdk
