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
  JobSpec back;
  spec_from_text(spec_to_text(spec), back);
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
