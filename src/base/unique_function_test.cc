#include "base/unique_function.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace muster {
namespace {

TEST(UniqueFunction, CallsWithArgumentsAndGivesTheAnswerBack) {
  UniqueFunction<int(int, int)> add = [](int a, int b) { return a + b; };
  EXPECT_EQ(add(2, 3), 5);
}

TEST(UniqueFunction, CarriesATargetThatOnlyMoves) {
  auto box = std::make_unique<int>(7);
  UniqueFunction<int()> get = [box = std::move(box)] { return *box; };
  UniqueFunction<int()> moved = std::move(get);
  EXPECT_FALSE(get);  // NOLINT: a moved-from function is empty, which is the claim
  EXPECT_EQ(moved(), 7);
}

TEST(UniqueFunction, PassesArgumentsThatOnlyMove) {
  UniqueFunction<int(std::unique_ptr<int>)> take = [](std::unique_ptr<int> box) { return *box; };
  EXPECT_EQ(take(std::make_unique<int>(9)), 9);
}

// Counts how often a target dies, small (kept inside) or large (kept on the heap).
template <std::size_t Bytes>
struct Tracked {
  explicit Tracked(int* count) : dead(count) {}
  Tracked(Tracked&& other) noexcept : dead(std::exchange(other.dead, nullptr)) {}
  ~Tracked() {
    if (dead != nullptr) ++*dead;
  }
  int operator()() const { return static_cast<int>(Bytes); }
  int* dead;
  std::array<char, Bytes> filler{};
};

template <std::size_t Bytes>
void dies_once() {
  int dead = 0;
  {
    UniqueFunction<int()> first = Tracked<Bytes>(&dead);
    UniqueFunction<int()> second = std::move(first);
    first = std::move(second);
    EXPECT_EQ(first(), static_cast<int>(Bytes));
    EXPECT_EQ(dead, 0);
  }
  EXPECT_EQ(dead, 1);
}

TEST(UniqueFunction, DestroysASmallTargetOnce) { dies_once<8>(); }
TEST(UniqueFunction, DestroysALargeTargetOnce) { dies_once<256>(); }

TEST(UniqueFunction, AssignmentDestroysTheTargetItReplaces) {
  int dead = 0;
  UniqueFunction<int()> function = Tracked<8>(&dead);
  function = [] { return 1; };
  EXPECT_EQ(dead, 1);
  EXPECT_EQ(function(), 1);
}

TEST(UniqueFunctionDeathTest, AnEmptyOneIsNotCalled) {
  UniqueFunction<void()> empty;
  EXPECT_DEATH(empty(), "empty UniqueFunction");
}

}  // namespace
}  // namespace muster
