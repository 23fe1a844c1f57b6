#include "net/budget.h"

#include <gtest/gtest.h>

#include "net/on_loop_testing.h"

namespace muster::net {
namespace {

constexpr std::size_t kSmall = kFreeBytesMax;
constexpr std::size_t kLarge = kFreeBytesMax + 1;

class ByteBudgetTest : public testing::Test {
 protected:
  // A share that counts how often it is told of room.
  struct Counted {
    explicit Counted(const std::shared_ptr<ByteBudget>& budget) : share(budget, [this] { ++told; }) {}
    int told = 0;
    ByteBudget::Share share;
  };
  void TearDown() override { loop.stop(); }
  // Everything posted so far has run.
  void settle() {
    if (!loop.running()) loop.start();
    run_on(loop, [] {});
  }
  void on_loop(UniqueFunction<void()> work) {
    loop.post(std::move(work));
    settle();
    settle();  // what the work posted
  }

  ManualClock clock;
  IoLoop loop{clock};
  std::shared_ptr<ByteBudget> budget =
      std::make_shared<ByteBudget>(loop, BudgetBounds{.connection_bytes = 4 * kLarge, .node_bytes = 10 * kLarge});
};

TEST_F(ByteBudgetTest, AConnectionIsHeldToItsOwnPart) {
  Counted one(budget);
  one.share.set(4 * kLarge - 1);
  EXPECT_TRUE(one.share.within_own());
  one.share.set(4 * kLarge);
  EXPECT_FALSE(one.share.within_own());
  EXPECT_TRUE(one.share.within_node());
  EXPECT_EQ(budget->used(), 4 * kLarge);
}

TEST_F(ByteBudgetTest, AFullNodeLetsTheSmallAndOneOfTheLargeGoOn) {
  Counted holder(budget), first(budget), second(budget), small(budget);
  holder.share.set(10 * kLarge);
  first.share.set(kLarge);
  second.share.set(kLarge);
  small.share.set(kSmall);
  EXPECT_TRUE(first.share.within_node());
  EXPECT_TRUE(first.share.within_node()) << "it stays the one";
  EXPECT_FALSE(second.share.within_node());
  EXPECT_FALSE(holder.share.within_node());
  EXPECT_TRUE(small.share.within_node());
}

TEST_F(ByteBudgetTest, TheOneThatWasLetThroughMakesWayForTheNext) {
  Counted holder(budget), first(budget), second(budget);
  holder.share.set(10 * kLarge);
  first.share.set(kLarge);
  second.share.set(kLarge);
  EXPECT_TRUE(first.share.within_node());
  EXPECT_FALSE(second.share.within_node());
  on_loop([&] { first.share.set(0); });
  EXPECT_EQ(second.told, 1);
  on_loop([&] { EXPECT_TRUE(second.share.within_node()); });
}

TEST_F(ByteBudgetTest, ThoseThatWaitAreToldOnceWhenThereIsRoom) {
  Counted holder(budget), first(budget), second(budget);
  holder.share.set(10 * kLarge);
  first.share.set(kLarge);
  second.share.set(kLarge);
  EXPECT_TRUE(holder.share.within_node());
  EXPECT_FALSE(first.share.within_node());
  EXPECT_FALSE(second.share.within_node());
  on_loop([&] { holder.share.set(kLarge); });
  on_loop([&] { holder.share.set(0); });
  EXPECT_EQ(first.told, 1);
  EXPECT_EQ(second.told, 1);
  on_loop([&] { EXPECT_TRUE(second.share.within_node()); });
}

TEST_F(ByteBudgetTest, AConnectionThatEndsGivesItsPartBackAndIsNotTold) {
  Counted holder(budget), waiting(budget);
  holder.share.set(10 * kLarge);
  waiting.share.set(kLarge);
  EXPECT_TRUE(holder.share.within_node());
  EXPECT_FALSE(waiting.share.within_node());
  on_loop([&] {
    waiting.share.end();
    holder.share.end();
  });
  EXPECT_EQ(waiting.told, 0);
  EXPECT_EQ(budget->used(), 0u);
}

}  // namespace
}  // namespace muster::net
