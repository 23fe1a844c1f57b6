// Resources, affinity and single flight at the front: what a task document asks for is what its worker gets.
#include <chrono>

#include "command/resources.h"
#include "command/workers.h"
#include "fronts/ws/front_testing.h"

namespace muster::ws {
namespace {

using namespace std::chrono_literals;

class ResourceFront : public FrontTest {
 protected:
  // A worker of protocol 2 under another instance and name than join_v2()'s.
  struct Other {
    std::string instance;
    std::string name;
  };
  Json from(const Other& worker, Json frame) {
    frame["sender"]["id"] = worker.instance;
    return frame;
  }
  std::unique_ptr<TestSocket> join_other(const Other& worker, std::uint32_t max_parallel = 1) {
    auto socket = std::make_unique<TestSocket>(loop, *front);
    Json hello = from(worker, v2_handshake());
    hello["payload"]["worker"]["worker_name"] = worker.name;
    hello["payload"]["worker"]["worker_instance_id"] = worker.instance;
    socket->say(hello);
    socket->hear("control.ack");
    socket->say(from(worker, v2_frame("control.register", registration_payload(max_parallel), "control.register-1")));
    socket->hear("control.session.accept");
    return socket;
  }

  static Json outcome(const Json& dispatch, std::uint64_t number, const Json& artifacts = nullptr) {
    Json payload{{"run_id", dispatch["payload"]["run_id"]},
                 {"task_id", dispatch["payload"]["task_id"]},
                 {"status", "SUCCEEDED"},
                 {"result", {{"x", 1}}}};
    if (!artifacts.is_null()) payload["artifacts"] = artifacts;
    Json frame = v2_frame("biz.exec.result", std::move(payload), "biz.exec.result-" + std::to_string(number));
    frame["session_seq"] = number;
    frame["corr"] = dispatch["id"];
    return frame;
  }
  static std::string task(const std::string& members) { return R"({"node_type":"demo.echo","parameters":{},)" + members + "}"; }
  Result<store::Enqueued> try_submit(
      const std::string& members, std::function<void(JobSpec&)> change = [](JobSpec&) {}) {
    JobSpec spec;
    spec.type = JobType("demo.echo");
    spec.needs = CapabilitySet({node_capability("demo.echo")});
    spec.payload = {task(members), Encoding::json};
    spec.retry.attempts_max = 3;
    change(spec);
    return ask<store::Enqueued>(
        [&](auto reply) { door->run(command::itself(), command::JobSubmitRequest{spec}, std::move(reply)); });
  }
  Result<Resource> known(const std::string& id) {
    return ask<Resource>([&](auto reply) {
      door->run(command::itself(), command::ResourceGetRequest{NamespaceName("default"), id}, std::move(reply));
    });
  }
  void tell(const std::string& id, const Other& worker) {
    Resource resource;
    resource.id = id;
    resource.type = "file";
    resource.worker_name = worker.name;
    resource.worker = WorkerId(worker.instance);
    const auto told = ask<Resource>([&](auto reply) { door->run(command::itself(), resource, std::move(reply)); });
    ASSERT_TRUE(told.ok()) << told.status().text();
  }
  std::string why(JobId id) {
    const auto told = ask<command::JobWhyReply>(
        [&](auto reply) { door->run(command::itself(), command::JobWhyRequest{id}, std::move(reply)); });
    return told.ok() ? told->text : told.status().text();
  }
  // The passes of the engine, as its ticker does them.
  void sweep() {
    for (int i = 0; i < 3; ++i) engine->tick();
  }

  const Other own{kInstance, "worker-local"};
  const Other other{"11111111-a264-4858-819a-dd086d283261", "worker-other"};
};

TEST_F(ResourceFront, ArtifactsAreKnownBeforeTheJobIsCompleted) {
  start();
  const auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(outcome(dispatch, 1,
                      {{{"resource_id", "r1"},
                        {"worker_name", "worker-local"},
                        {"type", "file"},
                        {"size_bytes", 7},
                        {"expires_at", "2033-01-01T00:00:00+00:00"},
                        {"metadata", {{"path", "a"}}}},
                       {{"resource_id", "r2"}, {"worker_name", "worker-local"}, {"type", "text"}, {"inline", true}},
                       {{"resource_id", "r3"}, {"worker_name", "somebody-else"}, {"type", "file"}}}));
  ASSERT_TRUE(ends(id, JobState::completed));
  const auto r1 = known("r1");
  ASSERT_TRUE(r1.ok()) << r1.status().text();
  EXPECT_EQ(r1->worker, WorkerId(kInstance));
  EXPECT_EQ(r1->worker_name, "worker-local");
  EXPECT_EQ(r1->size_bytes, 7u);
  EXPECT_EQ(r1->metadata, R"({"path":"a"})");
  EXPECT_EQ(r1->job, id.text());
  EXPECT_TRUE(r1->worker_live);
  EXPECT_TRUE(known("r2")->in_result) << "its value is in the result";
  EXPECT_EQ(known("r3").code(), Code::not_found) << "another worker's is that one's to tell";
}

TEST_F(ResourceFront, AnArtifactThatCannotBeKeptDoesNotKeepTheResult) {
  start();
  const auto socket = join_v2();
  const JobId id = submit();
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(outcome(dispatch, 1,
                      {{{"resource_id", std::string(300, 'x')}, {"worker_name", "worker-local"}, {"type", "file"}},
                       {{"resource_id", "r2"}, {"worker_name", "worker-local"}, {"type", "file"}}}));
  EXPECT_TRUE(ends(id, JobState::completed));
  EXPECT_TRUE(known("r2").ok());
}

TEST_F(ResourceFront, ATaskRunsWhereItsResourceIs) {
  start();
  const auto first = join_v2(4);
  const auto second = join_other(other, 4);
  tell("r1", other);
  const auto made = try_submit(R"("resource_refs":[{"resource_id":"r1"}])");
  ASSERT_TRUE(made.ok()) << made.status().text();
  const Json dispatch = second->hear("biz.exec.dispatch");
  EXPECT_EQ(dispatch["payload"]["resource_refs"],
            (Json{{{"resource_id", "r1"}, {"worker_name", "worker-other"}, {"type", "file"}}}));
  EXPECT_FALSE(first->heard("biz.exec.dispatch"));
}

TEST_F(ResourceFront, AWorkerOfProtocol1IsToldInItsOwnWords) {
  start();
  const auto socket = join_v1();
  tell("r1", {"worker-local", "worker-local"});
  ASSERT_TRUE(try_submit(R"("fail_fast":true,"resource_refs":[{"resource_id":"r1","worker_name":"worker-local"}])").ok());
  const Json dispatch = socket->hear("cmd.dispatch");
  EXPECT_EQ(dispatch["payload"]["resource_refs"],
            (Json{{{"resource_id", "r1"}, {"worker_id", "worker-local"}, {"type", "file"}}}));
  EXPECT_FALSE(dispatch["payload"].contains("fail_fast"));
}

TEST_F(ResourceFront, ATaskWhoseResourceIsNotThereIsDeadAtOnce) {
  start();
  const auto socket = join_v2();
  const auto made = try_submit(R"("resource_refs":[{"resource_id":"nothing"}])");
  ASSERT_TRUE(made.ok()) << made.status().text();
  EXPECT_EQ(made->state, JobState::dead);
  const Job dead = job(made->id);
  EXPECT_EQ(dead.state, JobState::dead);
  EXPECT_EQ(dead.error->kind, "E.RESOURCE.MISSING");
  EXPECT_EQ(dead.error->message, "resource 'nothing' is not known, or has expired");
  EXPECT_EQ(dead.attempt, 0u);
  EXPECT_FALSE(socket->heard("biz.exec.dispatch"));
}

TEST_F(ResourceFront, ABatchIsRefusedForOneConflict) {
  start();
  tell("r1", own);
  tell("r2", other);
  std::vector<JobSpec> jobs(2);
  for (JobSpec& spec : jobs) {
    spec.type = JobType("demo.echo");
    spec.needs = CapabilitySet({node_capability("demo.echo")});
  }
  jobs[0].payload = {task(R"("priority":1)"), Encoding::json};
  jobs[1].payload = {task(R"("resource_refs":[{"resource_id":"r1"},{"resource_id":"r2"}])"), Encoding::json};
  const auto made = ask<command::JobSubmitBulkReply>(
      [&](auto reply) { door->run(command::itself(), command::JobSubmitBulkRequest{jobs}, std::move(reply)); });
  // Neither worker was ever here: their resources went with them, and what is dead is no conflict.
  ASSERT_TRUE(made.ok());
  EXPECT_EQ((*made)[1].state, JobState::dead);
  const auto a = join_v2();
  const auto b = join_other(other);
  const auto again = ask<command::JobSubmitBulkReply>(
      [&](auto reply) { door->run(command::itself(), command::JobSubmitBulkRequest{jobs}, std::move(reply)); });
  EXPECT_EQ(again.code(), Code::conflict);
  EXPECT_EQ(again.status().message().find("job 1: resource 'r1' is on worker"), 0u) << again.status().message();
}

TEST_F(ResourceFront, ATaskWaitsForAWorkerThatIsAwayAndSaysSo) {
  start();
  auto socket = join_v2();
  tell("r1", own);
  socket->cut();
  // Its row says offline; it is not forgotten.
  const store::Unregister goodbye{NamespaceName("default"), WorkerId(kInstance), std::nullopt};
  ASSERT_TRUE(ask<muster::Worker>([&](auto reply) { door->run(command::itself(), goodbye, std::move(reply)); }).ok());
  const auto second = join_other(other);
  const auto made = try_submit(R"("resource_refs":[{"resource_id":"r1"}])");
  ASSERT_TRUE(made.ok()) << made.status().text();
  EXPECT_EQ(made->state, JobState::ready);
  EXPECT_EQ(why(made->id), std::string("it must run on worker '") + kInstance + "', which is not there");
  EXPECT_EQ(try_submit(R"("fail_fast":true,"resource_refs":[{"resource_id":"r1"}])").code(), Code::unavailable);
  const auto back = join_v2();
  EXPECT_EQ(back->hear("biz.exec.dispatch")["payload"]["task_id"], made->id.text());
}

TEST_F(ResourceFront, AStickyKeyStaysWithItsWorker) {
  start();
  const auto first = join_v2(8);
  ASSERT_TRUE(try_submit(R"("affinity":{"key":"s","mode":"sticky"})").ok());
  const Json dispatch = first->hear("biz.exec.dispatch");
  first->say(outcome(dispatch, 1));
  const auto second = join_other(other, 8);
  for (int i = 0; i < 3; ++i) {
    const auto made = try_submit(R"("affinity":{"key":"s","mode":"sticky"})");
    EXPECT_EQ(first->hear("biz.exec.dispatch")["payload"]["task_id"], made->id.text());
  }
  EXPECT_FALSE(second->heard("biz.exec.dispatch"));
}

TEST_F(ResourceFront, APreferredKeyGoesElsewhereAfterAShortWait) {
  start();
  const auto first = join_v2(1);
  ASSERT_TRUE(try_submit(R"("affinity":{"key":"p","mode":"preferred"})").ok());
  first->hear("biz.exec.dispatch");  // it is busy now
  const auto second = join_other(other, 1);
  ASSERT_TRUE(eventually([&] {
    const auto places = ask<std::vector<WorkerId>>(
        [&](auto reply) { engine->resources().last_places(NamespaceName("default"), {"p"}, std::move(reply)); });
    return places.ok() && !places->front().empty();
  }));
  const auto made = try_submit(R"("affinity":{"key":"p","mode":"preferred"})");
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(job(made->id).spec.affinity.prefer, std::string("worker:") + kInstance);
  EXPECT_FALSE(second->heard("biz.exec.dispatch"));
  pass(limits::kPreferWaitDefault);
  EXPECT_TRUE(eventually([&] {
    sweep();
    return second->heard("biz.exec.dispatch");
  }));
}

TEST_F(ResourceFront, TwoTasksOfOneKeyNeverRunAtOnceAnywhere) {
  start();
  const auto first = join_v2(8);
  const auto second = join_other(other, 8);
  const auto a = try_submit(R"("concurrency_key":"k")");
  const auto b = try_submit(R"("concurrency_key":"k")");
  ASSERT_TRUE(eventually([&] { return first->heard("biz.exec.dispatch") || second->heard("biz.exec.dispatch"); }));
  TestSocket& holder = first->heard("biz.exec.dispatch") ? *first : *second;
  const Json dispatch = holder.hear("biz.exec.dispatch");
  EXPECT_EQ(dispatch["payload"]["task_id"], a->id.text());
  EXPECT_EQ(job(b->id).state, JobState::ready);
  EXPECT_EQ(why(b->id), "concurrency key 'k' (limit 1) is held by " + a->id.text());
  Json done = outcome(dispatch, 1);
  if (&holder == second.get()) done = from(other, done);
  holder.say(done);
  EXPECT_TRUE(eventually([&] { return job(b->id).state == JobState::running; }));
}

TEST_F(ResourceFront, ATaskWhoseKeyAnotherOneHoldsIsTriedAgainLater) {
  start();
  const auto socket = join_v2(8);
  const auto roomy = [](JobSpec& spec) { spec.concurrency = ConcurrencyKey{"wide", 5}; };
  const auto a = try_submit(R"("concurrency_key":"k")", roomy);
  const Json first = socket->hear("biz.exec.dispatch");
  const auto b = try_submit(R"("concurrency_key":"k")", roomy);
  const Json second = socket->hear("biz.exec.dispatch");
  Json refusal =
      v2_frame("biz.exec.error",
               {{"code", "E.CMD.CONCURRENCY_VIOLATION"},
                {"message", "already running"},
                {"context", {{"details", {{"run_id", second["payload"]["run_id"]}, {"task_id", second["payload"]["task_id"]}}}}}},
               "biz.exec.error-1");
  refusal["session_seq"] = 1;
  socket->say(refusal);
  EXPECT_TRUE(ends(b->id, JobState::scheduled)) << "it does not run, and costs no attempt";
  EXPECT_EQ(job(a->id).state, JobState::running);
}

TEST_F(ResourceFront, ATaskThatTakesTooLongIsEndedByTheServer) {
  start();
  const auto socket = join_v2(1);
  const auto slow =
      try_submit(R"("constraints":{"timeout_ms":2000},"priority":5)", [](JobSpec& spec) { spec.retry.attempts_max = 1; });
  EXPECT_EQ(job(slow->id).spec.priority, 5);
  const Json dispatch = socket->hear("biz.exec.dispatch");
  socket->say(v2_frame("control.ack",
                       {{"ok", true}, {"for", dispatch["id"]}, {"ack_seq", 1}, {"ack_bitmap", 0}, {"recv_window", 64}},
                       "control.ack-1", false));
  const auto next = try_submit(R"("priority":1)");
  pass(2s);
  EXPECT_TRUE(eventually([&] {
    sweep();
    return job(slow->id).state == JobState::dead;
  }));
  EXPECT_EQ(job(slow->id).error->kind, "timeout");
  EXPECT_EQ(socket->hear("biz.exec.dispatch")["payload"]["task_id"], next->id.text()) << "its slot is free";
}

}  // namespace
}  // namespace muster::ws
