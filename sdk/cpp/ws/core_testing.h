// A worker's core for tests: handlers are the test's own, time is a ManualClock, and the scheduler at the other end is either a
// script (ScriptedScheduler) or the real front (pair_test.cc).
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "sdk/cpp/ws/core.h"
#include "websocket/peer.h"

namespace muster::sdk::ws {

inline constexpr const char* kTestInstance = "0b0e7c1c-5c0a-4a52-9a5e-2f6d0a1b2c3d";

struct Begun {
  Execution execution = 0;
  TaskInfo task;
  std::vector<Resource> resources;
};

class TestHost final : public HandlerHost {
 public:
  void begin(Execution execution, const TaskInfo& task, std::vector<Resource> resources) override {
    begun.push_back({execution, task, std::move(resources)});
  }
  void cancel(Execution execution) override { cancelled.push_back(execution); }
  void answer(Execution execution, NextAnswer answer) override { answers.emplace_back(execution, std::move(answer)); }
  void fail_nexts() override { ++nexts_failed; }

  std::vector<Begun> begun;
  std::vector<Execution> cancelled;
  std::vector<std::pair<Execution, NextAnswer>> answers;
  int nexts_failed = 0;
};

CoreOptions test_options(session::Protocol protocol = session::Protocol::v2);

struct TestCore {
  explicit TestCore(ManualClock& time, CoreOptions options = test_options())
      : clock(time), core(std::move(options), registry, metrics, host) {}

  Moment now() const { return moment_of(clock); }
  void work() { core.work(now()); }
  void finish(const Begun& begun, Outcome outcome = Outcome::succeeded({{"x", 1}})) {
    core.ended(begun.execution, {.outcome = std::move(outcome), .thrown = {}}, now());
    work();
  }

  ManualClock& clock;
  Metrics metrics;
  ResourceRegistry registry;
  TestHost host;
  Core core;
};

// Method and headers of an upgrade, as whoever read it would lend them.
struct AskedUpgrade {
  std::string method;
  std::vector<std::pair<std::string, std::string>> headers;  // lower-case names
};
AskedUpgrade read_upgrade(std::string_view request);

// A scheduler that says what the test tells it to, over real WebSocket bytes.
class ScriptedScheduler {
 public:
  explicit ScriptedScheduler(TestCore& worker) : worker_(worker) {}

  // Whether the worker wants a connection now; if so it is made.
  bool connect();
  // Refuses the upgrade with this status.
  void refuse_upgrade(unsigned status);
  // Everything the worker has said since the last call.
  std::vector<Json> heard();
  // The next frame of this type among what was heard and is heard now; fails the test when there is none.
  Json hear(std::string_view type);
  bool hears(std::string_view type);

  void say(const Json& frame);
  void close(int code, std::string_view reason);
  // Both reach the worker in one read.
  void say_and_close(const Json& frame, int code, std::string_view reason);
  void cut();
  bool is_closed() const { return closed_; }

  Json frame(std::string_view type, Json payload) const;
  void ack(const Json& frame, std::optional<std::uint64_t> ack_seq = {}, bool in_envelope = true);
  Json accept(bool resumed = false) const;
  Json dispatch(std::string task, std::uint64_t number, std::string node_type = "demo.echo") const;

  // handshake, register and accept, acknowledged.
  void let_in();

 private:
  void look();

  TestCore& worker_;
  std::optional<websocket::Peer> peer_;
  std::deque<Json> frames_;
  bool closed_ = false;
  mutable std::uint64_t ids_ = 0;
};

}  // namespace muster::sdk::ws
