#include <set>

#include "base/ask_testing.h"
#include "fronts/grpc/k0/k0_testing.h"

namespace muster::rpc::k0 {
namespace {

using namespace std::chrono_literals;

class K0Workers : public K0Test {
 protected:
  Answer<pb::Empty> deregister(const std::string& id, bool drain = false) {
    pb::DeregisterWorkerRequest request;
    request.set_worker_id(id);
    request.set_drain(drain);
    return call<pb::Empty>("DeregisterWorker", request);
  }
  std::vector<std::string> listed(const std::string& status = {}) {
    pb::ListWorkersRequest request;
    request.set_filter_status(status);
    const auto page = call<pb::ListWorkersResponse>("ListWorkers", request);
    EXPECT_EQ(page.code, WireCode::ok) << page.text;
    EXPECT_EQ(page->total_count(), page->workers_size());
    std::vector<std::string> ids;
    for (const auto& one : page->workers()) ids.push_back(one.worker_id());
    return ids;
  }
};

TEST_F(K0Workers, K11_AWorkerOfNoTypesIsRefused) {
  EXPECT_EQ(call<pb::RegisterWorkerResponse>("RegisterWorker", register_request({})).code, WireCode::invalid_argument);
  EXPECT_TRUE(listed().empty());
}

TEST_F(K0Workers, K12_RegistrationTellsIdAndInterval) {
  const auto registered = call<pb::RegisterWorkerResponse>("RegisterWorker", register_request());
  EXPECT_TRUE(Uuid::parse(registered->worker_id()));
  EXPECT_EQ(registered->heartbeat_interval_secs(), 10);
}

TEST_F(K0Workers, K13_TheSameProcessIsTheSameWorker) {
  const std::string id = register_worker();
  EXPECT_EQ(register_worker(), id);
  EXPECT_EQ(listed(), std::vector{id});
  EXPECT_NE(register_worker({"T"}, 2), id);
}

TEST_F(K0Workers, AProcessThatDoesNotSayWhereItRunsIsANewWorkerEachTime) {
  EXPECT_NE(register_worker({"T"}, 0), register_worker({"T"}, 0));
}

TEST_F(K0Workers, RegistrationsAreCountedAndTheLastOneToLeaveEndsTheWorker) {
  const std::string id = register_worker();
  register_worker();
  ASSERT_EQ(deregister(id).code, WireCode::ok);
  EXPECT_EQ(worker(id).status(), pb::WORKER_STATUS_ONLINE);
  ASSERT_EQ(deregister(id).code, WireCode::ok);
  EXPECT_EQ(worker(id).status(), pb::WORKER_STATUS_OFFLINE);
  const std::string fresh = register_worker();
  EXPECT_NE(fresh, id);
}

TEST_F(K0Workers, RegisteringAgainKeepsTheRunsItHolds) {
  const std::string id = register_worker();
  const std::string held = start_run();
  claim(id, held);
  EXPECT_EQ(register_worker(), id);
  EXPECT_EQ(run(held).status(), pb::WORKFLOW_STATUS_RUNNING);
  EXPECT_EQ(complete(held).code, WireCode::ok);
}

TEST_F(K0Workers, K14_K15_WhatAWorkerSaidIsShown) {
  pb::RegisterWorkerRequest request = register_request({"B", "A"}, 42);
  request.set_max_concurrent(0);
  request.set_version("1.2");
  (*request.mutable_labels())["zone"] = "eu";
  request.set_queue_concurrency_limit(7);
  pb::WorkflowTypeConcurrency* limit = request.add_workflow_type_concurrency();
  limit->set_workflow_type("A");
  limit->set_max_concurrent(3);
  request.add_workflow_type_concurrency()->set_workflow_type("ignored");
  const std::string id = call<pb::RegisterWorkerResponse>("RegisterWorker", request)->worker_id();
  const pb::Worker got = worker(id);
  EXPECT_EQ(got.max_concurrent(), 1);
  EXPECT_EQ(got.hostname(), "host");
  EXPECT_EQ(got.pid(), 42);
  EXPECT_EQ(got.version(), "1.2");
  EXPECT_EQ(got.task_queue(), "q");
  EXPECT_EQ(got.namespace_id(), "default");
  EXPECT_EQ(std::vector<std::string>(got.workflow_types().begin(), got.workflow_types().end()),
            (std::vector<std::string>{"B", "A"}));
  EXPECT_EQ(got.labels().at("zone"), "eu");
  EXPECT_EQ(got.queue_concurrency_limit(), 7);
  ASSERT_EQ(got.workflow_type_concurrency_size(), 1);
  EXPECT_EQ(got.workflow_type_concurrency(0).max_concurrent(), 3);
  EXPECT_TRUE(got.has_registered_at());
  EXPECT_TRUE(got.has_last_heartbeat_at());
}

TEST_F(K0Workers, K16_K17_BadAndUnknownIds) {
  pb::GetWorkerRequest get;
  get.set_worker_id("x");
  EXPECT_EQ(call<pb::GetWorkerResponse>("GetWorker", get).code, WireCode::invalid_argument);
  EXPECT_EQ(beat("x").code, WireCode::invalid_argument);
  EXPECT_EQ(deregister("x").code, WireCode::invalid_argument);
  get.set_worker_id(kNobody);
  const auto got = call<pb::GetWorkerResponse>("GetWorker", get);
  EXPECT_EQ(got.code, WireCode::not_found);
  EXPECT_EQ(detail_of(got.details).subject(), "worker");
  EXPECT_EQ(detail_of(got.details).subject_id(), kNobody);
  EXPECT_EQ(beat(kNobody).code, WireCode::not_found);
  EXPECT_EQ(deregister(kNobody).code, WireCode::ok);
}

TEST_F(K0Workers, K18_HeartbeatsAddUpWhatTheyReport) {
  const std::string id = register_worker();
  pb::WorkerHeartbeatRequest request;
  request.set_worker_id(id);
  request.set_completed_delta(3);
  request.set_failed_delta(1);
  EXPECT_TRUE(call<pb::WorkerHeartbeatResponse>("WorkerHeartbeat", request)->accepted());
  request.set_failed_delta(-5);
  call<pb::WorkerHeartbeatResponse>("WorkerHeartbeat", request);
  EXPECT_EQ(worker(id).total_completed(), 6);
  EXPECT_EQ(worker(id).total_failed(), 1);
  const std::string done = start_run();
  claim(id, done);
  EXPECT_EQ(worker(id).active_count(), 1);
  complete(done);
  EXPECT_EQ(worker(id).active_count(), 0);
  EXPECT_EQ(worker(id).total_completed(), 6);
}

TEST_F(K0Workers, WorkCountedHereIsShownWhenItIsMoreThanWhatWasReported) {
  const std::string id = register_worker();
  for (int i = 0; i < 2; ++i) {
    const std::string done = start_run();
    claim(id, done);
    complete(done);
  }
  EXPECT_EQ(worker(id).total_completed(), 2);
}

TEST_F(K0Workers, K19_K20_ADrainingWorkerIsToldAndGetsNothingNew) {
  const std::string id = register_worker();
  const std::string held = start_run();
  claim(id, held);
  ASSERT_EQ(deregister(id, true).code, WireCode::ok);
  const auto heard = beat(id, 1);
  EXPECT_TRUE(heard->accepted());
  EXPECT_TRUE(heard->should_drain());
  EXPECT_EQ(worker(id).status(), pb::WORKER_STATUS_DRAINING);
  start_run();
  EXPECT_EQ(poll(id).code, WireCode::failed_precondition);
  EXPECT_EQ(complete(held).code, WireCode::ok);
}

TEST_F(K0Workers, ADrainThatComesWhileAPollIsOpenEndsIt) {
  const std::string id = register_worker();
  const auto open = begin_poll(id);
  ASSERT_EQ(deregister(id, true).code, WireCode::ok);
  const auto ended = end<pb::PollActivityResponse>(open);
  EXPECT_TRUE(ended.code == WireCode::failed_precondition || ended->run_id().empty());
}

TEST_F(K0Workers, ADrainedWorkerThatRegistersAgainIsOnlineAgain) {
  const std::string id = register_worker();
  ASSERT_EQ(deregister(id, true).code, WireCode::ok);
  EXPECT_EQ(register_worker(), id);
  EXPECT_EQ(worker(id).status(), pb::WORKER_STATUS_ONLINE);
  EXPECT_FALSE(beat(id)->should_drain());
}

TEST_F(K0Workers, K21_AWorkerThatLeftIsOfflineAndUnknownToHeartbeatsAndPolls) {
  const std::string id = register_worker();
  const std::string held = start_run();
  claim(id, held);
  ASSERT_EQ(deregister(id).code, WireCode::ok);
  EXPECT_EQ(worker(id).status(), pb::WORKER_STATUS_OFFLINE);
  EXPECT_EQ(worker(id).active_count(), 0);
  EXPECT_EQ(beat(id).code, WireCode::not_found);
  EXPECT_EQ(poll(id).code, WireCode::failed_precondition);
  EXPECT_EQ(run(held).status(), pb::WORKFLOW_STATUS_PENDING);
  EXPECT_EQ(run(held).attempts(), 0);
}

TEST_F(K0Workers, K22_ToK25_PollsOfThoseWhoMayNot) {
  const std::string id = register_worker();
  EXPECT_EQ(poll("x").code, WireCode::invalid_argument);
  EXPECT_EQ(poll(kNobody).code, WireCode::failed_precondition);
  EXPECT_EQ(poll(id, {}).code, WireCode::invalid_argument);
  EXPECT_EQ(poll(id, {"Other"}).code, WireCode::failed_precondition);
  pb::PollActivityRequest request;
  request.set_worker_id(id);
  request.add_supported_workflow_types("T");
  request.set_task_queue("other queue");
  EXPECT_EQ(call<pb::PollActivityResponse>("PollActivity", request).code, WireCode::failed_precondition);
  request.set_task_queue("q");
  request.set_namespace_id("other");
  const auto refused = call<pb::PollActivityResponse>("PollActivity", request);
  EXPECT_EQ(refused.code, WireCode::failed_precondition);
  EXPECT_EQ(detail_of(refused.details).code(), pb::ERROR_CODE_PRECONDITION_FAILED);
}

TEST_F(K0Workers, ARefusedPollIsHeldSoThatItsClientDoesNotSpin) {
  options.compat_flags.refused_poll_hold = Duration(50);
  restart();
  const auto held = begin_poll(kNobody);
  EXPECT_FALSE(held->answered());
  EXPECT_EQ(end<pb::PollActivityResponse>(held).code, WireCode::failed_precondition);
}

TEST_F(K0Workers, TheFieldsOfAPollMayBeSwapped) {
  const std::string id = register_worker();
  const std::string started = start_run();
  pb::PollActivityRequest request;
  request.set_task_queue(id);
  request.set_worker_id("q");
  request.add_supported_workflow_types("T");
  const auto polled = call<pb::PollActivityResponse>("PollActivity", request);
  EXPECT_EQ(polled.code, WireCode::ok) << polled.text;
  EXPECT_EQ(polled->run_id(), started);
  request.set_task_queue(kNobody);
  EXPECT_EQ(call<pb::PollActivityResponse>("PollActivity", request).code, WireCode::invalid_argument);
}

TEST_F(K0Workers, AQueueWhoseNameIsAUuidIsNoWorker) {
  pb::RegisterWorkerRequest registration = register_request();
  registration.set_task_queue(kNobody);
  const std::string id = call<pb::RegisterWorkerResponse>("RegisterWorker", registration)->worker_id();
  pb::StartWorkflowRequest start = start_request();
  start.set_task_queue(kNobody);
  const std::string started = call<pb::StartWorkflowResponse>("StartWorkflow", start)->run_id();
  pb::PollActivityRequest request;
  request.set_task_queue(kNobody);
  request.set_worker_id(id);
  request.add_supported_workflow_types("T");
  EXPECT_EQ(call<pb::PollActivityResponse>("PollActivity", request)->run_id(), started);
}

TEST_F(K0Workers, K26_OnlyTypesThatWereAskedForAreTaken) {
  const std::string x = start_run("X");
  const std::string y = start_run("Y", R"({"n":1})");
  const std::string id = register_worker({"X", "Y"});
  const auto polled = poll(id, {"Y", "Z"});
  EXPECT_EQ(polled->run_id(), y);
  EXPECT_EQ(polled->workflow_type(), "Y");
  EXPECT_EQ(polled->workflow_input(), R"({"n":1})");
  EXPECT_FALSE(polled.call->trailing("muster-fence").empty());
  EXPECT_EQ(polled.call->trailing("muster-attempt"), "1");
  EXPECT_EQ(run(x).attempts(), 0);
}

TEST_F(K0Workers, PlainJobsOfTheSameQueueDoNotKeepRunsFromWorkflowWorkers) {
  JobSpec job;
  job.queue = QueueName("q");
  job.type = JobType("plain");
  EXPECT_TRUE(
      muster::ask<std::vector<store::Enqueued>>([&](auto reply) { engine->jobs().enqueue({job}, std::move(reply)); }).ok());
  const std::string behind = start_run();
  EXPECT_EQ(poll(register_worker())->run_id(), behind);
}

TEST_F(K0Workers, K27_APollWithNothingToDoEndsEmpty) {
  const std::string id = register_worker();
  const auto open = begin_poll(id);
  EXPECT_FALSE(open->answered());
  for (int i = 0; i < 2; ++i) {
    advance(20s);
    beat(id);
  }
  EXPECT_FALSE(open->answered());
  advance(20s);
  const auto ended = end<pb::PollActivityResponse>(open);
  EXPECT_EQ(ended.code, WireCode::ok) << ended.text;
  EXPECT_EQ(ended->run_id(), "");
}

TEST_F(K0Workers, K28_AnOpenPollGetsARunAsSoonAsItStarts) {
  const auto open = begin_poll(register_worker());
  const std::string started = start_run();
  EXPECT_EQ(end<pb::PollActivityResponse>(open)->run_id(), started);
}

TEST_F(K0Workers, K29_EveryRunIsDeliveredOnce) {
  std::vector<std::string> workers;
  for (int i = 1; i <= 10; ++i) workers.push_back(register_worker({"T"}, i));
  std::vector<std::shared_ptr<FakeCall>> polls;
  for (int round = 0; round < 5; ++round)
    for (const std::string& id : workers) polls.push_back(begin_poll(id));
  std::set<std::string> started;
  for (int i = 0; i < 50; ++i) started.insert(start_run());
  std::multiset<std::string> got;
  for (const auto& one : polls) got.insert(end<pb::PollActivityResponse>(one)->run_id());
  EXPECT_EQ(got, std::multiset<std::string>(started.begin(), started.end()));
}

TEST_F(K0Workers, K31_ACancelledPollTakesNothing) {
  const std::string first = register_worker({"T"}, 1);
  const std::string second = register_worker({"T"}, 2);
  const auto gone = begin_poll(first);
  gone->cancel();
  const std::string started = start_run();
  EXPECT_EQ(poll(second)->run_id(), started);
}

TEST_F(K0Workers, K32_TheOldestRunIsDeliveredFirst) {
  const std::string id = register_worker();
  const std::vector<std::string> started{start_run(), start_run(), start_run()};
  for (const std::string& one : started) EXPECT_EQ(poll(id)->run_id(), one);
}

TEST_F(K0Workers, K47_K48_ARunWhoseWorkerFellSilentGoesToAnotherOne) {
  const std::string silent = register_worker({"T"}, 1);
  const std::string other = register_worker({"T"}, 2);
  const std::string id = start_run();
  claim(silent, id);
  advance(20s);
  ASSERT_EQ(beat(other).code, WireCode::ok);
  advance(11s);
  ASSERT_EQ(beat(other).code, WireCode::ok);
  EXPECT_EQ(poll(other)->run_id(), id);
  EXPECT_EQ(run(id).attempts(), 2);
  ASSERT_TRUE(eventually([&] { return listed("OFFLINE") == std::vector{silent}; }));
  EXPECT_EQ(listed("ONLINE"), std::vector{other});
  EXPECT_EQ(beat(silent).code, WireCode::not_found);
}

TEST_F(K0Workers, K49_ARunOfOneAttemptEndsWithItsWorker) {
  pb::StartWorkflowRequest request = start_request();
  request.mutable_retry_policy()->set_maximum_attempts(1);
  const std::string id = call<pb::StartWorkflowResponse>("StartWorkflow", request)->run_id();
  claim(register_worker(), id);
  advance(31s);
  ASSERT_TRUE(eventually([&] { return run(id).status() == pb::WORKFLOW_STATUS_FAILED; }));
  EXPECT_NE(run(id).error().message().find("exhausted"), std::string::npos);
}

TEST_F(K0Workers, K50_ARestartOfTheServerLosesNeitherWorkerNorRun) {
  const std::string id = register_worker();
  const std::string held = start_run();
  claim(id, held);
  pb::WorkerHeartbeatRequest request;
  request.set_worker_id(id);
  request.set_active_count(1);
  request.set_completed_delta(3);
  ASSERT_EQ(call<pb::WorkerHeartbeatResponse>("WorkerHeartbeat", request).code, WireCode::ok);
  restart();
  EXPECT_TRUE(beat(id, 1)->accepted());
  EXPECT_EQ(run(held).worker_id(), id);
  EXPECT_EQ(complete(held).code, WireCode::ok);
  EXPECT_EQ(register_worker(), id);
}

TEST_F(K0Workers, ARunThatItsLivingWorkerLostIsReleasedAfterTwoIdleHeartbeats) {
  const std::string id = register_worker();
  const std::string lost = start_run();
  claim(id, lost);
  ASSERT_EQ(beat(id, 0).code, WireCode::ok);
  EXPECT_EQ(run(lost).status(), pb::WORKFLOW_STATUS_RUNNING);
  ASSERT_TRUE(eventually([&] { return beat(id, 0).code == WireCode::ok && run(lost).status() == pb::WORKFLOW_STATUS_PENDING; }));
}

TEST_F(K0Workers, ABeatThatReportsWorkClearsTheSuspicion) {
  const std::string id = register_worker();
  const std::string held = start_run();
  claim(id, held);
  for (int i = 0; i < 6; ++i) ASSERT_EQ(beat(id, i % 2).code, WireCode::ok);
  EXPECT_EQ(run(held).status(), pb::WORKFLOW_STATUS_RUNNING);
}

TEST_F(K0Workers, AWorkerThatNamesItsRunsHearsWhichToStop) {
  const std::string id = register_worker();
  const std::string held = start_run();
  const auto polled = poll(id);
  const std::string named = held + ":" + polled.call->trailing("muster-fence");
  EXPECT_EQ(beat(id, 1, {{"muster-runs", named}}).call->trailing("muster-cancelled"), "");
  pb::CancelWorkflowRunRequest cancel;
  cancel.set_run_id(held);
  ASSERT_EQ(call<pb::Empty>("CancelWorkflowRun", cancel).code, WireCode::ok);
  EXPECT_EQ(beat(id, 1, {{"muster-runs", named}}).call->trailing("muster-cancelled"), held);
  EXPECT_EQ(beat(id, 1, {{"muster-runs", "nonsense"}}).code, WireCode::invalid_argument);
}

TEST_F(K0Workers, K51_PagesOfWorkersHoldEachOnceAndTellTheTotal) {
  std::set<std::string> all;
  for (int i = 1; i <= 5; ++i) all.insert(register_worker({"T"}, i));
  std::multiset<std::string> seen;
  pb::ListWorkersRequest request;
  request.set_page_size(2);
  for (int pages = 0; pages < 5; ++pages) {
    const auto page = call<pb::ListWorkersResponse>("ListWorkers", request);
    EXPECT_EQ(page->total_count(), 5);
    for (const auto& one : page->workers()) seen.insert(one.worker_id());
    if (page->next_page_token().empty()) break;
    EXPECT_EQ(page->workers_size(), 2);
    request.set_page_token(page->next_page_token());
  }
  EXPECT_EQ(seen, std::multiset<std::string>(all.begin(), all.end()));
  request.set_page_token("!!");
  EXPECT_EQ(call<pb::ListWorkersResponse>("ListWorkers", request).code, WireCode::invalid_argument);
}

TEST_F(K0Workers, WorkersAreListedByNamespaceAndQueue) {
  register_worker();
  pb::ListWorkersRequest request;
  request.set_task_queue("other");
  EXPECT_EQ(call<pb::ListWorkersResponse>("ListWorkers", request)->workers_size(), 0);
  request.set_task_queue("q");
  EXPECT_EQ(call<pb::ListWorkersResponse>("ListWorkers", request)->workers_size(), 1);
  request.set_namespace_id("never seen");
  const auto none = call<pb::ListWorkersResponse>("ListWorkers", request);
  EXPECT_EQ(none.code, WireCode::ok);
  EXPECT_EQ(none->total_count(), 0);
}

TEST_F(K0Workers, K54_K55_LimitsOfTypesAndQueuesHoldForAllWorkers) {
  pb::RegisterWorkerRequest request = register_request({"X", "Y"});
  pb::WorkflowTypeConcurrency* limit = request.add_workflow_type_concurrency();
  limit->set_workflow_type("X");
  limit->set_max_concurrent(1);
  request.set_queue_concurrency_limit(2);
  const std::string id = call<pb::RegisterWorkerResponse>("RegisterWorker", request)->worker_id();
  const std::string first = start_run("X");
  const std::string second = start_run("X");
  const std::string other = start_run("Y");
  const std::string late = start_run("Y");
  EXPECT_EQ(poll(id, {"X", "Y"})->run_id(), first);
  EXPECT_EQ(poll(id, {"X", "Y"})->run_id(), other);
  const auto open = begin_poll(id, {"X", "Y"});
  EXPECT_FALSE(open->answered());
  ASSERT_EQ(complete(first).code, WireCode::ok);
  EXPECT_EQ(end<pb::PollActivityResponse>(open)->run_id(), second);
  EXPECT_EQ(run(late).status(), pb::WORKFLOW_STATUS_PENDING);
}

TEST_F(K0Workers, K64_RecordHeartbeatIsForTheHolderAlone) {
  const std::string id = register_worker();
  const std::string held = start_run();
  claim(id, held);
  pb::RecordHeartbeatRequest request;
  request.set_run_id(held);
  request.set_worker_id(id);
  EXPECT_EQ(call<pb::Empty>("RecordHeartbeat", request).code, WireCode::ok);
  request.set_worker_id("somebody else");
  EXPECT_EQ(call<pb::Empty>("RecordHeartbeat", request).code, WireCode::failed_precondition);
  request.set_worker_id("");
  EXPECT_EQ(call<pb::Empty>("RecordHeartbeat", request).code, WireCode::invalid_argument);
  request.set_worker_id(id);
  request.set_run_id(kNobody);
  EXPECT_EQ(call<pb::Empty>("RecordHeartbeat", request).code, WireCode::not_found);
  request.set_run_id("x");
  EXPECT_EQ(call<pb::Empty>("RecordHeartbeat", request).code, WireCode::invalid_argument);
}

TEST_F(K0Workers, ATokenOfOneWorkerActsForNoOther) {
  const std::string mine = register_worker({"T"}, 1);
  const std::string held = start_run();
  claim(mine, held);
  caller.role = command::Role::worker;
  caller.worker = WorkerId(kNobody);
  EXPECT_EQ(beat(mine).code, WireCode::permission_denied);
  EXPECT_EQ(poll(mine).code, WireCode::permission_denied);
  EXPECT_EQ(complete(held).code, WireCode::permission_denied);
  EXPECT_EQ(begin_step(held, "a").code, WireCode::permission_denied);
  EXPECT_EQ(register_worker({"T"}, 7), kNobody);
}

}  // namespace
}  // namespace muster::rpc::k0
