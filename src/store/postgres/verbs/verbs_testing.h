// A node that leads, and time that stands still until it is moved, for tests of the verbs on a real server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "store/postgres/cluster/cluster_testing.h"
#include "store/postgres/cluster/housekeeper.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {

inline constexpr std::int64_t kDayMs = 86'400'000;
inline constexpr std::int64_t kNoonMs = 19'676 * kDayMs + kDayMs / 2;  // where time begins

class VerbsTest : public ClusterTest {
 protected:
  void SetUp() override {
    ClusterTest::SetUp();
    if (HasFatalFailure()) return;
    set_time(kNoonMs);
    member = a_node("member");
    lead(*member);
  }
  void lead(TestNode& one) {
    in_tx(one.node, [](Tx& tx) { refresh_leadership(tx); });
  }
  void set_time(std::int64_t at_ms) {
    now_ms = at_ms;
    run(fmt::format(
        "CREATE OR REPLACE FUNCTION {{schema}}.now_ms() RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT {}::bigint $$; "
        "UPDATE {{schema}}.leader SET expires_at = {} + 60000",
        at_ms, at_ms));
  }
  void advance(Duration by) { set_time(now_ms + by.count()); }

  // The verb's answer, in a transaction of its own.
  template <class Verb>
  auto call(Verb verb) {
    std::invoke_result_t<Verb, Tx&> answer{};
    in_tx(member->node, [&](Tx& tx) { answer = verb(tx); });
    return answer;
  }
  std::size_t sweep(SweepReport (*verb)(Tx&, std::size_t), std::size_t limit = 1'000) {
    return call([&](Tx& tx) { return verb(tx, limit); }).moved;
  }
  static WorkerSpec a_worker(const std::string& id) {
    WorkerSpec spec;
    spec.id = WorkerId(id);
    spec.slots = 10;
    spec.policy = HeartbeatPolicy{Duration(10'000), Duration(30'000)};
    return spec;
  }
  Registered join(const WorkerSpec& spec) {
    return *call([&](Tx& tx) { return register_workers(tx, {spec}); }).at(0);
  }
  static Beat beat_of(const std::string& id) {
    Beat beat;
    beat.ns = NamespaceName(kDefaultNamespace);
    beat.worker = WorkerId(id);
    return beat;
  }
  Worker read(const std::string& id) {
    return *call([&](Tx& tx) { return get_workers(tx, NamespaceName(kDefaultNamespace), {WorkerId(id)}); }).at(0);
  }
  // A running job of the worker, as a claim writes it.
  void give_lease(std::int64_t job, const std::string& worker, Duration granted, bool own_ttl) {
    const LanePtr lane = a_lane(member->node);
    run(fmt::format(
        "INSERT INTO {{schema}}.running (id, rank, created_at, run_at, fence, started_at, lease_until, granted_ms, lane, worker, "
        "attempt, rescues, flags, priority, special, own_ttl, payload) SELECT {0}, 0, {1}, {1}, {0}, {1}, {1} + {2}, {2}, {3}, "
        "id, "
        "1, 0, 0, 0, false, {4}, '' FROM {{schema}}.workers WHERE name = '{5}'",
        job, now_ms, granted.count(), lane->key, own_ttl, worker));
  }

  std::unique_ptr<TestNode> member;
  std::int64_t now_ms = 0;
};

}  // namespace muster::store::postgres
