#include "store/metered.h"

#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

#include "store/faults.h"
#include "store/scripted_testing.h"

namespace muster::store {
namespace {

class MeteredStoreTest : public ::testing::Test {
 protected:
  Histogram& duration(std::string verb) {
    return metrics.histogram(kVerbDurationMetric, "", latency_bounds(), {{"verb", std::move(verb)}});
  }
  std::uint64_t failures(std::string verb, std::string code) {
    return metrics.counter(kVerbFailuresMetric, "", {{"verb", std::move(verb)}, {"code", std::move(code)}}).value();
  }

  Metrics metrics;
  ManualClock clock;
  ScriptedStore inner;
};

TEST_F(MeteredStoreTest, TimesAVerbFromItsCallToItsAnswer) {
  FaultStore slow(inner, {});
  slow.add_script(Verb::claim, {Fault::hold});
  MeteredStore store(slow, metrics, clock);
  store.claim({}, [](Result<ClaimReply>) {});
  EXPECT_EQ(duration("claim").count(), 0u);
  clock.advance(std::chrono::milliseconds(250));
  slow.deliver_held();
  EXPECT_EQ(duration("claim").count(), 1u);
  EXPECT_DOUBLE_EQ(duration("claim").sum(), 0.25);
  EXPECT_EQ(duration("enqueue").count(), 0u);
}

TEST_F(MeteredStoreTest, HandsTheAnswerThroughUnchanged) {
  MeteredStore store(inner, metrics, clock);
  inner.fail_with(Status::not_found("job x"));
  std::optional<Status> seen;
  store.info([&seen](Result<StoreInfo> answer) { seen = answer.status(); });
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->text(), "not_found: job x");
  EXPECT_EQ(inner.asked(), std::vector{Verb::info});
}

TEST_F(MeteredStoreTest, AReplyThatThrowsDoesNotReachTheStoreAndIsLetGoOf) {
  MeteredStore store(inner, metrics, clock);
  const auto held = std::make_shared<int>();
  int called = 0;
  EXPECT_NO_THROW(store.info([&called, held](Result<StoreInfo>) {
    ++called;
    throw std::runtime_error("a test throws");
  }));
  EXPECT_EQ(called, 1);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(metrics.counter("muster_internal_errors_total", "", {{"where", "store"}}).value(), 1u);
}

TEST_F(MeteredStoreTest, CountsAFailedVerbByItsCode) {
  MeteredStore store(inner, metrics, clock);
  inner.fail_with(Status::unavailable("full"));
  store.enqueue({}, [](Result<std::vector<Enqueued>>) {});
  EXPECT_EQ(failures("enqueue", "unavailable"), 1u);
  EXPECT_EQ(failures("enqueue", "not_found"), 0u);
  EXPECT_EQ(duration("enqueue").count(), 1u);
}

TEST_F(MeteredStoreTest, CountsFailedElementsOfABatch) {
  MeteredStore store(inner, metrics, clock);
  inner.on(Verb::complete,
           [](const std::vector<Completion>&) -> Result<Each<Settled>> { return Each<Settled>{Status::lease_lost("stale")}; });
  store.complete({}, [](Result<Each<Settled>>) {});
  store.complete({}, [](Result<Each<Settled>>) {});
  EXPECT_EQ(failures("complete", "lease_lost"), 2u);
}

TEST_F(MeteredStoreTest, EveryVerbHasItsSeriesFromTheStart) {
  MeteredStore store(inner, metrics, clock);
  const std::string text = metrics.text();
  for (const std::string_view name : kVerbNames) EXPECT_NE(text.find(std::string(name)), std::string::npos) << name;
}

}  // namespace
}  // namespace muster::store
