// Contract: finding jobs. Filters, orders, pages that stay in step while jobs come and go.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class ListContract : public StoreContract {
 protected:
  template <class Tweak>
  std::vector<JobId> find(Tweak tweak) {
    JobQuery query;
    query.order = Order::oldest_first;
    tweak(query.filter);
    return ids_of(list_all(query));
  }
};

using Ids = std::vector<JobId>;

TEST_P(ListContract, AnEmptyStoreHasAnEmptyList) {
  const JobPage page = must(client().list_jobs({}));
  EXPECT_TRUE(page.jobs.empty());
  EXPECT_TRUE(page.next.empty());
}

TEST_P(ListContract, NewestFirstIsTheDefaultAndOldestFirstItsReverse) {
  Ids ids;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(add());
    advance(1ms);
  }
  JobQuery oldest;
  oldest.order = Order::oldest_first;
  EXPECT_EQ(ids_of(list_all(oldest)), ids);
  std::reverse(ids.begin(), ids.end());
  EXPECT_EQ(ids_of(list_all({})), ids);
}

TEST_P(ListContract, JobsOfOneBatchKeepTheirOrder) {
  const Ids ids = add_many(30);
  EXPECT_EQ(find([](JobFilter&) {}), ids);
}

TEST_P(ListContract, ByNamespace) {
  NamespaceInfo info;
  info.name = NamespaceName("other");
  must(client().create_namespace(info));
  const JobId here = add();
  const JobId there = add([](JobSpec& j) { j.ns = NamespaceName("other"); });
  EXPECT_EQ(find([](JobFilter& f) { f.ns = kDefault; }), Ids{here});
  EXPECT_EQ(find([](JobFilter& f) { f.ns = NamespaceName("other"); }), Ids{there});
  EXPECT_EQ(find([](JobFilter&) {}), (Ids{here, there}));
}

TEST_P(ListContract, AnUnknownNamespaceIsNotFound) {
  JobQuery query;
  query.filter.ns = NamespaceName("nowhere");
  EXPECT_EQ(client().list_jobs(query).code(), Code::not_found);
}

TEST_P(ListContract, ByQueue) {
  const JobId mail = add([](JobSpec& j) { j.queue = QueueName("mail"); });
  add();
  EXPECT_EQ(find([](JobFilter& f) { f.queue = QueueName("mail"); }), Ids{mail});
  EXPECT_EQ(find([](JobFilter& f) { f.queue = QueueName("unused"); }), Ids{});
}

TEST_P(ListContract, ByType) {
  add();
  const JobId special = add([](JobSpec& j) { j.type = JobType("special"); });
  EXPECT_EQ(find([](JobFilter& f) { f.type = JobType("special"); }), Ids{special});
  EXPECT_EQ(find([](JobFilter& f) { f.type = JobType("spec"); }), Ids{});
}

TEST_P(ListContract, ByState) {
  join();
  const JobId completed = make_completed();
  const JobId dead = make_dead();
  const JobId running = add();
  take_one();
  const JobId ready = add();
  const JobId scheduled = add([](JobSpec& j) { j.delay = 1h; });
  const JobId cancelled = add([](JobSpec& j) { j.delay = 1h; });
  must(cancel(cancelled));
  EXPECT_EQ(find([](JobFilter& f) { f.states = {JobState::completed}; }), Ids{completed});
  EXPECT_EQ(find([](JobFilter& f) { f.states = {JobState::dead}; }), Ids{dead});
  EXPECT_EQ(find([](JobFilter& f) { f.states = {JobState::running}; }), Ids{running});
  EXPECT_EQ(find([](JobFilter& f) { f.states = {JobState::ready}; }), Ids{ready});
  EXPECT_EQ(find([](JobFilter& f) { f.states = {JobState::scheduled}; }), Ids{scheduled});
  EXPECT_EQ(find([](JobFilter& f) { f.states = {JobState::cancelled}; }), Ids{cancelled});
  EXPECT_EQ(find([](JobFilter& f) { f.states = {JobState::running, JobState::dead}; }), (Ids{dead, running}));
}

TEST_P(ListContract, ByWorker) {
  join("w1");
  join("w2");
  const JobId mine = make_completed();
  const JobId held = add();
  take_one("w1");
  add();
  take_one("w2");
  add();
  EXPECT_EQ(find([](JobFilter& f) { f.worker = WorkerId("w1"); }), (Ids{mine, held}));
}

TEST_P(ListContract, ByLabels) {
  const JobId both = add([](JobSpec& j) { j.labels = {{"a", "1"}, {"b", "2"}}; });
  const JobId one = add([](JobSpec& j) { j.labels = {{"a", "1"}}; });
  add([](JobSpec& j) { j.labels = {{"a", "11"}, {"x", "1"}}; });
  EXPECT_EQ(find([](JobFilter& f) { f.labels = {{"a", "1"}}; }), (Ids{both, one}));
  EXPECT_EQ(find([](JobFilter& f) { f.labels = {{"a", "1"}, {"b", "2"}}; }), Ids{both});
}

TEST_P(ListContract, ByLabelsWithUnusualText) {
  const JobId odd = add([](JobSpec& j) { j.labels = {{"k\"'", "v%_\\"}}; });
  add([](JobSpec& j) { j.labels = {{"k\"'", "vxxx"}}; });
  EXPECT_EQ(find([](JobFilter& f) { f.labels = {{"k\"'", "v%_\\"}}; }), Ids{odd});
}

TEST_P(ListContract, ByTimeOfCreation) {
  const JobId early = add();
  advance(10s);
  const JobId middle = add();
  const Instant at = now();
  advance(10s);
  const JobId late = add();
  EXPECT_EQ(find([&](JobFilter& f) { f.created_after = at - 5s; }), (Ids{middle, late}));
  EXPECT_EQ(find([&](JobFilter& f) { f.created_before = at + 5s; }), (Ids{early, middle}));
  EXPECT_EQ(find([&](JobFilter& f) {
              f.created_after = at - 5s;
              f.created_before = at + 5s;
            }),
            Ids{middle});
}

TEST_P(ListContract, ByErrorKind) {
  join();
  const JobId net = make_dead(a_job(), "network");
  make_dead(a_job(), "disk");
  make_completed();
  EXPECT_EQ(find([](JobFilter& f) { f.error_kind = "network"; }), Ids{net});
}

TEST_P(ListContract, AllConditionsTogether) {
  const JobId hit = add([](JobSpec& j) {
    j.queue = QueueName("q");
    j.type = JobType("t");
    j.labels = {{"a", "1"}};
  });
  add([](JobSpec& j) {
    j.queue = QueueName("q");
    j.type = JobType("t");
  });
  add([](JobSpec& j) {
    j.queue = QueueName("q");
    j.labels = {{"a", "1"}};
  });
  add([](JobSpec& j) {
    j.type = JobType("t");
    j.labels = {{"a", "1"}};
  });
  EXPECT_EQ(find([](JobFilter& f) {
              f.queue = QueueName("q");
              f.type = JobType("t");
              f.labels = {{"a", "1"}};
            }),
            Ids{hit});
}

TEST_P(ListContract, APageHoldsNoMoreThanItsLimit) {
  add_many(10);
  JobQuery query;
  query.limit = 4;
  const JobPage page = must(client().list_jobs(query));
  EXPECT_EQ(page.jobs.size(), 4u);
  EXPECT_FALSE(page.next.empty());
}

TEST_P(ListContract, ALastPageThatIsExactlyFullLeadsToTheEnd) {
  add_many(6);
  JobQuery query;
  query.limit = 3;
  EXPECT_EQ(list_all(query).size(), 6u);
}

TEST_P(ListContract, PagesCoverEverythingOnceInBothOrders) {
  const Ids ids = add_many(57);
  for (const Order order : {Order::oldest_first, Order::newest_first}) {
    JobQuery query;
    query.order = order;
    query.limit = 10;
    Ids found = ids_of(list_all(query));
    if (order == Order::newest_first) std::reverse(found.begin(), found.end());
    EXPECT_EQ(found, ids);
  }
}

TEST_P(ListContract, PagesOfAFilteredListCoverEverythingOnce) {
  Ids wanted;
  for (int i = 0; i < 60; ++i) {
    const JobId id = add([&](JobSpec& j) { j.type = JobType(i % 3 == 0 ? "third" : "rest"); });
    if (i % 3 == 0) wanted.push_back(id);
  }
  JobQuery query;
  query.order = Order::oldest_first;
  query.limit = 7;
  query.filter.type = JobType("third");
  EXPECT_EQ(ids_of(list_all(query)), wanted);
}

TEST_P(ListContract, InsertionsDoNotDisturbTheRestOfAListing) {
  const Ids ids = add_many(10);
  for (const Order order : {Order::oldest_first, Order::newest_first}) {
    JobQuery query;
    query.order = order;
    query.limit = 4;
    JobPage page = must(client().list_jobs(query));
    Ids found = ids_of(page.jobs);
    add_many(3);
    query.cursor = page.next;
    for (const JobId& id : ids_of(list_all(query))) found.push_back(id);
    for (const JobId& id : ids) EXPECT_EQ(std::count(found.begin(), found.end(), id), 1);
  }
}

TEST_P(ListContract, DeletionsDoNotDisturbTheRestOfAListing) {
  join(a_worker("w1", [](WorkerSpec& w) { w.slots = 100; }));
  const Ids done = add_many(10);
  for (const Grant& grant : take("w1", 10)) must(complete(grant));
  advance(limits::kFinishedKeptDefault);
  const Ids live = add_many(10);
  JobQuery query;
  query.order = Order::oldest_first;
  query.limit = 4;
  const JobPage page = must(client().list_jobs(query));
  must(client().prune_finished({}, kSweepLimit));
  query.cursor = page.next;
  EXPECT_EQ(ids_of(list_all(query)), live);
}

TEST_P(ListContract, MovesBetweenPagesAreNoRepeats) {
  join();
  const Ids ids = add_many(6);
  JobQuery query;
  query.order = Order::oldest_first;
  query.limit = 3;
  const JobPage page = must(client().list_jobs(query));
  must(complete(take_one()));
  query.cursor = page.next;
  EXPECT_EQ(ids_of(list_all(query)), (Ids{ids[3], ids[4], ids[5]}));
}

TEST_P(ListContract, ACursorWorksAfterARestart) {
  const Ids ids = add_many(6);
  JobQuery query;
  query.order = Order::oldest_first;
  query.limit = 3;
  const JobPage page = must(client().list_jobs(query));
  restart();
  query.cursor = page.next;
  EXPECT_EQ(ids_of(list_all(query)), (Ids{ids[3], ids[4], ids[5]}));
}

TEST_P(ListContract, ABadCursorIsRefused) {
  add();
  for (const char* cursor : {"nonsense", "-1", "%", "99999999999999999999999999", " "}) {
    JobQuery query;
    query.cursor = cursor;
    EXPECT_EQ(client().list_jobs(query).code(), Code::invalid_argument) << cursor;
  }
}

TEST_P(ListContract, PayloadsComeOnlyWhenAskedFor) {
  const JobId id = add([](JobSpec& j) { j.payload = {"secret", Encoding::bytes}; });
  JobQuery query;
  EXPECT_TRUE(list_all(query).at(0).spec.payload.data.empty());
  query.with_payload = true;
  EXPECT_EQ(list_all(query).at(0).spec.payload, (Content{"secret", Encoding::bytes}));
  EXPECT_EQ(job(id).spec.payload.data, "secret");
}

TEST_P(ListContract, APageOfLargePayloadsEndsEarlyAndTheNextGoesOn) {
  constexpr std::size_t kEach = limits::kPayloadBytesMax;
  constexpr std::size_t kFitting = limits::kPageBytesMax / kEach;
  Ids ids;
  for (std::size_t i = 0; i < kFitting + 2; ++i)
    ids.push_back(add([](JobSpec& j) { j.payload = {std::string(kEach, 'x'), Encoding::bytes}; }));
  for (const Order order : {Order::oldest_first, Order::newest_first}) {
    JobQuery query;
    query.order = order;
    query.with_payload = true;
    const JobPage first = must(client().list_jobs(query));
    EXPECT_EQ(first.jobs.size(), kFitting);
    for (const Job& job : first.jobs) EXPECT_EQ(job.spec.payload.data.size(), kEach);
    query.cursor = first.next;
    const JobPage second = must(client().list_jobs(query));
    EXPECT_EQ(second.jobs.size(), 2u);
    EXPECT_TRUE(second.next.empty());
    Ids found = ids_of(first.jobs);
    for (const JobId& id : ids_of(second.jobs)) found.push_back(id);
    if (order == Order::newest_first) std::reverse(found.begin(), found.end());
    EXPECT_EQ(found, ids);
    query.with_payload = false;
    query.cursor.clear();
    EXPECT_EQ(must(client().list_jobs(query)).jobs.size(), ids.size());
  }
}

TEST_P(ListContract, AListedJobSaysWhatTheSingleOneSays) {
  join();
  const JobId id = add([](JobSpec& j) {
    j.labels = {{"a", "1"}};
    j.priority = 4;
  });
  const Grant grant = take_one();
  const Job listed = list_all({}).at(0);
  EXPECT_EQ(listed.id, id);
  EXPECT_EQ(listed.state, JobState::running);
  EXPECT_EQ(listed.worker.text(), "w1");
  EXPECT_EQ(listed.fence, grant.fence);
  EXPECT_EQ(listed.attempt, 1u);
  EXPECT_EQ(listed.lease_expires_at, grant.lease_expires_at);
  EXPECT_EQ(listed.spec.labels, (Labels{{"a", "1"}}));
  EXPECT_EQ(listed.spec.priority, 4);
  EXPECT_EQ(listed.created_at, job(id).created_at);
}

TEST_P(ListContract, AReadSeesWhatWasAcknowledgedBeforeIt) {
  for (int i = 1; i <= 50; ++i) {
    add();
    ASSERT_EQ(list_all({}).size(), static_cast<std::size_t>(i));
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, ListContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
