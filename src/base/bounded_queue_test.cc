#include "base/bounded_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace muster {
namespace {

TEST(BoundedQueue, GivesItemsBackInTheOrderTheyCame) {
  BoundedQueue<int> queue(3);
  for (int i = 1; i <= 3; ++i) ASSERT_TRUE(queue.try_push(int(i)));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.try_pop(), 2);
  EXPECT_EQ(queue.pop(), 3);
  EXPECT_EQ(queue.try_pop(), std::nullopt);
}

TEST(BoundedQueue, RefusesWhenFullAndLeavesTheItemWithItsOwner) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  ASSERT_TRUE(queue.try_push(std::make_unique<int>(1)));
  auto second = std::make_unique<int>(2);
  EXPECT_FALSE(queue.try_push(std::move(second)));
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(*second, 2);
  EXPECT_EQ(**queue.pop(), 1);
  EXPECT_TRUE(queue.try_push(std::move(second)));
}

TEST(BoundedQueue, AfterCloseTakesNothingInAndGivesEverythingOut) {
  BoundedQueue<int> queue(4);
  ASSERT_TRUE(queue.try_push(1));
  ASSERT_TRUE(queue.try_push(2));
  queue.close();
  queue.close();
  EXPECT_FALSE(queue.try_push(3));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop_all(), std::deque<int>{2});
  EXPECT_EQ(queue.pop(), std::nullopt);
  EXPECT_TRUE(queue.pop_all().empty());
}

TEST(BoundedQueue, PopAllTakesTheWholeGroup) {
  BoundedQueue<int> queue(8);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(queue.try_push(int(i)));
  EXPECT_EQ(queue.pop_all(), (std::deque<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(queue.size(), 0u);
}

TEST(BoundedQueue, CloseWakesAConsumerThatWaits) {
  BoundedQueue<int> queue(1);
  std::optional<int> seen = 7;
  std::thread consumer([&] { seen = queue.pop(); });
  queue.close();
  consumer.join();
  EXPECT_EQ(seen, std::nullopt);
}

TEST(BoundedQueue, LosesAndRepeatsNothingAmongManyProducers) {
  constexpr int kProducers = 4;
  constexpr int kEach = 2'000;
  BoundedQueue<int> queue(64);
  std::vector<std::thread> producers;
  for (int p = 0; p < kProducers; ++p)
    producers.emplace_back([&queue, p] {
      for (int i = 0; i < kEach; ++i)
        while (!queue.try_push(p * kEach + i)) std::this_thread::yield();
    });
  std::vector<int> seen(kProducers * kEach);
  for (int taken = 0; taken < kProducers * kEach;)
    for (const int item : queue.pop_all()) {
      ++seen[static_cast<std::size_t>(item)];
      ++taken;
    }
  for (auto& producer : producers) producer.join();
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), kProducers * kEach);
}

}  // namespace
}  // namespace muster
