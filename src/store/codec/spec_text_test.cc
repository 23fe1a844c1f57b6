#include "store/codec/spec_text.h"

#include <gtest/gtest.h>

namespace muster::store {
namespace {

using namespace std::chrono_literals;

TEST(SpecText, IsEmptyForAPlainJob) {
  JobSpec spec;
  spec.type = JobType("t");
  spec.priority = 3;
  EXPECT_EQ(spec_to_text(spec), "");
}

TEST(SpecText, GivesBackEveryWish) {
  JobSpec spec;
  spec.needs = CapabilitySet({"tool:b", "tool:a"});
  spec.selector = {{"region", "eu"}};
  spec.labels = {{"k\"ey", "v"}};
  spec.run_at = from_ms(123);
  spec.expires_in = 5s;
  spec.timeout = 6s;
  spec.lease_ttl = 7s;
  spec.retry = {
      .attempts_max = 9, .backoff_base = 1ms, .backoff_factor = 3, .backoff_max = 2s, .jitter = 0.5, .non_retryable = {"bad"}};
  spec.rescues_max = 1;
  spec.idempotency_key = "i";
  spec.unique = UniqueKey{"u", UniqueWhile::waiting};
  spec.concurrency = ConcurrencyKey{"c", 4};
  spec.fairness = FairnessKey{"f", 5};
  spec.affinity = {.sticky_key = "s", .prefer = "label:a=b", .prefer_wait = 9s};
  spec.after = {JobId{{1, 2}}};
  spec.on_dependency_failure = OnDependencyFailure::run;
  spec.correlation = "trace";
  spec.deadline = from_ms(456);
  spec.run = RunSpec{.external_id = "order-1",
                     .version = "2",
                     .context = R"({"a":1})",
                     .steps = {.attempts_max = -1, .first_delay = 5ms, .factor = 1.5, .delay_max = 6s, .non_retryable = {"no"}},
                     .backoff = StepBackoff::multiplied_first,
                     .parent = RunParent{JobId{{3, 4}}, "spawn"},
                     .schedule = "nightly",
                     .metadata = {{"k", "v"}}};
  JobSpec back;
  spec_from_text(spec_to_text(spec), back);
  EXPECT_EQ(back, spec);
}

TEST(SpecText, ARunOfDefaultsIsStillARun) {
  JobSpec spec;
  spec.run = RunSpec();
  JobSpec back;
  spec_from_text(spec_to_text(spec), back);
  EXPECT_EQ(back.run, RunSpec());
}

TEST(SpecText, GivesBackThePolicyOfAStep) {
  const StepPolicy policy{
      .attempts_max = 3, .first_delay = 10ms, .factor = 1.25, .delay_max = 9s, .non_retryable = {"fatal", "bad \"x\""}};
  EXPECT_EQ(policy_from_text(policy_to_text(policy)), policy);
  EXPECT_EQ(policy_to_text({}), "");
  EXPECT_EQ(policy_from_text(""), StepPolicy());
}

TEST(SpecText, GivesBackASchedule) {
  ScheduleSpec spec;
  spec.ns = spec.job.ns = NamespaceName("team");
  spec.id = ScheduleId("s");
  spec.timing = {.text = "0 2 * * *",
                 .form = CronForm::kagzi,
                 .zone = "Europe/Berlin",
                 .gap = GapRule::skip,
                 .fold = FoldRule::twice,
                 .jitter = 5s};
  spec.job.queue = QueueName("q");
  spec.job.type = JobType("t");
  spec.job.priority = -3;
  spec.job.payload = {"", Encoding::bytes};
  spec.job.labels = {{"a", "b"}};
  spec.job.run = RunSpec{.external_id = "x"};
  spec.overlap = Overlap::cancel_previous;
  spec.catchup_max = 0;
  spec.note = "by night";
  ScheduleSpec back;
  back.ns = spec.ns;
  back.id = spec.id;
  schedule_from_text(schedule_to_text(spec), back);
  EXPECT_EQ(back, spec);
}

TEST(SpecText, KeepsBytesThatAreNotUtf8FromThrowing) {
  JobSpec spec;
  spec.correlation = "\xff\xfe";
  JobSpec back;
  spec_from_text(spec_to_text(spec), back);
  EXPECT_FALSE(back.correlation.empty());
}

TEST(SpecText, GivesBackQueueSettings) {
  QueueSettings settings{.paused = true,
                         .pause_reason = "why",
                         .running_max = 3,
                         .running_max_by_type = {{"t", 2}},
                         .rate = RateLimit{.count = 1.5, .per = 2s, .burst = 7}};
  EXPECT_EQ(settings_from_text(settings_to_text(settings)), settings);
  EXPECT_EQ(settings_from_text(""), QueueSettings());
}

}  // namespace
}  // namespace muster::store
