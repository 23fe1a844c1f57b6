// Two nodes on one schema and one schedule every second, for a minute of manual time: nodes come and go, the leadership moves,
// and yet every second is fired exactly once.
//
// The nodes look for due schedules all the time, as the engine's scheduler does, each on a thread of its own; the case moves the
// database's clock second by second and waits until the second is dealt with. Leases of the leadership end with every step of the
// clock, so that it changes hands all the time. One node is dropped midway without a word, with a fire it had read still in its
// hands, and replaced.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "base/metrics.h"
#include "store/postgres/cluster/cluster_testing.h"
#include "store/postgres/nodes_testing.h"
#include "store/postgres/statements.h"
#include "store/postgres/store.h"
#include "store/postgres/wire/connection.h"

namespace muster::store::postgres {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kStartMs = 1'700'000'000'000;
constexpr int kSeconds = 60;
constexpr std::chrono::milliseconds kLookEvery{2};  // how often a node's scheduler looks
constexpr int kDropAt = 20;
constexpr int kReplaceAt = 40;
const ScheduleId kEverySecond{"every-second"};

constexpr std::string_view kClockSql = R"(
CREATE UNLOGGED TABLE {schema}.test_clock (at bigint NOT NULL);
INSERT INTO {schema}.test_clock VALUES (1700000000000);
CREATE OR REPLACE FUNCTION {schema}.now_ms() RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT at FROM {schema}.test_clock $$;
)";

// What is due up to `until`, as the engine would fire it: a job a second, each with its key.
ScheduleFire fire_up_to(const Schedule& schedule, Instant until) {
  ScheduleFire fire{schedule, {}};
  for (Instant at = *schedule.next_fire_at; at <= until; at += 1s) {
    JobSpec job = schedule.spec.job;
    job.payload.data = std::to_string(to_ms(at));
    job.idempotency_key = fire_key(schedule.spec.id, at);
    fire.jobs.push_back(std::move(job));
    fire.after.last_fired_at = fire.after.caught_up_to = at;
    fire.after.next_fire_at = at + 1s;
    ++fire.after.fired;
  }
  return fire;
}

// A node and its scheduler.
class Member {
 public:
  Member(Options options, std::atomic<std::int64_t>& now_ms) : now_ms_(now_ms) {
    auto opened = PostgresStore::open(std::move(options), metrics_);
    EXPECT_TRUE(opened.ok()) << opened.status().text();
    if (opened.ok()) store_ = std::move(*opened);
  }
  ~Member() { halt(); }

  void go() {
    looking_ = true;
    thread_ = std::thread([this] {
      while (looking_) look();
    });
  }
  void halt() {
    looking_ = false;
    if (thread_.joinable()) thread_.join();
  }
  PostgresStore& store() { return *store_; }
  std::vector<Schedule> due() {
    const auto found = ask<DueSchedules>([this](auto reply) { store_->due_schedules(10, std::move(reply)); });
    EXPECT_TRUE(found.ok()) << found.status().text();
    return found.ok() ? found->schedules : std::vector<Schedule>();
  }
  std::uint64_t made() const { return made_; }
  std::uint64_t made_again() const { return made_again_; }

 private:
  void look() {
    const Instant now = from_ms(now_ms_.load());
    for (const Schedule& schedule : due()) {
      const ScheduleFire fire = fire_up_to(schedule, now);
      if (fire.jobs.empty()) continue;
      const auto fired = ask<ScheduleFired>([&](auto reply) { store_->fire_schedule(fire, std::move(reply)); });
      if (!fired.ok()) {
        EXPECT_EQ(fired.status().code(), Code::conflict) << fired.status().text();
        continue;
      }
      for (const Enqueued& job : fired->jobs) ++(job.existed ? made_again_ : made_);
    }
    std::this_thread::sleep_for(kLookEvery);
  }

  std::atomic<std::int64_t>& now_ms_;
  Metrics metrics_;
  std::unique_ptr<PostgresStore> store_;
  std::atomic<bool> looking_{false};
  std::atomic<std::uint64_t> made_{0};
  std::atomic<std::uint64_t> made_again_{0};
  std::thread thread_;
};

class ScheduleCluster : public testing::Test {
 protected:
  void SetUp() override {
    const char* const url = std::getenv("MUSTER_TEST_POSTGRES");
    if (url == nullptr) GTEST_FAIL() << "MUSTER_TEST_POSTGRES names no server; ./dev test starts one";
    log::set_level(log::Level::error);
    url_ = url;
    schema_ = fmt::format("schedules_{}", ::getpid());
    Options options;
    options.url = url_;
    options.schema = schema_;
    ASSERT_TRUE(migrate(options).ok());
    auto opened = Connection::open({.url = url_, .application = "muster-test", .schema = schema_});
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    admin_ = std::move(*opened);
    run(std::string(kClockSql));
  }
  void TearDown() override {
    if (admin_) run("SET client_min_messages = warning; DROP SCHEMA {schema} CASCADE");
  }
  void run(const std::string& sql) {
    const Status status = admin_->script(with_schema(sql, schema_));
    ASSERT_TRUE(status.ok()) << status.text();
  }
  void advance(Duration by) {
    run(fmt::format("UPDATE {{schema}}.test_clock SET at = at + {}", by.count()));
    now_ms_ += by.count();
  }
  std::unique_ptr<Member> join(const std::string& name) {
    Options options;
    options.url = url_;
    options.schema = schema_;
    options.node = name;
    options.connections = kConnectionsMin;
    options.leader_ttl = Duration(100);  // shorter than a step of the clock; asked for again every 50 ms
    return std::make_unique<Member>(std::move(options), now_ms_);
  }
  static Schedule read(PostgresStore& store) {
    const auto found = ask<Each<Schedule>>([&](auto reply) { store.get_schedules(kDefault, {kEverySecond}, std::move(reply)); });
    return found.ok() && found->front().ok() ? *found->front() : Schedule();
  }
  static bool is_caught_up(PostgresStore& store, std::int64_t to_ms_wanted) {
    const Schedule now = read(store);
    return now.caught_up_to && to_ms(*now.caught_up_to) == to_ms_wanted;
  }
  // How often each second was fired, by the jobs there are.
  static std::map<std::int64_t, int> fires(PostgresStore& store) {
    std::map<std::int64_t, int> out;
    JobQuery query;
    query.with_payload = true;
    do {
      const auto page = ask<JobPage>([&](auto reply) { store.list_jobs(query, std::move(reply)); });
      EXPECT_TRUE(page.ok()) << page.status().text();
      if (!page.ok()) break;
      for (const Job& job : page->jobs) ++out[std::strtoll(job.spec.payload.data.c_str(), nullptr, 10)];
      query.cursor = page->next;
    } while (!query.cursor.empty());
    return out;
  }

  std::string url_;
  std::string schema_;
  std::unique_ptr<Connection> admin_;
  std::atomic<std::int64_t> now_ms_{kStartMs};
};

TEST_F(ScheduleCluster, EverySecondIsFiredOnceWhileNodesComeAndGo) {
  auto first = join("first");
  auto second = join("second");
  Schedule schedule;
  schedule.spec.id = kEverySecond;
  schedule.spec.timing.text = "every 1s";
  schedule.spec.job.type = JobType("tick");
  schedule.next_fire_at = from_ms(kStartMs + 1'000);
  const auto made = ask<Schedule>([&](auto reply) { first->store().create_schedule(schedule, std::move(reply)); });
  ASSERT_TRUE(made.ok()) << made.status().text();

  first->go();
  second->go();
  std::optional<ScheduleFire> held;
  std::uint64_t fired = 0, again = 0;
  for (int second_no = 1; second_no <= kSeconds; ++second_no) {
    if (second_no == kDropAt) {
      // It has read what is due and is gone before it could write; the others never hear of it.
      first->halt();
      held = fire_up_to(read(first->store()), from_ms(now_ms_ + 1'000));
      fired += first->made();
      again += first->made_again();
      first.reset();
    }
    if (second_no == kReplaceAt) {
      first = join("third");
      first->go();
    }
    advance(1s);
    ASSERT_TRUE(eventually([&] { return is_caught_up(second->store(), now_ms_); })) << "second " << second_no;
  }
  first->halt();
  second->halt();

  // What the lost node held comes out after all, late: its revision is over.
  ASSERT_TRUE(held);
  ASSERT_EQ(held->jobs.size(), 1u);
  const auto late = ask<ScheduleFired>([&](auto reply) { first->store().fire_schedule(*held, std::move(reply)); });
  EXPECT_EQ(late.status().code(), Code::conflict);

  std::map<std::int64_t, int> expected;
  for (int i = 1; i <= kSeconds; ++i) expected[kStartMs + i * 1'000] = 1;
  EXPECT_EQ(fires(second->store()), expected);
  EXPECT_EQ(read(second->store()).fired, static_cast<std::uint64_t>(kSeconds));
  EXPECT_EQ(fired + first->made() + second->made(), static_cast<std::uint64_t>(kSeconds));
  EXPECT_EQ(again + first->made_again() + second->made_again(), 0u) << "the revision kept them apart, not the keys alone";
  EXPECT_TRUE(first->store().close().ok());
  EXPECT_TRUE(second->store().close().ok());
}

// The same fire by both nodes at the same time, over and over: one makes it, the other hears of it.
TEST_F(ScheduleCluster, OfTwoNodesThatFireAtOnceOneDoes) {
  auto first = join("first");
  auto second = join("second");
  Schedule schedule;
  schedule.spec.id = kEverySecond;
  schedule.spec.timing.text = "every 1s";
  schedule.spec.job.type = JobType("tick");
  schedule.next_fire_at = from_ms(kStartMs + 1'000);
  auto now = ask<Schedule>([&](auto reply) { first->store().create_schedule(schedule, std::move(reply)); });
  ASSERT_TRUE(now.ok()) << now.status().text();
  constexpr int kRounds = 50;
  for (int round = 1; round <= kRounds; ++round) {
    const ScheduleFire fire = fire_up_to(*now, from_ms(kStartMs + round * 1'000));
    const auto at = [&fire](PostgresStore& store) {
      return ask<ScheduleFired>([&](auto reply) { store.fire_schedule(fire, std::move(reply)); });
    };
    auto other = std::async(std::launch::async, [&] { return at(second->store()); });
    const auto one = at(first->store());
    const auto two = other.get();
    ASSERT_NE(one.ok(), two.ok()) << "round " << round;
    EXPECT_EQ((one.ok() ? two : one).status().code(), Code::conflict);
    now = (one.ok() ? one : two)->schedule;
  }
  EXPECT_EQ(fires(first->store()).size(), static_cast<std::size_t>(kRounds));
  EXPECT_TRUE(first->store().close().ok());
  EXPECT_TRUE(second->store().close().ok());
}

}  // namespace
}  // namespace muster::store::postgres
