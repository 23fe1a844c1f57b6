// Numbers of results of protocol 1: as a rule, and at the front.
#include "fronts/ws/result_numbers.h"

#include "fronts/ws/front_testing.h"

namespace muster::ws {
namespace {

using namespace std::chrono_literals;
using Verdict = ResultNumbers::Verdict;

const Instant kAt{};

class NumbersOfResults : public testing::Test {
 protected:
  Verdict record(const std::string& task, std::uint64_t seq, std::optional<std::string_view> dispatch, bool strict = false) {
    return numbers_.record({.run = run_, .task = task, .seq = seq, .dispatch = dispatch}, kAt, strict);
  }
  const std::string run_ = "r";
  ResultNumbers numbers_;
};

TEST_F(NumbersOfResults, ComeInOrderOrWithAGapThatIsTold) {
  EXPECT_EQ(record("a", 1, "d1"), Verdict::taken);
  EXPECT_EQ(record("c", 3, "d3"), Verdict::taken_after_gap);
  EXPECT_EQ(numbers_.missing("r"), 2u);
  EXPECT_EQ(record("b", 2, "d2"), Verdict::taken);
  EXPECT_EQ(numbers_.missing("r"), 4u);
}

TEST_F(NumbersOfResults, AHoleIsToldOnceAndWhatIsOverLeavesNone) {
  EXPECT_EQ(record("b", 2, "d2"), Verdict::taken_after_gap);
  EXPECT_EQ(record("c", 3, "d3"), Verdict::taken) << "number 1 was told to be missing";
  numbers_.over("r", 4);  // cancelled
  EXPECT_EQ(record("e", 5, "d5", true), Verdict::taken);
}

TEST_F(NumbersOfResults, TheFirstOfADispatchWins) {
  EXPECT_EQ(record("a", 1, "d1"), Verdict::taken);
  EXPECT_EQ(record("a", 1, "d1"), Verdict::duplicate);
  EXPECT_EQ(record("a", 1, "d2"), Verdict::taken) << "it was tried again, under another dispatch";
  EXPECT_EQ(record("a", 1, std::nullopt), Verdict::taken) << "what it answers is not said";
}

TEST_F(NumbersOfResults, StrictlyAGapIsRefusedUntilItIsFilled) {
  EXPECT_EQ(record("b", 2, "d2", true), Verdict::refused);
  EXPECT_EQ(record("a", 1, "d1", true), Verdict::taken);
  EXPECT_EQ(record("b", 2, "d2", true), Verdict::taken);
}

TEST_F(NumbersOfResults, NoResultIsRefusedUntilItsWorkerGivesUp) {
  for (std::uint32_t i = 0; i < kGapRefusalsMax; ++i) EXPECT_EQ(record("b", 2, "d2", true), Verdict::refused);
  EXPECT_EQ(record("b", 2, "d2", true), Verdict::taken_after_gap);
}

class V1Numbers : public FrontTest {
 protected:
  void TearDown() override {
    socket_.reset();  // before the loop that it ends on
    FrontTest::TearDown();
  }
  void begin(bool strict) {
    WsOptions options;
    options.strict_results = strict;
    start(options);
    socket_ = join_v1(4);
    for (const char* task : {"a", "b"}) {
      jobs_.push_back(submit(
          "demo.echo",
          Json{{"node_type", "demo.echo"}, {"parameters", Json::object()}, {"run_id", "r"}, {"task_id", task}, {"node_id", task}}
              .dump()));
      dispatches_.push_back(socket_->hear("cmd.dispatch"));
      Json ack = v1_frame("ack", {{"for", dispatches_.back()["id"]}}, std::string("ack-") + task, false);
      ack["ack"] = {{"for", dispatches_.back()["id"]}};
      socket_->say(ack);
    }
    EXPECT_EQ(dispatches_[1]["seq"], 2);
  }
  void say_result(std::size_t place, const std::string& id) {
    const Json& dispatch = dispatches_[place];
    Json frame = v1_frame(
        "result",
        {{"run_id", "r"}, {"task_id", dispatch["payload"]["task_id"]}, {"status", "SUCCEEDED"}, {"result", {{"x", place}}}}, id);
    frame["corr"] = dispatch["id"];
    frame["seq"] = dispatch["seq"];
    socket_->say(frame);
  }
  std::uint64_t counted(const char* verdict) {
    return metrics.counter("ws_result_numbers_total", "", {{"verdict", verdict}}).value();
  }

  std::unique_ptr<TestSocket> socket_;
  std::vector<JobId> jobs_;
  std::vector<Json> dispatches_;
};

TEST_F(V1Numbers, AResultBeforeAnEarlierOneIsCountedAndTaken) {
  begin(false);
  say_result(1, "result-1");
  EXPECT_TRUE(ends(jobs_[1], JobState::completed));
  EXPECT_EQ(counted("gap"), 1u);
  EXPECT_FALSE(socket_->heard("error"));
  say_result(0, "result-2");
  EXPECT_TRUE(ends(jobs_[0], JobState::completed));
  EXPECT_EQ(counted("gap"), 1u);
}

TEST_F(V1Numbers, ASecondResultOfADispatchIsAcknowledgedAndDropped) {
  begin(true);
  say_result(0, "result-1");
  EXPECT_EQ(socket_->hear("ack")["payload"]["for"], "result-1");
  say_result(0, "result-2");
  EXPECT_EQ(socket_->hear("error")["payload"]["code"], "E.RESULT.DUPLICATE");
  EXPECT_EQ(socket_->hear("ack")["payload"]["for"], "result-2");
  EXPECT_EQ(counted("duplicate"), 1u);
}

TEST_F(V1Numbers, StrictlyItIsAnsweredWithAGapAndTakenWhenItComesAgain) {
  begin(true);
  say_result(1, "result-1");
  const Json error = socket_->hear("error");
  EXPECT_EQ(error["payload"]["code"], "E.RESULT.SEQ_GAP");
  EXPECT_EQ(error["payload"]["context"]["details"], (Json{{"run_id", "r"}, {"task_id", "b"}, {"seq", 2}, {"missing", 1}}));
  EXPECT_EQ(job(jobs_[1]).state, JobState::running);
  EXPECT_FALSE(socket_->heard("ack")) << "so it comes again";
  say_result(0, "result-2");
  EXPECT_EQ(socket_->hear("ack")["payload"]["for"], "result-2");
  say_result(1, "result-1");
  EXPECT_EQ(socket_->hear("ack")["payload"]["for"], "result-1");
  EXPECT_TRUE(ends(jobs_[1], JobState::completed));
}

}  // namespace
}  // namespace muster::ws
