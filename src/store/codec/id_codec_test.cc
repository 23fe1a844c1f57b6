#include "store/codec/id_codec.h"

#include <set>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace muster::store
