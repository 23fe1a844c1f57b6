// What becomes of a plan and its inputs: the jobs of an action, in both units.
#include "command/action_spec.h"

#include <gtest/gtest.h>

#include "command/actions.h"
#include "model/limits.h"
#include "model/validate.h"

namespace muster::command {
namespace {

using namespace std::chrono_literals;

plan::Document pipeline() {
  plan::Document plan{.id = "p1", .description = "d", .tasks = {}};
  plan.tasks.push_back({.number = 1, .command = "/usr/bin/sort", .args = {"-r"}});
  plan.tasks.push_back({.number = 2, .command = "agx-ocr", .args = {}});
  plan.tasks.push_back({.number = 3, .command = "wc", .args = {}, .timeout_secs = {}, .input_from_task = 1});
  return plan;
}

ActionOrder order_of(std::vector<std::string> inputs, JobUnit unit = JobUnit::plan) {
  ActionOrder order;
  order.id = ActionId("a1");
  order.inputs = std::move(inputs);
  order.unit = unit;
  return order;
}

TEST(MakeAction, RunsTheWholePlanOncePerInput) {
  const auto action = make_action(pipeline(), order_of({R"({"n":1})", "2"}));
  ASSERT_TRUE(action.ok());
  EXPECT_EQ(action->id, ActionId("a1"));
  EXPECT_EQ(action->plan, PlanId("p1"));
  ASSERT_EQ(action->jobs.size(), 2u);
  const JobSpec& job = action->jobs[1].spec;
  EXPECT_TRUE(muster::validate(job).ok());
  EXPECT_EQ(job.type, JobType("plan"));
  EXPECT_EQ(job.queue, QueueName("ready"));
  EXPECT_EQ(job.payload, (Content{"2", Encoding::json}));
  EXPECT_EQ(job.labels, (Labels{{"action", "a1"}, {"plan", "p1"}, {"input", "1"}}));
  EXPECT_EQ(job.needs, CapabilitySet({"tool:sort", "tool:agx-ocr", "tool:wc"}));
  EXPECT_EQ(job.timeout, 1h);
  EXPECT_EQ(job.retry.attempts_max, 3u);
  EXPECT_EQ(job.rescues_max, 3u);
  EXPECT_TRUE(action->jobs[1].after.empty());
}

TEST(MakeAction, MakesAJobOfEveryTaskWhenAsked) {
  const auto action = make_action(pipeline(), order_of({"1", "2"}, JobUnit::task));
  ASSERT_TRUE(action.ok());
  ASSERT_EQ(action->jobs.size(), 6u);
  const ActionJob& second_wc = action->jobs[5];
  EXPECT_EQ(second_wc.spec.labels, (Labels{{"action", "a1"}, {"plan", "p1"}, {"input", "1"}, {"task", "3"}}));
  EXPECT_EQ(second_wc.spec.queue, QueueName("default"));
  EXPECT_EQ(second_wc.spec.needs, CapabilitySet({"tool:wc"}));
  EXPECT_EQ(second_wc.spec.payload.data, "2");
  EXPECT_EQ(second_wc.after, std::vector<std::uint32_t>{3}) << "the job of task 1 of the second input";
  EXPECT_EQ(action->jobs[4].spec.queue, QueueName("gpu"));
  EXPECT_TRUE(action->jobs[4].after.empty());
}

TEST(MakeAction, TakesItsPolicyFromTheFront) {
  ActionOrder order = order_of({"{}"});
  order.policy = {.timeout = 5s, .attempts_max = 7, .rescues_max = 1, .priority = 9};
  const auto action = make_action(pipeline(), order);
  ASSERT_TRUE(action.ok());
  const JobSpec& job = action->jobs[0].spec;
  EXPECT_EQ(job.timeout, 5s);
  EXPECT_EQ(job.retry.attempts_max, 7u);
  EXPECT_EQ(job.rescues_max, 1u);
  EXPECT_EQ(job.priority, 9);
}

TEST(MakeAction, RefusesNoInputsTooManyAndTooMuch) {
  EXPECT_EQ(make_action(pipeline(), order_of({})).status().message(), "inputs array must contain at least one input");
  const std::vector<std::string> many(limits::kActionJobsMax + 1, "1");
  EXPECT_EQ(make_action(pipeline(), order_of(many)).status().message(),
            "inputs array holds 10001 inputs of 1 jobs each; at most 10000 inputs are accepted");
  const std::vector<std::string> tasks(limits::kActionJobsMax / 3 + 1, "1");
  EXPECT_TRUE(make_action(pipeline(), order_of(tasks)).ok());
  EXPECT_EQ(make_action(pipeline(), order_of(tasks, JobUnit::task)).status().message(),
            "inputs array holds 3334 inputs of 3 jobs each; at most 3333 inputs are accepted");
  const std::vector<std::string> heavy(30, std::string(1024 * 1024, ' '));
  EXPECT_TRUE(make_action(pipeline(), order_of(heavy)).ok());
  EXPECT_EQ(make_action(pipeline(), order_of(heavy, JobUnit::task)).status().message(),
            "the payloads of the action have 94371840 bytes; at most 67108864 are accepted");
}

TEST(MakeAction, RefusesANameThatCouldBePartOfAKey) {
  ActionOrder order = order_of({"1"});
  order.id = ActionId("a:1");
  EXPECT_EQ(make_action(pipeline(), order).status().message(),
            "action_id contains invalid characters (only alphanumeric, hyphens, and underscores allowed)");
}

TEST(NewActionId, IsAcceptedAndNeverTheSame) {
  const ActionId one = new_action_id();
  EXPECT_TRUE(plan::validate_identifier("action_id", one.text()).ok()) << one.text();
  EXPECT_NE(one, new_action_id());
}

TEST(JobUnit, ReadsItsOwnNames) {
  for (const JobUnit unit : {JobUnit::plan, JobUnit::task}) EXPECT_EQ(parse_job_unit(to_string(unit)), unit);
  EXPECT_FALSE(parse_job_unit("job"));
}

TEST(StateOf, TellsAnActionInOneWord) {
  EXPECT_EQ(state_of({.waiting = 2}), "pending");
  EXPECT_EQ(state_of({.waiting = 1, .completed = 1}), "running");
  EXPECT_EQ(state_of({.running = 1}), "running");
  EXPECT_EQ(state_of({.completed = 2}), "completed");
  EXPECT_EQ(state_of({.completed = 1, .failed = 1}), "failed");
  EXPECT_EQ(state_of({.completed = 1, .cancelled = 1}), "failed");
}

}  // namespace
}  // namespace muster::command
