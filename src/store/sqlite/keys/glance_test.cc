// What memory knows of the keyspace, against a real file: filled by reads and durable writes, never ahead of a commit, empty
// after one that failed.
#include <sqlite3.h>

#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/metrics.h"
#include "base/temp_folder_testing.h"
#include "store/sqlite/key_cache.h"
#include "store/sqlite/open_testing.h"

namespace muster::store::sqlite {
namespace {

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
  must(run({key::Set{"k", "v"}}));
  EXPECT_EQ(glance("k"), "'v'");
  poison("bad");
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
