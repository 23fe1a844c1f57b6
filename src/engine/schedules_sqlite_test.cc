// Schedules on the real store, through the whole engine: restarts, the end of the job before, a worker that does the jobs.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "base/time_text.h"
#include "engine/engine.h"
#include "store/sqlite/open_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

const NamespaceName kNs{kDefaultNamespace};

class SchedulesOnSqlite : public testing::Test {
 protected:
  SchedulesOnSqlite() { start(); }
  ~SchedulesOnSqlite() override { stop(); }

  void start() {
    store_ = store::sqlite::open_for_test(folder_.path("muster.db"), clock_, metrics_, store::sqlite::Threading::manual);
    engine_ = std::make_unique<Engine>(*store_, clock_, metrics_, Options());
  }
  void stop() {
    engine_.reset();
    if (store_) {
      EXPECT_TRUE(store_->close().ok());
    }
    store_.reset();
  }

  bool pump() { return store::sqlite::pump(*store_); }
  // As the ticker does, with the writer between its ticks.
  void run_for(Duration time) {
    const Instant end = clock_.now() + time;
    while (true) {
      Duration sleep = engine_->tick();
      pump();
      sleep = std::min(sleep, engine_->tick());
      pump();
      if (clock_.now() >= end) return;
      clock_.advance(std::clamp(sleep, Duration(1), end - clock_.now()));
    }
  }
  // Starts a verb and waits for its answer.
  template <class T, class Call>
  Result<T> ask(Call call) {
    return muster::ask<T>(std::move(call), [this] { return pump(); });
  }

  Schedule create(std::string timing, Overlap overlap = Overlap::allow) {
    ScheduleSpec spec;
    spec.timing.text = std::move(timing);
    spec.overlap = overlap;
    spec.job.type = JobType("report");
    const auto made =
        ask<Schedule>([&](Reply<Schedule> reply) { engine_->schedules().create(std::move(spec), std::move(reply)); });
    EXPECT_TRUE(made.ok()) << made.status().message();
    return *made;
  }
  Schedule row(const Schedule& schedule) {
    return *ask<Schedule>([&](Reply<Schedule> reply) { engine_->schedules().get(kNs, schedule.spec.id, std::move(reply)); });
  }
  std::vector<Job> jobs() {
    std::vector<Job> all;
    store::JobQuery query;
    do {
      auto page = ask<store::JobPage>([&](Reply<store::JobPage> reply) { engine_->jobs().list(query, std::move(reply)); });
      if (!page.ok()) {
        ADD_FAILURE() << page.status().message();
        break;
      }
      std::move(page->jobs.begin(), page->jobs.end(), std::back_inserter(all));
      query.cursor = page->next;
    } while (!query.cursor.empty());
    return all;
  }
  // The fires between two instants, each by its own key.
  std::size_t made(const Schedule& schedule, Instant from, Instant to, Duration every) {
    std::vector<std::string> keys;
    for (Instant at = from + every; at <= to; at += every) keys.push_back(fire_key(schedule.spec.id, at));
    const auto found = ask<store::Each<JobId>>(
        [&](Reply<store::Each<JobId>> reply) { engine_->jobs().find(kNs, std::move(keys), std::move(reply)); });
    return static_cast<std::size_t>(std::count_if(found->begin(), found->end(), [](const auto& job) { return job.ok(); }));
  }

  TempFolder folder_;
  ManualClock clock_{*parse_rfc3339("2026-03-02T10:00:00Z")};
  Metrics metrics_;
  std::unique_ptr<store::sqlite::SqliteStore> store_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(SchedulesOnSqlite, EverySecondIsFiredOnceAcrossRestarts) {
  const Instant begin = clock_.now();
  const Schedule schedule = create("* * * * * *");
  for (int round = 0; round < 6; ++round) {
    run_for(7s + round * 130ms);
    stop();
    clock_.advance(2s);
    start();
  }
  run_for(6s);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(clock_.now()) - begin;
  EXPECT_EQ(jobs().size(), static_cast<std::size_t>(seconds / 1s));
  EXPECT_EQ(made(schedule, begin, begin + seconds, 1s), jobs().size());
  EXPECT_EQ(row(schedule).fired, jobs().size());
}

TEST_F(SchedulesOnSqlite, ABufferedFireFollowsTheEndOfTheJobBefore) {
  const Schedule schedule = create("0 * * * * *", Overlap::buffer_one);
  run_for(3min + 10s);
  ASSERT_EQ(jobs().size(), 1u);
  EXPECT_TRUE(row(schedule).buffered.has_value());
  const JobId first = *row(schedule).last_job;
  (void)ask<store::Each<store::Cancelled>>([&](Reply<store::Each<store::Cancelled>> reply) {
    engine_->jobs().cancel({{.job = first, .reason = "enough", .at_once = true}}, std::move(reply));
  });
  run_for(100ms);
  EXPECT_EQ(jobs().size(), 2u);
  EXPECT_FALSE(row(schedule).buffered.has_value());
  EXPECT_EQ(row(schedule).skipped, 1u);
}

TEST_F(SchedulesOnSqlite, CancelPreviousEndsTheJobBefore) {
  const Schedule schedule = create("0 * * * * *", Overlap::cancel_previous);
  run_for(3min);
  std::size_t cancelled = 0;
  for (const Job& job : jobs()) cancelled += job.state == JobState::cancelled ? 1 : 0;
  EXPECT_EQ(jobs().size(), 3u);
  EXPECT_EQ(cancelled, 2u);
}

TEST_F(SchedulesOnSqlite, AThousandSchedulesFireWithinAHundredMilliseconds) {
  for (int i = 0; i < 1'000; ++i) create("0 * * * * *");
  run_for(1min + 200ms);
  const std::vector<Job> all = jobs();
  ASSERT_EQ(all.size(), 1'000u);
  for (const Job& job : all) ASSERT_LE(job.created_at, *parse_rfc3339("2026-03-02T10:01:00.100Z"));
}

TEST_F(SchedulesOnSqlite, ADisabledNamespaceLosesNoFire) {
  const Schedule schedule = create("0 * * * * *");
  run_for(1min);
  const auto enable = [&](bool on) {
    const auto changed = ask<NamespaceInfo>(
        [&](Reply<NamespaceInfo> reply) { store_->update_namespace({.name = kNs, .enabled = on}, std::move(reply)); });
    ASSERT_TRUE(changed.ok()) << changed.status().message();
  };
  enable(false);
  run_for(3min);
  EXPECT_EQ(jobs().size(), 1u);
  enable(true);
  run_for(2min);
  EXPECT_EQ(jobs().size(), 6u);
}

}  // namespace
}  // namespace muster::engine
