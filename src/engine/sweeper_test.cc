#include "engine/sweeper.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "engine/sweeps/catalogue.h"
#include "store/scripted_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;
using store::SweepReport;
using store::Verb;

class SweeperTest : public testing::Test {
 protected:
  // How often the pass was started.
  std::size_t passes() const { return store_.asked(Verb::promote_due); }
  // The pass answers this, every time.
  template <class Answer>
  void script(Answer answer) {
    store_.on(Verb::promote_due, [answer](const std::size_t&) -> Result<SweepReport> { return answer(); });
  }
  // The pass does not answer until reply_ is called.
  void hold() {
    store_.on(Verb::promote_due, [this](std::size_t, Reply<SweepReport> reply) { reply_ = std::move(reply); });
  }
  std::uint64_t counted(std::string_view metric) { return metrics_.counter(metric, "", {{"sweep", "promote_due"}}).value(); }

  store::ScriptedStore store_;
  Reply<SweepReport> reply_;
  ManualClock clock_;
  Metrics metrics_;
  Options options_;
  const std::array<const Sweep*, 1> one_{&promote_due()};
  Sweeper sweeper_{store_, clock_, metrics_, options_, one_};
};

TEST_F(SweeperTest, RunsAtOnceAndThenEveryPeriod) {
  script([] { return SweepReport(); });
  EXPECT_EQ(sweeper_.tick(), promote_due().period);
  EXPECT_EQ(passes(), 1u);
  clock_.advance(promote_due().period - 1ms);
  EXPECT_EQ(sweeper_.tick(), 1ms);
  EXPECT_EQ(passes(), 1u);
  clock_.advance(1ms);
  sweeper_.tick();
  EXPECT_EQ(passes(), 2u);
}

TEST_F(SweeperTest, APassThatThrowsIsCountedAsFailedAndRepeated) {
  bool broken = true;
  script([&]() -> Result<SweepReport> {
    if (broken) throw std::runtime_error("a test throws");
    return SweepReport();
  });
  EXPECT_NO_THROW(sweeper_.tick());
  EXPECT_EQ(counted("muster_sweep_failures_total"), 1u);
  EXPECT_EQ(metrics_.counter("muster_internal_errors_total", "", {{"where", "engine"}}).value(), 1u);
  broken = false;
  clock_.advance(promote_due().period);
  sweeper_.tick();
  EXPECT_EQ(passes(), 2u);
  EXPECT_EQ(counted("muster_sweep_failures_total"), 1u);
}

TEST_F(SweeperTest, WakesExactlyWhenTheNextThingIsDue) {
  script([&] { return SweepReport{.next_due = clock_.now() + 137ms}; });
  EXPECT_EQ(sweeper_.tick(), 137ms);
  clock_.advance(137ms);
  sweeper_.tick();
  EXPECT_EQ(passes(), 2u);
}

TEST_F(SweeperTest, NeverSleepsLongerThanThePeriod) {
  script([&] { return SweepReport{.next_due = Instant::max()}; });
  EXPECT_EQ(sweeper_.tick(), promote_due().period);
}

TEST_F(SweeperTest, RepeatsAtTheNextTickWhileThereIsMore) {
  script([&] { return SweepReport{.moved = 5, .more = passes() < 3}; });
  EXPECT_EQ(sweeper_.tick(), 0ms);
  EXPECT_EQ(sweeper_.tick(), 0ms);
  EXPECT_GT(sweeper_.tick(), 0ms);
  EXPECT_EQ(passes(), 3u);
  EXPECT_EQ(counted("muster_sweep_moved_total"), 15u);
}

TEST_F(SweeperTest, CountsTheJobsThatRetentionRemoves) {
  store_.on(Verb::prune_finished,
            [](const store::Retention&, const std::size_t&) { return Result<SweepReport>(SweepReport{.moved = 500}); });
  const std::array<const Sweep*, 1> prune{&prune_finished()};
  Sweeper pruning(store_, clock_, metrics_, options_, prune);
  pruning.tick();
  EXPECT_EQ(metrics_.counter("muster_jobs_moved_total", "", {{"event", "pruned"}}).value(), 500u);
  sweeper_.tick();
  EXPECT_EQ(metrics_.counter("muster_jobs_moved_total", "", {{"event", "due"}}).value(), 0u) << "told one by one";
}

TEST_F(SweeperTest, DoesNotSpinOnWhatCannotBeMoved) {
  script([&] { return SweepReport{.next_due = clock_.now() - 1s}; });
  EXPECT_EQ(sweeper_.tick(), promote_due().period);
}

TEST_F(SweeperTest, LeavesAPassAloneUntilItAnswers) {
  hold();
  sweeper_.tick();
  clock_.advance(10s);
  const Duration sleep = sweeper_.tick();
  EXPECT_EQ(passes(), 1u);
  EXPECT_GT(sleep, 0ms);
  EXPECT_LE(sleep, 10ms);
  reply_(SweepReport());
  sweeper_.tick();
  EXPECT_EQ(passes(), 2u);
}

TEST_F(SweeperTest, TriesAFailedPassAgainAtItsPeriod) {
  script([] { return Result<SweepReport>(Status::unavailable("disk full")); });
  EXPECT_EQ(sweeper_.tick(), promote_due().period);
  EXPECT_EQ(counted("muster_sweep_failures_total"), 1u);
  clock_.advance(promote_due().period);
  sweeper_.tick();
  EXPECT_EQ(passes(), 2u);
  EXPECT_EQ(counted("muster_sweep_failures_total"), 2u);
}

TEST_F(SweeperTest, LooksAgainSoonWhenJobsWereScheduled) {
  script([] { return SweepReport(); });
  sweeper_.tick();
  clock_.advance(100ms);
  sweeper_.hint();
  EXPECT_EQ(sweeper_.tick(), promote_due().period);
  EXPECT_EQ(passes(), 2u);
}

TEST_F(SweeperTest, HoldsRepeatedHintsApart) {
  script([] { return SweepReport(); });
  sweeper_.tick();
  Duration passed{0};
  while (passed < 500ms) {
    sweeper_.hint();
    sweeper_.tick();
    clock_.advance(1ms);
    passed += 1ms;
  }
  EXPECT_GE(passes(), 10u);
  EXPECT_LE(passes(), 30u);
}

TEST_F(SweeperTest, RemembersAHintDuringAPass) {
  hold();
  sweeper_.tick();
  sweeper_.hint();
  reply_(SweepReport());
  clock_.advance(20ms);
  sweeper_.tick();
  EXPECT_EQ(passes(), 2u);
}

TEST_F(SweeperTest, MeasuresHowLongAPassTook) {
  hold();
  sweeper_.tick();
  clock_.advance(250ms);
  reply_(SweepReport());
  const Histogram& seconds =
      metrics_.histogram("muster_sweep_duration_seconds", "", latency_bounds(), {{"sweep", "promote_due"}});
  EXPECT_EQ(seconds.count(), 1u);
  EXPECT_DOUBLE_EQ(seconds.sum(), 0.25);
}

TEST_F(SweeperTest, KeepsItsPeriodWhenTheWallClockStepsBack) {
  // A clock whose wall time can be moved apart from its monotonic time.
  struct SteppedClock final : Clock {
    Instant wall{1'700'000'000s};
    Ticks monotonic{1s};
    Instant now() const override { return wall; }
    Ticks elapsed() const override { return monotonic; }
  } clock;
  script([] { return SweepReport(); });
  Sweeper sweeper(store_, clock, metrics_, options_, one_);
  sweeper.tick();
  clock.wall -= 1h;
  clock.monotonic += promote_due().period;
  sweeper.tick();
  EXPECT_EQ(passes(), 2u);
}

TEST_F(SweeperTest, AnswersThatComeAfterItsEndDoNoHarm) {
  hold();
  auto sweeper = std::make_unique<Sweeper>(store_, clock_, metrics_, options_, one_);
  sweeper->tick();
  sweeper.reset();
  reply_(SweepReport{.moved = 1});
  EXPECT_EQ(counted("muster_sweep_moved_total"), 1u);
}

TEST_F(SweeperTest, RunsEverySweepOfTheCatalogueOnItsOwnVerb) {
  Sweeper all(store_, clock_, metrics_, options_, all_sweeps());
  all.tick();
  const std::vector<Verb> ran = store_.asked();
  ASSERT_EQ(ran.size(), all_sweeps().size());
  for (std::size_t i = 0; i < ran.size(); ++i) {
    EXPECT_EQ(to_string(ran[i]), all_sweeps()[i]->name);
    EXPECT_EQ(store_.given<std::size_t>(ran[i]), std::vector{all_sweeps()[i]->budget});
  }
  EXPECT_EQ(std::set<Verb>(ran.begin(), ran.end()),
            (std::set<Verb>{Verb::promote_due, Verb::expire_leases, Verb::time_out_jobs, Verb::expire_waiting,
                            Verb::end_preferences, Verb::bury_silent_workers, Verb::end_drains, Verb::expire_keys,
                            Verb::settle_actions, Verb::prune_finished, Verb::prune_workers}));
}

TEST_F(SweeperTest, HandsTheOperatorsRetentionToThePrunes) {
  options_.retention.completed_kept = 5h;
  options_.offline_kept = 6h;
  Sweeper all(store_, clock_, metrics_, options_, all_sweeps());
  all.tick();
  EXPECT_EQ(store_.given<store::Retention>(Verb::prune_finished).at(0).completed_kept, 5h);
  EXPECT_EQ(store_.given<store::Retention>(Verb::settle_actions).at(0).completed_kept, 5h);
  EXPECT_EQ(store_.given<Duration>(Verb::prune_workers).at(0), 6h);
}

}  // namespace
}  // namespace muster::engine
