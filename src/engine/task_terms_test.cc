// What a task document makes of its job.
#include "engine/task_terms.h"

#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "base/time_text.h"

namespace muster::engine {
namespace {

using namespace std::chrono_literals;
using json::Tree;

const Instant kNow = *parse_rfc3339("2026-11-15T08:00:00Z");

JobSpec task_job(const std::string& members) {
  JobSpec spec;
  spec.type = JobType("demo.echo");
  spec.needs = CapabilitySet({"node:demo.echo"});
  spec.payload = {R"({"node_type":"demo.echo","parameters":{})" + (members.empty() ? "" : "," + members) + "}", Encoding::json};
  return spec;
}

Resource resource(const std::string& id, const std::string& worker) {
  Resource out;
  out.id = id;
  out.type = "file";
  out.worker_name = "name-" + worker;
  out.worker = WorkerId(worker);
  out.expires_at = kNow + 1h;
  out.worker_live = true;
  return out;
}

TaskFacts facts(std::vector<Resource> resources = {}) {
  TaskFacts out;
  out.now = kNow;
  for (Resource& each : resources) out.resources.emplace(each.id, each);
  return out;
}

// Reads and applies.
TaskVerdict judged_task(JobSpec& spec, const TaskFacts& known = facts()) {
  const auto terms = read_task_terms(spec);
  if (!terms.ok()) return {terms.status(), {}};
  if (!*terms) return {};
  return apply_task_terms(spec, **terms, known);
}

Code read_code(const std::string& members) { return read_task_terms(task_job(members)).code(); }

TEST(TaskTerms, OfOtherJobsAreNone) {
  JobSpec other = task_job(R"("priority":5)");
  other.needs = CapabilitySet({"tool:x"});
  EXPECT_FALSE(read_task_terms(other)->has_value());
  JobSpec parameters = task_job("");
  parameters.payload.data = R"({"priority":5,"text":"\"node_type\""})";
  EXPECT_FALSE(read_task_terms(parameters)->has_value()) << "parameters are no document";
  EXPECT_FALSE(read_task_terms(task_job(""))->has_value());
}

TEST(TaskTerms, BecomeTimeoutPriorityAndKeyOfTheJob) {
  JobSpec spec = task_job(R"("constraints":{"timeout_ms":1500},"priority":7,"concurrency_key":"k")");
  EXPECT_TRUE(judged_task(spec).refused.ok());
  EXPECT_EQ(spec.timeout, Duration(1500));
  EXPECT_EQ(spec.priority, 7);
  EXPECT_EQ(spec.concurrency, (ConcurrencyKey{"k", 1}));
}

TEST(TaskTerms, GoBehindWhatTheJobSays) {
  JobSpec spec =
      task_job(R"("constraints":{"timeout_ms":1500},"priority":7,"concurrency_key":"k","affinity":{"key":"a","mode":"sticky"})");
  spec.timeout = 9s;
  spec.priority = -3;
  spec.concurrency = ConcurrencyKey{"own", 4};
  spec.affinity.sticky_key = "own";
  EXPECT_TRUE(judged_task(spec).refused.ok());
  EXPECT_EQ(spec.timeout, Duration(9s));
  EXPECT_EQ(spec.priority, -3);
  EXPECT_EQ(spec.concurrency, (ConcurrencyKey{"own", 4}));
  EXPECT_EQ(spec.affinity.sticky_key, "own");
}

TEST(TaskTerms, ANodeOfARunIsAloneWithoutSayingSo) {
  JobSpec named = task_job(R"("run_id":"r","node_id":"n")");
  judged_task(named);
  EXPECT_EQ(named.concurrency, (ConcurrencyKey{"r:n", 1}));
  JobSpec unnamed = task_job(R"("node_id":"n","priority":1)");
  judged_task(unnamed);
  EXPECT_FALSE(unnamed.concurrency) << "a run that is named after its job has no second task";
}

TEST(TaskTerms, NullsAreAbsent) {
  JobSpec spec = task_job(
      R"("constraints":{"timeout_ms":null},"priority":null,"concurrency_key":null,"affinity":null,"resource_refs":null)");
  EXPECT_TRUE(judged_task(spec).refused.ok());
  EXPECT_FALSE(spec.timeout);
  EXPECT_FALSE(spec.concurrency);
}

TEST(TaskTerms, OutOfRangeAreRefused) {
  EXPECT_EQ(read_code(R"("constraints":{"timeout_ms":0})"), Code::invalid_argument);
  EXPECT_EQ(read_code(R"("constraints":{"timeout_ms":2592000001})"), Code::invalid_argument);
  EXPECT_EQ(read_code(R"("constraints":{"timeout_ms":"5"})"), Code::invalid_argument);
  EXPECT_EQ(read_code(R"("priority":1001)"), Code::invalid_argument);
  EXPECT_EQ(read_code(R"("priority":"high")"), Code::invalid_argument);
  EXPECT_EQ(read_code(R"("concurrency_key":"")"), Code::invalid_argument);
  EXPECT_EQ(read_code(R"("affinity":{"mode":"sticky"})"), Code::invalid_argument);
  EXPECT_EQ(read_code(R"("affinity":{"key":"k","mode":"glued"})"), Code::invalid_argument);
  EXPECT_EQ(read_code(R"("affinity":{"key":"k","expires_at":"soon"})"), Code::invalid_argument);
  EXPECT_EQ(read_code(R"("resource_refs":[{"type":"file"}])"), Code::invalid_argument);
  EXPECT_EQ(read_code(R"("resource_refs":{"resource_id":"r"})"), Code::invalid_argument);
  EXPECT_EQ(read_code(R"("fail_fast":1,"priority":1)"), Code::invalid_argument);
  std::string many;
  for (std::size_t i = 0; i <= kResourceRefsMax; ++i) many += (i > 0 ? "," : "") + std::string(R"({"resource_id":"r"})");
  EXPECT_EQ(read_code(R"("resource_refs":[)" + many + "]"), Code::invalid_argument);
}

TEST(TaskTerms, RefsPinTheJobToTheWorkerThatHasThem) {
  JobSpec spec = task_job(R"("resource_refs":[{"resource_id":"r1","worker_id":"w1"},{"resource_id":"r2","type":"blob"}])");
  const TaskVerdict verdict = judged_task(spec, facts({resource("r1", "w1"), resource("r2", "w1")}));
  EXPECT_TRUE(verdict.refused.ok()) << verdict.refused.message();
  EXPECT_TRUE(spec.needs.contains("worker:w1"));
  EXPECT_EQ(spec.expires_in, Duration(1h)) << "what waits longer than its resource lives is in vain";
  const auto refs = json::parse(spec.payload.data)->at("resource_refs");
  EXPECT_EQ(refs, Tree::parse(R"([{"resource_id":"r1","worker_name":"name-w1","type":"file"},
                                  {"resource_id":"r2","worker_name":"name-w1","type":"blob"}])"));
}

TEST(TaskTerms, ARefToANameIsMatchedByTheName) {
  Resource named = resource("r", "w");
  named.worker = WorkerId();
  JobSpec spec = task_job(R"("resource_refs":[{"resource_id":"r"}])");
  EXPECT_TRUE(judged_task(spec, facts({named})).refused.ok());
  EXPECT_EQ(spec.selector, (Labels{{"worker_name", "name-w"}}));
}

TEST(TaskTerms, ConflictingPinsAreRefused) {
  JobSpec apart = task_job(R"("resource_refs":[{"resource_id":"r1"},{"resource_id":"r2"}])");
  const Status two = judged_task(apart, facts({resource("r1", "w1"), resource("r2", "w2")})).refused;
  EXPECT_EQ(two.code(), Code::conflict);
  EXPECT_EQ(two.message(), "resource 'r1' is on worker 'name-w1' and resource 'r2' on worker 'name-w2'; a task runs on one");
  JobSpec other = task_job(R"("resource_refs":[{"resource_id":"r1","worker_name":"name-w2"}])");
  EXPECT_EQ(judged_task(other, facts({resource("r1", "w1")})).refused.code(), Code::conflict);
  JobSpec needs = task_job(R"("resource_refs":[{"resource_id":"r1"}])");
  needs.needs = needs.needs.with("worker:w2");
  EXPECT_EQ(judged_task(needs, facts({resource("r1", "w1")})).refused.code(), Code::conflict);
  JobSpec selects = task_job(R"("resource_refs":[{"resource_id":"r1"}])");
  selects.selector = {{"worker_name", "name-w2"}};
  EXPECT_EQ(judged_task(selects, facts({resource("r1", "w1")})).refused.code(), Code::conflict);
}

TEST(TaskTerms, WhatIsNotThereEndsTheJob) {
  const auto missing = [](const std::string& ref, const TaskFacts& known) {
    JobSpec spec = task_job(R"("resource_refs":[)" + ref + "]");
    const TaskVerdict verdict = judged_task(spec, known);
    EXPECT_TRUE(verdict.refused.ok());
    EXPECT_TRUE(verdict.missing) << ref;
    EXPECT_TRUE(spec.needs.contains("resource:missing")) << "nobody may claim it";
    return verdict.missing.value_or(JobError{});
  };
  EXPECT_EQ(missing(R"({"resource_id":"r"})", facts()).kind, "E.RESOURCE.MISSING");
  Resource gone = resource("r", "w1");
  gone.state = ResourceState::evicted;
  EXPECT_EQ(missing(R"({"resource_id":"r"})", facts({gone})).message, "resource 'r' went with worker 'name-w1'");
  Resource told = resource("r", "w1");
  told.in_result = true;
  EXPECT_EQ(missing(R"({"resource_id":"r"})", facts({told})).kind, "E.RESOURCE.MISSING");
  EXPECT_EQ(missing(R"({"resource_id":"r","expires_at":"2026-11-15T08:00:00+00:00"})", facts({resource("r", "w1")})).kind,
            "E.RESOURCE.MISSING");
}

TEST(TaskTerms, APinnedTaskWaitsForItsWorkerUnlessItIsToFailFast) {
  Resource away = resource("r", "w1");
  away.worker_live = false;
  JobSpec waits = task_job(R"("resource_refs":[{"resource_id":"r"}])");
  EXPECT_TRUE(judged_task(waits, facts({away})).refused.ok());
  JobSpec fails = task_job(R"("fail_fast":true,"resource_refs":[{"resource_id":"r"}])");
  EXPECT_EQ(judged_task(fails, facts({away})).refused.code(), Code::unavailable);
  JobSpec runs = task_job(R"("fail_fast":true,"resource_refs":[{"resource_id":"r"}])");
  EXPECT_TRUE(judged_task(runs, facts({resource("r", "w1")})).refused.ok());
}

TEST(TaskTerms, AStickyKeyWithoutAnEndIsTheStores) {
  JobSpec spec = task_job(R"("affinity":{"key":"s"})");
  EXPECT_FALSE((*read_task_terms(spec))->asks_for_place());
  judged_task(spec);
  EXPECT_EQ(spec.affinity.sticky_key, "s");
}

TEST(TaskTerms, AStickyKeyWithoutAnEndIsTheStoresThoughANeighbourAskedForItsPlace) {
  JobSpec spec = task_job(R"("affinity":{"key":"user-1"})");
  TaskFacts known = facts();
  known.places.emplace("user-1", WorkerId("w1"));
  EXPECT_TRUE(judged_task(spec, known).refused.ok());
  EXPECT_EQ(spec.affinity.sticky_key, "user-1");
  EXPECT_TRUE(spec.affinity.prefer.empty());
}

TEST(TaskTerms, AStickyKeyHoldsUntilItsEnd) {
  const std::string members = R"("affinity":{"key":"s","mode":"sticky","expires_at":"2026-11-15T08:30:00Z"})";
  TaskFacts known = facts();
  JobSpec first = task_job(members);
  judged_task(first, known);
  EXPECT_EQ(first.affinity.sticky_key, "s") << "the first binds";
  known.places["s"] = WorkerId("w1");
  JobSpec later = task_job(members);
  judged_task(later, known);
  EXPECT_EQ(later.affinity.prefer, "worker:w1");
  EXPECT_EQ(later.affinity.prefer_wait, Duration(30min));
  EXPECT_TRUE(later.affinity.sticky_key.empty());
  known.now = kNow + 30min;
  JobSpec late = task_job(members);
  judged_task(late, known);
  EXPECT_EQ(late.affinity, Affinity()) << "its end has come";
}

TEST(TaskTerms, APreferredKeyIsWaitedForAShortTime) {
  TaskFacts known = facts();
  JobSpec first = task_job(R"("affinity":{"key":"p","mode":"preferred"})");
  judged_task(first, known);
  EXPECT_EQ(first.affinity, Affinity()) << "nobody has run it";
  known.places["p"] = WorkerId("w1");
  JobSpec later = task_job(R"("affinity":{"key":"p","mode":"preferred"})");
  judged_task(later, known);
  EXPECT_EQ(later.affinity.prefer, "worker:w1");
  EXPECT_EQ(later.affinity.prefer_wait, limits::kPreferWaitDefault);
}

TEST(TaskTerms, APinGoesBeforeAffinity) {
  JobSpec spec = task_job(R"("affinity":{"key":"s"},"resource_refs":[{"resource_id":"r"}])");
  judged_task(spec, facts({resource("r", "w1")}));
  EXPECT_EQ(spec.affinity, Affinity());
  EXPECT_TRUE(spec.needs.contains("worker:w1"));
}

}  // namespace
}  // namespace muster::engine
