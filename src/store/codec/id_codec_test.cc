#include "store/codec/id_codec.h"

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

TEST(IdCodec, SortsByArrival) {
  const IdCodec codec(99);
  for (JobKey key = 1; key < 10'000; ++key) EXPECT_LT(codec.encode(key), codec.encode(key + 1));
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
