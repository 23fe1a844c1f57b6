// The conformance cases of AstraFlow's wires that are the front's: what is said to a worker of either protocol, and what becomes
// of its jobs. Numbers in comments are those of the cases.
#include <set>

#include "command/workers.h"
#include "fronts/ws/front_testing.h"

namespace muster::ws {
namespace {

using namespace std::chrono_literals;

Json numbered(Json frame, std::uint64_t number) {
  frame["session_seq"] = number;
  return frame;
}

Json result_payload(const Json& dispatch, std::string status = "SUCCEEDED") {
  return {{"run_id", dispatch["payload"]["run_id"]},
          {"task_id", dispatch["payload"]["task_id"]},
          {"status", std::move(status)},
          {"result", {{"x", 1}}},
          {"duration_ms", 0},
          {"metadata", {{"concurrency_key", dispatch["payload"]["concurrency_key"]}, {"constraints", Json::object()}}}};
}

Json v2_result(const Json& dispatch, std::uint64_t number, std::string status = "SUCCEEDED") {
  Json frame = numbered(
      v2_frame("biz.exec.result", result_payload(dispatch, std::move(status)), "biz.exec.result-" + std::to_string(number)),
      number);
  frame["corr"] = dispatch["id"];
  frame["seq"] = dispatch["seq"];
  return frame;
}

Json v2_error(const Json& dispatch, std::uint64_t number, std::string code) {
  Json frame = numbered(
      v2_frame("biz.exec.error",
               {{"code", std::move(code)},
                {"message", "it did not work"},
                {"context",
                 {{"where", "worker.runner"},
                  {"details", {{"run_id", dispatch["payload"]["run_id"]}, {"task_id", dispatch["payload"]["task_id"]}}}}}},
               "biz.exec.error-" + std::to_string(number)),
      number);
  frame["corr"] = dispatch["id"];
  return frame;
}

Json feedback(std::string run, std::string task, std::uint64_t number) {
  return numbered(v2_frame("biz.exec.feedback", {{"run_id", std::move(run)}, {"task_id", std::move(task)}, {"progress", 0.5}},
                           "biz.exec.feedback-" + std::to_string(number), false),
                  number);
}

Json resume(const Json& accepted, std::uint64_t last_seen) {
  return v2_frame(
      "control.resume",
      {{"session_id", accepted["session_id"]}, {"session_token", accepted["session_token"]}, {"last_seen_seq", last_seen}},
      "control.resume-5");
}

Json window(const Json& ack) {
  return Json{ack["payload"]["ack_seq"], ack["payload"]["ack_bitmap"], ack["payload"]["recv_window"]};
}

class V1Front : public FrontTest {};
class V2Front : public FrontTest {};

// --- v1 ---

TEST_F(V1Front, HandshakeAndRegisterBackToBackAreBothAcknowledged) {  // 1, 2
  start();
  auto socket = connect();
  socket.say(v1_handshake());
  socket.say(v1_frame("register", registration_payload(), "register-1"));
  for (const char* id : {"handshake-0", "register-1"}) {
    const Json ack = socket.hear();
    EXPECT_EQ(ack["type"], "ack");
    EXPECT_EQ(ack["payload"], (Json{{"ok", true}, {"for", id}}));
    EXPECT_EQ(ack["ack"], (Json{{"for", id}}));
    EXPECT_FALSE(ack.contains("session_seq"));
  }
}

TEST_F(V1Front, RegisterBeforeTheHandshakeIsRefused) {  // 4
  start();
  auto socket = connect();
  socket.say(v1_frame("register", registration_payload(), "register-1"));
  EXPECT_EQ(socket.closed(), (std::pair(1011, std::string("handshake required"))));
}

TEST_F(V1Front, RunsATask) {  // 5, 7
  start();
  const auto socket = join_v1();
  socket->say(v1_frame("heartbeat", {{"healthy", true}, {"metrics", {{"inflight", 0}}}}, "heartbeat-2", false));
  const JobId id = submit();
  const Json dispatch = socket->hear("cmd.dispatch");
  EXPECT_FALSE(dispatch.contains("session_seq"));
  EXPECT_EQ(dispatch["seq"], 1);
  EXPECT_EQ(dispatch["corr"], dispatch["payload"]["task_id"]);
  EXPECT_EQ(dispatch["payload"]["package_name"], "demo.pkg");
  EXPECT_EQ(dispatch["payload"]["parameters"], (Json{{"m", "hi"}}));
  Json ack = v1_frame("ack", {{"for", dispatch["id"]}}, "ack-3", false);
  ack["ack"] = {{"for", dispatch["id"]}};
  socket->say(ack);
  for (const char* frame_id : {"result-5", "result-6"}) {  // the second is new, about the same
    Json result = v1_frame("result", result_payload(dispatch), frame_id);
    result["corr"] = dispatch["id"];
    result["seq"] = 1;
    socket->say(result);
    EXPECT_EQ(socket->hear()["payload"]["for"], frame_id);
  }
  EXPECT_TRUE(ends(id, JobState::completed));
  EXPECT_EQ(job(id).result->data, R"({"x":1})");
}

TEST_F(V1Front, ADispatchThatNobodyAcknowledgesIsMadeAgainAndAtLastGivenUp) {  // 8
  start();
  const auto socket = join_v1();
  const JobId id = submit();
  std::set<std::string> ids;
  EXPECT_TRUE(eventually([&] {
    pass(1s);
    while (socket->heard("cmd.dispatch")) {
      const Json dispatch = socket->hear("cmd.dispatch");
      EXPECT_EQ(dispatch["payload"]["task_id"], id.text());
      EXPECT_EQ(dispatch["seq"], 1);
      ids.insert(dispatch["id"]);
    }
    return job(id).state == JobState::dead;
  }));
  EXPECT_EQ(ids.size(), 5U);
  EXPECT_EQ(job(id).error->kind, "E.DISPATCH.UNAVAILABLE");
}

TEST_F(V1Front, BothNamesOfErrorFramesMeanTheSame) {  // 10
  start();
  const auto socket = join_v1();
  for (const char* name : {"error", "command.error"}) {
    const JobId id = submit();
    const Json dispatch = socket->hear("cmd.dispatch");
    Json error = v1_frame(name, {{"code", "E.RUNNER.FAILURE"}, {"message", "boom"}}, std::string(name) + "-9");
    error["corr"] = dispatch["id"];
    socket->say(error);
    EXPECT_TRUE(ends(id, JobState::dead)) << name;
    EXPECT_EQ(job(id).error->kind, "E.RUNNER.FAILURE");
  }
}

// --- v2: the session ---

TEST_F(V2Front, AHandshakeIsAcknowledgedWithTheWindow) {  // 11, 14
  start();
  auto socket = connect();
  for (int time = 0; time < 2; ++time) {
    socket.say(v2_handshake());
    const Json ack = socket.hear();
    EXPECT_EQ(ack["type"], "control.ack");
    EXPECT_EQ(ack["ack"]["for"], "control.handshake-0");
    EXPECT_EQ(window(ack), Json::parse("[0,0,64]"));
  }
}

TEST_F(V2Front, ASecondRegisterIsAcknowledgedAndNotAcceptedAgain) {  // 13
  start();
  const auto socket = join_v2();
  EXPECT_EQ(accepted["resumed"], false);
  EXPECT_EQ(accepted["worker_instance_id"], kInstance);
  socket->say(v2_frame("control.register", registration_payload(2), "control.register-2"));
  EXPECT_EQ(socket->hear()["ack"]["for"], "control.register-2");
  submit();
  submit();
  EXPECT_EQ(socket->hear()["type"], "biz.exec.dispatch");
  EXPECT_EQ(socket->hear()["type"], "biz.exec.dispatch") << "its two slots count";
}

TEST_F(V2Front, AWrongOrMissingTokenIsReset) {  // 16, 17
  start({.auth = {.tokens = {{.name = "w", .role = command::Role::worker, .secret = "right", .worker = {}}}, .required = true}});
  for (const auto& [token, code] : {std::pair("", "E.AUTH.MISSING_TOKEN"), std::pair("wrong", "E.AUTH.INVALID_TOKEN")}) {
    auto socket = connect();
    Json hello = v2_handshake(token);
    if (std::string_view(token).empty()) hello["payload"]["auth"].erase("token");
    socket.say(hello);
    const Json reset = socket.hear();
    EXPECT_EQ(reset["type"], "control.reset");
    EXPECT_EQ(reset["payload"]["code"], code);
    EXPECT_EQ(socket.closed().first, 1011);
  }
  auto socket = connect();
  Json hello = v2_handshake();
  hello["payload"]["auth"] = {{"mode", "mtls"}};
  socket.say(hello);
  EXPECT_EQ(socket.hear()["payload"]["code"], "E.AUTH.MTLS_REQUIRED");
  auto right = connect();
  right.say(v2_handshake("right"));
  EXPECT_EQ(right.hear()["type"], "control.ack");
}

TEST_F(V2Front, WhatIsNoEnvelopeClosesTheConnection) {  // 42
  start();
  for (const char* text : {"nonsense", "[1]", R"({"type":"control.handshake"})"}) {
    auto socket = connect();
    socket.say_text(text);
    EXPECT_EQ(socket.closed(), (std::pair(1011, std::string("internal error")))) << text;
  }
}

TEST_F(V2Front, NullsAreAbsent) {  // 43
  start();
  auto socket = connect();
  Json hello = v2_handshake();
  hello["corr"] = nullptr;
  hello["flags"] = nullptr;
  hello["ack"] = nullptr;
  socket.say(hello);
  EXPECT_EQ(socket.hear()["ack"]["for"], "control.handshake-0");
}

TEST_F(V2Front, AnotherTenantInTheMiddleOfASessionIsReset) {  // 46
  start();
  const auto socket = join_v2();
  Json beat = v2_frame("control.heartbeat", {{"healthy", true}, {"metrics", {{"inflight", 0}}}}, "control.heartbeat-2", false);
  beat["tenant"] = "other";
  socket->say(beat);
  EXPECT_EQ(socket->hear()["payload"]["code"], "E.SESSION.TENANT_MISMATCH");
  EXPECT_EQ(socket->closed().first, 1011);
}

TEST_F(V2Front, TenantsDoNotShareInstances) {
  start();
  const NamespaceInfo other{.name = NamespaceName("other")};
  ASSERT_TRUE(ask<NamespaceInfo>([&](auto reply) { store->create_namespace(other, std::move(reply)); }).ok());
  const auto first = join_v2();
  TestSocket second(loop, *front);
  Json hello = v2_handshake();
  hello["tenant"] = "other";
  second.say(hello);
  second.hear("control.ack");
  Json registration = v2_frame("control.register", registration_payload(), "control.register-1");
  registration["tenant"] = "other";
  second.say(registration);
  second.hear("control.session.accept");
  EXPECT_FALSE(first->is_closed()) << "another tenant's worker of the same name is another worker";
  submit();
  EXPECT_EQ(first->hear("biz.exec.dispatch")["tenant"], "default");
  EXPECT_FALSE(second.heard("biz.exec.dispatch"));
}

TEST_F(V2Front, MissedBeatsAreCounted) {
  start();
  const auto socket = join_v2();
  const auto missed = [this] {
    const std::string text = metrics.text();
    const std::string name = "ws_heartbeat_miss_total{tenant=\"default\",worker=\"" + std::string(kInstance) + "\"} ";
    const std::size_t at = text.find(name);
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + name.size()));
  };
  const auto stay_silent = [&](Duration time) {  // but for answers to pings
    for (Duration left = time; left > Duration::zero(); left -= 10s) {
      pass(std::min<Duration>(left, 10s));
      EXPECT_FALSE(socket->heard("nothing"));
    }
  };
  stay_silent(39s);
  EXPECT_EQ(missed(), 0);
  stay_silent(2s);
  EXPECT_EQ(missed(), 1);
  stay_silent(35s);
  EXPECT_EQ(missed(), 2);
  socket->say(v2_frame("control.heartbeat", {{"healthy", true}, {"metrics", {{"inflight", 0}}}}, "control.heartbeat-9", false));
  stay_silent(39s);
  EXPECT_EQ(missed(), 2) << "a beat begins anew";
}

TEST_F(V2Front, ABeatThatTellsMuchIsStillABeat) {
  start();
  const auto socket = join_v2();
  pass(10s);
  Json metrics_told{{"inflight", 0}, {"much", std::string(20'000, 'x')}};
  socket->say(v2_frame("control.heartbeat", {{"healthy", true}, {"metrics", metrics_told}}, "control.heartbeat-9", false));
  const command::WorkerGetRequest who{NamespaceName("default"), WorkerId(kInstance)};
  EXPECT_TRUE(eventually([&] {
    const auto row = ask<muster::Worker>([&](auto reply) { door->run(command::itself(), who, std::move(reply)); });
    return row.ok() && row->last_seen_at == clock.now();
  }));
}

TEST_F(V2Front, BeforeItIsLetInAWorkerSaysLittle) {
  start();
  auto socket = connect();
  Json hello = v2_handshake();
  hello["payload"]["worker"]["hostname"] = std::string(2 * 1024 * 1024, 'h');
  socket.say(hello);
  EXPECT_EQ(socket.closed().first, 1009);
  const auto known = join_v2();
  Json large = feedback("r", "t", 1);
  large["payload"]["message"] = std::string(2 * 1024 * 1024, 'm');
  known->say(large);
  EXPECT_EQ(window(known->hear("control.ack")), Json::parse("[1,0,64]"));
  known->say_text("\"" + std::string(17 * 1024 * 1024, 'x') + "\"");  // 42
  EXPECT_EQ(known->closed().first, 1009);
}

TEST_F(V2Front, WhoSaysNothingIsSentAway) {
  start();
  auto socket = connect();
  pass(10s);
  EXPECT_EQ(socket.closed().first, 1008);
}

// --- v2: windows ---

TEST_F(V2Front, FeedbackIsAcknowledgedByTheWindowAlone) {  // 20, 22
  start();
  const auto socket = join_v2();
  socket->say(feedback("r", "t", 1));
  const Json ack = socket->hear();
  EXPECT_EQ(window(ack), Json::parse("[1,0,64]"));
  EXPECT_FALSE(ack.contains("ack"));
  EXPECT_FALSE(ack["payload"].contains("for"));
  socket->say(feedback("r", "t", 0));
  EXPECT_EQ(window(socket->hear()), Json::parse("[1,0,64]")) << "a number that is nobody's";
}

TEST_F(V2Front, FramesAboveAHoleAreHeldAndThenDelivered) {  // 23, 25
  start();
  const auto socket = join_v2();
  Json ack;
  for (std::uint64_t number = 2; number <= 64; ++number) {
    socket->say(feedback("r", "t", number));
    ack = socket->hear();
  }
  EXPECT_EQ(ack["payload"]["ack_bitmap"].get<std::uint64_t>(), 18446744073709551614U);
  EXPECT_EQ(ack["payload"]["ack_seq"], 0);
  Json far = feedback("r", "t", 65);
  far["ack"] = {{"request", true}};
  socket->say(far);
  EXPECT_FALSE(socket->hear()["payload"].contains("for")) << "it is outside the window";
  socket->say(feedback("r", "t", 1));
  EXPECT_EQ(window(socket->hear()), Json::parse("[64,0,64]"));
}

TEST_F(V2Front, AnUnacknowledgedDispatchIsSentAgainByteForByte) {  // 19, 26
  start();
  const auto socket = join_v2();
  submit();
  const Json first = socket->hear("biz.exec.dispatch");
  EXPECT_EQ(first["session_seq"], 1);
  EXPECT_EQ(first["seq"], 1);
  EXPECT_EQ(first["ack"]["request"], true);
  EXPECT_TRUE(first["payload"].contains("constraints"));
  pass(300ms);
  EXPECT_EQ(socket->hear("biz.exec.dispatch"), first);
  socket->say(ack_of(first, 1));
  pass(20s);
  EXPECT_FALSE(socket->heard("biz.exec.dispatch"));
}

TEST_F(V2Front, AnAckBeyondAnythingSentChangesNothing) {  // 29
  start();
  const auto socket = join_v2();
  submit();
  const Json first = socket->hear("biz.exec.dispatch");
  socket->say(ack_of(first, 99));
  pass(300ms);
  EXPECT_EQ(socket->hear("biz.exec.dispatch"), first);
}

// --- v2: coming back ---

TEST_F(V2Front, AResultThatWasNotAcknowledgedComesAfterTheResume) {  // 32
  start();
  auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(ack_of(dispatch, 1));
  socket->cut();
  TestSocket next(loop, *front);
  next.say(v2_result(dispatch, 1));
  EXPECT_FALSE(next.is_closed());
  next.say(resume(accepted, 1));
  EXPECT_EQ(next.hear()["ack"]["for"], "control.resume-5") << "the result was not acknowledged before";
  const Json accept = next.hear();
  EXPECT_EQ(accept["type"], "control.session.accept");
  EXPECT_EQ(accept["payload"]["resumed"], true);
  EXPECT_EQ(accept["payload"]["session_id"], accepted["session_id"]);
  EXPECT_EQ(job(id).state, JobState::running);
  next.say(v2_result(dispatch, 1));
  EXPECT_EQ(next.hear("control.ack")["payload"]["for"], "biz.exec.result-1");
  EXPECT_TRUE(ends(id, JobState::completed));
}

TEST_F(V2Front, ADispatchOfTheCutIsSentAgainAfterTheResume) {
  start();
  auto socket = join_v2();
  submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->cut();
  TestSocket next(loop, *front);
  next.say(resume(accepted, 0));
  EXPECT_EQ(next.hear("biz.exec.dispatch"), dispatch);
}

// The real worker gives a result up after six resends, and with all its slots taken nothing comes that would show the hole.
TEST_F(V2Front, ATaskWhoseResultWasGivenUpDuringACutIsSentAgain) {
  start();
  auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(ack_of(dispatch, 1));
  socket->cut();
  TestSocket next(loop, *front);
  next.say(resume(accepted, 1));
  next.hear("control.session.accept");
  // The store is asked for its tasks first, and time does not wait for that.
  EXPECT_TRUE(eventually([&] {
    pass(1s);
    return next.heard("biz.exec.dispatch");
  }));
  const Json again = next.hear("biz.exec.dispatch");
  EXPECT_EQ(again["payload"], dispatch["payload"]);
  EXPECT_NE(again["id"], dispatch["id"]);
  next.say(ack_of(again, 2));
  next.say(v2_result(again, 2));  // its number 1 is lost
  pass(6s);
  EXPECT_TRUE(ends(id, JobState::completed));
  EXPECT_EQ(job(id).attempt, 1U);
}

TEST_F(V2Front, ATaskThatIsGivenAfterAResumeIsNotSentAgain) {
  start();
  auto socket = join_v2();
  socket->cut();
  TestSocket next(loop, *front);
  next.say(resume(accepted, 0));
  const JobId id = submit();
  const Json dispatch = next.hear("biz.exec.dispatch");
  next.say(ack_of(dispatch, 1));
  pass(20s);
  EXPECT_FALSE(next.heard("biz.exec.dispatch"));
  next.say(v2_result(dispatch, 1));
  EXPECT_TRUE(ends(id, JobState::completed));
}

TEST_F(V2Front, TasksThatFindNoRoomToBeSentAgainStayWithTheirWorker) {
  constexpr std::uint64_t kTasks = 20;
  start();
  auto socket = join_v2(kTasks);
  std::vector<JobId> jobs;
  std::vector<decltype(Job::fence)> fences;
  const std::string large = Json{{"m", std::string(900'000, 'x')}}.dump();  // all of them are more than a window keeps
  for (std::uint64_t number = 1; number <= kTasks; ++number) {
    jobs.push_back(submit("demo.echo", large));
    socket->say(ack_of(socket->hear("biz.exec.dispatch"), number));
    fences.push_back(job(jobs.back()).fence);
  }
  socket->cut();
  TestSocket next(loop, *front);
  next.say(resume(accepted, kTasks));
  next.hear("control.session.accept");
  EXPECT_TRUE(eventually([&] {
    pass(1s);
    return next.heard("biz.exec.dispatch");
  }));
  for (std::uint64_t number = kTasks + 1; number <= 2 * kTasks; ++number) {
    EXPECT_TRUE(eventually([&] {
      pass(100ms);
      return next.heard("biz.exec.dispatch");
    }));
    next.say(ack_of(next.hear("biz.exec.dispatch"), number));
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(job(jobs[i]).state, JobState::running);
    EXPECT_EQ(job(jobs[i]).fence, fences[i]) << "it was given to somebody else meanwhile";
  }
}

// The real worker notices a dead connection in two of its loops, and each of them resumes.
TEST_F(V2Front, AResumeThatIsRepeatedOnItsSocketIsAnsweredAgain) {
  start();
  auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->cut();
  TestSocket next(loop, *front);
  next.say(resume(accepted, 0));
  EXPECT_EQ(next.hear("control.session.accept")["payload"]["resumed"], true);
  EXPECT_EQ(next.hear("biz.exec.dispatch"), dispatch);
  Json again = resume(accepted, 1);
  again["id"] = "control.resume-6";
  next.say(again);
  EXPECT_EQ(next.hear("control.ack")["ack"]["for"], "control.resume-6");
  EXPECT_EQ(next.hear("control.session.accept")["payload"]["resumed"], true);
  EXPECT_FALSE(next.is_closed());
  next.say(v2_result(dispatch, 1));
  EXPECT_EQ(next.hear("control.ack")["payload"]["for"], "biz.exec.result-1");
  EXPECT_TRUE(ends(id, JobState::completed));
}

TEST_F(V2Front, ResumesAreRefusedForTheirReason) {  // 31
  start();
  const auto socket = join_v2();
  const auto refused = [&](Json frame) {
    TestSocket other(loop, *front);
    other.say(frame);
    const Json reset = other.hear();
    EXPECT_EQ(other.closed().first, 1011);
    return reset["payload"]["code"].get<std::string>();
  };
  Json frame = resume(accepted, 0);
  frame["sender"]["id"] = "nobody";
  EXPECT_EQ(refused(frame), "E.SESSION.UNKNOWN");
  frame = resume(accepted, 0);
  frame["tenant"] = "other";
  EXPECT_EQ(refused(frame), "E.SESSION.TENANT_MISMATCH");
  frame = resume(accepted, 0);
  frame["payload"]["session_id"] = "another";
  EXPECT_EQ(refused(frame), "E.SESSION.MISMATCH");
  frame = resume(accepted, 0);
  frame["payload"]["session_token"] = accepted["session_token"].get<std::string>() + "x";
  EXPECT_EQ(refused(frame), "E.SESSION.INVALID_TOKEN");
  clock.advance(2h);
  EXPECT_EQ(refused(resume(accepted, 0)), "E.SESSION.INVALID_TOKEN") << "expired";
}

TEST_F(V2Front, TheNewestSocketOfAnInstanceWins) {  // 34
  start();
  const auto old = join_v2();
  const auto fresh = join_v2();
  EXPECT_EQ(old->closed(), (std::pair(1011, std::string("superseded session"))));
  old->cut();
  submit();
  EXPECT_EQ(fresh->hear()["type"], "biz.exec.dispatch") << "the end of the old one does not detach the new one";
}

TEST_F(V2Front, AHoleAfterAResumeIsSkipped) {  // 35
  start();
  auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(ack_of(dispatch, 1));
  socket->cut();
  TestSocket next(loop, *front);
  next.say(resume(accepted, 1));
  next.hear("control.session.accept");
  next.say(v2_result(dispatch, 3));
  EXPECT_EQ(window(next.hear("control.ack")), Json::parse("[0,4,64]"));
  pass(5900ms);
  EXPECT_EQ(job(id).state, JobState::running);
  pass(200ms);
  EXPECT_EQ(window(next.hear("control.ack")), Json::parse("[3,0,64]"));
  EXPECT_TRUE(ends(id, JobState::completed));
}

TEST_F(V2Front, ASessionOutlivesTheServer) {
  start();
  auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(ack_of(dispatch, 1));
  socket->cut();
  restart();
  TestSocket next(loop, *front);
  next.say(resume(accepted, 1));
  EXPECT_EQ(next.hear("control.session.accept")["payload"]["resumed"], true);
  next.say(v2_result(dispatch, 1));
  EXPECT_EQ(next.hear("control.ack")["payload"]["for"], "biz.exec.result-1");
  EXPECT_TRUE(ends(id, JobState::completed));
  const JobId second = submit();
  const Json again = next.hear("biz.exec.dispatch");
  EXPECT_EQ(again["session_seq"], 2) << "numbers go on behind what the worker has seen";
  next.say(v2_result(again, 2));
  EXPECT_TRUE(ends(second, JobState::completed));
}

TEST_F(V2Front, AServerThatStartedAnewFindsTheNumbersOfTheWorker) {
  start();
  auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(ack_of(dispatch, 1));
  socket->cut();
  restart();
  TestSocket next(loop, *front);
  next.say(resume(accepted, 1));
  next.hear("control.session.accept");
  // Time begins when the server knows what the worker holds.
  EXPECT_TRUE(eventually([&] {
    pass(1s);
    return next.heard("biz.exec.dispatch");
  }));
  const Json again = next.hear("biz.exec.dispatch");
  EXPECT_EQ(again["payload"], dispatch["payload"]) << "it did not speak about its task";
  next.say(v2_result(again, 500));
  EXPECT_EQ(window(next.hear("control.ack")), Json::parse("[500,0,64]")) << "nothing it still held can be below";
  EXPECT_TRUE(ends(id, JobState::completed));
}

TEST_F(V2Front, AServerThatStartedAnewTakesEverythingTheWorkerStillHeldBeforeItSendsAnyTaskAgain) {
  start();
  auto socket = join_v2(8);
  std::vector<JobId> jobs;
  std::vector<Json> dispatches;
  for (std::uint64_t number = 1; number <= 8; ++number) {
    jobs.push_back(submit());
    dispatches.push_back(socket->hear("biz.exec.dispatch"));
    socket->say(ack_of(dispatches.back(), number));
  }
  socket->cut();
  restart();
  TestSocket next(loop, *front);
  next.say(resume(accepted, 8));
  next.hear("control.session.accept");
  for (const std::uint64_t i : {4U, 7U, 0U, 2U, 6U, 1U, 3U, 5U}) {  // as its timers have it, and far from where numbers begin
    next.say(v2_result(dispatches[i], 500 + i));
    pass(500ms);
  }
  EXPECT_FALSE(next.heard("control.ack")) << "there may be more below";
  pass(3s);
  for (const JobId& id : jobs) EXPECT_TRUE(ends(id, JobState::completed));
  Json ack;
  for (int i = 0; i < 8; ++i) ack = next.hear("control.ack");
  EXPECT_EQ(window(ack), Json::parse("[507,0,64]"));
  pass(10s);
  EXPECT_FALSE(next.heard("biz.exec.dispatch")) << "no task is sent again";
}

TEST_F(V2Front, AWorkerThatStartsOverGetsItsTasksAgain) {
  start();
  auto socket = join_v2();
  const JobId id = submit();
  const Json first = socket->hear("biz.exec.dispatch");
  socket->cut();
  socket = join_v2();
  const Json second = socket->hear("biz.exec.dispatch");
  EXPECT_EQ(second["payload"], first["payload"]);
  EXPECT_EQ(second["session_seq"], 1);
  EXPECT_EQ(job(id).attempt, 1U);
  EXPECT_EQ(job(id).rescues, 0U) << "nothing was lost";
  socket->say(v2_result(second, 1));
  EXPECT_TRUE(ends(id, JobState::completed));
}

// --- v2: work ---

TEST_F(V2Front, AWorkerGetsAsManyTasksAsItTakes) {  // 55
  start();
  const auto socket = join_v2(1);
  std::vector<JobId> jobs;
  for (int i = 0; i < 3; ++i) jobs.push_back(submit());
  for (std::uint64_t number = 1; number <= 3; ++number) {
    const Json dispatch = socket->hear("biz.exec.dispatch");
    EXPECT_FALSE(socket->heard("biz.exec.dispatch"));
    socket->say(ack_of(dispatch, number));
    socket->say(v2_result(dispatch, number));
  }
  for (const JobId& id : jobs) EXPECT_TRUE(ends(id, JobState::completed));
}

TEST_F(V2Front, JobsThatAreNoTasksAreLeftToOthers) {
  start();
  const auto socket = join_v2();
  JobSpec spec;
  spec.type = JobType("anything");
  const auto made =
      ask<store::Enqueued>([&](auto reply) { door->run(command::itself(), command::JobSubmitRequest{spec}, std::move(reply)); });
  ASSERT_TRUE(made.ok());
  const JobId task = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  EXPECT_EQ(dispatch["payload"]["run_id"], task.text());
  EXPECT_EQ(job(made->id).state, JobState::ready);
}

TEST_F(V2Front, AResultIsMatchedByItsPayloadWhateverItsCorr) {  // 37
  start();
  const auto socket = join_v2();
  std::uint64_t number = 0;
  for (const char* corr : {"dispatch", "task", "nothing"}) {
    const JobId id = submit();
    const Json dispatch = socket->hear("biz.exec.dispatch");
    Json result = v2_result(dispatch, ++number);
    if (std::string_view(corr) == "task") result["corr"] = dispatch["payload"]["task_id"];
    if (std::string_view(corr) == "nothing") result.erase("corr");
    socket->say(result);
    EXPECT_TRUE(ends(id, JobState::completed)) << corr;
  }
}

// --- v2: middleware ---

constexpr const char* kChained =
    R"({"node_type":"demo.slow","run_id":"r","node_id":"m","task_id":"m","parameters":{},"chain":[{"node_id":"h","node_type":"demo.echo","parameters":{"a":1}}]})";

Json next_request(std::string id, std::uint64_t number, std::optional<int> timeout_ms = std::nullopt) {
  Json payload{{"requestId", std::move(id)}, {"runId", "r"}, {"nodeId", "m"}, {"middlewareId", "m"}, {"chainIndex", 0}};
  if (timeout_ms) payload["timeoutMs"] = *timeout_ms;
  return numbered(v2_frame("biz.exec.next.request", payload, "biz.exec.next.request-" + std::to_string(number)), number);
}

TEST_F(V2Front, AMiddlewareGetsTheResultOfItsHost) {  // 49
  start();
  const auto socket = join_v2(2);
  const JobId id = submit("demo.slow", kChained);
  const Json middleware = socket->hear("biz.exec.dispatch");
  EXPECT_EQ(middleware["payload"]["host_node_id"], "h");
  EXPECT_EQ(middleware["payload"]["middleware_chain"], Json::parse(R"(["m"])"));
  EXPECT_EQ(middleware["payload"]["chain_index"], 0);
  EXPECT_FALSE(middleware["payload"].contains("chain")) << "it is not the worker's";
  for (std::uint64_t time = 0; time < 2; ++time) {  // as often as the middleware likes
    const std::string request = "next-" + std::to_string(time);
    socket->say(next_request(request, 2 * time + 1));
    const Json host = socket->hear("biz.exec.dispatch");
    EXPECT_EQ(host["payload"]["node_id"], "h");
    EXPECT_EQ(host["payload"]["run_id"], "r");
    EXPECT_EQ(host["payload"]["host_node_id"], "h");
    EXPECT_EQ(host["payload"]["parameters"], (Json{{"a", 1}}));
    EXPECT_FALSE(host["payload"].contains("chain_index"));
    socket->say(v2_result(host, 2 * time + 2));
    const Json response = socket->hear("biz.exec.next.response");
    EXPECT_EQ(response["corr"], request);
    EXPECT_EQ(response["payload"],
              (Json{{"requestId", request}, {"runId", "r"}, {"nodeId", "m"}, {"middlewareId", "m"}, {"result", {{"x", 1}}}}));
  }
  socket->say(v2_result(middleware, 5));
  EXPECT_TRUE(ends(id, JobState::completed));
}

TEST_F(V2Front, NextRequestsThatLeadNowhereAreAnswered) {
  start();
  const auto socket = join_v2(2);
  socket->say(next_request("next-0", 1));
  EXPECT_EQ(socket->hear("biz.exec.next.response")["payload"]["error"]["code"], "next_run_finalised");
  submit("demo.slow", R"({"node_type":"demo.slow","run_id":"r","node_id":"m","parameters":{}})");
  socket->hear("biz.exec.dispatch");
  socket->say(next_request("next-1", 2));
  EXPECT_EQ(socket->hear("biz.exec.next.response")["payload"]["error"]["code"], "next_no_chain");
}

TEST_F(V2Front, ASecondRequestOfTheSameIdIsADuplicate) {
  start();
  const auto socket = join_v2(2);
  submit("demo.slow", kChained);
  socket->hear("biz.exec.dispatch");
  socket->say(next_request("next-0", 1));
  socket->say(next_request("next-0", 2));
  EXPECT_EQ(socket->hear("biz.exec.next.response")["payload"]["error"]["code"], "next_duplicate");
}

TEST_F(V2Front, ANextRequestEndsAtItsTime) {  // 51
  start();
  const auto socket = join_v2(2);
  submit("demo.slow", kChained);
  socket->hear("biz.exec.dispatch");
  socket->say(next_request("next-0", 1, 100));
  socket->hear("biz.exec.dispatch");
  EXPECT_FALSE(socket->heard("biz.exec.next.response"));
  pass(200ms);
  EXPECT_EQ(socket->hear("biz.exec.next.response")["payload"]["error"]["code"], "next_timeout");
}

TEST_F(V2Front, ACancelledMiddlewareHasItsRequestsCancelled) {  // 52
  start();
  const auto socket = join_v2(2);
  const JobId id = submit("demo.slow", kChained);
  socket->hear("biz.exec.dispatch");
  socket->say(next_request("next-0", 1));
  const Json host = socket->hear("biz.exec.dispatch");
  const store::Cancel cancel{.job = id, .reason = "enough", .at_once = true};
  ASSERT_TRUE(ask<store::Cancelled>([&](auto reply) {
                door->run(command::itself(), command::JobCancelRequest{cancel}, std::move(reply));
              }).ok());
  EXPECT_EQ(socket->hear("biz.exec.next.response")["payload"]["error"]["code"], "next_cancelled");
  socket->say(v2_result(host, 2));
  EXPECT_EQ(socket->hear("control.ack")["payload"]["for"], "biz.exec.result-2") << "what it began is cancelled, too";
}

TEST_F(V2Front, ADrainIsToldAtOnceAndEndsNewWork) {
  start();
  const auto socket = join_v2(2);
  submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  const store::Drain drain{.ns = NamespaceName("default"), .worker = WorkerId(kInstance), .deadline = 1min, .reason = "upgrade"};
  ASSERT_TRUE(ask<muster::Worker>([&](auto reply) { door->run(command::itself(), drain, std::move(reply)); }).ok());
  const Json told = socket->hear("control.drain");
  EXPECT_EQ(told["payload"], (Json{{"reason", "upgrade"}, {"deadline_ms", 60'000}}));
  const JobId later = submit();
  socket->say(v2_result(dispatch, 1));
  socket->hear("control.ack");
  EXPECT_EQ(job(later).state, JobState::ready);
  EXPECT_FALSE(socket->heard("biz.exec.dispatch"));
}

TEST_F(V2Front, ACancelledTaskFreesItsSlotAtOnce) {
  start();
  const auto socket = join_v2(1);
  const JobId first = submit();
  socket->hear("biz.exec.dispatch");
  submit();
  const store::Cancel cancel{.job = first, .reason = "enough", .at_once = true};
  ASSERT_TRUE(ask<store::Cancelled>([&](auto reply) {
                door->run(command::itself(), command::JobCancelRequest{cancel}, std::move(reply));
              }).ok());
  EXPECT_EQ(socket->hear("biz.exec.dispatch")["session_seq"], 2)
      << "no frame tells the worker to stop; its slot is ours to count";
}

TEST_F(V2Front, AResultOfACancelledJobIsAcknowledgedAndIgnored) {  // 36
  start();
  const auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  const store::Cancel cancel{.job = id, .reason = "enough", .at_once = true};
  ASSERT_TRUE(ask<store::Cancelled>([&](auto reply) {
                door->run(command::itself(), command::JobCancelRequest{cancel}, std::move(reply));
              }).ok());
  socket->say(v2_result(dispatch, 1));
  EXPECT_EQ(socket->hear("control.ack")["payload"]["for"], "biz.exec.result-1");
  EXPECT_EQ(job(id).state, JobState::cancelled);
}

TEST_F(V2Front, ATaskThatItsWorkerCancelledIsSentAgain) {  // 39
  start();
  const auto socket = join_v2();
  const JobId id = submit();
  const Json first = socket->hear("biz.exec.dispatch");
  socket->say(v2_error(first, 1, "E.RUNNER.CANCELLED"));
  const Json second = socket->hear("biz.exec.dispatch");
  EXPECT_EQ(second["payload"]["task_id"], first["payload"]["task_id"]);
  EXPECT_EQ(second["seq"], first["seq"]);
  EXPECT_NE(second["id"], first["id"]);
  socket->say(v2_result(second, 2));
  EXPECT_TRUE(ends(id, JobState::completed));
}

TEST_F(V2Front, AnOutcomeThatCannotBeKeptEndsTheJob) {
  start();
  const auto socket = join_v2();
  const JobId large = submit();
  Json result = v2_result(socket->hear("biz.exec.dispatch"), 1);
  result["payload"]["result"]["x"] = std::string(5 * 1024 * 1024, 'x');
  socket->say(result);
  EXPECT_TRUE(ends(large, JobState::dead)) << "it would be sent again for ever";
  EXPECT_EQ(job(large).error->kind, "E.INTERNAL");
  const JobId odd = submit();
  socket->say(v2_error(socket->hear("biz.exec.dispatch"), 2, "no\nname"));
  EXPECT_TRUE(ends(odd, JobState::dead));
  EXPECT_EQ(job(odd).error->kind, "E.INTERNAL");
}

TEST_F(V2Front, AResultIsNotTooLongForItsBlanks) {
  start();
  const auto socket = join_v2();
  const JobId id = submit();
  Json result = v2_result(socket->hear("biz.exec.dispatch"), 1);
  result["payload"]["result"]["x"] = "HERE";
  std::string text = result.dump();
  std::string numbers = "[1";
  for (int i = 0; i < 1'500'000; ++i) numbers += ", 1";
  text.replace(text.find("\"HERE\""), 6, numbers + "]");
  socket->say_text(text);
  EXPECT_TRUE(ends(id, JobState::completed));
}

TEST_F(V2Front, AnErrorFailsTheTaskItNames) {  // 40
  start();
  const auto socket = join_v2(2);
  const JobId first = submit("demo.slow");
  const Json named = socket->hear("biz.exec.dispatch");
  const JobId second = submit();
  socket->hear("biz.exec.dispatch");
  socket->say(v2_error(named, 1, "E.RUNNER.FAILURE"));
  EXPECT_TRUE(ends(first, JobState::dead));
  EXPECT_EQ(job(first).error->kind, "E.RUNNER.FAILURE");
  EXPECT_EQ(job(second).state, JobState::running);
}

TEST_F(V2Front, ASecondCopyOfARunningTaskChangesNothing) {
  start();
  const auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(v2_error(dispatch, 1, "E.CMD.CONCURRENCY_VIOLATION"));
  EXPECT_EQ(socket->hear("control.ack")["payload"]["for"], "biz.exec.error-1");
  EXPECT_EQ(job(id).state, JobState::running);
}

TEST_F(V2Front, VendorFramesAreCarriedAndAcknowledged) {  // 45
  start();
  const auto socket = join_v2();
  socket->say(numbered(v2_frame("ext.vendor.x", {{"anything", 1}}, "ext-1"), 1));
  const Json ack = socket->hear();
  EXPECT_EQ(ack["payload"]["for"], "ext-1");
  EXPECT_EQ(window(ack), Json::parse("[1,0,64]"));
}

TEST_F(V2Front, FeedbackIsTheProgressOfTheJob) {
  start();
  const auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(feedback(dispatch["payload"]["run_id"], dispatch["payload"]["task_id"], 1));
  EXPECT_TRUE(eventually([&] { return job(id).progress && job(id).progress->fraction == 0.5; }));
}

TEST_F(V2Front, ATokenThatIsTakenAwayEndsItsSessions) {
  const auth::Token token{.name = "w", .role = command::Role::worker, .secret = "dev-token", .worker = {}};
  const auth::Token other{.name = "x", .role = command::Role::worker, .secret = "other", .worker = {}};
  start({.auth = {.tokens = {token, other}, .required = true}});
  const auto socket = join_v2();
  ASSERT_TRUE(front->set_tokens({.tokens = {other}, .required = true}).ok());
  EXPECT_EQ(socket->hear("control.reset")["payload"]["code"], "E.AUTH.INVALID_TOKEN");
  EXPECT_EQ(socket->closed().first, 1011);
}

}  // namespace
}  // namespace muster::ws
