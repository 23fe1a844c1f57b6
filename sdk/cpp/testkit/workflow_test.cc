// Workflows over the real wire: worker, client and server in one process, with time skipped.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/patience_testing.h"
#include "sdk/cpp/testkit/test_server.h"

namespace muster::sdk::testkit {
namespace {

using namespace std::chrono_literals;
using workflow::Context;
using workflow::json;
using workflow::Task;

// Something that a test waits for and a workflow sets, or the other way round.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience(), [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

// A road to the server on which the first bytes take half a second.
class SlowRoad {
 public:
  explicit SlowRoad(const std::string& server)
      : server_port_(static_cast<std::uint16_t>(std::stoi(server.substr(server.rfind(':') + 1)))),
        listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at = loopback(0);
    socklen_t size = sizeof at;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    thread_ = std::thread([this] {
      for (int peer = accept(listener_, nullptr, nullptr); peer >= 0; peer = accept(listener_, nullptr, nullptr)) carry(peer);
    });
  }
  ~SlowRoad() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  const std::string& address() const { return address_; }

 private:
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
  }
  // Until one side ends.
  void carry(int peer) const {
    poll(nullptr, 0, 500);
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in at = loopback(server_port_);
    if (connect(server, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0) {
      std::array<pollfd, 2> both{pollfd{peer, POLLIN, 0}, pollfd{server, POLLIN, 0}};
      while (poll(both.data(), both.size(), -1) > 0 && pass(both[0], server) && pass(both[1], peer)) {
      }
    }
    close(server);
    close(peer);
  }
  static bool pass(const pollfd& from, int to) {
    if (from.revents == 0) return true;
    std::array<char, 16'384> bytes;
    const ssize_t got = read(from.fd, bytes.data(), bytes.size());
    return got > 0 && send(to, bytes.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
  }

  const std::uint16_t server_port_;
  const int listener_;
  std::string address_;
  std::thread thread_;
};

class Workflows : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TestServer::start();
    ASSERT_TRUE(made.ok()) << made.error().text();
    server = *std::move(made);
  }
  workflow::Worker worker(const std::string& host = "here") {
    auto built = server->worker("q").hostname(host).build();
    EXPECT_TRUE(built.ok());
    return *std::move(built);
  }
  template <class In>
  workflow::Handle started(std::string_view type, const In& input) {
    auto run = server->client("q").start(type, input);
    EXPECT_TRUE(run.ok()) << (run.ok() ? "" : run.error().text());
    return run.ok() ? *run : server->client("q").run("");
  }
  std::unique_ptr<TestServer> server;
};

TEST_F(Workflows, AServerFarAwayIsReached) {
  const SlowRoad road(server->address());
  auto client = workflow::Client::open({.address = road.address(), .tls = {}}, "q");
  ASSERT_TRUE(client.ok());
  const auto run = client->start("far", 1);
  EXPECT_TRUE(run.ok()) << run.error().text();
}

TEST_F(Workflows, AWorkflowThatSleepsThirtyDaysEndsInMoments) {
  auto w = worker();
  std::atomic<int> calls = 0;
  w.register_workflow("renew", [&](Context& context, int customer) {
    const int before = context.step("count", [&] { return ++calls; });
    context.sleep("a month", 30 * 24h);
    return "renewed " + std::to_string(customer) + " after " + std::to_string(before);
  });
  ASSERT_TRUE(w.start().ok());
  const Instant began = server->now();
  const auto result = started("renew", 7).result<std::string>(patience());
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(*result, "renewed 7 after 1");
  EXPECT_EQ(calls, 1);
  EXPECT_GE(server->now() - began, 30 * 24h);
  EXPECT_GE(server->skips(), 1U);
  EXPECT_EQ(w.status().registrations, 1U) << "nobody was buried by the skip";
}

TEST_F(Workflows, TimeStandsStillForTheSkipperWhileARunIsRunning) {
  auto w = worker();
  Gate inside;
  Gate go;
  w.register_workflow("hold", [&](Context& context) {
    context.step("hold", [&] {
      inside.open();
      go.wait();
    });
  });
  w.register_workflow("nap", [](Context& context) { context.sleep(24h); });
  ASSERT_TRUE(w.start().ok());
  const auto hold = started("hold", nullptr);
  ASSERT_TRUE(inside.wait());
  const auto nap = started("nap", nullptr);
  ASSERT_TRUE(eventually([&] { return nap.describe()->state == workflow::RunState::sleeping; }));
  EXPECT_EQ(server->skips(), 0U);
  go.open();
  EXPECT_TRUE(hold.result<>().ok());
  EXPECT_TRUE(nap.result<>().ok());
}

TEST_F(Workflows, AStepIsRetriedByItsPolicyAndTheHistoryTellsEachAttempt) {
  auto w = worker();
  std::atomic<int> calls = 0;
  w.register_workflow("flaky", [&](Context& context) {
    return context.step("flaky", {.retry = {.attempts_max = 4, .first_delay = 1h}}, [&] {
      if (++calls < 3) throw std::runtime_error("not yet");
      return calls.load();
    });
  });
  ASSERT_TRUE(w.start().ok());
  const auto run = started("flaky", nullptr);
  EXPECT_EQ(*run.result<int>(patience()), 3);
  const auto history = run.history();
  ASSERT_TRUE(history.ok());
  ASSERT_EQ(history->size(), 3U);
  EXPECT_EQ(history->at(0).state, "failed");
  EXPECT_EQ(history->at(0).error_message, "not yet");
  EXPECT_EQ(history->at(2).state, "completed");
  EXPECT_EQ(history->at(2).attempt, 3);
}

TEST_F(Workflows, AFailingWorkflowFailsWithItsMessageAndABadInputWithoutACall) {
  auto w = worker();
  std::atomic<int> calls = 0;
  w.register_workflow("typed", [&](Context&, std::vector<int> input) {
    ++calls;
    if (input.empty()) throw std::runtime_error("nothing to add");
    return input.front();
  });
  ASSERT_TRUE(w.start().ok());
  const auto failed = started("typed", json::array());
  EXPECT_NE(failed.result<int>(patience()).error().detail.find("nothing to add"), std::string::npos);
  EXPECT_EQ(calls, 1);
  const auto misfit = started("typed", json{{"no", "list"}});
  EXPECT_NE(misfit.result<int>(patience()).error().detail.find("does not fit"), std::string::npos);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(misfit.describe()->state, workflow::RunState::failed);
}

TEST_F(Workflows, SignalsWakeARunAndWaitsEndByTimeout) {
  auto w = worker();
  w.register_workflow("wait", [](Context& context) {
    const auto name = context.signal<std::string>("name");
    const auto decision = context.approval("decide", 24h);
    return *name + (decision.timed_out ? " undecided" : decision.approved ? " yes" : " no");
  });
  ASSERT_TRUE(w.start().ok());
  const auto patient = started("wait", nullptr);
  ASSERT_TRUE(eventually([&] { return patient.describe()->state == workflow::RunState::sleeping; }));
  EXPECT_TRUE(*patient.signal("name", std::string("ada"))) << "the run waited for it";
  EXPECT_EQ(*patient.result<std::string>(patience()), "ada undecided");

  const auto decided = started("wait", nullptr);
  ASSERT_TRUE(decided.signal("name", std::string("bob")).ok());
  ASSERT_TRUE(decided.signal("decide", true).ok());
  EXPECT_EQ(*decided.result<std::string>(patience()), "bob yes");
}

TEST_F(Workflows, AChildsResultAndAChildsFailureComeBackToItsParent) {
  auto w = worker();
  w.register_workflow("half", [](Context& context, int value) {
    context.sleep(1h);
    if (value % 2 != 0) throw std::runtime_error("odd");
    return value / 2;
  });
  w.register_workflow("parent", [](Context& context, int value) -> std::string {
    try {
      return std::to_string(context.child<int>("half it", "half", value));
    } catch (const workflow::ChildFailed& failure) {
      return std::string("child failed: ") + failure.what();
    }
  });
  ASSERT_TRUE(w.start().ok());
  EXPECT_EQ(*started("parent", 8).result<std::string>(patience()), "4");
  EXPECT_EQ(*started("parent", 7).result<std::string>(patience()), "child failed: odd");
}

Task<int> square(Context& context, int value) {
  co_return co_await context.async_step("square", [value] { return value * value; });
}

Task<int> sum_of_squares(Context& context, int count) {
  std::vector<Task<int>> squares;
  for (int i = 1; i <= count; ++i) squares.push_back(square(context, i));
  int sum = 0;
  for (const int value : co_await workflow::when_all(std::move(squares))) sum += value;
  co_await context.async_sleep("rest", 7 * 24h);
  co_return sum;
}

TEST_F(Workflows, ACoroutineFansOutAndIsReplayedAfterItsSleep) {
  auto w = worker();
  w.register_workflow("squares", sum_of_squares);
  ASSERT_TRUE(w.start().ok());
  const auto run = started("squares", 10);
  EXPECT_EQ(*run.result<int>(patience()), 385);
  const auto history = run.history();
  ASSERT_TRUE(history.ok());
  EXPECT_EQ(history->size(), 11U) << "ten steps once each, and the sleep";
}

TEST_F(Workflows, AStartWithTheSameExternalIdFindsTheUnfinishedRun) {
  auto client = server->client("q");
  const auto first = client.start("nobody", 1, {.external_id = "order-1"});
  const auto second = client.start("nobody", 2, {.external_id = "order-1"});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_FALSE(first->existed());
  EXPECT_TRUE(second->existed());
  EXPECT_EQ(first->run_id(), second->run_id());
  EXPECT_EQ(client.find("order-1")->run_id(), first->run_id());
  ASSERT_TRUE(first->cancel().ok());
  EXPECT_EQ(client.find("order-1").error().code, Code::not_found);
  EXPECT_EQ(first->result<>(5s).error().code, Code::conflict);
  EXPECT_FALSE(first->cancel().ok());
}

TEST_F(Workflows, ListsCanBeFilteredAndPaged) {
  auto client = server->client("q");
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(client.start("listed", i).ok());
  ASSERT_TRUE(client.start("other", 0).ok());
  std::size_t seen = 0;
  workflow::RunQuery query{.type = "listed", .page_size = 2};
  do {
    const auto page = client.list(query);
    ASSERT_TRUE(page.ok()) << page.error().text();
    seen += page->runs.size();
    query.page = page->next;
  } while (!query.page.empty());
  EXPECT_EQ(seen, 5U);
}

TEST_F(Workflows, AScheduleFiresOnSkippedTime) {
  auto w = worker();
  std::atomic<int> fires = 0;
  w.register_workflow("daily", [&](Context& context) { context.step("fire", [&] { ++fires; }); });
  ASSERT_TRUE(w.start().ok());
  auto client = server->client("q");
  const auto made = client.create_schedule({.timing = "0 3 * * *", .zone = "Europe/Berlin", .type = "daily"});
  ASSERT_TRUE(made.ok()) << made.error().text();
  EXPECT_TRUE(eventually([&] { return fires >= 3; }));
  EXPECT_TRUE(client.pause_schedule(made->spec.id).ok());
  const auto next = client.preview_schedule(made->spec.id, 2, server->now());
  ASSERT_TRUE(next.ok()) << next.error().text();
  ASSERT_EQ(next->size(), 2U);
  EXPECT_GE(next->at(1) - next->at(0), 23h);
}

// --- workers that come and go --------------------------------------------------------------------------------------

TEST_F(Workflows, AWorkerThatLosesItsLeaseStopsAndItsResultIsDropped) {
  Gate inside;
  std::atomic<bool> told = false;
  std::atomic<int> first_calls = 0;
  auto slow = worker("slow");
  slow.register_workflow("work", [&](Context& context) {
    return context.step("work", [&] {
      ++first_calls;
      inside.open();
      told = eventually([&] { return context.cancelled(); });
      return std::string("late");
    });
  });
  ASSERT_TRUE(slow.start().ok());
  const auto run = started("work", nullptr);
  ASSERT_TRUE(inside.wait());
  ASSERT_TRUE(run.cancel().ok());
  EXPECT_TRUE(eventually([&] { return slow.status().dropped == 1; }));
  EXPECT_TRUE(told) << "the heartbeat brought the news while the step was running";
  EXPECT_EQ(run.describe()->state, workflow::RunState::cancelled);
  EXPECT_EQ(first_calls, 1);
  EXPECT_EQ(slow.status().completed, 0U);
}

TEST_F(Workflows, ARunGoesOnWithAnotherWorkerWhenItsOwnIsHandedBackAtTheDeadline) {
  Gate inside;
  Gate over;
  std::atomic<int> one = 0;
  std::atomic<int> two = 0;
  const auto flow = [&](bool holds) {
    return [&, holds](Context& context) {
      context.step("one", [&] { ++one; });
      context.step("two", [&] {
        ++two;
        if (holds) {
          inside.open();
          eventually([&] { return context.cancelled(); });
        }
      });
      return std::string("done");
    };
  };
  auto first = worker("first");
  first.register_workflow("flow", flow(true));
  ASSERT_TRUE(first.start().ok());
  const auto run = started("flow", nullptr);
  ASSERT_TRUE(inside.wait());
  first.stop();
  ASSERT_TRUE(first.wait().ok());
  auto second = worker("second");
  second.register_workflow("flow", flow(false));
  ASSERT_TRUE(second.start().ok());
  EXPECT_EQ(*run.result<std::string>(patience()), "done");
  EXPECT_EQ(one, 1) << "remembered";
  EXPECT_EQ(two, 2) << "its first try was not recorded";
}

TEST_F(Workflows, ADrainLetsRunningWorkFinishAndTakesNoMore) {
  Gate inside;
  Gate go;
  auto w = worker();
  w.register_workflow("work", [&](Context& context) {
    context.step("work", [&] {
      inside.open();
      go.wait();
    });
    return 1;
  });
  ASSERT_TRUE(w.start().ok());
  const auto running = started("work", nullptr);
  ASSERT_TRUE(inside.wait());
  w.shutdown();
  const auto waiting = started("work", nullptr);
  go.open();
  ASSERT_TRUE(w.wait().ok());
  EXPECT_EQ(*running.result<int>(patience()), 1);
  EXPECT_EQ(waiting.describe()->state, workflow::RunState::pending);
  EXPECT_EQ(w.status().completed, 1U);
}

TEST_F(Workflows, AServerThatIsRestartedFindsItsWorkersAndRunsAgain) {
  Gate inside;
  Gate go;
  std::atomic<int> calls = 0;
  auto w = worker();
  w.register_workflow("work", [&](Context& context) {
    context.step("held", [&] {
      ++calls;
      inside.open();
      go.wait();
    });
    context.sleep(24h);
    return context.step("last", [] { return std::string("through"); });
  });
  ASSERT_TRUE(w.start().ok());
  const auto run = started("work", nullptr);
  ASSERT_TRUE(inside.wait());
  server->stop();
  go.open();  // the step ends while nobody can be told
  ASSERT_TRUE(server->start_again().ok());
  const auto result = run.result<std::string>(patience());
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(*result, "through");
  EXPECT_EQ(calls, 1) << "its end was told when the server was back";
}

TEST_F(Workflows, AWorkerThatWasGivenUpRegistersAgainAndGoesOn) {
  auto w = worker();
  w.register_workflow("work", [](Context&) { return 1; });
  ASSERT_TRUE(w.start().ok());
  ASSERT_EQ(*started("work", nullptr).result<int>(patience()), 1);
  server->advance(1h);  // nobody is heard of in this hour: the sweep buries the worker
  EXPECT_TRUE(eventually([&] { return w.status().registrations >= 2; }));
  EXPECT_EQ(*started("work", nullptr).result<int>(patience()), 1);
}

}  // namespace
}  // namespace muster::sdk::testkit
