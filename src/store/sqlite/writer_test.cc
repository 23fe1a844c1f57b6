// What the writer does when a verb, a reply or the listener throws: nothing half done is kept, everybody is answered once.
#include "store/sqlite/writer.h"

#include <future>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "base/patience_testing.h"
#include "base/temp_folder_testing.h"
#include "base/wake.h"
#include "store/sqlite/open.h"
#include "store/sqlite/open_testing.h"
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

TEST(StoreQueue, AGroupThatChangesNothingIsAnswered) {
  const TempFolder folder;
  const ManualClock clock;
  Metrics metrics;
  const auto store = open_for_test(folder.path("m.db"), clock, metrics);
  constexpr std::size_t kMany = 20;  // more than are written without a thread
  std::vector<std::promise<void>> answers(kMany);
  {
    const WakeRound round;  // so that they come together
    for (std::promise<void>& answer : answers)
      store->complete({Completion{}}, [&answer](const Result<Each<Settled>>&) { answer.set_value(); });
  }
  for (std::promise<void>& answer : answers) ASSERT_EQ(answer.get_future().wait_for(patience()), std::future_status::ready);
  EXPECT_TRUE(store->close().ok());
}

TEST(StoreQueue, WhoIsInNoRoundWaitsForNobodyElsesRound) {
  const TempFolder folder;
  const ManualClock clock;
  Metrics metrics;
  const auto store = open_for_test(folder.path("m.db"), clock, metrics);
  const auto ask = [&](std::promise<bool>& answer) {
    store->enqueue({}, [&](const Result<std::vector<Enqueued>>& made) { answer.set_value(made.ok()); });
  };
  // A writer that is not asleep yet finds everything by itself: most of the rounds find it asleep.
  for (int i = 0; i < 50; ++i) {
    std::thread([] {}).join();  // time to fall asleep
    std::promise<bool> in_round;
    {
      const WakeRound round;  // of the loop, which is busy with other connections
      ask(in_round);
      std::promise<bool> other;
      std::thread([&] { ask(other); }).join();
      ASSERT_EQ(other.get_future().wait_for(patience()), std::future_status::ready);
    }
    EXPECT_TRUE(in_round.get_future().get());
  }
  EXPECT_TRUE(store->close().ok());
}

}  // namespace
}  // namespace muster::store::sqlite
