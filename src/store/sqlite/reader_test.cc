// What a reader leaves behind when a read goes wrong: a connection that serves the next one.
#include "store/sqlite/reader.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "base/temp_folder_testing.h"
#include "store/sqlite/open.h"

namespace muster::store::sqlite {
namespace {

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
