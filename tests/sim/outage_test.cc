// Silence while the disk fails: whoever could not be heard is not judged by it.
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/listening.h"
#include "base/metrics.h"
#include "store/sqlite/open.h"
#include "store/sqlite/verbs/verbs.h"
#include "store/sqlite/writer.h"
#include "tests/sim/faulty_vfs.h"

namespace muster::sim {
namespace {

using namespace store::sqlite;

class Outage : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.path = "/t.db";
    options_.vfs = vfs_.name();
    options_.seed = 1;
    auto opened = open_file(options_, clock_);
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    opened_ = *std::move(opened);
    writer_ =
        std::make_unique<Writer>(*opened_.connection, *opened_.log_mover, *opened_.redo, clock_, listening_, metrics_, options_);
    listening_.note();
    ASSERT_TRUE(writer_->start().ok());
  }
  void TearDown() override { writer_.reset(); }

  template <class T, class Body>
  Result<T> done(OpKind kind, Body body) {
    std::optional<Result<T>> answer;
    std::vector<std::unique_ptr<Op>> ops;
    ops.push_back(
        std::make_unique<OpOf<T, Body>>(kind, std::move(body), [&](Result<T> result) { answer.emplace(std::move(result)); }));
    writer_->process(ops);
    return *std::move(answer);
  }
  Result<store::Registered> enlist() {
    WorkerSpec worker;
    worker.id = WorkerId("w");
    worker.policy = HeartbeatPolicy{.interval = Duration(10'000), .dead_after = Duration(30'000)};
    return done<store::Registered>(OpKind::write, [worker](Core& core) { return register_worker(core, worker); });
  }
  Result<store::SweepReport> bury() {
    return done<store::SweepReport>(OpKind::sweep,
                                    [](Core& core) -> Result<store::SweepReport> { return bury_silent_workers(core, 10); });
  }
  // As the server's loop does: it listens, and looks whether the writer has something to settle.
  void listen_for(Duration time) {
    for (constexpr Duration kStep{400}; time > Duration(0); time -= kStep) {
      clock_.advance(kStep);
      listening_.note();
      writer_->go_on();
    }
  }

  Disk disk_{Random(3)};
  FaultyVfs vfs_{"outage", disk_};
  ManualClock clock_;
  ListeningClock listening_{clock_};
  Metrics metrics_;
  Options options_;
  Opened opened_;
  std::unique_ptr<Writer> writer_;
};

TEST_F(Outage, AWorkerIsSilentAfterItsTime) {
  ASSERT_TRUE(enlist().ok());
  listen_for(Duration(31'000));
  EXPECT_EQ(bury()->moved, 1u);
}

TEST_F(Outage, TimeInWhichNothingCanBeWrittenIsNobodysSilence) {
  ASSERT_TRUE(enlist().ok());
  disk_.faults.sync_failure = 1;
  EXPECT_FALSE(enlist().ok());
  listen_for(Duration(60'000));
  disk_.faults.sync_failure = 0;
  EXPECT_EQ(bury()->moved, 0u);
}

}  // namespace
}  // namespace muster::sim
