#include "store/sqlite/key_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <optional>
#include <thread>

#include "base/metrics.h"
#include "base/temp_folder_testing.h"
#include "store/sqlite/open_testing.h"

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

// What memory knows of the keyspace, against a real file: filled by reads and durable writes, never ahead of a commit, empty
// after one that failed.

using Answers = std::vector<KeyAnswer>;

class Glances : public ::testing::Test {
 protected:
  // Queues a batch; its answer is there after a pump.
  std::shared_ptr<std::optional<Result<Answers>>> ask(std::vector<KeyCommand> commands) {
    auto landed = std::make_shared<std::optional<Result<Answers>>>();
    KeyBatch batch;
    batch.commands = std::move(commands);
    store_->keyspace(std::move(batch), [landed](Result<Answers> answers) { landed->emplace(std::move(answers)); });
    return landed;
  }
  Result<Answers> run(std::vector<KeyCommand> commands) {
    const auto landed = ask(std::move(commands));
    store_->pump();
    return landed->has_value() ? std::move(**landed) : Result<Answers>(Status::internal("no answer"));
  }
  static void must(const Result<Answers>& answers) { EXPECT_TRUE(answers.ok()) << answers.status().text(); }
  std::string glance(std::string_view key) const {
    const KeyGlance found = store_->glance(key);
    if (!found.known) return "unknown";
    return found.text ? "'" + *found.text + "'" : "none";
  }
  // From here on a key of this name cannot be written, and the group it is in fails.
  void poison(const std::string& name) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(folder_.path("m.db").c_str(), &db), SQLITE_OK);
    const std::string sql = fmt::format(
        "CREATE TRIGGER poison BEFORE INSERT ON keys WHEN NEW.name = CAST('{}' AS BLOB) BEGIN SELECT RAISE(ABORT, 'poison'); END",
        name);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }

  TempFolder folder_;
  ManualClock clock_;
  Metrics metrics_;
  std::unique_ptr<SqliteStore> store_ = open_for_test(folder_.path("m.db"), clock_, metrics_, Threading::manual);
};

TEST_F(Glances, AWriteIsKnownOnceItIsDurable) {
  const auto landed = ask({key::Set{"k", "v"}});
  EXPECT_EQ(glance("k"), "unknown");
  store_->pump();
  EXPECT_TRUE((*landed)->ok());
  EXPECT_EQ(glance("k"), "'v'");
}

TEST_F(Glances, AReadIsKnownFromThenOn) {
  EXPECT_TRUE(run({key::Get{"none"}}).ok());
  EXPECT_EQ(glance("none"), "none");
  must(run({key::Set{"none", "now"}}));
  EXPECT_EQ(glance("none"), "'now'");
}

TEST_F(Glances, ABatchLeavesWhatItEndedWith) {
  must(run({key::Set{"a", "1"}, key::Set{"b", "1"}, key::Set{"c", "1"}}));
  must(run({key::Set{"a", "2"}, key::Delete{{"a"}}, key::Increment{"b"}, key::Rename{"c", "d"}}));
  EXPECT_EQ(glance("a"), "unknown");
  EXPECT_EQ(glance("b"), "'2'");
  EXPECT_EQ(glance("c"), "unknown");
  EXPECT_EQ(glance("d"), "unknown");
  must(run({key::Set{"b", "3"}, key::Clear{}}));
  EXPECT_EQ(glance("b"), "unknown");
  must(run({key::Clear{}, key::Set{"b", "4"}}));
  EXPECT_EQ(glance("b"), "'4'");
}

TEST_F(Glances, LaterBatchesOfOneGroupWin) {
  const auto first = ask({key::Set{"k", "1"}});
  const auto second = ask({key::Delete{{"k"}}});
  const auto third = ask({key::Set{"j", "1"}});
  const auto fourth = ask({key::Set{"j", "2"}});
  store_->pump();
  EXPECT_TRUE((*first)->ok() && (*second)->ok() && (*third)->ok() && (*fourth)->ok());
  EXPECT_EQ(glance("k"), "unknown");
  EXPECT_EQ(glance("j"), "'2'");
}

TEST_F(Glances, AReadInAGroupThatIsNotDurableYetTeachesNothing) {
  const auto landed = ask({key::Set{"k", "v"}, key::Get{"k"}, key::Get{"none"}});
  store_->pump();
  EXPECT_TRUE((*landed)->ok());
  EXPECT_EQ(glance("none"), "unknown");
}

TEST_F(Glances, ExpiryIsJudgedByTheClock) {
  must(run({key::Set{.key = "k", .value = "v", .expires_at = Instant(std::chrono::seconds(10)), .relative = true}}));
  EXPECT_EQ(glance("k"), "'v'");
  clock_.advance(std::chrono::seconds(10));
  EXPECT_EQ(glance("k"), "none");
  must(run({key::Set{"k", "w"}}));
  EXPECT_EQ(glance("k"), "'w'");
  must(run({key::Expire{"k", Instant(std::chrono::seconds(5)), true}}));
  EXPECT_EQ(glance("k"), "unknown");
  must(run({key::Get{"k"}}));
  EXPECT_EQ(glance("k"), "'w'");
  clock_.advance(std::chrono::seconds(5));
  EXPECT_EQ(glance("k"), "none");
}

TEST_F(Glances, TextsThatAreTooLargeAreNotKept) {
  must(run({key::Set{"k", "small"}}));
  must(run({key::Set{"k", std::string(KeyCache::kEntryBytesMax + 1, 'x')}}));
  EXPECT_EQ(glance("k"), "unknown");
  must(run({key::Get{"k"}}));
  EXPECT_EQ(glance("k"), "unknown");
}

TEST_F(Glances, AFailedGroupIsForgottenWhole) {
  poison("bad");  // first: once the store has written, nobody else may
  must(run({key::Set{"k", "v"}}));
  EXPECT_EQ(glance("k"), "'v'");
  const auto good = ask({key::Set{"k", "new"}});
  const auto bad = ask({key::Set{"bad", "v"}});
  store_->pump();
  ASSERT_TRUE(good->has_value() && bad->has_value());
  EXPECT_FALSE((*good)->ok());
  EXPECT_FALSE((*bad)->ok());
  EXPECT_EQ(glance("k"), "unknown");
  const auto read = run({key::Get{"k"}});
  ASSERT_TRUE(read.ok()) << read.status().text();
  EXPECT_EQ(read->front().text, "v");
  EXPECT_EQ(glance("k"), "'v'");
}

}  // namespace

}  // namespace muster::store::sqlite
