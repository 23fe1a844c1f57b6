// How a worker's health shows and what follows from it, on a clock that the test moves: missed beats grade it until it is lost
// and its tasks go to another one; load drains it, and it works again when that has fallen.
#include <optional>
#include <string>

#include "command/namespaces.h"
#include "command/workers.h"
#include "fronts/ws/front_testing.h"

namespace muster::ws {
namespace {

using namespace std::chrono_literals;

constexpr const char* kOther = "b0000000-0000-4000-8000-000000000002";

Json beat_frame(Json metrics_told) {
  metrics_told["inflight"] = 0;
  return v2_frame("control.heartbeat", {{"healthy", true}, {"metrics", std::move(metrics_told)}}, "control.heartbeat-9", false);
}

class HealthTest : public FrontTest {
 protected:
  // Before start().
  void load_limits(engine::Options options) {
    engine->stop();
    engine = std::make_unique<engine::Engine>(*store, clock, metrics, std::move(options));
  }
  muster::Worker row(std::string instance = kInstance, std::string ns = "default") {
    const command::WorkerGetRequest who{NamespaceName(std::move(ns)), WorkerId(std::move(instance))};
    const auto found = ask<muster::Worker>([&](auto reply) { door->run(command::itself(), who, std::move(reply)); });
    EXPECT_TRUE(found.ok()) << found.status().text();
    return *found;
  }
  // Time passes for a server that is awake: it counts nobody's silence while it sleeps itself.
  void live(Duration time) {
    constexpr Duration kStep{200};
    for (Duration left = time; left > Duration::zero(); left -= kStep) {
      pass(std::min(left, kStep));
      engine->tick();
      row();  // answered when the passes before it are done
    }
  }
  Health health() { return grade(row(), clock.now()); }
  int missed(const std::string& instance = kInstance) {
    const std::string text = metrics.text();
    const std::string name = "ws_heartbeat_miss_total{tenant=\"default\",worker=\"" + instance + "\"} ";
    const std::size_t at = text.find(name);
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + name.size()));
  }
  // A worker of its own name, as `tenant`.
  std::unique_ptr<TestSocket> join_as(const std::string& instance, const std::string& tenant = "default") {
    const auto own = [&](Json frame) {
      frame["sender"]["id"] = instance;
      frame["tenant"] = tenant;
      return frame;
    };
    auto socket = std::make_unique<TestSocket>(loop, *front);
    Json hello = own(v2_handshake());
    hello["payload"]["worker"]["worker_instance_id"] = instance;
    socket->say(hello);
    socket->hear("control.ack");
    socket->say(own(v2_frame("control.register", registration_payload(), "control.register-1")));
    socket->hear("control.session.accept");
    return socket;
  }
  void say_load(TestSocket& socket, Json metrics_told) {
    clock.advance(1ms);  // so that it shows when the beat was taken
    socket.say(beat_frame(std::move(metrics_told)));
    ASSERT_TRUE(eventually([this] { return row().last_seen_at == clock.now(); }));
  }
  bool becomes(WorkerState state) {
    return eventually([&] { return row().state == state; });
  }
};

TEST_F(HealthTest, MissedBeatsGradeAWorkerUntilItIsLostAndItsTaskGoesToAnother) {
  start();
  const auto silent = join_v2();
  const JobId id = submit();
  silent->say(ack_of(silent->hear("biz.exec.dispatch"), 1));
  const auto other = join_as(kOther);
  // One worker says nothing but answers to pings, the other one beats.
  auto until = [&, passed = Duration::zero()](Duration time) mutable {
    while (passed < time) {
      const Duration step = std::min<Duration>(time - passed, 5s);
      live(step);
      passed += step;
      silent->heard("nothing");
      other->heard("nothing");
      Json beat = beat_frame({});
      beat["sender"]["id"] = kOther;
      other->say(beat);
      ASSERT_TRUE(eventually([&] { return row(kOther).last_seen_at == clock.now(); }));
    }
  };
  until(39s);
  EXPECT_EQ(health(), Health::healthy);
  EXPECT_EQ(missed(), 0);
  until(41s);
  EXPECT_EQ(health(), Health::warn);
  EXPECT_EQ(missed(), 1);
  until(76s);
  EXPECT_EQ(health(), Health::degraded);
  EXPECT_EQ(missed(), 2);
  EXPECT_EQ(job(id).worker, WorkerId(kInstance)) << "what is late is not lost";
  EXPECT_FALSE(other->heard("biz.exec.dispatch"));
  until(111s);
  EXPECT_EQ(missed(), 3);
  // A server that was busy for a moment did not listen in it, and gives that much longer.
  for (Duration more = 112s; more < 130s && row().state != WorkerState::offline; more += 1s) until(more);
  EXPECT_EQ(row().state, WorkerState::offline);
  EXPECT_EQ(health(), Health::unhealthy);
  EXPECT_EQ(row().offline_cause, "silent");
  const Json again = other->hear("biz.exec.dispatch");
  EXPECT_EQ(again["payload"]["task_id"], job(id).id.text());
  EXPECT_EQ(job(id).worker, WorkerId(kOther));
  EXPECT_EQ(job(id).rescues, 1u);
  EXPECT_EQ(missed(kOther), 0);
}

TEST_F(HealthTest, MemoryAtNinetyOrDiskAtNinetyFiveDrainsTheInstance) {  // 54
  start();
  const auto socket = join_v2();
  say_load(*socket, {{"mem_pct", 89.9}, {"disk_pct", 94.9}});
  EXPECT_EQ(row().state, WorkerState::online);
  for (const auto& [told, reason] :
       {std::pair(Json{{"mem_pct", 90}}, "memory 90 %"), std::pair(Json{{"disk_pct", 95}}, "disk 95 %")}) {
    say_load(*socket, told);
    EXPECT_EQ(socket->hear("control.drain")["payload"], (Json{{"reason", reason}}));
    EXPECT_EQ(row().state, WorkerState::draining);
    EXPECT_EQ(row().drain_reason, reason);
    for (int i = 0; i < 3; ++i) say_load(*socket, {{"mem_pct", 20}, {"disk_pct", 20}});
    EXPECT_TRUE(becomes(WorkerState::online));
  }
}

TEST_F(HealthTest, WhatRunsFinishesWhileLoadDrainsAndNewWorkComesWhenItHasFallen) {
  start();
  const auto socket = join_v2(2);
  const JobId first = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(ack_of(dispatch, 1));
  say_load(*socket, {{"mem_pct", 93}});
  socket->hear("control.drain");
  const JobId second = submit();
  for (int i = 0; i < 6; ++i) {  // no deadline hands anything back
    live(10s);
    say_load(*socket, {{"mem_pct", 93}});
  }
  EXPECT_EQ(job(first).state, JobState::running);
  Json result = v2_frame("biz.exec.result",
                         {{"run_id", dispatch["payload"]["run_id"]},
                          {"task_id", dispatch["payload"]["task_id"]},
                          {"status", "SUCCEEDED"},
                          {"result", {{"x", 1}}},
                          {"duration_ms", 0},
                          {"metadata", {{"concurrency_key", "k"}, {"constraints", Json::object()}}}},
                         "biz.exec.result-1");
  result["session_seq"] = 1;
  socket->say(result);
  EXPECT_TRUE(ends(first, JobState::completed));
  EXPECT_EQ(job(second).state, JobState::ready);
  EXPECT_FALSE(socket->heard("biz.exec.dispatch"));
  for (int i = 0; i < 2; ++i) say_load(*socket, {{"mem_pct", 84}});
  EXPECT_EQ(row().state, WorkerState::draining);
  say_load(*socket, {{"mem_pct", 84}});
  EXPECT_EQ(socket->hear("biz.exec.dispatch")["payload"]["task_id"], second.text());
}

TEST_F(HealthTest, ATenantMayHaveThresholdsOfItsOwn) {
  engine::Options options;
  options.load_by_namespace["small"] = {.mem_pct = 50};
  load_limits(options);
  start();
  ASSERT_TRUE(ask<NamespaceInfo>([&](auto reply) {
                door->run(command::itself(), command::NamespaceCreateRequest{.name = NamespaceName("small"), .description = {}},
                          std::move(reply));
              }).ok());
  const auto usual = join_v2();
  const auto small = join_as(kOther, "small");
  say_load(*usual, {{"mem_pct", 60}});
  EXPECT_EQ(row().state, WorkerState::online);
  Json beat = beat_frame({{"mem_pct", 60}});
  beat["tenant"] = "small";
  beat["sender"]["id"] = kOther;
  small->say(beat);
  EXPECT_EQ(small->hear("control.drain")["payload"]["reason"], "memory 60 %");
  EXPECT_EQ(row(kOther, "small").state, WorkerState::draining);
}

TEST_F(HealthTest, AnOperatorsResumeGivesWorkAtOnce) {
  start();
  const auto socket = join_v2();
  say_load(*socket, {{"mem_pct", 93}});
  socket->hear("control.drain");
  const JobId id = submit();
  const store::Resume resume{.ns = NamespaceName("default"), .worker = WorkerId(kInstance)};
  ASSERT_TRUE(ask<muster::Worker>([&](auto reply) { door->run(command::itself(), resume, std::move(reply)); }).ok());
  EXPECT_EQ(socket->hear("biz.exec.dispatch")["payload"]["task_id"], id.text());
  say_load(*socket, {{"mem_pct", 99}});
  EXPECT_EQ(row().state, WorkerState::online) << "load has no say until it has fallen";
}

TEST_F(HealthTest, ABeatThatTellsMuchStillTellsItsLoad) {
  start();
  const auto socket = join_v2();
  say_load(*socket, {{"mem_pct", 93}, {"much", std::string(20'000, 'x')}});
  EXPECT_EQ(socket->hear("control.drain")["payload"]["reason"], "memory 93 %");
}

}  // namespace
}  // namespace muster::ws
