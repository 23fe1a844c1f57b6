#include "store/codec/id_codec.h"

#include <gtest/gtest.h>

#include <set>

namespace muster::store {
namespace {

TEST(IdCodec, GivesBackTheKeyItWasMadeFrom) {
  const IdCodec codec(0x1234'5678'9abc'def0ULL);
  for (const JobKey key : {JobKey{1}, JobKey{2}, JobKey{4095}, JobKey{4096}, JobKey{1} << 40, kJobKeyMax})
    EXPECT_EQ(codec.decode(codec.encode(key)), key);
}

TEST(IdCodec, LooksLikeAUuidOfVersionEight) {
  const std::string text = IdCodec(7).encode(42).text();
  EXPECT_EQ(text.size(), 36u);
  EXPECT_EQ(text[14], '8');
  EXPECT_NE(std::string("89ab").find(text[19]), std::string::npos);
}

TEST(IdCodec, NeighboursAreToldApartByTheirFirstDigits) {
  const IdCodec codec(99);
  std::set<std::string> beginnings;
  for (JobKey key = 1; key <= 1'000; ++key) beginnings.insert(codec.encode(key).text().substr(0, 8));
  EXPECT_GE(beginnings.size(), 999u) << "of a thousand at most two may meet by chance";
}

TEST(IdCodec, UnderstandsIdsFromBeforeTheyWereSpread) {
  const IdCodec codec(99);
  for (const JobKey key : {JobKey{1}, JobKey{4096}, kJobKeyMax}) {
    EXPECT_NE(codec.encode_early(key), codec.encode(key));
    EXPECT_EQ(codec.decode(codec.encode_early(key)), key);
  }
}

TEST(IdCodec, DoesNotKnowIdsOfAnotherStoreOrInventedOnes) {
  const IdCodec ours(1);
  const IdCodec theirs(2);
  EXPECT_FALSE(ours.decode(theirs.encode(5)));
  JobId bent = ours.encode(5);
  bent.value.low ^= 1;
  EXPECT_FALSE(ours.decode(bent));
  EXPECT_FALSE(ours.decode(JobId{}));
}

constexpr std::int64_t kLastPlace = limits::kStepsPerRunMax;

TEST(StepIdCodec, GivesBackTheKeyItWasMadeFrom) {
  const StepIdCodec codec(0x1234'5678'9abc'def0ULL);
  for (const JobKey run : {JobKey{1}, JobKey{4095}, JobKey{4096}, JobKey{1} << 40, kJobKeyMax})
    for (const std::int64_t place : {std::int64_t{1}, std::int64_t{2}, kLastPlace})
      EXPECT_EQ(codec.decode(codec.encode({run, place})), (StepKey{run, place}));
}

TEST(StepIdCodec, LooksLikeAUuidOfVersionEight) {
  const std::string text = StepIdCodec(7).encode({42, kLastPlace}).text();
  EXPECT_EQ(text.size(), 36u);
  EXPECT_EQ(text[14], '8');
  EXPECT_NE(std::string("89ab").find(text[19]), std::string::npos);
}

TEST(StepIdCodec, DoesNotKnowIdsOfJobsOfAnotherStoreOrInventedOnes) {
  const StepIdCodec ours(1);
  EXPECT_FALSE(ours.decode(StepIdCodec(2).encode({5, 1})));
  StepId bent = ours.encode({5, 1});
  bent.value.low ^= 1;
  EXPECT_FALSE(ours.decode(bent));
  EXPECT_FALSE(ours.decode(StepId{}));
  for (JobKey key = 1; key < 10'000; ++key) {
    EXPECT_FALSE(ours.decode(StepId{IdCodec(1).encode(key).value}));
    EXPECT_FALSE(IdCodec(1).decode(JobId{ours.encode({key, key % kLastPlace + 1}).value}));
  }
}

}  // namespace

}  // namespace muster::store
