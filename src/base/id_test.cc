#include "base/id.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

namespace muster {
namespace {

using FirstId = Id<struct FirstTag>;
using SecondId = Id<struct SecondTag>;

static_assert(!std::is_convertible_v<std::string, FirstId>);
static_assert(!std::is_convertible_v<FirstId, std::string>);
static_assert(!std::is_constructible_v<FirstId, SecondId>);
static_assert(!std::is_assignable_v<FirstId&, SecondId>);

TEST(Id, ComparesAndHashesByItsText) {
  EXPECT_EQ(FirstId("a"), FirstId("a"));
  EXPECT_LT(FirstId("a"), FirstId("b"));
  const std::unordered_set<FirstId> set{FirstId("a"), FirstId("a"), FirstId("b")};
  EXPECT_EQ(set.size(), 2u);
  EXPECT_TRUE(FirstId().empty());
  EXPECT_EQ(FirstId("x").text(), "x");
}

}  // namespace
}  // namespace muster
