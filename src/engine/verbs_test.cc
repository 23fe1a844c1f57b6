// Jobs, Workers and Queues: what is refused before the store hears of it, and how the answers of a mixed batch are put together.
#include <set>

#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "engine/jobs.h"
#include "engine/queues.h"
#include "engine/workers.h"
#include "model/limits.h"
#include "store/scripted_testing.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;

class VerbsTest : public testing::Test {
 protected:
  static JobSpec job(const std::string& type) {
    JobSpec spec;
    spec.type = JobType(type);
    return spec;
  }
  static store::Completion completion(std::uint64_t number, std::size_t bytes = 0) {
    return {.lease = {JobId{{0, number}}, Fence{number}}, .result = Content{std::string(bytes, 'x'), Encoding::bytes}};
  }

  std::vector<WorkerSpec> registered() const { return store_.elements<WorkerSpec>(store::Verb::register_workers); }

  store::ScriptedStore store_;
  ManualClock clock_;
  Options options_;
  Jobs jobs_{store_};
  Workers workers_{store_, clock_, options_};
  Queues queues_{store_};
};

TEST_F(VerbsTest, EnqueuesAllOrNothing) {
  Caught<std::vector<store::Enqueued>> caught;
  jobs_.enqueue({job("a"), job("b"), job("bad type")}, caught.reply());
  EXPECT_EQ(caught.code(), Code::invalid_argument);
  EXPECT_EQ(caught.message().find("job 2: type 'bad type'"), 0u) << caught.message();
  EXPECT_TRUE(store_.asked().empty());
  jobs_.enqueue({job("a"), job("b")}, caught.reply());
  EXPECT_EQ(caught.code(), Code::ok);
  EXPECT_EQ(store_.elements<JobSpec>(store::Verb::enqueue).size(), 2u);
}

TEST_F(VerbsTest, DoesNotNumberAJobThatCameAlone) {
  Caught<std::vector<store::Enqueued>> caught;
  jobs_.enqueue({job("")}, caught.reply());
  EXPECT_EQ(caught.message(), "type '' has 0 bytes; 1 to 128 are accepted");
}

TEST_F(VerbsTest, RefusesABatchAboveItsBound) {
  Caught<std::vector<store::Enqueued>> caught;
  jobs_.enqueue(std::vector<JobSpec>(limits::kEnqueueBatchMax + 1, job("a")), caught.reply());
  EXPECT_EQ(caught.message(), "a batch of 10001 jobs is too large; at most 10000 are accepted");
}

TEST_F(VerbsTest, AnswersAnEmptyBatchWithoutTheStore) {
  Caught<std::vector<store::Enqueued>> enqueued;
  jobs_.enqueue({}, enqueued.reply());
  EXPECT_EQ(enqueued.code(), Code::ok);
  Caught<store::Each<store::Settled>> settled;
  jobs_.complete({}, settled.reply());
  EXPECT_EQ(settled.code(), Code::ok);
  EXPECT_TRUE(store_.asked().empty());
}

TEST_F(VerbsTest, ForwardsTheGoodPartOfABatchAndAnswersEachInItsPlace) {
  store_.on(store::Verb::complete, [](const std::vector<store::Completion>& batch) -> Result<store::Each<store::Settled>> {
    store::Each<store::Settled> settled;
    for (const store::Completion& one : batch) settled.emplace_back(store::Settled{.id = one.lease.job, .run_at = {}});
    return settled;
  });
  Caught<store::Each<store::Settled>> caught;
  jobs_.complete(
      {completion(1, limits::kResultBytesMax + 1), completion(2), completion(3, limits::kResultBytesMax + 1), completion(4)},
      caught.reply());
  ASSERT_EQ(caught.code(), Code::ok);
  const store::Each<store::Settled>& each = **caught.result;
  ASSERT_EQ(each.size(), 4u);
  EXPECT_EQ(each[0].code(), Code::invalid_argument);
  EXPECT_EQ(each[1]->id, (JobId{{0, 2}}));
  EXPECT_EQ(each[2].code(), Code::invalid_argument);
  EXPECT_EQ(each[3]->id, (JobId{{0, 4}}));
  EXPECT_EQ(store_.elements<store::Completion>(store::Verb::complete).size(), 2u);
}

TEST_F(VerbsTest, AnswersAnAllBadBatchWithoutTheStore) {
  Caught<store::Each<store::Settled>> caught;
  jobs_.snooze({{.lease = {}, .delay = -1ms}}, caught.reply());
  ASSERT_EQ(caught.code(), Code::ok);
  EXPECT_EQ((**caught.result)[0].code(), Code::invalid_argument);
  EXPECT_TRUE(store_.asked().empty());
}

TEST_F(VerbsTest, PassesAFailureOfTheStoreOnForAMixedBatch) {
  store_.fail_with(Status::unavailable("disk full"));
  Caught<store::Each<store::Settled>> caught;
  jobs_.complete({completion(1, limits::kResultBytesMax + 1), completion(2)}, caught.reply());
  EXPECT_EQ(caught.code(), Code::unavailable);
}

TEST_F(VerbsTest, ChecksEachKindOfOutcome) {
  const auto refused = [&](auto call) {
    Caught<store::Each<store::Settled>> caught;
    call(caught.reply());
    return caught.code() == Code::ok && (**caught.result)[0].code() == Code::invalid_argument;
  };
  const std::string long_text(limits::kErrorBytesMax + 1, 'x');
  EXPECT_TRUE(refused([&](auto reply) {
    jobs_.fail({{.lease = {}, .error = {"io", long_text}, .delay = {}}}, std::move(reply));
  }));
  EXPECT_TRUE(refused([&](auto reply) { jobs_.fail({{.lease = {}, .error = {"io", ""}, .delay = -1ms}}, std::move(reply)); }));
  EXPECT_TRUE(refused([&](auto reply) { jobs_.release({{.lease = {}, .reason = long_text}}, std::move(reply)); }));
  EXPECT_TRUE(refused([&](auto reply) { jobs_.redrive({JobId{}}, std::move(reply)); }));

  const auto renewal_refused = [&](auto call) {
    Caught<store::Each<store::Renewed>> caught;
    call(caught.reply());
    return caught.code() == Code::ok && (**caught.result)[0].code() == Code::invalid_argument;
  };
  EXPECT_TRUE(renewal_refused([&](auto reply) {
    jobs_.report_progress({{.lease = {}, .fraction = 1.5, .message = "", .partial = {}}}, std::move(reply));
  }));
  EXPECT_TRUE(renewal_refused([&](auto reply) {
    jobs_.report_progress(
        {{.lease = {}, .fraction = 0, .message = "", .partial = Content{std::string(limits::kPartialBytesMax + 1, 'x')}}},
        std::move(reply));
  }));
  EXPECT_TRUE(renewal_refused([&](auto reply) { jobs_.renew({{.lease = {}, .ttl = 1ms}}, std::move(reply)); }));
  EXPECT_TRUE(store_.asked().empty());
}

TEST_F(VerbsTest, BoundsPagesAndFilters) {
  Caught<store::JobPage> page;
  jobs_.list({.filter = {}, .limit = limits::kPageMax + 1, .cursor = ""}, page.reply());
  EXPECT_EQ(page.message(), "limit is 1001; 1 to 1000 is accepted");
  jobs_.list({.filter = {}, .limit = 0, .cursor = ""}, page.reply());
  EXPECT_EQ(page.code(), Code::invalid_argument);
  Caught<store::WorkerPage> workers;
  workers_.list({.states = {}, .capability = "nokind", .labels = {}}, workers.reply());
  EXPECT_EQ(workers.code(), Code::invalid_argument);
  EXPECT_TRUE(store_.asked().empty());
}

TEST_F(VerbsTest, RedrivesOnlyStatesThatCanBe) {
  Caught<store::Redriven> caught;
  jobs_.redrive_matching({.filter = {.states = {JobState::dead, JobState::completed}}}, caught.reply());
  EXPECT_EQ(caught.message(), "state 'completed' cannot be re-driven; dead and cancelled are accepted");
  jobs_.redrive_matching({.filter = {.states = {JobState::dead, JobState::cancelled}}}, caught.reply());
  EXPECT_EQ(caught.code(), Code::ok);
}

TEST_F(VerbsTest, ExplainsFromTheFactsOfTheStore) {
  store_.on(store::Verb::explain, [](const JobId& job) -> Result<store::WaitFacts> {
    store::WaitFacts facts;
    facts.job.id = job;
    facts.job.state = JobState::ready;
    facts.queue.paused = true;
    return facts;
  });
  Caught<Why> caught;
  jobs_.why(JobId{{0, 9}}, caught.reply());
  ASSERT_EQ(caught.code(), Code::ok);
  EXPECT_EQ((*caught.result)->code, WhyCode::paused);
  jobs_.why(JobId{}, caught.reply());
  EXPECT_EQ(caught.code(), Code::invalid_argument);
}

TEST_F(VerbsTest, NamesWorkersThatBringNoName) {
  Caught<store::Each<store::Registered>> caught;
  WorkerSpec named;
  named.id = WorkerId("w1");
  workers_.register_workers({WorkerSpec{}, named, WorkerSpec{}}, caught.reply());
  ASSERT_EQ(registered().size(), 3u);
  std::set<std::string> ids;
  for (const WorkerSpec& spec : registered()) ids.insert(spec.id.text());
  EXPECT_EQ(ids.size(), 3u);
  EXPECT_TRUE(ids.contains("w1"));
  EXPECT_FALSE(ids.contains(""));
}

TEST_F(VerbsTest, FillsInThePolicyOfTheDialect) {
  options_.policies[static_cast<std::size_t>(Dialect::resp)] = {.interval = 7s, .dead_after = 70s};
  Workers workers(store_, clock_, options_);
  WorkerSpec plain;
  plain.dialect = Dialect::resp;
  WorkerSpec own;
  own.policy = HeartbeatPolicy{.interval = 2s, .dead_after = 6s};
  Caught<store::Each<store::Registered>> caught;
  workers.register_workers({plain, own}, caught.reply());
  EXPECT_EQ(registered().at(0).policy->dead_after, 70s);
  EXPECT_EQ(registered().at(1).policy->dead_after, 6s);
}

TEST_F(VerbsTest, RefusesToResumeWithoutAName) {
  WorkerSpec spec;
  spec.resume = SessionId{3};
  Caught<store::Each<store::Registered>> caught;
  workers_.register_workers({spec}, caught.reply());
  EXPECT_EQ((**caught.result)[0].code(), Code::invalid_argument);
  EXPECT_TRUE(registered().empty());
}

TEST_F(VerbsTest, ChecksWhatWorkersSay) {
  Caught<store::Each<store::BeatReply>> beats;
  workers_.heartbeat({{.ns = NamespaceName("default"),
                       .worker = WorkerId("w1"),
                       .stats = std::string(limits::kMetadataBytesMax + 1, 'x'),
                       .held = {}}},
                     beats.reply());
  EXPECT_EQ((**beats.result)[0].code(), Code::invalid_argument);
  Caught<store::Each<Worker>> workers;
  workers_.drain(
      {{.ns = NamespaceName("default"), .worker = WorkerId("w1"), .deadline = limits::kDrainDeadlineMax + 1ms, .reason = ""}},
      workers.reply());
  EXPECT_EQ((**workers.result)[0].code(), Code::invalid_argument);
  workers_.resume({{.ns = NamespaceName("default"), .worker = WorkerId("")}}, workers.reply());
  EXPECT_EQ((**workers.result)[0].code(), Code::invalid_argument);
  workers_.unregister({{.ns = NamespaceName("default"), .worker = WorkerId("")}}, workers.reply());
  EXPECT_EQ((**workers.result)[0].code(), Code::invalid_argument);
  EXPECT_TRUE(store_.asked().empty());
}

TEST_F(VerbsTest, ChecksQueuesAndNamespaces) {
  Caught<QueueStats> queue;
  queues_.change(QueueChange{}, queue.reply());
  EXPECT_EQ(queue.code(), Code::invalid_argument);
  Caught<NamespaceInfo> info;
  queues_.create_namespace({.name = NamespaceName("a b"), .description = ""}, info.reply());
  EXPECT_EQ(info.code(), Code::invalid_argument);
  queues_.delete_namespace(NamespaceName(""), info.reply());
  EXPECT_EQ(info.code(), Code::invalid_argument);
  EXPECT_TRUE(store_.asked().empty());
  Caught<std::vector<QueueStats>> all;
  queues_.list(NamespaceName(""), all.reply());  // the empty name stands for all namespaces
  EXPECT_EQ(all.code(), Code::ok);
}

}  // namespace
}  // namespace muster::engine
