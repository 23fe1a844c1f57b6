// The redo files and what is played from them: what counts as written, and what a start makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "store/sqlite/migrations.h"
#include "store/sqlite/open_testing.h"
#include "store/sqlite/redo/recording.h"
#include "store/sqlite/redo/recovery.h"
#include "store/sqlite/redo/redo_file.h"

namespace muster::store::sqlite {
namespace {

constexpr std::uint64_t kDatabase = 7;
constexpr std::size_t kLength = 64 * 1024;

class RedoFileTest : public ::testing::Test {
 protected:
  std::unique_ptr<RedoFile> open() {
    auto opened = RedoFile::open(folder_.path("redo"), {});
    EXPECT_TRUE(opened.ok()) << opened.status().text();
    return std::move(*opened);
  }
  static void append(RedoFile& file, std::uint64_t number, std::string_view text) {
    std::string record(RedoFile::kHeaderBytes, '\0');
    record += text;
    ASSERT_TRUE(file.append(number, record, true).ok());
  }
  std::vector<std::string> texts(std::uint64_t database = kDatabase) {
    std::vector<std::string> out;
    const auto groups = open()->read(database).value();
    for (const RedoFile::Group& group : groups) out.push_back(fmt::format("{} {}", group.number, group.recorded));
    return out;
  }
  TempFolder folder_;
};

TEST_F(RedoFileTest, GroupsAreReadInTheirOrder) {
  auto file = open();
  ASSERT_TRUE(file->reserve(kDatabase, kLength).ok());
  append(*file, 5, "five");
  append(*file, 6, std::string(200'000, 'x'));  // longer than the file
  append(*file, 7, "seven");
  const auto found = texts();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found.front(), "5 five");
  EXPECT_EQ(found.back(), "7 seven");
}

TEST_F(RedoFileTest, WhatIsLeftOfAnEarlierRowIsNotRead) {
  auto file = open();
  ASSERT_TRUE(file->reserve(kDatabase, kLength).ok());
  for (std::uint64_t number = 1; number <= 3; ++number) append(*file, number, "same length");
  file->restart();
  append(*file, 4, "same length");
  EXPECT_EQ(texts(), std::vector<std::string>{"4 same length"});
}

TEST_F(RedoFileTest, AGroupThatIsNotWholeEndsWhatIsRead) {
  {
    auto file = open();
    ASSERT_TRUE(file->reserve(kDatabase, kLength).ok());
    append(*file, 1, "one");
    append(*file, 2, "two");
  }
  std::string bytes = folder_.read("redo");
  bytes[bytes.find("two")] = 'T';
  folder_.write("redo", bytes);
  EXPECT_EQ(texts(), std::vector<std::string>{"1 one"});
}

TEST_F(RedoFileTest, AnotherDatabaseFindsNothingInIt) {
  auto file = open();
  ASSERT_TRUE(file->reserve(kDatabase, kLength).ok());
  append(*file, 1, "one");
  EXPECT_EQ(texts(kDatabase + 1), std::vector<std::string>());
}

TEST_F(RedoFileTest, RoomForMoreIsLookedForWithoutKeepingIt) {
  auto file = open();
  ASSERT_TRUE(file->reserve(kDatabase, kLength).ok());
  EXPECT_TRUE(file->room_for(kLength).ok());
  EXPECT_EQ(std::filesystem::file_size(folder_.path("redo")), kLength);
}

// --- recordings ---

std::unique_ptr<Connection> table(const TempFolder& folder, const char* name) {
  auto opened = Connection::open(folder.path(name), OpenMode::create, {});
  EXPECT_TRUE(opened.ok() && (*opened)->exec("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c)").ok());
  return std::move(*opened);
}

constexpr const char* kRows = "SELECT group_concat(id || quote(a) || quote(b) || quote(c) || typeof(a), '; ') FROM t";
constexpr const char* kInsert = "INSERT INTO t (a, b, c) VALUES (?1, ?2, ?3) RETURNING id";

TEST(Recording, MakesTheSameRowsElsewhere) {
  const TempFolder folder;
  const auto first = table(folder, "first");
  const auto second = table(folder, "second");
  Recording recording;
  first->record(&recording);
  {
    Statement insert(*first, "insert", kInsert);
    Statement save(*first, "save", "SAVEPOINT whole");
    Statement undo(*first, "undo", "ROLLBACK TO whole");
    Statement keep(*first, "keep", "RELEASE whole");
    Statement look(*first, "look", "SELECT count(*) FROM t");
    insert.bind(1, std::int64_t{-1}).bind(2, 2.5).bind_null(3).run();
    insert.bind_text(1, "text").bind_text(2, "").bind_text(3, {}).run();  // nothing at all is NULL
    look.run();
    insert.bind_blob(1, std::string_view("\0\xff", 2)).bind_blob(2, {}).bind_text(3, "kept").run();
    insert.run();  // what is bound stays bound
    save.run();
    insert.bind_text(1, "undone").run();
    undo.run();
    keep.run();
  }
  ASSERT_TRUE(first->fault().ok()) << first->fault().text();
  ASSERT_TRUE(play(*second, recording.bytes()).ok());
  EXPECT_EQ(second->query_text(kRows).value(), first->query_text(kRows).value());
  EXPECT_EQ(second->query_text("SELECT count(*) FROM t").value(), "4");
}

TEST(Recording, WhatComesBehindADropStandsAlone) {
  const TempFolder folder;
  const auto first = table(folder, "first");
  const auto second = table(folder, "second");
  Recording recording;
  first->record(&recording);
  Statement insert(*first, "insert", kInsert);
  insert.bind_text(1, "dropped").run();
  recording.drop_behind(0);
  insert.bind_text(1, "played").run();
  ASSERT_TRUE(play(*second, recording.bytes()).ok());
  EXPECT_EQ(second->query_text("SELECT group_concat(a) FROM t").value(), "played");
}

TEST(Recording, BytesThatAreNoneAreRefused) {
  const TempFolder folder;
  const auto connection = table(folder, "t");
  Recording recording;
  connection->record(&recording);
  Statement(*connection, "insert", kInsert).bind_text(1, "x").run();
  connection->record(nullptr);
  for (const std::string& bytes :
       {std::string("x"), std::string(3, '\2'), recording.bytes().substr(0, recording.bytes().size() - 1)})
    EXPECT_EQ(play(*connection, bytes).code(), Code::corrupt);
}

// --- a start ---

class RecoveryTest : public ::testing::Test {
 protected:
  void open() { store_ = open_for_test(path_, clock_, metrics_, Threading::manual); }
  Result<std::unique_ptr<SqliteStore>> open_at(const std::string& path) {
    Options options;
    options.path = path;
    return SqliteStore::open(options, clock_, metrics_);
  }
  // As kill -9 leaves it.
  void crash() { store_.reset(); }
  template <class T, class Verb>
  Result<T> done(Verb verb) {
    return ask<T>(std::move(verb), [this] { return store_->pump(); });
  }
  JobId enqueue() {
    JobSpec job;
    job.type = JobType("t");
    return done<std::vector<Enqueued>>([&](auto reply) { store_->enqueue({job}, std::move(reply)); })->at(0).id;
  }
  std::uint64_t live() {
    return done<StoreInfo>([&](auto reply) { store_->info(std::move(reply)); })->jobs_live;
  }
  void back_up(const std::string& name) {
    const auto made = done<BackupReport>([&](auto reply) { store_->backup(name, std::move(reply)); });
    ASSERT_TRUE(made.ok()) << made.status().text();
  }
  void put_back(const std::string& name) {
    for (const char* end : {"-wal", "-shm"}) std::filesystem::remove(path_ + end);
    std::filesystem::copy_file(folder_.path(name), path_, std::filesystem::copy_options::overwrite_existing);
  }

  TempFolder folder_;
  std::string path_ = folder_.path("m.db");
  ManualClock clock_;
  Metrics metrics_;
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(RecoveryTest, WhatWasAcknowledgedIsThereAgainAndAgain) {
  for (std::uint64_t i = 1; i <= 5; ++i) {
    open();
    EXPECT_EQ(live(), i - 1);
    enqueue();
    crash();
  }
}

TEST_F(RecoveryTest, AStoreThatWasClosedLeavesOneFile) {
  open();
  enqueue();
  ASSERT_TRUE(store_->close().ok());
  crash();
  EXPECT_FALSE(std::filesystem::exists(redo_path(path_, 0)));
  EXPECT_FALSE(std::filesystem::exists(redo_path(path_, 1)));
  open();
  EXPECT_EQ(live(), 1u);
}

TEST_F(RecoveryTest, ABackupThatIsPutBackKnowsNothingOfTheFilesBesideIt) {
  open();
  enqueue();
  back_up("b.db");
  enqueue();
  crash();
  put_back("b.db");
  open();
  EXPECT_EQ(live(), 1u);
}

TEST_F(RecoveryTest, AFolderOnTheWayMayBeALink) {
  std::filesystem::create_directory(folder_.path("real"));
  std::filesystem::create_directory_symlink(folder_.path("real"), folder_.path("link"));
  path_ = folder_.path("link/m.db");
  open();
  enqueue();
  crash();
  path_ = folder_.path("real/m.db");
  open();
  EXPECT_EQ(live(), 1u);
}

TEST_F(RecoveryTest, ADatabaseThatIsALinkHasItsFilesBesideIt) {
  std::filesystem::create_directory(folder_.path("real"));
  open();
  ASSERT_TRUE(store_->close().ok());
  crash();
  const std::string real = folder_.path("real/m.db");
  std::filesystem::rename(path_, real);
  std::filesystem::create_symlink(real, path_);
  open();
  EXPECT_EQ(open_at(real).code(), Code::conflict) << "it is owned, whatever it is called";
  enqueue();
  crash();
  path_ = real;
  open();
  EXPECT_EQ(live(), 1u);
}

TEST_F(RecoveryTest, AMissingFileIsToldAndAnEmptyOneGoesOnWithout) {
  open();
  enqueue();
  crash();
  std::filesystem::remove(redo_path(path_, 0));
  const auto refused = open_at(path_);
  EXPECT_EQ(refused.code(), Code::corrupt);
  EXPECT_NE(refused.status().message().find("m.db-redo0 is missing"), std::string::npos) << refused.status().text();
  EXPECT_FALSE(std::filesystem::exists(redo_path(path_, 0))) << "or the next start would not know";
  folder_.write("m.db-redo0", "");
  open();
  EXPECT_EQ(live(), 0u);
}

TEST_F(RecoveryTest, ABackupNeedsNoFilesBesideIt) {
  open();
  enqueue();
  back_up("b.db");
  crash();
  for (const std::size_t which : {0, 1}) std::filesystem::remove(redo_path(path_, which));
  put_back("b.db");
  open();
  EXPECT_EQ(live(), 1u);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("b.db-wal")));
}

// The first record behind the rows never reached the disk, those behind it did.
TEST_F(RecoveryTest, RecordsBehindALostOneAreNotPlayedLater) {
  open();
  for (int i = 0; i < 3; ++i) enqueue();
  crash();
  std::string bytes = folder_.read("m.db-redo0");
  std::fill_n(bytes.begin(), RedoFile::kHeaderBytes, '\0');
  folder_.write("m.db-redo0", bytes);
  open();
  ASSERT_EQ(live(), 0u);
  enqueue();  // as long as the lost one
  crash();
  open();
  EXPECT_EQ(live(), 1u);
}

TEST_F(RecoveryTest, AnOlderProgramPlaysNothingIntoANewerDatabase) {
  open();
  enqueue();
  crash();
  auto connection = Connection::open(path_, OpenMode::read_write, {}).value();
  ASSERT_TRUE(connection->exec(fmt::format("PRAGMA user_version = {}", newest_version() + 1).c_str()).ok());
  Options options;
  options.path = path_;
  EXPECT_EQ(SqliteStore::open(options, clock_, metrics_).code(), Code::invalid_argument);
  EXPECT_EQ(connection->query_text("SELECT count(*) FROM jobs").value(), "0");
}

TEST_F(RecoveryTest, GroupsThatAreMissingAreToldAndNothingIsChanged) {
  open();
  enqueue();
  crash();
  auto redo = RedoFiles::open(path_, {}).value();
  auto connection = Connection::open(path_, OpenMode::read_write, {}).value();
  const auto database = meta_number(*connection, kRedoDatabase).value();
  const auto newest = redo->read(database)->back().number;
  // As if the file that came before this one had been lost.
  ASSERT_TRUE(redo->turn().ok());
  ASSERT_TRUE(redo->reserve(database, kLength).ok());
  std::string record(RedoFile::kHeaderBytes, '\0');
  ASSERT_TRUE(redo->append(newest + 2, record, true).ok());
  const Status told = recover(*connection, *redo, path_);
  EXPECT_EQ(told.code(), Code::corrupt);
  EXPECT_NE(told.message().find(fmt::format("group {} is missing", newest + 1)), std::string::npos) << told.text();
  EXPECT_EQ(connection->query_text("SELECT count(*) FROM jobs").value(), "0");
}

}  // namespace
}  // namespace muster::store::sqlite
