// Context and handlers against a server in memory: what is executed, remembered, replayed, left.
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "sdk/cpp/workflow/fake_port_testing.h"
#include "sdk/cpp/workflow/handler.h"

namespace muster::sdk::workflow {
namespace {

using namespace std::chrono_literals;

// What one claim of a run came to.
struct Claim {
  std::string output;   // of a workflow that returned
  std::string failure;  // of one that threw
  bool left = false;
  bool lost = false;
};

class Runs : public testing::Test {
 protected:
  Claim claim(const Handler& run, std::string input = "null") {
    port.parked = false;
    ++attempt;
    Claim made;
    detail::RunCore core({.run_id = "run-1", .type = "flow", .queue = "q", .ns = "default", .input = input, .attempt = attempt},
                         port, surroundings, crew);
    Context context(core);
    try {
      if (attempt > 1) core.recall();
      made.output = run(context, input);
    } catch (const Unwind&) {
      made.left = true;
    } catch (const std::exception& error) {
      made.failure = error.what();
    }
    made.left = made.left || core.gone();
    made.lost = core.lost();
    return made;
  }
  // Claims until the workflow returns or throws.
  Claim finish(const Handler& run, std::string input = "null") {
    for (int i = 0; i < 50; ++i)
      if (Claim made = claim(run, input); !made.left) return made;
    ADD_FAILURE() << "the workflow never ends";
    return {};
  }

  FakePort port;
  Crew crew{8};
  std::vector<std::string> lines;
  detail::Surroundings surroundings{
      [] { return Instant(1'000'000ms); }, [this](std::string_view line) { lines.emplace_back(line); }, {}};
  std::uint32_t attempt = 0;
};

struct Order {
  std::string id;
  int cents = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Order, id, cents)

int doubled(Context& context, Order order) {
  return context.step("double", [&] { return order.cents * 2; });
}

TEST_F(Runs, AStepRunsOnceAndItsResultIsReplayedAfterASleep) {
  int calls = 0;
  const Handler run = handler([&](Context& context) {
    const int value = context.step("count", [&] { return ++calls; });
    context.sleep("nap", 24h);
    return value * 10;
  });
  const Claim first = claim(run);
  EXPECT_TRUE(first.left);
  EXPECT_EQ(port.slept, std::vector<Duration>{24h});
  const Claim second = claim(run);
  EXPECT_EQ(second.output, "10");
  EXPECT_EQ(calls, 1);
}

TEST_F(Runs, TypedInputsAndOutputsTravelAsJson) { EXPECT_EQ(claim(handler(doubled), R"({"id":"a","cents":21})").output, "42"); }

TEST_F(Runs, AnInputOfTheWrongShapeIsToldApart) {
  EXPECT_THROW(
      {
        detail::RunCore core({.run_id = "r"}, port, surroundings, crew);
        Context context(core);
        (void)handler(doubled)(context, "[1,2]");
      },
      BadInput);
  EXPECT_TRUE(port.begun.empty());
}

TEST_F(Runs, AnAbsentInputIsNull) {
  EXPECT_EQ(claim(handler([](Context&, json input) { return input.is_null(); }), "").output, "true");
}

TEST_F(Runs, AWorkflowWithoutResultGivesNull) {
  EXPECT_EQ(claim(handler([](Context& context) { context.step("nothing", [] {}); })).output, "null");
  EXPECT_EQ(port.steps["nothing"].output, "null");
}

TEST_F(Runs, AFailedStepParksUntilItsTriesAreUsedUpAndThenThrows) {
  int calls = 0;
  const Handler run = handler([&](Context& context) {
    context.step("bad", [&] {
      ++calls;
      throw std::runtime_error("no");
    });
  });
  EXPECT_TRUE(claim(run).left);
  EXPECT_TRUE(claim(run).left);
  EXPECT_EQ(claim(run).failure, "no");
  EXPECT_EQ(calls, 3);
}

TEST_F(Runs, ANonRetryableErrorEndsTheStepAtOnce) {
  EXPECT_EQ(claim(handler([](Context& context) { context.step("bad", [] { throw NonRetryable("never"); }); })).failure, "never");
  EXPECT_FALSE(port.failures.at(0).retryable);
}

TEST_F(Runs, AStepMaySayWhenToComeBack) {
  EXPECT_TRUE(claim(handler([](Context& context) { context.step("busy", [] { throw RetryAfter(7s, "later"); }); })).left);
  EXPECT_EQ(port.failures.at(0).retry_after, Duration(7s));
}

TEST_F(Runs, ACompensatedFailureIsRememberedAndNotTriedAgain) {
  int bad = 0;
  int undone = 0;
  port.attempts_max = 1;
  const Handler run = handler([&](Context& context) {
    try {
      context.step("ship", [&]() -> int {
        ++bad;
        throw std::runtime_error("no address");
      });
    } catch (const StepFailed& failure) {
      EXPECT_EQ(failure.step(), "ship");
      context.step("undo", [&] { ++undone; });
      context.sleep("nap", 1h);
      return std::string("undone: ") + failure.what();
    }
    return std::string("shipped");
  });
  EXPECT_EQ(finish(run).output, "\"undone: no address\"");
  EXPECT_EQ(bad, 1);
  EXPECT_EQ(undone, 1);
}

TEST_F(Runs, ANameThatIsUsedAgainStandsForAnotherStep) {
  int calls = 0;
  const Handler run = handler([&](Context& context) {
    int sum = 0;
    for (int i = 0; i < 3; ++i) sum += context.step("add", [&] { return ++calls; });
    context.sleep(1s);
    context.sleep(2s);
    return sum;
  });
  EXPECT_EQ(finish(run).output, "6");
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(port.order, (std::vector<std::string>{"add", "add#2", "add#3", "sleep", "sleep#2"}));
}

TEST_F(Runs, ALostLeaseStopsTheWorkAndDropsTheResult) {
  int second = 0;
  const Handler run = handler([&](Context& context) {
    context.step("one", [&] { port.lost = true; });
    context.step("two", [&] { ++second; });
  });
  const Claim made = claim(run);
  EXPECT_TRUE(made.left);
  EXPECT_TRUE(made.lost);
  EXPECT_EQ(second, 0);
}

TEST_F(Runs, CodeThatCatchesEverythingCannotGoOnWithAParkedRun) {
  int after = 0;
  const Handler run = handler([&](Context& context) {
    try {
      context.sleep(1h);
    } catch (...) {
    }
    try {
      context.step("after", [&] { ++after; });
    } catch (...) {
    }
    return 1;
  });
  EXPECT_TRUE(claim(run).left);
  EXPECT_EQ(after, 0);
}

TEST_F(Runs, SignalsAreTypedAndTimeOutAsNothing) {
  port.signals["go"].push_back("7");
  const Handler run = handler([](Context& context) {
    const auto went = context.signal<int>("go");
    const auto never = context.signal<int>("never", 1s);
    return went.value_or(0) * 10 + (never ? 1 : 0);
  });
  EXPECT_EQ(claim(run).output, "70");
  EXPECT_TRUE(claim(handler([](Context& context) { return context.signal("other").has_value(); })).left);
}

TEST_F(Runs, ApprovalsAreYesOnlyWhenTheySaySo) {
  const auto decide = [&](std::string data) {
    port.signals["ok"].push_back(std::move(data));
    return claim(handler([](Context& context) { return context.approval("ok").approved; })).output;
  };
  EXPECT_EQ(decide("true"), "true");
  EXPECT_EQ(decide(R"({"approved":true,"by":"ada"})"), "true");
  EXPECT_EQ(decide("false"), "false");
  EXPECT_EQ(decide(R"({"approved":"yes"})"), "false");
  EXPECT_EQ(decide("[]"), "false");
  EXPECT_EQ(claim(handler([](Context& context) { return context.approval("no", 1s).timed_out; })).output, "true");
}

TEST_F(Runs, AChildGivesItsOutputOrThrows) {
  const Handler run = handler([](Context& context) { return context.child<int>("sub", "other", json{{"n", 1}}); });
  EXPECT_TRUE(claim(run).left);
  port.child = ChildAnswer{.run_id = "c", .completed = true, .output = "5"};
  EXPECT_EQ(claim(run).output, "5");
  port.child = ChildAnswer{.run_id = "c", .completed = false, .error_kind = "error", .error_message = "broke"};
  EXPECT_EQ(claim(run).failure, "broke");
  EXPECT_EQ(port.children.at(0).input, R"({"n":1})");
}

TEST_F(Runs, LinesAreLoggedOnceAndNotWhileReplaying) {
  const Handler run = handler([](Context& context) {
    context.log("begin");
    context.step("one", [] {});
    context.sleep(1s);
    context.log("end");
  });
  (void)finish(run);
  EXPECT_EQ(lines, (std::vector<std::string>{"flow run-1: begin", "flow run-1: end"}));
}

// --- coroutines ----------------------------------------------------------------------------------------------------

Task<int> twice(Context& context, std::string name, int value) {
  co_return co_await context.async_step(name, [value] { return value * 2; });
}

TEST_F(Runs, ACoroutineAwaitsStepsAndOtherCoroutines) {
  const Handler run = handler([](Context& context, int start) -> Task<int> {
    const int one = co_await twice(context, "a", start);
    co_await context.async_sleep("nap", 1h);
    const int two = co_await twice(context, "b", one);
    co_return one + two;
  });
  EXPECT_EQ(finish(run, "5").output, "30");
  EXPECT_EQ(attempt, 2U);
  EXPECT_EQ(port.order, (std::vector<std::string>{"a", "nap", "b"}));
}

TEST_F(Runs, StepsThatAreAwaitedTogetherRunSideBySide) {
  // Each step waits for the other: one after the other they would never end.
  std::latch both(2);
  const Handler run = handler([&both](Context& context) -> Task<int> {
    std::vector<Task<int>> steps;
    for (int i = 1; i <= 2; ++i)
      steps.push_back(context.async_step("side", [&both, i] {
        both.arrive_and_wait();
        return i;
      }));
    int sum = 0;
    for (const int value : co_await when_all(std::move(steps))) sum = sum * 10 + value;
    co_return sum;
  });
  EXPECT_EQ(claim(run).output, "12");
}

TEST_F(Runs, TasksOfDifferentTypesGiveATuple) {
  const Handler run = handler([](Context& context) -> Task<std::string> {
    auto [number, nothing, text] = co_await when_all(context.async_step("n", [] { return 4; }), context.async_step("v", [] {}),
                                                     context.async_step("t", [] { return std::string("x"); }));
    (void)nothing;
    co_return text + std::to_string(number);
  });
  EXPECT_EQ(claim(run).output, "\"x4\"");
}

TEST_F(Runs, ABranchThatFailsParksOnlyAfterTheOthersAreRecorded) {
  std::atomic<int> slow_calls = 0;
  std::atomic<int> bad_calls = 0;
  std::latch failed(1);
  const Handler run = handler([&](Context& context) -> Task<int> {
    std::vector<Task<int>> steps;
    steps.push_back(context.async_step("bad", [&]() -> int {
      if (++bad_calls == 1) {
        failed.count_down();
        throw std::runtime_error("once");
      }
      return 1;
    }));
    steps.push_back(context.async_step("slow", [&] {
      failed.wait();
      ++slow_calls;
      return 2;
    }));
    const std::vector<int> values = co_await when_all(std::move(steps));
    co_return values[0] + values[1];
  });
  EXPECT_EQ(finish(run).output, "3");
  EXPECT_EQ(slow_calls, 1);
  EXPECT_EQ(bad_calls, 2);
}

TEST_F(Runs, TheFirstFailureOfManyIsThrownAfterAllHaveEnded) {
  port.attempts_max = 1;
  const Handler run = handler([](Context& context) -> Task<> {
    std::vector<Task<>> steps;
    for (const char* name : {"a", "b"}) {
      steps.push_back(context.async_step(name, [text = std::string(name)] { throw std::runtime_error(text + " broke"); }));
    }
    co_await when_all(std::move(steps));
  });
  EXPECT_EQ(claim(run).failure, "a broke");
  EXPECT_EQ(port.failures.size(), 2U);
}

TEST_F(Runs, NoTasksAtAllAreDoneAtOnce) {
  const Handler run = handler([](Context&) -> Task<int> {
    const std::vector<int> values = co_await when_all(std::vector<Task<int>>{});
    co_return static_cast<int>(values.size());
  });
  EXPECT_EQ(claim(run).output, "0");
}

TEST_F(Runs, ALostRunLeavesACoroutineAfterItsStepsHaveEnded) {
  std::atomic<bool> ended = false;
  std::latch begun(1);
  const Handler run = handler([&](Context& context) -> Task<> {
    detail::RunCore& core = context.core();
    std::vector<Task<>> steps;
    steps.push_back(context.async_step("loses", [&core, &begun] {
      begun.wait();
      core.lose();
    }));
    steps.push_back(context.async_step("long", [&] {
      begun.count_down();
      while (!context.cancelled()) std::this_thread::yield();
      ended = true;
    }));
    co_await when_all(std::move(steps));
  });
  const Claim made = claim(run);
  EXPECT_TRUE(made.lost);
  EXPECT_TRUE(ended);
}

TEST_F(Runs, AwaitingWhatIsNotOfTheContextFailsInsteadOfHangingForEver) {
  const Handler run = handler([](Context&) -> Task<> { co_await std::suspend_always{}; });
  EXPECT_NE(claim(run).failure.find("not of its context"), std::string::npos);
}

}  // namespace
}  // namespace muster::sdk::workflow
