// Types that come and go: the bound on lanes counts those of live jobs.
#include "store/postgres/verbs/verbs_testing.h"

namespace muster::store::postgres {
namespace {

class LanesOverTime : public VerbsTest {
 protected:
  // As many lanes as there may be of live jobs, each of a type of its own.
  void fill() {
    a_lane(member->node);
    run("INSERT INTO {schema}.lanes (queue, type, needs, special) "
        "SELECT (SELECT min(id) FROM {schema}.queues), 'type-' || i, '', false FROM generate_series(1, 200000) AS i; "
        "UPDATE {schema}.meta SET value = (value::bigint + 1)::text WHERE name = 'directory_version'");
  }
  Code a_new_lane() {
    return call([](Tx& tx) {
      return tx.lane_for(*tx.namespace_key(NamespaceName(kDefaultNamespace)), QueueName(kDefaultQueue), JobType("new"), {}, false)
          .status()
          .code();
    });
  }
};

TEST_F(LanesOverTime, ThoseThatNoLiveJobNeedsDoNotEndSubmission) {
  fill();
  EXPECT_EQ(a_new_lane(), Code::unavailable) << "it is being made";
}

TEST_F(LanesOverTime, TooManyOfLiveJobsAreRefused) {
  fill();
  run("INSERT INTO {schema}.waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, priority, event, "
      "special, "
      "payload) SELECT id, 0, 0, 0, id, id, 0, 0, 1, 0, 0, 0, false, '' FROM {schema}.lanes");
  EXPECT_EQ(a_new_lane(), Code::exhausted);
}

}  // namespace
}  // namespace muster::store::postgres
