// The worker without a server: what it holds, and that it ends when told to while nobody answers. The loop as a whole is tested
// against the shipped binary in tests/.
#include "sdk/cpp/worker.h"

#include <gtest/gtest.h>

#include <thread>

#include "sdk/cpp/worker_tasks.h"

namespace muster::sdk {
namespace {

using Steady = std::chrono::steady_clock;

constexpr const char* kNobody = "http://127.0.0.1:1";  // reserved, and closed everywhere these tests run

struct Held : testing::Test {
  Held() : client(std::move(*Client::open({.server = kNobody}))) {}

  std::shared_ptr<HeldTask> given(const std::string& id) {
    Grant grant;
    grant.lease = {.id = id, .fence = 1};
    auto task = std::make_shared<HeldTask>(*client, grant);
    tasks.add(task);
    return task;
  }

  std::unique_ptr<Client> client;
  HeldTasks tasks{2};
};

TEST_F(Held, CountsFreeSlotsUntilATaskIsSettledNotUntilItIsTaken) {
  EXPECT_EQ(tasks.wait_for_slots(), 2U);
  const auto task = given("a");
  EXPECT_EQ(tasks.wait_for_slots(), 1U);
  EXPECT_EQ(tasks.take(), task);
  EXPECT_EQ(tasks.wait_for_slots(), 1U);
  tasks.settled(*task);
  EXPECT_EQ(tasks.wait_for_slots(), 2U);
}

TEST_F(Held, HandsOutTasksInOrderAndThenEndsWhenClosed) {
  const auto first = given("b");
  const auto second = given("a");
  tasks.close();
  EXPECT_EQ(tasks.wait_for_slots(), 0U);
  EXPECT_EQ(tasks.take(), first);
  EXPECT_EQ(tasks.take(), second);
  EXPECT_EQ(tasks.take(), nullptr);
}

TEST_F(Held, WakesAThreadThatWaitsForATask) {
  std::shared_ptr<HeldTask> taken;
  std::thread slot([&] { taken = tasks.take(); });
  const auto task = given("a");
  slot.join();
  EXPECT_EQ(taken, task);
}

TEST_F(Held, MarksExactlyTheLeasesNamed) {
  const auto lost = given("a");
  const auto cancelled = given("b");
  tasks.lose({{.id = "a", .fence = 1}, {.id = "b", .fence = 2}, {.id = "unknown", .fence = 1}});
  tasks.cancel({{.id = "b", .fence = 1}});
  EXPECT_TRUE(lost->lost());
  EXPECT_TRUE(lost->cancelled());
  EXPECT_FALSE(cancelled->lost());
  EXPECT_TRUE(cancelled->cancelled());
}

TEST_F(Held, IsEmptyOnlyAfterEveryTaskIsSettled) {
  const auto task = given("a");
  EXPECT_FALSE(tasks.wait_until_empty(Steady::now()));
  EXPECT_EQ(tasks.leases(), (std::vector<LeaseRef>{{.id = "a", .fence = 1}}));
  tasks.settled(*task);
  EXPECT_TRUE(tasks.wait_until_empty(Steady::now()));
}

TEST(Worker, EndsWithoutErrorWhenDrainedWhileTheServerIsAway) {
  WorkerOptions options;
  options.spec.id = "w";
  std::atomic<bool> complained = false;
  options.log = [&complained](std::string_view) { complained = true; };
  const auto worker = Worker::open({.server = kNobody}, options, [](Task&) { return Outcome::completed("1"); });
  ASSERT_TRUE(worker.ok());
  std::optional<Result<Nothing>> ended;
  std::thread running([&] { ended = (*worker)->run(); });
  while (!complained) std::this_thread::yield();  // it tries to register
  (*worker)->drain();
  (*worker)->drain();
  running.join();
  EXPECT_TRUE(ended->ok());
  EXPECT_EQ((*worker)->counts().completed, 0U);
}

TEST(Worker, RefusesToOpenWithoutSlotsOrAddress) {
  WorkerOptions options;
  options.spec.slots = 0;
  EXPECT_EQ(Worker::open({.server = kNobody}, options, {}).error().code, Code::invalid_argument);
  EXPECT_EQ(Worker::open({.server = "ftp://x"}, {}, {}).error().code, Code::invalid_argument);
}

TEST(Outcome, CarriesWhatItsNameSays) {
  EXPECT_EQ(Outcome::completed("1").result->data, "1");
  EXPECT_TRUE(Outcome::failed({.kind = "k", .message = "m"}).failure.retryable);
  EXPECT_FALSE(Outcome::failed_for_good({.kind = "k", .message = "m"}).failure.retryable);
  EXPECT_EQ(Outcome::snoozed(Duration(5)).delay.count(), 5);
  EXPECT_EQ(Outcome::released("why").kind, Outcome::Kind::release);
}

}  // namespace
}  // namespace muster::sdk
