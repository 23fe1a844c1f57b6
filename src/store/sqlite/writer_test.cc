// What the writer does when a verb, a reply or the listener throws: nothing half done is kept, everybody is answered once.
#include "store/sqlite/writer.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "base/temp_folder_testing.h"
#include "store/sqlite/open.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

using Ops = std::vector<std::unique_ptr<Op>>;

class WriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Options options{.path = folder_.path("m.db"), .seed = 1};
    auto opened = open_file(options, clock_);
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    opened_ = *std::move(opened);
    writer_ =
        std::make_unique<Writer>(*opened_.connection, *opened_.log_mover, *opened_.redo, clock_, listening_, metrics_, options);
    ASSERT_TRUE(writer_->start().ok());
  }
  void TearDown() override {
    writer_.reset();
    opened_ = {};
  }

  template <class T, class Body>
  std::unique_ptr<Op> op(OpKind kind, Body body, Reply<T> reply) {
    return std::make_unique<OpOf<T, Body>>(kind, std::move(body), std::move(reply));
  }
  // Writes one job, then throws if asked to.
  std::unique_ptr<Op> enqueue(Status& answer, bool throws = false) {
    JobSpec spec;
    spec.type = JobType("work");
    const auto body = [jobs = std::vector<JobSpec>{spec}, throws](Core& core) mutable {
      auto made = sqlite::enqueue(core, jobs);
      if (throws) throw std::runtime_error("a test throws");
      return made;
    };
    return op<std::vector<Enqueued>>(OpKind::write, body, [this, &answer](Result<std::vector<Enqueued>> made) {
      ++answers_;
      answer = made.status();
    });
  }
  void process(std::unique_ptr<Op> first, std::unique_ptr<Op> second = nullptr) {
    Ops ops;
    ops.push_back(std::move(first));
    if (second) ops.push_back(std::move(second));
    writer_->process(ops);
  }
  std::size_t live() { return writer_->core().jobs.size(); }
  std::string rows() { return opened_.connection->query_text("SELECT count(*) FROM jobs").value(); }
  std::uint64_t incidents() { return metrics_.counter("muster_internal_errors_total", "", {{"where", "store"}}).value(); }

  TempFolder folder_;
  ManualClock clock_;
  ListeningClock listening_{clock_};
  Metrics metrics_;
  Opened opened_;
  std::unique_ptr<Writer> writer_;
  int answers_ = 0;
};

TEST_F(WriterTest, AVerbThatThrowsIsRefusedAndNothingOfItsGroupIsKept) {
  Status good = Status::conflict("unanswered"), bad = good;
  process(enqueue(good), enqueue(bad, true));
  EXPECT_EQ(bad.code(), Code::internal);
  EXPECT_EQ(good.code(), Code::unavailable) << "nothing was written: its caller may try again";
  EXPECT_EQ(answers_, 2);
  EXPECT_EQ(rows(), "0");
  EXPECT_EQ(live(), 0u) << "the index is that of the rows";
  EXPECT_EQ(incidents(), 1u);
}

TEST_F(WriterTest, TheGroupAfterOneThatThrewIsWritten) {
  Status answer;
  process(enqueue(answer, true));
  process(enqueue(answer));
  EXPECT_TRUE(answer.ok()) << answer.text();
  EXPECT_EQ(rows(), "1");
  EXPECT_EQ(live(), 1u);
  EXPECT_TRUE(writer_->health().writable) << "a mistake of ours is no trouble of the disk";
}

TEST_F(WriterTest, AReadThatThrowsIsRefusedAndTheGroupGoesOn) {
  Status read, written = Status::conflict("unanswered");
  const auto body = [](Core&) -> Result<int> { throw std::out_of_range("a test throws"); };
  process(op<int>(OpKind::read, body, [&](Result<int> answer) { read = answer.status(); }), enqueue(written));
  EXPECT_EQ(read.code(), Code::internal);
  EXPECT_TRUE(written.ok()) << written.text();
}

TEST_F(WriterTest, AReplyThatThrowsIsCalledOnceAndTheOthersAreAnswered) {
  int called = 0;
  Status written = Status::conflict("unanswered");
  const auto body = [](Core&) -> Result<int> { return 1; };
  const auto reply = [&](Result<int>) {
    ++called;
    throw std::runtime_error("a test throws");
  };
  process(op<int>(OpKind::write, body, reply), enqueue(written));
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(written.ok()) << written.text();
  EXPECT_EQ(rows(), "1");
  EXPECT_EQ(incidents(), 1u);
}

TEST_F(WriterTest, AListenerThatThrowsKeepsNoAnswerBack) {
  struct Bad final : Listener {
    void committed(const Committed&) override { throw std::runtime_error("a test throws"); }
  } listener;
  writer_->set_listener(&listener);
  Status written = Status::conflict("unanswered");
  process(enqueue(written));
  writer_->set_listener(nullptr);
  EXPECT_TRUE(written.ok()) << written.text();
  EXPECT_EQ(incidents(), 1u);
}

// Rows that could not be restored are not taken for all there is.
TEST_F(WriterTest, WhatCouldNotBeRestoredIsNotGivenUpAtTheEnd) {
  Status answer = Status::conflict("unanswered");
  process(enqueue(answer));
  ASSERT_TRUE(answer.ok()) << answer.text();
  auto other = Connection::open(folder_.path("m.db"), OpenMode::read_write, {}).value();
  // As SQLite does when a read fails, while somebody else holds the file.
  const auto roll_back = [&other](Core& core) -> Result<int> {
    EXPECT_TRUE(core.db.exec("PRAGMA busy_timeout = 0; ROLLBACK").ok());
    EXPECT_TRUE(other->exec("BEGIN IMMEDIATE").ok());
    return 1;
  };
  process(op<int>(OpKind::read, roll_back, [](Result<int>) {}));
  EXPECT_FALSE(writer_->health().writable);
  ASSERT_TRUE(other->exec("ROLLBACK").ok());
  ASSERT_TRUE(writer_->finish().ok());
  EXPECT_EQ(rows(), "1");
}

// A group that fails on a thread that must not wait for the disk is undone by one that may.
TEST_F(WriterTest, AGroupThatFailsInShortIsUndoneAtLength) {
  Status before = Status::conflict("unanswered"), failed = before, after = before;
  Ops ops;
  ops.push_back(enqueue(before));
  ASSERT_TRUE(writer_->process_short(ops));
  ASSERT_TRUE(before.ok()) << before.text();

  const auto body = [](Core& core) -> Result<int> {
    core.db.set_fault(Status::unavailable("a statement of a test fails"));
    return 1;
  };
  ops.push_back(enqueue(failed));
  ops.push_back(op<int>(OpKind::write, body, [](Result<int>) {}));
  EXPECT_FALSE(writer_->process_short(ops));
  EXPECT_EQ(failed.code(), Code::conflict) << "nobody was told yet";
  EXPECT_TRUE(ops.empty()) << "the writer keeps what is to be undone";

  ops.push_back(enqueue(after));
  writer_->process(ops);
  EXPECT_EQ(failed.code(), Code::unavailable);
  EXPECT_TRUE(after.ok()) << after.text();
  EXPECT_EQ(live(), 2u);
  EXPECT_EQ(rows(), "2");
}

TEST_F(WriterTest, AGroupThatFailedInShortIsRefusedWhenTheWriterIsGivenUp) {
  Status failed = Status::conflict("unanswered");
  Ops ops;
  ops.push_back(enqueue(failed));
  ops.push_back(op<int>(
      OpKind::write,
      [](Core& core) -> Result<int> {
        core.db.set_fault(Status::unavailable("a statement of a test fails"));
        return 1;
      },
      [](Result<int>) {}));
  EXPECT_FALSE(writer_->process_short(ops));
  writer_->give_up(Status::unavailable("closed"));
  EXPECT_EQ(failed.code(), Code::unavailable);
}

}  // namespace
}  // namespace muster::store::sqlite
