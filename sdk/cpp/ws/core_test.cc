// A worker against a scheduler that says what it is told to: the session of both protocols, what is sent again and when, and
// which dispatch is run. Numbers in comments are those of the conformance cases.
#include "sdk/cpp/ws/core.h"

#include "sdk/cpp/ws/core_testing.h"

namespace muster::sdk::ws {
namespace {

using namespace std::chrono_literals;
using session::WorkerState;

struct CoreTest : testing::Test {
  void pass(Duration time) {
    for (Duration left = time; left > 0ms; left -= 50ms) {
      clock.advance(std::min<Duration>(left, 50ms));
      for (const Json& frame : scheduler.heard()) later.push_back(frame);
    }
  }
  int count(std::string_view type) {
    for (const Json& frame : scheduler.heard()) later.push_back(frame);
    int found = 0;
    for (const Json& frame : later) found += frame["type"] == type ? 1 : 0;
    return found;
  }

  ManualClock clock;
  TestCore worker{clock};
  ScriptedScheduler scheduler{worker};
  std::vector<Json> later;
};

TEST_F(CoreTest, HandshakesRegistersAndIsReadyWhenAccepted) {
  ASSERT_TRUE(scheduler.connect());
  EXPECT_EQ(worker.core.machine().state(), WorkerState::handshaking);
  const Json hello = scheduler.hear("control.handshake");
  EXPECT_EQ(hello["id"], "control.handshake-0");
  EXPECT_EQ(hello["sender"], (Json{{"role", "worker"}, {"id", kTestInstance}}));
  EXPECT_EQ(hello["payload"]["auth"], (Json{{"mode", "token"}, {"token", "dev-token"}}));
  EXPECT_EQ(hello["payload"]["worker"]["worker_instance_id"], kTestInstance);
  EXPECT_FALSE(hello.contains("session_seq"));
  scheduler.ack(hello);
  const Json registration = scheduler.hear("control.register");
  EXPECT_EQ(registration["payload"]["capabilities"]["concurrency"]["max_parallel"], 4);
  EXPECT_EQ(registration["payload"]["packages"][0]["status"], "installed");
  EXPECT_EQ(registration["payload"]["manifests"][0]["manifest"]["nodes"].size(), 3U);
  scheduler.ack(registration);
  EXPECT_EQ(worker.core.machine().state(), WorkerState::registered);
  scheduler.say(scheduler.accept());
  EXPECT_EQ(worker.core.machine().state(), WorkerState::ready);
}

TEST_F(CoreTest, RunsATaskAndSaysHowItEnded) {
  scheduler.let_in();
  scheduler.say(scheduler.dispatch("n1", 1));
  const Json ack = scheduler.hear("control.ack");
  EXPECT_EQ(ack["corr"], "n1");
  EXPECT_EQ(ack["seq"], 1);
  EXPECT_EQ(ack["payload"]["ack_seq"], 1);
  ASSERT_EQ(worker.host.begun.size(), 1U);
  EXPECT_EQ(worker.host.begun[0].task.parameters, (Json{{"m", "hi"}}));
  EXPECT_TRUE(worker.core.feedback("n1", R"({"run_id":"run-1","task_id":"n1","progress":0.5})", worker.now()));
  const Json feedback = scheduler.hear("biz.exec.feedback");
  EXPECT_EQ(feedback["session_seq"], 1);
  EXPECT_EQ(feedback["corr"], "n1");
  clock.advance(7ms);
  worker.finish(worker.host.begun[0]);
  const Json result = scheduler.hear("biz.exec.result");
  EXPECT_EQ(result["session_seq"], 2);
  EXPECT_EQ(result["corr"], worker.host.begun[0].task.dispatch_id);
  EXPECT_EQ(result["seq"], 1);
  EXPECT_EQ(result["ack"], (Json{{"request", true}}));
  EXPECT_EQ(result["payload"]["status"], "SUCCEEDED");
  EXPECT_EQ(result["payload"]["duration_ms"], 7);
  EXPECT_EQ(result["payload"]["metadata"]["concurrency_key"], "run-1:n1");
  EXPECT_NE(worker.metrics.text().find("task_duration_ms_bucket{node_type=\"demo.echo\""), std::string::npos);
}

TEST_F(CoreTest, Case57AFreshAcceptStartsBothWindowsAtZeroAndLosesNothing) {
  scheduler.let_in();
  scheduler.say(scheduler.dispatch("n1", 1));
  worker.finish(worker.host.begun[0]);
  EXPECT_EQ(scheduler.hear("biz.exec.result")["session_seq"], 1);
  scheduler.say(scheduler.dispatch("n2", 2));
  worker.finish(worker.host.begun[1]);
  scheduler.ack(scheduler.hear("biz.exec.result"), 1);  // the first has arrived, the second has not
  scheduler.cut();
  ASSERT_TRUE(scheduler.connect());
  scheduler.ack(scheduler.hear("control.resume"));
  scheduler.say(scheduler.accept(false));
  const Json again = scheduler.hear("biz.exec.result");
  EXPECT_EQ(again["session_seq"], 1) << "numbers begin anew";
  EXPECT_EQ(again["payload"]["task_id"], "n2");
  EXPECT_FALSE(scheduler.hears("biz.exec.result")) << "what was acknowledged is not sent again";
  EXPECT_EQ(worker.core.machine().channel().last_seen(), 0U);
  scheduler.say(scheduler.dispatch("n3", 1));
  EXPECT_EQ(worker.host.begun.size(), 3U) << "the scheduler's numbers begin anew as well";
}

TEST_F(CoreTest, Case58AnAckByThePayloadAloneResolves) {
  ASSERT_TRUE(scheduler.connect());
  scheduler.ack(scheduler.hear("control.handshake"), {}, false);
  scheduler.ack(scheduler.hear("control.register"), {}, false);
  scheduler.say(scheduler.accept());
  EXPECT_TRUE(worker.core.machine().is_ready());
}

TEST_F(CoreTest, Case60SixResendsWithoutAckEndTheConnectionAndTheNumberIsSentAfterTheResume) {
  scheduler.let_in();
  scheduler.say(scheduler.dispatch("n1", 1));
  worker.finish(worker.host.begun[0]);
  const Json first = scheduler.hear("biz.exec.result");
  pass(25s);
  int resends = 0;
  for (const Json& frame : later)
    if (frame["type"] == "biz.exec.result") {
      EXPECT_EQ(frame, first) << "byte for byte";
      ++resends;
    }
  EXPECT_EQ(resends, 6);
  EXPECT_TRUE(scheduler.is_closed());
  ASSERT_TRUE(scheduler.connect());
  scheduler.ack(scheduler.hear("control.resume"));
  scheduler.say(scheduler.accept(true));
  EXPECT_EQ(scheduler.hear("biz.exec.result"), first) << "no hole";
  scheduler.say(scheduler.dispatch("n2", 2));
  worker.finish(worker.host.begun[1]);
  EXPECT_EQ(scheduler.hear("biz.exec.result")["session_seq"], 2);
}

TEST_F(CoreTest, Case61AClose1012IsFollowedByAHandshake) {
  scheduler.let_in();
  scheduler.close(1012, "service restart");
  ASSERT_TRUE(scheduler.connect());
  EXPECT_TRUE(scheduler.hears("control.handshake"));
  EXPECT_FALSE(scheduler.hears("control.resume"));
}

TEST_F(CoreTest, AnyOtherCloseIsFollowedByAResumeFromTheLastNumberSeen) {
  scheduler.let_in();
  scheduler.say(scheduler.dispatch("n1", 1));
  scheduler.close(1001, "");
  ASSERT_TRUE(scheduler.connect()) << "at once";
  const Json resume = scheduler.hear("control.resume");
  EXPECT_EQ(resume["payload"], (Json{{"session_id", "s1"}, {"session_token", "t1"}, {"last_seen_seq", 1}}));
}

TEST_F(CoreTest, ResultsMadeOfflineArriveAfterTheResumeInOrderWithoutHoles) {
  scheduler.let_in();
  for (std::uint64_t n = 1; n <= 3; ++n) scheduler.say(scheduler.dispatch("n" + std::to_string(n), n));
  scheduler.cut();
  for (const Begun& begun : std::vector<Begun>(worker.host.begun)) worker.finish(begun);
  EXPECT_EQ(worker.core.machine().unacknowledged(), 3U);
  ASSERT_TRUE(scheduler.connect());
  scheduler.ack(scheduler.hear("control.resume"));
  EXPECT_FALSE(scheduler.hears("biz.exec.result")) << "not before the accept";
  scheduler.say(scheduler.accept(true));
  for (std::uint64_t n = 1; n <= 3; ++n) {
    const Json result = scheduler.hear("biz.exec.result");
    EXPECT_EQ(result["session_seq"], n);
    EXPECT_EQ(result["payload"]["task_id"], "n" + std::to_string(n));
    scheduler.ack(result, n);
  }
  EXPECT_EQ(worker.core.machine().unacknowledged(), 0U);
}

TEST_F(CoreTest, AResumeThatNobodyAcceptsBecomesAHandshakeOnTheSameConnection) {
  scheduler.let_in();
  scheduler.cut();
  ASSERT_TRUE(scheduler.connect());
  scheduler.ack(scheduler.hear("control.resume"));
  pass(10s + 100ms);
  EXPECT_EQ(count("control.handshake"), 1);
  EXPECT_FALSE(scheduler.is_closed());
}

TEST_F(CoreTest, AResetForgetsTheSessionAndBeginsAnew) {
  scheduler.let_in();
  scheduler.say(scheduler.frame("control.reset", {{"code", "E.SESSION.UNKNOWN"}, {"reason", "Unknown session"}}));
  EXPECT_TRUE(scheduler.is_closed());
  EXPECT_FALSE(worker.core.machine().has_session());
  ASSERT_TRUE(scheduler.connect());
  EXPECT_TRUE(scheduler.hears("control.handshake"));
  EXPECT_FALSE(worker.core.refusal());
}

TEST_F(CoreTest, ARefusedTokenIsTheEnd) {
  ASSERT_TRUE(scheduler.connect());
  scheduler.say(scheduler.frame("control.reset", {{"code", "E.AUTH.INVALID_TOKEN"}, {"reason", "no"}}));
  ASSERT_TRUE(worker.core.refusal());
  EXPECT_EQ(worker.core.refusal()->code(), muster::Code::unauthenticated);
  clock.advance(60s);
  EXPECT_FALSE(scheduler.connect());
}

TEST_F(CoreTest, WhatIsSaidTogetherWithAGoodbyeCounts) {
  ASSERT_TRUE(scheduler.connect());
  scheduler.heard();
  scheduler.say_and_close(scheduler.frame("control.reset", {{"code", "E.AUTH.INVALID_TOKEN"}, {"reason", "no"}}), 1011, "no");
  EXPECT_TRUE(worker.core.refusal());
}

TEST_F(CoreTest, ReconnectsAtOnceThenAfterOneTwoFourSecondsUpToThirty) {
  Machine& machine = worker.core.machine();
  ASSERT_TRUE(machine.wants_connection(worker.now())) << "the first try is immediate";
  Duration around = 1s;
  for (int tries = 0; tries < 9; ++tries) {
    tries % 2 == 0 ? machine.connect_failed("nobody there", worker.now()) : scheduler.refuse_upgrade(503);
    const Ticks wait = *machine.next_due() - worker.now().ticks;
    EXPECT_GE(wait, around * 8 / 10);
    EXPECT_LE(wait, around * 12 / 10);
    clock.advance(std::chrono::ceil<Duration>(wait) - 1ms);
    EXPECT_FALSE(machine.wants_connection(worker.now()));
    clock.advance(1ms);
    EXPECT_TRUE(machine.wants_connection(worker.now()));
    around = std::min<Duration>(around * 2, 30s);
  }
}

TEST_F(CoreTest, SessionsThatAreTakenAwayAtOnceAreNotTakenBackInAHotLoop) {
  scheduler.let_in();
  scheduler.close(1011, "superseded session");
  ASSERT_TRUE(scheduler.connect());
  scheduler.ack(scheduler.hear("control.resume"));
  scheduler.say(scheduler.accept(true));
  scheduler.close(1011, "superseded session");
  EXPECT_FALSE(scheduler.connect());
  clock.advance(1200ms);
  EXPECT_TRUE(scheduler.connect());
}

TEST_F(CoreTest, BeatsEveryThirtySecondsAndALittleWithWhatTheMachineTells) {
  scheduler.let_in();
  pass(29s);
  EXPECT_EQ(count("control.heartbeat"), 0);
  pass(7s);
  ASSERT_EQ(count("control.heartbeat"), 1);
  const auto at = std::find_if(later.begin(), later.end(), [](const Json& f) { return f["type"] == "control.heartbeat"; });
  const Json metrics = (*at)["payload"]["metrics"];
  EXPECT_EQ((*at)["payload"]["healthy"], true);
  for (const char* name : {"cpu_pct", "mem_pct", "disk_pct", "inflight", "resource_handles", "resource_bytes", "pending_acks",
                           "send_inflight", "last_recv_ms", "recv_base_seq", "recv_buffer"})
    EXPECT_TRUE(metrics[name].is_number()) << name;
  EXPECT_EQ(metrics["conn_state"], "connected");
  EXPECT_NE(worker.metrics.text().find("heartbeat_sent_total 1"), std::string::npos);
  EXPECT_NE(worker.metrics.text().find("heartbeat_degraded_total 0"), std::string::npos);
}

TEST_F(CoreTest, ADispatchThatComesAgainRunsOnce) {
  scheduler.let_in();
  scheduler.say(scheduler.dispatch("n1", 1));
  Json repeat = scheduler.dispatch("n1", 2);
  repeat["seq"] = 1;
  scheduler.say(repeat);
  const Json violation = scheduler.hear("biz.exec.error");
  EXPECT_EQ(violation["payload"]["code"], "E.CMD.CONCURRENCY_VIOLATION");
  EXPECT_EQ(violation["payload"]["context"]["where"], "worker.concurrency");
  EXPECT_EQ(violation["payload"]["context"]["details"]["task_id"], "n1");
  worker.finish(worker.host.begun[0], Outcome::succeeded({{"n", 5}}));
  scheduler.ack(scheduler.hear("biz.exec.result"), 2);
  repeat = scheduler.dispatch("n1", 3);
  repeat["seq"] = 1;
  scheduler.say(repeat);
  const Json remembered = scheduler.hear("biz.exec.result");
  EXPECT_EQ(remembered["payload"]["result"], (Json{{"n", 5}}));
  EXPECT_EQ(remembered["corr"], repeat["id"]);
  EXPECT_EQ(worker.host.begun.size(), 1U);
}

TEST_F(CoreTest, AFailedTaskThatIsDispatchedAgainIsTriedAgain) {
  scheduler.let_in();
  scheduler.say(scheduler.dispatch("n1", 1));
  worker.finish(worker.host.begun[0], Outcome::failed("E.RUNNER.FAILURE", "no"));
  Json retry = scheduler.dispatch("n1", 2);
  retry["seq"] = 1;
  scheduler.say(retry);
  EXPECT_EQ(worker.host.begun.size(), 2U);
}

TEST_F(CoreTest, ATaskWhoseTimeIsOverIsReportedOnceAndItsSuccessorWaitsForTheHandler) {
  scheduler.let_in();
  Json slow = scheduler.dispatch("n1", 1);
  slow["payload"]["constraints"]["timeout_ms"] = 1'000;
  scheduler.say(slow);
  clock.advance(1s);
  EXPECT_EQ(scheduler.hear("biz.exec.error")["payload"]["code"], "E.TIMEOUT");
  EXPECT_EQ(worker.host.cancelled, std::vector<Execution>{worker.host.begun[0].execution});
  Json retry = scheduler.dispatch("n1", 2);
  scheduler.say(retry);
  EXPECT_EQ(worker.host.begun.size(), 1U) << "the handler has not returned";
  worker.finish(worker.host.begun[0]);
  EXPECT_FALSE(scheduler.hears("biz.exec.result")) << "its outcome was told already";
  EXPECT_EQ(worker.host.begun.size(), 2U);
}

TEST_F(CoreTest, ATaskWithoutItsResourceIsRefused) {
  ASSERT_TRUE(worker.registry.add({.resource_id = "r1", .type = "file", .scope = "", .path = "/x", .size_bytes = 3}).ok());
  scheduler.let_in();
  Json with = scheduler.dispatch("n1", 1);
  with["payload"]["resource_refs"] = {{{"resource_id", "r1"}, {"worker_name", "test-worker"}, {"type", "file"}}};
  scheduler.say(with);
  ASSERT_EQ(worker.host.begun.size(), 1U);
  ASSERT_EQ(worker.host.begun[0].resources.size(), 1U);
  Json elsewhere = scheduler.dispatch("n2", 2);
  elsewhere["payload"]["resource_refs"] = {{{"resource_id", "r1"}, {"worker_name", "other"}, {"type", "file"}}};
  scheduler.say(elsewhere);
  const Json error = scheduler.hear("biz.exec.error");
  EXPECT_EQ(error["payload"]["code"], "E.RESOURCE.MISSING");
  EXPECT_EQ(error["payload"]["context"]["where"], "worker.resources");
}

TEST_F(CoreTest, WhatCannotBeRunIsRefusedInWords) {
  scheduler.let_in();
  scheduler.say(scheduler.dispatch("n1", 1, "nobody.has.it"));
  EXPECT_EQ(scheduler.hear("biz.exec.error")["payload"]["code"], "E.RUNNER.FAILURE");
  Json broken = scheduler.dispatch("n2", 2);
  broken["payload"]["parameters"] = "text";
  scheduler.say(broken);
  const Json error = scheduler.hear("biz.exec.error");
  EXPECT_NE(error["payload"]["message"].get<std::string>().find("'parameters' must be an object"), std::string::npos);
  EXPECT_TRUE(worker.host.begun.empty());
}

TEST_F(CoreTest, FramesThatAreNoneAreDroppedAndTheSessionGoesOn) {
  scheduler.let_in();
  Json strange = scheduler.dispatch("n1", 1);
  strange["surprise"] = 1;
  scheduler.say(strange);
  scheduler.say(Json::array());
  EXPECT_TRUE(worker.host.begun.empty());
  scheduler.say(scheduler.dispatch("n1", 1));
  EXPECT_EQ(worker.host.begun.size(), 1U) << "its number was not used up";
}

TEST_F(CoreTest, OutOfOrderDispatchesWaitAndAHoleIsSkippedAfterAWhile) {
  scheduler.let_in();
  scheduler.say(scheduler.dispatch("n3", 3));
  EXPECT_EQ(scheduler.hear("control.ack")["payload"]["ack_bitmap"], 4);
  EXPECT_TRUE(worker.host.begun.empty());
  pass(18s);
  ASSERT_EQ(worker.host.begun.size(), 1U) << "the original scheduler never sends 1 and 2 again";
  EXPECT_EQ(worker.core.machine().channel().last_seen(), 3U);
}

TEST_F(CoreTest, ANextRequestFindsItsTaskAgain) {
  scheduler.let_in();
  Json loop = scheduler.dispatch("mw", 1, "demo.loop");
  loop["payload"].update({{"host_node_id", "host"}, {"middleware_chain", {"mw"}}, {"chain_index", 0}});
  scheduler.say(loop);
  worker.core.next(worker.host.begun[0].execution, {.request_id = "next-1", .payload = {{"i", 1}}, .timeout = 2s}, worker.now());
  const Json asked = scheduler.hear("biz.exec.next.request");
  EXPECT_EQ(asked["payload"], (Json{{"requestId", "next-1"},
                                    {"runId", "run-1"},
                                    {"nodeId", "mw"},
                                    {"middlewareId", "mw"},
                                    {"chainIndex", 0},
                                    {"payload", {{"i", 1}}},
                                    {"timeoutMs", 2000}}));
  Json answer = scheduler.frame(
      "biz.exec.next.response",
      {{"requestId", "next-1"}, {"runId", "run-1"}, {"nodeId", "mw"}, {"middlewareId", "mw"}, {"result", {{"ok", 1}}}});
  answer["session_seq"] = 2;
  scheduler.say(answer);
  ASSERT_EQ(worker.host.answers.size(), 1U);
  EXPECT_EQ(worker.host.answers[0].second.reply.result, (Json{{"ok", 1}}));
}

TEST_F(CoreTest, ADrainFinishesWhatRunsHandsBackWhatWaitsAndSaysGoodbye) {
  scheduler.let_in();
  for (std::uint64_t n = 1; n <= 5; ++n) scheduler.say(scheduler.dispatch("n" + std::to_string(n), n));
  ASSERT_EQ(worker.host.begun.size(), 4U) << "max_parallel";
  worker.core.drain(worker.now().ticks + 30s, worker.now());
  const Json back = scheduler.hear("biz.exec.error");
  EXPECT_EQ(back["payload"]["code"], "E.RUNNER.CANCELLED");
  EXPECT_EQ(back["payload"]["context"]["details"]["task_id"], "n5");
  scheduler.ack(back, 1);
  for (std::uint64_t n = 0; n < 4; ++n) {
    worker.finish(worker.host.begun[n]);
    EXPECT_FALSE(scheduler.is_closed());
    scheduler.ack(scheduler.hear("biz.exec.result"), n + 2);
  }
  EXPECT_FALSE(scheduler.is_closed()) << "the scheduler may still dispatch";
  EXPECT_EQ(worker.core.machine().state(), WorkerState::draining);
}

TEST_F(CoreTest, ADrainTellsTheSchedulerFirstAndEndsWhenItKnows) {
  scheduler.let_in();
  worker.core.drain(worker.now().ticks + 30s, worker.now());
  const Json retirement = scheduler.hear("control.register");
  EXPECT_EQ(retirement["payload"]["packages"], Json::array());
  scheduler.say(scheduler.dispatch("n1", 1));
  EXPECT_EQ(scheduler.hear("biz.exec.error")["payload"]["code"], "E.RUNNER.CANCELLED");
  EXPECT_TRUE(worker.host.begun.empty());
  scheduler.ack(retirement, 1);
  scheduler.heard();
  EXPECT_TRUE(worker.core.is_over());
  EXPECT_EQ(worker.core.machine().state(), WorkerState::closed);
}

TEST_F(CoreTest, AtTheDeadlineOfADrainRunningTasksAreHandedBack) {
  scheduler.let_in();
  scheduler.say(scheduler.dispatch("n1", 1));
  worker.core.drain(worker.now().ticks + 1s, worker.now());
  scheduler.ack(scheduler.hear("control.register"));
  clock.advance(1s);
  const Json back = scheduler.hear("biz.exec.error");
  EXPECT_EQ(back["payload"]["code"], "E.RUNNER.CANCELLED");
  EXPECT_EQ(worker.host.cancelled.size(), 1U);
  scheduler.ack(back, 1);
  scheduler.heard();
  EXPECT_TRUE(worker.core.is_over());
  EXPECT_EQ(worker.core.counts().abandoned, 1U);
}

TEST_F(CoreTest, FeedbackIsLeftOutWhenMuchWaitsAndOutcomesNeverAre) {
  scheduler.let_in();
  scheduler.say(scheduler.dispatch("n1", 1));
  scheduler.cut();
  int taken = 0;
  while (worker.core.feedback("n1", R"({"run_id":"run-1","task_id":"n1"})", worker.now())) ++taken;
  EXPECT_EQ(taken, static_cast<int>(kFeedbackWaitingFramesMax));
  worker.finish(worker.host.begun[0]);
  EXPECT_EQ(worker.core.machine().unacknowledged(), kFeedbackWaitingFramesMax + 1);
}

// --- protocol 1 ---

struct CoreV1Test : CoreTest {
  CoreV1Test() : v1(clock, test_options(session::Protocol::v1)), script(v1) {}
  void let_in() {
    ASSERT_TRUE(script.connect());
    script.ack(script.hear("handshake"));
    script.ack(script.hear("register"));
    ASSERT_TRUE(v1.core.machine().is_ready());
  }
  Json dispatch(std::string task) {
    Json out = script.dispatch(std::move(task), 1);
    out["type"] = "cmd.dispatch";
    out.erase("session_seq");
    return out;
  }
  TestCore v1;
  ScriptedScheduler script;
};

TEST_F(CoreV1Test, HandshakesRegistersBeatsAndRunsATask) {
  let_in();
  EXPECT_TRUE(script.hears("heartbeat")) << "at once";
  const Json asked = dispatch("n1");
  script.say(asked);
  const Json ack = script.hear("ack");
  EXPECT_EQ(ack["ack"], (Json{{"for", asked["id"]}}));
  EXPECT_EQ(ack["payload"], (Json{{"ok", true}, {"for", asked["id"]}}));
  script.say(asked);
  EXPECT_EQ(v1.host.begun.size(), 1U) << "a repeat is acknowledged and not run";
  v1.finish(v1.host.begun[0]);
  const Json result = script.hear("result");
  EXPECT_FALSE(result.contains("session_seq"));
  EXPECT_EQ(result["seq"], 1);
  script.ack(result);
  EXPECT_EQ(v1.core.machine().unacknowledged(), 0U);
}

TEST_F(CoreV1Test, Case58AnAckByThePayloadAloneResolves) {
  ASSERT_TRUE(script.connect());
  script.ack(script.hear("handshake"), {}, false);
  script.ack(script.hear("register"), {}, false);
  EXPECT_TRUE(v1.core.machine().is_ready());
}

TEST_F(CoreV1Test, ResultsMadeOfflineArriveAfterTheNextHandshake) {
  let_in();
  script.say(dispatch("n1"));
  script.cut();
  v1.finish(v1.host.begun[0]);
  let_in();
  const Json result = script.hear("result");
  EXPECT_EQ(result["payload"]["task_id"], "n1");
  script.ack(result);
  EXPECT_EQ(v1.core.machine().unacknowledged(), 0U);
}

TEST_F(CoreV1Test, ResultsAreSentAgainUntilTheyAreAcknowledged) {
  let_in();
  script.say(dispatch("n1"));
  v1.finish(v1.host.begun[0]);
  const Json first = script.hear("result");
  clock.advance(240ms);
  EXPECT_EQ(script.hear("result"), first);
}

}  // namespace
}  // namespace muster::sdk::ws
