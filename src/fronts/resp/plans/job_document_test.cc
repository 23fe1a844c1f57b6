#include "fronts/resp/plans/job_document.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "command/agent_tool_job.h"
#include "model/plan.h"

namespace muster::resp::plans {
namespace {

using Json = nlohmann::json;

constexpr const char* kPlan =
    R"({"plan_id":"p1","plan_description":"say hi","tasks":[{"task_number":1,"command":"echo","args":["hi"]},)"
    R"({"task_number":2,"command":"agx-ocr","args":[],"timeout_secs":7,"input_from_task":1}]})";

StoredPlan stored() {
  auto plan = read_plan(kPlan);
  EXPECT_TRUE(plan.ok());
  return *std::move(plan);
}

Job job_of_plan() {
  Job job;
  job.id = JobId{Uuid{1, 2}};
  job.spec.type = JobType(kTypePlan);
  job.spec.payload = {.data = R"({"n":1})", .encoding = Encoding::json};
  job.spec.labels = {{kLabelAction, "a1"}, {kLabelPlan, "p1"}, {kLabelInput, "3"}};
  job.state = JobState::ready;
  job.created_at = from_ms(1'700'000'000'500);
  return job;
}

Json document(const Job& job, const StoredPlan* plan) { return Json::parse(job_document(facts_of(job), plan)); }

TEST(JobDocument, SatisfiesEveryDialectsParser) {
  const StoredPlan plan = stored();
  const Json doc = document(job_of_plan(), &plan);
  const std::string name = "job_00000000000000010000000000000002";
  EXPECT_EQ(doc["job_id"], name);
  EXPECT_EQ(doc["id"], name);
  EXPECT_EQ(doc["action_id"], "a1");
  EXPECT_EQ(doc["plan_id"], "p1");
  EXPECT_EQ(doc["plan_description"], "say hi");
  EXPECT_EQ(doc["input"], Json::parse(R"({"n":1})"));
  EXPECT_EQ(doc["env"], doc["input"]);
  EXPECT_EQ(doc["inputs"], doc["input"]);
  EXPECT_EQ(doc["input_index"], 3);
  EXPECT_EQ(doc["status"], "pending");
  EXPECT_EQ(doc["created_at"], 1'700'000'000);
  EXPECT_EQ(doc["tasks"].size(), 2U);
  EXPECT_EQ(doc["plan"]["tasks"], doc["tasks"]);
  EXPECT_EQ(doc["plan"]["plan_id"], "p1");
  EXPECT_EQ(doc["task_number"], 1);
  EXPECT_EQ(doc["command"], "echo");
  EXPECT_EQ(doc["args"], Json::parse(R"(["hi"])"));
  EXPECT_EQ(doc["tags"], Json::parse(R"(["cpu"])"));
}

TEST(JobDocument, IsCompactWithItsKeysInAlphabeticalOrder) {
  const StoredPlan plan = stored();
  const std::string text = job_document(facts_of(job_of_plan()), &plan);
  EXPECT_EQ(text, Json::parse(text).dump());
}

TEST(JobDocument, OfOneTaskShowsThatTaskAlone) {
  const StoredPlan plan = stored();
  Job job = job_of_plan();
  job.spec.labels[kLabelTask] = "2";
  const Json doc = document(job, &plan);
  EXPECT_EQ(doc["task_number"], 2);
  EXPECT_EQ(doc["command"], "agx-ocr");
  EXPECT_EQ(doc["tags"], Json::parse(R"(["gpu"])"));
  ASSERT_EQ(doc["tasks"].size(), 1U);
  EXPECT_EQ(doc["tasks"][0], Json::parse(R"({"args":[],"command":"agx-ocr","task_number":1,"timeout_secs":7})"));
  EXPECT_EQ(doc["plan"]["tasks"], doc["tasks"]);
}

TEST(JobDocument, OfAToolOfAnAgentIsOneTask) {
  ToolSpec tool;
  tool.name = ToolName("get_weather");
  tool.arguments = {"--city", "{{input.city}}"};
  Job job = job_of_plan();
  job.spec.type = JobType("get_weather");
  job.spec.payload = {.data = R"({"city":"Berlin"})", .encoding = Encoding::json};
  job.spec.labels = command::tool_labels(tool);
  const std::string text = job_document(facts_of(job), nullptr);
  EXPECT_EQ(text, Json::parse(text).dump()) << "its keys are in alphabetical order";
  const Json doc = Json::parse(text);
  EXPECT_EQ(doc["tool"], "get_weather");
  EXPECT_EQ(doc["command"], "get_weather");
  EXPECT_EQ(doc["args"], Json::parse(R"(["--city","{{input.city}}"])"));
  EXPECT_EQ(doc["input"], Json::parse(R"({"city":"Berlin"})"));
  EXPECT_EQ(doc["tasks"],
            Json::parse(R"([{"args":["--city","{{input.city}}"],"command":"get_weather","task_number":1,"timeout_secs":300}])"));
  job.spec.type = JobType("mail");
  EXPECT_FALSE(document(job, nullptr).contains("command")) << "a label alone makes no tool of a job";
}

TEST(JobDocument, WithoutItsPlanStillNamesTheJobAndTheInput) {
  const Json doc = document(job_of_plan(), nullptr);
  EXPECT_EQ(doc["plan_id"], "p1");
  EXPECT_EQ(doc["input"], Json::parse(R"({"n":1})"));
  EXPECT_FALSE(doc.contains("tasks"));
}

TEST(JobDocument, OfAnElementIsThatElementWithTheJobsFacts) {
  Job job;
  job.id = JobId{Uuid{1, 2}};
  job.spec.type = JobType(kTypeElement);
  job.spec.labels = {{kLabelJob, "mine"}};
  job.spec.payload = {.data = R"({"job_id":"mine","x":[1,2]})", .encoding = Encoding::json};
  job.state = JobState::running;
  job.worker = WorkerId("w-1");
  const Json doc = document(job, nullptr);
  EXPECT_EQ(doc["job_id"], "mine");
  EXPECT_EQ(doc["id"], "mine");
  EXPECT_EQ(doc["x"], Json::parse("[1,2]"));
  EXPECT_EQ(doc["status"], "running");
  EXPECT_EQ(doc["worker_id"], "w-1");
}

std::string document_as_taken(const std::string& element) {
  Grant grant;
  grant.id = JobId{Uuid{1, 2}};
  grant.type = JobType(kTypeElement);
  grant.payload = {.data = element, .encoding = Encoding::json};
  return job_document(facts_of(grant, "w-1"), nullptr);
}

TEST(JobDocument, OfATakenElementHasEachFieldOnceHoweverItWasSpelled) {
  const std::string document = document_as_taken(R"({"\u0069d":"mine","x":1})");
  EXPECT_EQ(document.find(R"("id")"), document.rfind(R"("id")"));
  EXPECT_EQ(Json::parse(document)["id"], "mine");
}

TEST(JobDocument, OfATakenElementThatIsNoObjectIsOne) {
  for (const char* element : {R"([1,{"a":2}])", R"("x {")", R"(["{",{"b":1}])", "7"})
    EXPECT_EQ(Json::parse(document_as_taken(element))["input"], Json::parse(element)) << element;
}

TEST(JobDocument, BytesThatAreNoTextDoNotBreakIt) {
  Job job;
  job.spec.type = JobType(kTypeElement);
  job.spec.payload = {.data = std::string("\xff\x00\"", 3), .encoding = Encoding::bytes};
  EXPECT_TRUE(document(job, nullptr).is_object());
}

TEST(StatusWord, SpeaksTheDialect) {
  const JobError reported{"job_failed", "exit 1"};
  const JobError timeout{kErrorTimeout, "too long"};
  EXPECT_EQ(status_word(JobState::ready, std::nullopt), "pending");
  EXPECT_EQ(status_word(JobState::ready, reported), "pending");
  EXPECT_EQ(status_word(JobState::scheduled, std::nullopt), "pending");
  EXPECT_EQ(status_word(JobState::scheduled, reported), "failed");
  EXPECT_EQ(status_word(JobState::running, std::nullopt), "running");
  EXPECT_EQ(status_word(JobState::completed, std::nullopt), "completed");
  EXPECT_EQ(status_word(JobState::dead, reported), "failed");
  EXPECT_EQ(status_word(JobState::dead, timeout), "dead");
  EXPECT_EQ(status_word(JobState::cancelled, std::nullopt), "cancelled");
}

}  // namespace
}  // namespace muster::resp::plans
