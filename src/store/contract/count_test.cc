// Contract: counting jobs by where they are, listing only runs, and finding who holds a unique key.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class CountContract : public StoreContract {
 protected:
  void SetUp() override {
    StoreContract::SetUp();
    join();
  }
  std::vector<std::string> counts(JobFilter filter = {}, int line = __builtin_LINE()) {
    std::vector<std::string> out;
    for (const JobCount& one : must(client().count_jobs(std::move(filter)), line))
      out.push_back(
          fmt::format("{}/{}/{} {} {}", one.ns.text(), one.queue.text(), one.type.text(), to_string(one.state), one.count));
    return out;
  }
};

using Lines = std::vector<std::string>;

TEST_P(CountContract, AnEmptyStoreCountsNothing) { EXPECT_EQ(counts(), Lines{}); }

TEST_P(CountContract, JobsAreCountedByQueueTypeAndState) {
  must(client().create_namespace({.name = NamespaceName("team")}));
  make_completed();
  make_dead();
  must(cancel(add()));
  add([](JobSpec& j) { j.delay = 1h; });
  add();
  take_one();
  add_many(2);
  add([](JobSpec& j) { j.needs = CapabilitySet({"tool:x"}); });  // another lane, the same queue and type
  add([](JobSpec& j) { j.type = JobType("other"); });
  add([](JobSpec& j) { j.queue = QueueName("slow"); });
  add([](JobSpec& j) { j.ns = NamespaceName("team"); });
  EXPECT_EQ(counts(), (Lines{"default/default/other ready 1", "default/default/work scheduled 1", "default/default/work ready 3",
                             "default/default/work running 1", "default/default/work completed 1", "default/default/work dead 1",
                             "default/default/work cancelled 1", "default/slow/work ready 1", "team/default/work ready 1"}));
  EXPECT_EQ(counts({.ns = NamespaceName("team")}), Lines{"team/default/work ready 1"});
  EXPECT_EQ(counts({.ns = kDefault, .queue = QueueName("slow")}), Lines{"default/slow/work ready 1"});
  EXPECT_EQ(counts({.type = JobType("other")}), Lines{"default/default/other ready 1"});
  EXPECT_EQ(counts({.ns = kDefault, .states = {JobState::dead, JobState::running}}),
            (Lines{"default/default/work running 1", "default/default/work dead 1"}));
  EXPECT_EQ(client().count_jobs({.ns = NamespaceName("nowhere")}).code(), Code::not_found);
}

TEST_P(CountContract, AScheduledJobWhoseTimeHasComeCountsAsReady) {
  add([](JobSpec& j) { j.delay = 10s; });
  EXPECT_EQ(counts({.states = {JobState::scheduled}}).size(), 1u);
  advance(10s);
  EXPECT_EQ(counts(), Lines{"default/default/work ready 1"});
}

TEST_P(CountContract, OnlyRunsWhenAskedFor) {
  const JobId plain = add([](JobSpec& j) { j.priority = -1; });
  const JobId run = add(a_run());
  EXPECT_EQ(counts({.runs_only = true}), Lines{"default/default/work ready 1"});
  EXPECT_EQ(ids_of(list_all({.filter = {.runs_only = true}})), std::vector<JobId>{run});
  EXPECT_EQ(ids_of(list_all({.order = Order::oldest_first})), (std::vector<JobId>{plain, run}));
  restart();
  const Grant grant = take_one();
  EXPECT_EQ(grant.id, run);
  must(fail_for_good(grant));
  EXPECT_EQ(ids_of(list_all({.filter = {.states = {JobState::dead}, .runs_only = true}})), std::vector<JobId>{run});
  must(client().redrive(run));
  EXPECT_EQ(ids_of(list_all({.filter = {.runs_only = true}, .order = Order::oldest_first})), std::vector<JobId>{run});
}

TEST_P(CountContract, AListSaysWhatHappenedLast) {
  const JobId fresh = add([](JobSpec& j) { j.delay = 1h; });
  const JobId sleeper = add(a_run());
  sleep(take_one(), "nap", 10min);
  const auto event = [&](JobId id) {
    for (const Job& one : list_all({}))
      if (one.id == id) return one.last_event;
    throw std::runtime_error("not listed");
  };
  EXPECT_EQ(event(fresh), JobEvent::enqueued);
  EXPECT_EQ(event(sleeper), JobEvent::snoozed);
  EXPECT_EQ(job(sleeper).last_event, JobEvent::snoozed);
  EXPECT_EQ(must(client().explain(sleeper)).job.last_event, JobEvent::snoozed);
  advance(10min);
  sweep(&Store::promote_due);
  EXPECT_EQ(event(sleeper), JobEvent::due);
  EXPECT_EQ(job(sleeper).last_event, JobEvent::due);
}

TEST_P(CountContract, TheHolderOfAUniqueKeyIsFoundWhileItHoldsIt) {
  const auto holder = [&] { return client().find_holder(kDefault, "u"); };
  EXPECT_EQ(holder().code(), Code::not_found);
  const JobId id = add([](JobSpec& j) { j.unique = UniqueKey{"u", UniqueWhile::unfinished}; });
  EXPECT_EQ(must(holder()), id);
  restart();
  EXPECT_EQ(must(holder()), id);
  const Grant grant = take_one();
  EXPECT_EQ(must(holder()), id);
  must(complete(grant));
  EXPECT_EQ(holder().code(), Code::not_found);
  EXPECT_EQ(client().find_holder(NamespaceName("nowhere"), "u").code(), Code::not_found);
}

INSTANTIATE_TEST_SUITE_P(Stores, CountContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
