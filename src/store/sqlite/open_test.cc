// How the file is opened, and the designed answer to each way it can be unfit.
#include "store/sqlite/open.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/temp_folder_testing.h"
#include "model/job_state.h"
#include "store/sqlite/migrations.h"
#include "store/sqlite/reader.h"

namespace muster::store::sqlite {
namespace {

class OpenFile : public ::testing::Test {
 protected:
  OpenFile() { options_.path = folder_.path("m.db"); }

  Result<std::unique_ptr<SqliteStore>> open() { return SqliteStore::open(options_, clock_, metrics_); }

  TempFolder folder_;
  Options options_;
  ManualClock clock_;
  Metrics metrics_;
};

TEST_F(OpenFile, MakesAFileOnlyItsOwnerCanRead) {
  auto store = open();
  ASSERT_TRUE(store.ok()) << store.status().text();
  struct stat found {};
  ASSERT_EQ(::stat(options_.path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST_F(OpenFile, RefusesASecondOwnerAndNamesTheFirst) {
  auto first = open();
  ASSERT_TRUE(first.ok());
  // flock is per open file, so a second open in this process stands for a second process.
  auto second = open();
  ASSERT_EQ(second.code(), Code::conflict);
  EXPECT_NE(second.status().message().find(std::to_string(::getpid())), std::string::npos);
  first->reset();
  EXPECT_TRUE(open().ok());
}

TEST_F(OpenFile, CallsGarbageCorruptAndLeavesItAlone) {
  const std::string garbage(8192, 'x');
  std::ofstream(options_.path) << garbage;
  EXPECT_EQ(open().code(), Code::corrupt);
  std::ifstream in(options_.path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), garbage);
}

TEST_F(OpenFile, CallsATruncatedFileCorrupt) {
  {
    auto store = open();
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE((*store)->close().ok());
  }
  std::filesystem::resize_file(options_.path, 4096 * 3);
  EXPECT_EQ(open().code(), Code::corrupt);
}

TEST_F(OpenFile, RefusesASchemaFromANewerProgram) {
  {
    auto store = open();
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE((*store)->close().ok());
  }
  {
    auto connection = Connection::open(options_.path, OpenMode::read_write, {});
    ASSERT_TRUE(connection.ok());
    ASSERT_TRUE((*connection)->exec("PRAGMA user_version = 4000").ok());
  }
  auto store = open();
  ASSERT_EQ(store.code(), Code::invalid_argument);
  EXPECT_NE(store.status().message().find("4000"), std::string::npos);
}

TEST_F(OpenFile, RefusesTheDatabaseOfAnotherProgram) {
  {
    auto connection = Connection::open(options_.path, OpenMode::create, {});
    ASSERT_TRUE(connection.ok());
    ASSERT_TRUE((*connection)->exec("CREATE TABLE theirs (x)").ok());
  }
  EXPECT_EQ(open().code(), Code::invalid_argument);
}

TEST_F(OpenFile, SaysWhichFolderCannotBeWritten) {
  options_.path = folder_.path("missing/m.db");
  auto store = open();
  ASSERT_EQ(store.code(), Code::unavailable);
  EXPECT_NE(store.status().message().find("missing"), std::string::npos);
}

TEST_F(OpenFile, TellsTheSchemaVersionWithoutOwningTheFile) {
  EXPECT_EQ(schema_status(options_.path)->version, 0u);
  auto store = open();
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(schema_status(options_.path)->version, newest_version());
}

TEST_F(OpenFile, WritesABackupWithARelativeNameBesideTheDatabase) {
  options_.threading = Threading::manual;
  auto store = open();
  ASSERT_TRUE(store.ok());
  std::optional<Result<BackupReport>> report;
  (*store)->backup("copy.db", [&](Result<BackupReport> answer) { report.emplace(std::move(answer)); });
  (*store)->pump();
  ASSERT_TRUE(report && report->ok()) << report->status().text();
  EXPECT_EQ((*report)->path, folder_.path("copy.db"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path("copy.db")));
}

// The numbers in the rows are the enumerators of the model: the CHECK and the code must agree on both ends.
TEST_F(OpenFile, AcceptsExactlyTheStatesOfTheModelInARow) {
  {
    auto store = open();
    ASSERT_TRUE(store.ok());
  }
  auto connection = Connection::open(options_.path, OpenMode::read_write, {});
  ASSERT_TRUE(connection.ok());
  for (int state = -1; state <= static_cast<int>(kJobStates.size()); ++state) {
    const bool known = state >= 0 && state < static_cast<int>(kJobStates.size());
    const bool finished = known && is_finished(static_cast<JobState>(state));
    const std::string sql = fmt::format(
        "INSERT INTO jobs (lane, state, flags, priority, rank, created_at, finished_at) VALUES (1, {}, 0, 0, 0, 0, {})", state,
        finished ? "1" : "NULL");
    EXPECT_EQ((*connection)->exec(sql.c_str()).ok(), known) << state;
  }
}

// What a reader leaves behind when a read goes wrong: a connection that serves the next one.

struct Thrower {
  operator std::string() const { throw std::runtime_error("a test throws"); }
};

class ReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = open_file({.path = folder_.path("m.db"), .seed = 1}, clock_);
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    opened_ = *std::move(opened);
    reader_ = std::make_unique<Reader>(*opened_.connection, IdCodec());
  }
  void TearDown() override {
    reader_.reset();
    opened_ = {};
  }
  Result<keyspace::Part> read(const std::vector<KeyCommand>& commands) {
    return reader_->read_keys(KeyBatch(), {.commands = commands, .now = clock_.now()});
  }

  TempFolder folder_;
  ManualClock clock_;
  Opened opened_;
  std::unique_ptr<Reader> reader_;
};

TEST_F(ReaderTest, AReadThatThrowsLeavesNoTransactionBehind) {
  std::vector<KeyCommand> broken{key::Get{"k"}};
  EXPECT_THROW(broken.front().emplace<key::Get>(Thrower()), std::runtime_error);
  ASSERT_TRUE(broken.front().valueless_by_exception()) << "whoever looks into it throws";
  EXPECT_THROW((void)read(broken).ok(), std::bad_variant_access);
  EXPECT_FALSE(opened_.connection->in_transaction());
  const auto next = read({key::Get{"k"}});
  ASSERT_TRUE(next.ok()) << next.status().text();
  EXPECT_EQ(next->answers.size(), 1u);
}

}  // namespace

}  // namespace muster::store::sqlite
