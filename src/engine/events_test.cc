#include "engine/events.h"

#include <gtest/gtest.h>

#include "engine/claims_testing.h"

namespace muster::engine {
namespace {

constexpr std::uint64_t kFirst = 1'000;

class EventsTest : public testing::Test {
 protected:
  void publish_jobs(std::size_t count) {
    std::vector<JobChange> changes(count);
    for (JobChange& change : changes) {
      change.id = JobId{{0, ++published_}};
      change.lane = lane_;
    }
    events_.publish({.jobs = changes, .workers = {}, .queues = {}, .wakes = {}});
  }
  static std::vector<std::uint64_t> numbers(const Events::Slice& slice) {
    std::vector<std::uint64_t> out;
    for (const Event& event : slice.events) out.push_back(event.number);
    return out;
  }
  using Numbers = std::vector<std::uint64_t>;

  Events events_{4, kFirst};
  const LaneRef lane_ = make_lane({});
  std::uint64_t published_ = 0;
};

TEST_F(EventsTest, NumbersWhatItKeepsFromTheFirstOn) {
  EXPECT_EQ(events_.newest(), kFirst - 1);
  publish_jobs(3);
  EXPECT_EQ(events_.newest(), kFirst + 2);
  const Events::Slice slice = events_.read(kFirst - 1, 10);
  EXPECT_EQ(numbers(slice), (Numbers{1'000, 1'001, 1'002}));
  EXPECT_FALSE(slice.gap);
  EXPECT_EQ(std::get<JobChange>(slice.events[1].what).id, (JobId{{0, 2}}));
}

TEST_F(EventsTest, ResumesAfterANumber) {
  publish_jobs(2);
  Events::Slice slice = events_.read(kFirst, 10);
  EXPECT_EQ(numbers(slice), Numbers{1'001});
  publish_jobs(1);
  slice = events_.read(slice.next, 10);
  EXPECT_EQ(numbers(slice), Numbers{1'002});
  slice = events_.read(slice.next, 10);
  EXPECT_TRUE(slice.events.empty());
  EXPECT_FALSE(slice.gap);
  EXPECT_EQ(slice.next, 1'002u);
}

TEST_F(EventsTest, GivesPagesWithoutLosingAny) {
  publish_jobs(4);
  Events::Slice slice = events_.read(kFirst - 1, 3);
  EXPECT_EQ(numbers(slice), (Numbers{1'000, 1'001, 1'002}));
  EXPECT_EQ(numbers(events_.read(slice.next, 3)), Numbers{1'003});
}

TEST_F(EventsTest, TellsAReaderThatFellBehind) {
  publish_jobs(6);
  const Events::Slice late = events_.read(kFirst, 10);
  EXPECT_TRUE(late.gap);
  EXPECT_EQ(numbers(late), (Numbers{1'002, 1'003, 1'004, 1'005}));
  // The last number that still joins on: everything after it is held.
  EXPECT_FALSE(events_.read(1'001, 10).gap);
}

TEST_F(EventsTest, TakesANumberOfAnEarlierProcessAsAGap) {
  const Events::Slice before_any = events_.read(7, 10);
  EXPECT_TRUE(before_any.gap);
  EXPECT_TRUE(before_any.events.empty());
  EXPECT_EQ(before_any.next, kFirst - 1);
  publish_jobs(1);
  EXPECT_FALSE(events_.read(before_any.next, 10).gap);
}

TEST_F(EventsTest, TakesANumberOfTheFutureAsAGap) {
  publish_jobs(1);
  const Events::Slice slice = events_.read(kFirst + 50, 10);
  EXPECT_TRUE(slice.gap);
  EXPECT_TRUE(slice.events.empty());
  EXPECT_EQ(slice.next, events_.newest());
}

TEST_F(EventsTest, KeepsEachKindOfChange) {
  WorkerChange worker;
  worker.id = WorkerId("w1");
  QueueChanged queue;
  queue.queue = QueueName("mail");
  JobChange job;
  job.lane = lane_;
  events_.publish({.jobs = std::span(&job, 1), .workers = std::span(&worker, 1), .queues = std::span(&queue, 1), .wakes = {}});
  const Events::Slice slice = events_.read(kFirst - 1, 10);
  ASSERT_EQ(slice.events.size(), 3u);
  EXPECT_EQ(std::get<WorkerChange>(slice.events[0].what).id, WorkerId("w1"));
  EXPECT_EQ(std::get<QueueChanged>(slice.events[1].what).queue, QueueName("mail"));
  EXPECT_TRUE(std::holds_alternative<JobChange>(slice.events[2].what));
}

TEST_F(EventsTest, WakesItsSubscribersUntilTheyLeave) {
  int first = 0;
  int second = 0;
  const SubscriptionId id = events_.subscribe([&] { ++first; });
  events_.subscribe([&] { ++second; });
  publish_jobs(2);
  events_.unsubscribe(id);
  publish_jobs(1);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
}

TEST_F(EventsTest, WakesNobodyForACommitWithoutChanges) {
  int wakes = 0;
  events_.subscribe([&] { ++wakes; });
  events_.publish({.jobs = {}, .workers = {}, .queues = {}, .wakes = std::span(&lane_, 1)});
  EXPECT_EQ(wakes, 0);
}

TEST_F(EventsTest, LetsASubscriberReadAndLeaveWhileItIsWoken) {
  SubscriptionId id{};
  std::size_t read = 0;
  id = events_.subscribe([&] {
    read += events_.read(kFirst - 1, 10).events.size();
    events_.unsubscribe(id);
  });
  publish_jobs(2);
  publish_jobs(2);
  EXPECT_EQ(read, 2u);
}

}  // namespace
}  // namespace muster::engine
