#include "store/sqlite/key_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <fmt/format.h>

namespace muster::store::sqlite {
namespace {

const Instant kNow = from_ms(1'700'000'000'000);

CachedText text(std::string key, std::string value, std::optional<Instant> expires_at = std::nullopt) {
  return {std::move(key), std::make_shared<const std::string>(std::move(value)), expires_at};
}

TEST(KeyCache, KnowsWhatItWasTold) {
  KeyCache cache;
  EXPECT_FALSE(cache.glance("k", kNow).known);
  cache.put(text("k", "v"));
  ASSERT_TRUE(cache.glance("k", kNow).known);
  EXPECT_EQ(*cache.glance("k", kNow).text, "v");
  cache.put(text("k", "w"));
  EXPECT_EQ(*cache.glance("k", kNow).text, "w");
  cache.put({"none", nullptr, std::nullopt});
  EXPECT_TRUE(cache.glance("none", kNow).known);
  EXPECT_FALSE(cache.glance("none", kNow).text);
  cache.forget("k");
  EXPECT_FALSE(cache.glance("k", kNow).known);
}

TEST(KeyCache, AnExpiredTextIsKnownToBeGone) {
  KeyCache cache;
  cache.put(text("k", "v", kNow + Duration(10)));
  EXPECT_TRUE(cache.glance("k", kNow + Duration(9)).text);
  const KeyGlance after = cache.glance("k", kNow + Duration(10));
  EXPECT_TRUE(after.known);
  EXPECT_FALSE(after.text);
}

TEST(KeyCache, ChangesForgetFirstAndKnowAfter) {
  KeyCache cache;
  cache.put(text("a", "1"));
  cache.put(text("b", "1"));
  cache.put(text("c", "1"));
  cache.apply({.cleared = false, .touched = {"a", "b"}, .texts = {text("b", "2")}});
  EXPECT_FALSE(cache.glance("a", kNow).known);
  EXPECT_EQ(*cache.glance("b", kNow).text, "2");
  EXPECT_TRUE(cache.glance("c", kNow).known);
  cache.apply({.cleared = true, .touched = {}, .texts = {text("d", "1")}});
  EXPECT_FALSE(cache.glance("c", kNow).known);
  EXPECT_TRUE(cache.glance("d", kNow).known);
  EXPECT_GT(cache.bytes(), 0u);
  cache.clear();
  EXPECT_EQ(cache.bytes(), 0u);
}

TEST(KeyCache, StaysWithinItsBytesAndKeepsWhatIsLookedAt) {
  constexpr std::size_t kBytes = 256 * 1024;
  KeyCache cache(kBytes);
  cache.put(text("often", "v"));
  for (int i = 0; i < 10'000; ++i) {
    cache.put(text(fmt::format("k{}", i), std::string(100, 'x')));
    EXPECT_TRUE(cache.glance("often", kNow).known);
  }
  EXPECT_LE(cache.bytes(), kBytes);
  EXPECT_FALSE(cache.glance("k0", kNow).known);
  EXPECT_TRUE(cache.glance("k9999", kNow).known);
}

TEST(KeyCache, OneTextThatIsTooLargeLeavesNothingBehind) {
  KeyCache cache(64 * 1024);
  cache.put(text("large", std::string(64 * 1024, 'x')));
  EXPECT_FALSE(cache.glance("large", kNow).known);
  EXPECT_EQ(cache.bytes(), 0u);
}

TEST(KeyCache, ManyThreadsMayLookWhileOneWrites) {
  KeyCache cache(64 * 1024);
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t)
    readers.emplace_back([&] {
      while (!done)
        for (int i = 0; i < 50; ++i) {
          const KeyGlance found = cache.glance(fmt::format("k{}", i), kNow);
          if (found.known && *found.text != std::string(200, static_cast<char>('a' + i % 26))) ++wrong;
        }
    });
  for (int round = 0; round < 20'000; ++round) {
    const int i = round % 50;
    if (round % 7 == 0) cache.forget(fmt::format("k{}", i));
    cache.put(text(fmt::format("k{}", i), std::string(200, static_cast<char>('a' + i % 26))));
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace muster::store::sqlite
