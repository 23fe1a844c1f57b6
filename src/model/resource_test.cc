#include "model/resource.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using Own = HolderFacts::Own;

Resource judged(HolderFacts facts) {
  Resource resource;
  judge_holder(resource, facts);
  return resource;
}

TEST(Resource, IsThereWhileItsWorkerLives) {
  EXPECT_EQ(judged({Own::live, false}).state, ResourceState::active);
  EXPECT_TRUE(judged({Own::live, false}).worker_live);
}

TEST(Resource, WaitsForAWorkerThatIsAway) {
  EXPECT_EQ(judged({Own::offline, false}).state, ResourceState::active);
  EXPECT_FALSE(judged({Own::offline, false}).worker_live);
}

TEST(Resource, GoesWithAWorkerThatIsForgotten) { EXPECT_EQ(judged({Own::unknown, true}).state, ResourceState::evicted); }

TEST(Resource, GoesWhenAnotherInstanceTakesTheName) {
  EXPECT_EQ(judged({Own::offline, true}).state, ResourceState::evicted);
  EXPECT_EQ(judged({Own::live, true}).state, ResourceState::active) << "two that bear one name at once are two workers";
}

TEST(Resource, OfANameIsWhereverTheNameIs) {
  EXPECT_TRUE(judged({Own::unnamed, true}).worker_live);
  EXPECT_FALSE(judged({Own::unnamed, false}).worker_live);
  EXPECT_EQ(judged({Own::unnamed, false}).state, ResourceState::active);
}

TEST(Resource, IsRefusedOutOfBounds) {
  Resource good;
  good.id = "r";
  good.type = "file";
  good.worker_name = "w";
  EXPECT_TRUE(validate(good).ok());
  const auto code = [&](auto change) {
    Resource bad = good;
    change(bad);
    return validate(bad).code();
  };
  EXPECT_EQ(code([](Resource& r) { r.id.clear(); }), Code::invalid_argument);
  EXPECT_EQ(code([](Resource& r) { r.id.assign(257, 'x'); }), Code::invalid_argument);
  EXPECT_EQ(code([](Resource& r) { r.type.clear(); }), Code::invalid_argument);
  EXPECT_EQ(code([](Resource& r) { r.worker_name.clear(); }), Code::invalid_argument);
  EXPECT_EQ(code([](Resource& r) { r.metadata = "[1]"; }), Code::invalid_argument);
  EXPECT_EQ(code([](Resource& r) { r.metadata = "{\"a\":\"" + std::string(limits::kMetadataBytesMax, 'x') + "\"}"; }),
            Code::invalid_argument);
}

}  // namespace
}  // namespace muster
