// Feedback over a real store whose every step the test takes, on a clock that the test moves.
#include "engine/feedback.h"

#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "engine/engine.h"
#include "store/scripted_testing.h"
#include "store/sqlite/open_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;
using store::Verb;

OutputChunk text(std::string data, OutputChannel channel = OutputChannel::output) {
  OutputChunk out;
  out.channel = channel;
  out.data = std::move(data);
  return out;
}

class FeedbackTest : public testing::Test {
 protected:
  FeedbackTest() { start(); }
  ~FeedbackTest() override { end(); }

  void start() {
    file_ = store::sqlite::open_for_test(folder_.path("muster.db"), clock_, metrics_, store::sqlite::Threading::manual);
    store_ = std::make_unique<store::ScriptedStore>(*file_);
    engine_ = std::make_unique<Engine>(*store_, clock_, metrics_, options_);
  }
  void end() {
    engine_->stop();
    work();
    engine_.reset();
    static_cast<void>(file_->close());
    store_.reset();
    file_.reset();
  }
  void restart() {
    end();
    start();
  }

  bool work() { return store::sqlite::pump(*file_); }
  template <class T, class Start>
  Result<T> wait(Start begin) {
    return ask<T>(std::move(begin), [this] { return work(); });
  }

  // A job that a worker holds.
  LeaseRef running(std::uint32_t attempts = 1) {
    JobSpec spec;
    spec.type = JobType("work");
    spec.retry.attempts_max = attempts;
    spec.retry.backoff_base = 0ms;
    const auto made = wait<std::vector<store::Enqueued>>([&](auto reply) { engine_->jobs().enqueue({spec}, std::move(reply)); });
    return claim(made->front().id);
  }
  LeaseRef claim(JobId job) {
    WorkerSpec worker;
    worker.id = WorkerId("w");
    worker.slots = 100;
    static_cast<void>(
        wait<store::Each<store::Registered>>([&](auto reply) { store_->register_workers({worker}, std::move(reply)); }));
    const auto granted = wait<store::ClaimReply>([&](auto reply) {
      engine_->claims().claim({.ns = NamespaceName("default"), .worker = WorkerId("w")}, 0ms, std::move(reply));
    });
    EXPECT_EQ(granted->grants.size(), 1U);
    EXPECT_EQ(granted->grants.front().id, job);
    return {job, granted->grants.front().fence};
  }
  // The answer comes when the test lets the store work, and time pass.
  struct Answer {
    std::optional<Result<store::Renewed>> result;
  };
  std::shared_ptr<Answer> report(FeedbackReport report) {
    auto answer = std::make_shared<Answer>();
    engine_->feedback().report(std::move(report),
                               [answer](Result<store::Renewed> result) { answer->result = std::move(result); });
    return answer;
  }
  Code say(FeedbackReport said) {
    said.at_once = true;
    const auto answer = report(std::move(said));
    work();
    return answer->result ? answer->result->code() : Code::internal;
  }
  JobOutput read(OutputQuery query) {
    const auto found = wait<JobOutput>([&](auto reply) { engine_->feedback().read(query, std::move(reply)); });
    EXPECT_TRUE(found.ok()) << found.status().text();
    return found.ok() ? *found : JobOutput();
  }
  std::string all_of(JobId job) {
    std::string out;
    OutputQuery query{.job = job};
    for (;;) {
      const JobOutput page = read(query);
      for (const OutputChunk& chunk : page.chunks) out += chunk.data;
      if (!page.more) return out;
      query.after = page.next;
    }
  }
  Job job(JobId id) {
    return *wait<store::Each<Job>>([&](auto reply) { engine_->jobs().get({id}, std::move(reply)); })->front();
  }
  void complete(const LeaseRef& lease) {
    const auto settled = wait<store::Each<store::Settled>>([&](auto reply) {
      engine_->jobs().complete({{lease, Content{"{}", Encoding::json}}}, std::move(reply));
    });
    EXPECT_TRUE(settled.ok() && settled->front().ok());
  }
  void pass(Duration time) {
    clock_.advance(time);
    engine_->tick();
    work();
  }

  ManualClock clock_;
  TempFolder folder_;
  Metrics metrics_;
  Options options_;
  std::unique_ptr<store::sqlite::SqliteStore> file_;
  std::unique_ptr<store::ScriptedStore> store_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(FeedbackTest, ChunksAreReadAsTheyWereReported) {
  const LeaseRef lease = running();
  FeedbackReport said{.lease = lease};
  said.chunks = {text("one "), text("two", OutputChannel::errors)};
  said.chunks[0].index = 5;
  said.chunks[0].metadata = R"({"k":1})";
  said.stage = "streaming";
  said.metrics = R"({"tokens":2})";
  EXPECT_EQ(say(std::move(said)), Code::ok);
  const JobOutput output = read({.job = lease.job});
  ASSERT_EQ(output.chunks.size(), 2U);
  EXPECT_EQ(output.chunks[0].data, "one ");
  EXPECT_EQ(output.chunks[0].index, 5U);
  EXPECT_EQ(output.chunks[0].metadata, R"({"k":1})");
  EXPECT_EQ(output.chunks[0].fence, lease.fence);
  EXPECT_EQ(output.chunks[0].at, clock_.now());
  EXPECT_EQ(output.chunks[1].channel, OutputChannel::errors);
  EXPECT_EQ(output.stage, "streaming");
  EXPECT_EQ(output.metrics, R"({"tokens":2})");
  EXPECT_EQ(output.state, JobState::running);
  EXPECT_EQ(output.next, 2U);
  EXPECT_TRUE(read({.job = lease.job, .after = 2}).chunks.empty());
}

TEST_F(FeedbackTest, AThousandChunksOfASecondAreAFewWrites) {
  const LeaseRef lease = running();
  std::string all;
  std::vector<std::shared_ptr<Answer>> answers;
  for (int i = 0; i < 1'000; ++i) {
    const std::string piece = std::to_string(i) + ";";
    all += piece;
    answers.push_back(report({.lease = lease, .chunks = {text(piece)}}));
    if (i % 20 == 19) pass(20ms);
  }
  pass(kFeedbackEvery);
  for (const auto& answer : answers) EXPECT_TRUE(answer->result && answer->result->ok());
  EXPECT_LE(store_->asked(Verb::keyspace), 35U);
  EXPECT_EQ(all_of(lease.job), all);
}

TEST_F(FeedbackTest, TheFirstReportIsWrittenAtOnceAndTheNextAfterAPause) {
  const LeaseRef lease = running();
  const auto first = report({.lease = lease, .chunks = {text("a")}});
  work();
  EXPECT_TRUE(first->result);
  const auto second = report({.lease = lease, .chunks = {text("b")}});
  work();
  EXPECT_FALSE(second->result);
  EXPECT_EQ(all_of(lease.job), "a");
  pass(kFeedbackEvery);
  EXPECT_TRUE(second->result);
  EXPECT_EQ(all_of(lease.job), "ab");
}

TEST_F(FeedbackTest, ReportsUnderALeaseThatIsOverChangeNothing) {
  const LeaseRef old = running(2);
  EXPECT_EQ(say({.lease = old, .chunks = {text("first ")}}), Code::ok);
  static_cast<void>(wait<store::Each<store::Settled>>([&](auto reply) {
    engine_->jobs().release({{old, "the worker stops"}}, std::move(reply));
  }));
  const LeaseRef now = claim(old.job);
  FeedbackReport late{.lease = old, .fraction = 0.9, .chunks = {text("late ")}};
  EXPECT_EQ(say(std::move(late)), Code::lease_lost);
  EXPECT_EQ(say({.lease = now, .chunks = {text("second")}}), Code::ok);
  EXPECT_EQ(all_of(old.job), "first second");
  const JobOutput output = read({.job = old.job});
  EXPECT_NE(output.chunks.front().fence, output.chunks.back().fence);
}

TEST_F(FeedbackTest, AHolderInAnotherNamespaceMayNotReport) {
  LeaseRef lease = running();
  lease.bounds = std::make_shared<LeaseBounds>(LeaseBounds{.worker = {}, .namespaces = std::vector{NamespaceName("other")}});
  EXPECT_EQ(say({.lease = lease, .chunks = {text("x")}}), Code::permission_denied);
  EXPECT_EQ(all_of(lease.job), "");
}

TEST_F(FeedbackTest, ResultsAreMergedIntoThePartialResult) {
  const LeaseRef lease = running();
  EXPECT_EQ(say({.lease = lease, .fraction = 0.5, .message = "half", .results = R"({"a":1,"b":{"x":1}})"}), Code::ok);
  EXPECT_EQ(say({.lease = lease, .results = R"({"b":2,"a":null,"c":3})"}), Code::ok);
  const Job found = job(lease.job);
  EXPECT_EQ(found.progress->partial->data, R"({"b":2,"c":3})");
  EXPECT_EQ(found.progress->fraction, 0.5);
  EXPECT_EQ(found.progress->message, "half");
}

TEST_F(FeedbackTest, APartialResultThatGrowsTooLongIsRefusedAndTheOthersAreKept) {
  const LeaseRef lease = running();
  const std::string half = std::string(limits::kPartialBytesMax / 2, 'x');
  const auto first = report({.lease = lease, .results = R"({"a":")" + half + "\"}"});
  const auto second = report({.lease = lease, .results = R"({"b":")" + half + "\"}", .chunks = {text("no")}});
  const auto third = report({.lease = lease, .chunks = {text("yes")}, .at_once = true});
  work();
  EXPECT_EQ(first->result->code(), Code::ok);
  EXPECT_EQ(second->result->code(), Code::invalid_argument);
  EXPECT_EQ(third->result->code(), Code::ok);
  EXPECT_EQ(all_of(lease.job), "yes");
}

TEST_F(FeedbackTest, WhatIsSaidAgainIsKeptOnceAlsoAfterARestart) {
  const LeaseRef lease = running();
  const auto frame = [&](std::uint64_t number, std::string data) {
    return FeedbackReport{.lease = lease,

                          .chunks = {text(std::move(data))},
                          .place = FeedbackPlace{.stream = "session", .number = number}};
  };
  EXPECT_EQ(say(frame(1, "a")), Code::ok);
  EXPECT_EQ(say(frame(2, "b")), Code::ok);
  EXPECT_EQ(say(frame(2, "b")), Code::ok);
  restart();
  EXPECT_EQ(say(frame(1, "a")), Code::ok);
  EXPECT_EQ(say(frame(2, "b")), Code::ok);
  EXPECT_EQ(say(frame(3, "c")), Code::ok);
  EXPECT_EQ(all_of(lease.job), "abc");
}

TEST_F(FeedbackTest, WhatDoesNotFitIsToldAsAGap) {
  const LeaseRef lease = running();
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(say({.lease = lease, .chunks = {text(std::string(limits::kOutputChunkBytesMax, 'x'))}}), Code::ok);
  EXPECT_EQ(say({.lease = lease, .chunks = {text(std::string(limits::kOutputChunkBytesMax + 1, 'y'))}}), Code::ok);
  const JobOutput output = read({.job = lease.job});
  ASSERT_EQ(output.gaps.size(), 1U);
  EXPECT_EQ(output.gaps.front().channel, OutputChannel::output);
  EXPECT_EQ(output.gaps.front().lost.chunks, 3U);
  EXPECT_EQ(output.chunks.front().number, 3U);
  EXPECT_TRUE(read({.job = lease.job, .after = 7}).gaps.empty());
}

TEST_F(FeedbackTest, WhatWaitsToBeWrittenIsBounded) {
  const LeaseRef lease = running();
  store_->hold();
  std::vector<std::shared_ptr<Answer>> answers;
  for (int i = 0; i < 20; ++i)
    answers.push_back(report({.lease = lease, .chunks = {text(std::string(limits::kOutputChunkBytesMax, 'x'))}}));
  store_->let_go();
  work();
  pass(kFeedbackEvery);
  for (const auto& answer : answers) EXPECT_TRUE(answer->result && answer->result->ok());
  const JobOutput output = read({.job = lease.job});
  // Eight waited, of which a channel holds four; twelve had no room to wait.
  EXPECT_EQ(output.gaps.front().lost.chunks, 16U);
}

TEST_F(FeedbackTest, AReaderWhoFollowsIsWokenByTheNextWrite) {
  const LeaseRef lease = running();
  std::optional<Result<JobOutput>> got;
  engine_->feedback().read({.job = lease.job, .wait = 10s}, [&](Result<JobOutput> found) { got = std::move(found); });
  work();
  EXPECT_FALSE(got);
  EXPECT_EQ(say({.lease = lease, .chunks = {text("now")}}), Code::ok);
  work();
  ASSERT_TRUE(got && got->ok());
  EXPECT_EQ((*got)->chunks.front().data, "now");
}

TEST_F(FeedbackTest, AReaderWhoWaitsIsToldWhatWasWrittenWithoutReadingIt) {
  const LeaseRef lease = running();
  EXPECT_EQ(say({.lease = lease, .chunks = {text("before")}}), Code::ok);
  std::optional<Result<JobOutput>> got;
  engine_->feedback().read({.job = lease.job, .after = 1, .wait = 10s}, [&](Result<JobOutput> found) { got = std::move(found); });
  work();
  const std::size_t jobs = store_->asked(Verb::get_jobs), batches = store_->asked(Verb::keyspace);
  EXPECT_EQ(say({.lease = lease, .stage = "second", .chunks = {text("now"), text("err", OutputChannel::errors)}}), Code::ok);
  ASSERT_TRUE(got && got->ok());
  EXPECT_EQ(store_->asked(Verb::get_jobs), jobs);
  EXPECT_EQ(store_->asked(Verb::keyspace), batches + 1) << "the write alone";
  const JobOutput same = read({.job = lease.job, .after = 1});
  EXPECT_EQ((*got)->chunks, same.chunks);
  EXPECT_EQ((*got)->next, same.next);
  EXPECT_EQ((*got)->stage, same.stage);
  EXPECT_EQ((*got)->state, JobState::running);
}

TEST_F(FeedbackTest, AReaderWhoWaitsIsToldWhatIsGone) {
  const LeaseRef lease = running();
  std::optional<Result<JobOutput>> got;
  engine_->feedback().read({.job = lease.job, .wait = 10s}, [&](Result<JobOutput> found) { got = std::move(found); });
  work();
  EXPECT_EQ(say({.lease = lease, .chunks = {text(std::string(limits::kOutputChunkBytesMax + 1, 'y'))}}), Code::ok);
  work();
  ASSERT_TRUE(got && got->ok());
  ASSERT_EQ((*got)->gaps.size(), 1U);
  EXPECT_EQ((*got)->gaps.front().lost.until, 1U);
}

TEST_F(FeedbackTest, AReaderOfAnotherChannelWaitsOn) {
  const LeaseRef lease = running();
  std::optional<Result<JobOutput>> got;
  engine_->feedback().read({.job = lease.job, .channel = OutputChannel::errors, .wait = 10s},
                           [&](Result<JobOutput> found) { got = std::move(found); });
  work();
  EXPECT_EQ(say({.lease = lease, .chunks = {text("out")}}), Code::ok);
  work();
  EXPECT_FALSE(got);
  EXPECT_EQ(say({.lease = lease, .chunks = {text("err", OutputChannel::errors)}}), Code::ok);
  work();
  ASSERT_TRUE(got);
  EXPECT_EQ((*got)->chunks.front().data, "err");
}

TEST_F(FeedbackTest, AReaderWhoFollowsIsToldWhenTheJobEndsOrItsTimeDoes) {
  const LeaseRef lease = running();
  std::optional<Result<JobOutput>> at_end;
  std::optional<Result<JobOutput>> in_time;
  engine_->feedback().read({.job = lease.job, .wait = 10s}, [&](Result<JobOutput> found) { at_end = std::move(found); });
  engine_->feedback().read({.job = lease.job, .wait = 1s}, [&](Result<JobOutput> found) { in_time = std::move(found); });
  work();
  pass(1s);
  ASSERT_TRUE(in_time);
  EXPECT_TRUE((*in_time)->chunks.empty());
  EXPECT_FALSE(at_end);
  complete(lease);
  work();
  ASSERT_TRUE(at_end);
  EXPECT_EQ((*at_end)->state, JobState::completed);
}

TEST_F(FeedbackTest, AReaderOnAnotherNodeLooksForItself) {
  const LeaseRef lease = running();
  Feedback elsewhere(*store_, clock_, options_);
  std::optional<Result<JobOutput>> got;
  elsewhere.read({.job = lease.job, .wait = 10s}, [&](Result<JobOutput> found) { got = std::move(found); });
  work();
  EXPECT_EQ(say({.lease = lease, .chunks = {text("there")}}), Code::ok);
  EXPECT_FALSE(got);
  clock_.advance(1s);
  elsewhere.tick();
  work();
  ASSERT_TRUE(got);
  EXPECT_EQ((*got)->chunks.front().data, "there");
}

TEST_F(FeedbackTest, OutcomesAreFiledUnderTheirLease) {
  const LeaseRef lease = running();
  const OutcomeFacts facts{
      .status = "SUCCEEDED", .metadata = R"({"k":1})", .artifacts = R"([{"resource_id":"r1"}])", .duration = 12ms};
  FeedbackReport said{.lease = lease, .in_namespace = NamespaceName("default")};
  said.outcome = facts;
  EXPECT_EQ(say(said), Code::ok);
  said.lease.fence = Fence{to_number(lease.fence) + 1'000};
  said.outcome->status = "of nobody";
  EXPECT_EQ(say(said), Code::ok);
  EXPECT_EQ(read({.job = lease.job}).outcome, facts);
}

TEST_F(FeedbackTest, OutputExpiresWithItsJob) {
  options_.retention.completed_kept = 1h;
  restart();
  const LeaseRef lease = running();
  EXPECT_EQ(say({.lease = lease, .chunks = {text("x")}}), Code::ok);
  complete(lease);
  work();
  store::KeyBatch batch;
  batch.space = store::KeySpace::internal;
  batch.commands = {store::key::TimeLeft{output_chunks_key(lease.job)}, store::key::TimeLeft{output_head_key(lease.job)}};
  const auto left = wait<std::vector<store::KeyAnswer>>([&](auto reply) { store_->keyspace(batch, std::move(reply)); });
  for (const store::KeyAnswer& each : *left) EXPECT_EQ(each.number, Duration(1h).count());
}

TEST_F(FeedbackTest, AFailedWriteIsToldAndTheNextGoesOnFromWhatIsThere) {
  const LeaseRef lease = running();
  EXPECT_EQ(say({.lease = lease, .chunks = {text("a")}}), Code::ok);
  store_->on(Verb::keyspace, [](const store::KeyBatch&) -> Result<std::vector<store::KeyAnswer>> {
    return Status::unavailable("the disk is away");
  });
  EXPECT_EQ(say({.lease = lease, .chunks = {text("b")}}), Code::unavailable);
  store_->off(Verb::keyspace);
  EXPECT_EQ(say({.lease = lease, .chunks = {text("c")}}), Code::ok);
  EXPECT_EQ(all_of(lease.job), "ac");
}

TEST_F(FeedbackTest, AReportOfAnUnknownJobAndOneThatIsWrongAreRefused) {
  EXPECT_EQ(say({.lease = {JobId{{1, 2}}, Fence{1}}, .chunks = {text("x")}}), Code::not_found);
  const LeaseRef lease = running();
  EXPECT_EQ(say({.lease = lease, .fraction = 1.5}), Code::invalid_argument);
  EXPECT_EQ(say({.lease = lease, .stage = std::string(limits::kStageBytesMax + 1, 's')}), Code::invalid_argument);
  EXPECT_EQ(say({.lease = lease, .chunks = std::vector(limits::kFeedbackChunksMax + 1, text("x"))}), Code::invalid_argument);
}

}  // namespace
}  // namespace muster::engine
