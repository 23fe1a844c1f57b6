// Both ends of a copy on a schema: everything comes back as it was put, what hangs on jobs is worked out, and a node serves it.
#include "store/postgres/transfer.h"

#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "base/metrics.h"
#include "store/codec/id_codec.h"
#include "store/postgres/migrations.h"
#include "store/postgres/wire/connection.h"
#include "store/transfer/memory_testing.h"

namespace muster::store::postgres {
namespace {

using transfer::Everything;
using transfer::Kind;
using transfer::MemorySink;
using transfer::MemorySource;
using transfer::Sample;

class SchemaTransfer : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const found = std::getenv("MUSTER_TEST_POSTGRES");
    if (found == nullptr) GTEST_FAIL() << "MUSTER_TEST_POSTGRES names no server; ./dev test starts one";
    options_.url = found;
    options_.schema = fmt::format("transfer_{}", ::getpid());
    auto admin = Connection::open({.url = options_.url, .schema = options_.schema});
    ASSERT_TRUE(admin.ok()) << admin.status().text();
    admin_ = std::move(*admin);
    run("DROP SCHEMA IF EXISTS {schema} CASCADE");
  }
  void TearDown() override {
    if (admin_ != nullptr) run("DROP SCHEMA IF EXISTS {schema} CASCADE");
  }

  void run(const std::string& sql) {
    const Status status = admin_->script(with_schema(sql, options_.schema));
    ASSERT_TRUE(status.ok()) << sql << ": " << status.text();
  }
  std::int64_t number(const std::string& sql) {
    const auto rows = admin_->query(with_schema(sql, options_.schema));
    EXPECT_TRUE(rows.ok() && rows->size() == 1) << sql;
    return rows.ok() && rows->size() == 1 ? rows->integer(0, 0) : -1;
  }

  Result<transfer::Report> fill(std::size_t batch = 5) {
    auto sink = open_transfer_sink(options_);
    if (!sink.ok()) return sink.status();
    return transfer::copy(source_, **sink, batch, {});
  }
  Result<std::unique_ptr<PostgresStore>> serve() {
    return PostgresStore::open({.url = options_.url, .schema = options_.schema, .node = "transfer-test"}, metrics_);
  }
  static Result<Each<Settled>> complete(PostgresStore& store, const JobId& job, std::uint64_t fence) {
    return ask<Each<Settled>>([&](auto reply) { store.complete({{{job, Fence{fence}}, std::nullopt}}, std::move(reply)); });
  }
  JobId id(JobKey key) const { return IdCodec(from_.numbers.salt).encode(key); }

  Metrics metrics_;
  Everything from_ = Sample(RealClock().now()).all;
  MemorySource source_{from_};
  TransferOptions options_;
  std::unique_ptr<Connection> admin_;
};

TEST_F(SchemaTransfer, GivesBackEverythingAsItWasPut) {
  const auto there = fill();
  ASSERT_TRUE(there.ok()) << there.status().text();
  for (const Kind kind : transfer::kKinds) EXPECT_TRUE(there->source.same(there->target, kind)) << to_string(kind);
  Everything back;
  MemorySink sink(back);
  auto source = open_transfer_source(options_);
  ASSERT_TRUE(source.ok()) << source.status().text();
  const auto report = transfer::copy(**source, sink, 6, {});
  ASSERT_TRUE(report.ok()) << report.status().text();
  EXPECT_EQ(report->target, there->source);
  EXPECT_EQ(back.numbers.salt, from_.numbers.salt);
  EXPECT_EQ(back.numbers.next_fence, from_.numbers.next_fence);
  EXPECT_EQ(back.numbers.next_job_key, from_.numbers.next_job_key);
}

TEST_F(SchemaTransfer, GoesOnAfterABreakAndServesNothingBeforeTheEnd) {
  for (const std::size_t puts : {0, 1, 6, 11, 14, 16, 18, 20, 21, 22}) {
    {
      auto sink = open_transfer_sink(options_);
      ASSERT_TRUE(sink.ok()) << sink.status().text();
      transfer::BreakingSink breaking(**sink, puts);
      ASSERT_EQ(transfer::copy(source_, breaking, 3, {}).code(), Code::unavailable);
    }
    EXPECT_FALSE(serve().ok());
    EXPECT_EQ(open_transfer_source(options_).code(), Code::conflict);
    const auto report = fill(3);
    ASSERT_TRUE(report.ok()) << report.status().text();
    EXPECT_TRUE(report->same()) << puts;
    EXPECT_EQ(report->resumed, puts > 0);
    EXPECT_EQ(number("SELECT value::integer FROM {schema}.meta WHERE name = 'schema_version'"), newest_version());
    run("DROP SCHEMA {schema} CASCADE");
  }
}

TEST_F(SchemaTransfer, WorksOutWhatHangsOnJobs) {
  ASSERT_TRUE(fill().ok());
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.holders WHERE job = 17"), 1) << "a running job holds its key";
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.parked WHERE job IN (7, 8)"), 2) << "the others of that key wait for it";
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.waiting WHERE id IN (7, 8) AND place = 2"), 2);
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.waiting w JOIN {schema}.lanes l ON l.id = w.stand "
                   "WHERE w.id IN (9, 10) AND l.home = w.lane AND w.place = 1"),
            2)
      << "jobs for a bound or preferred worker stand in its lane";
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.uniques WHERE job IN (11, 18)"), 2);
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.wishes WHERE job IN (5, 6) AND fair_lane IS NOT NULL AND fair_start > 0"), 2);
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.fair"), 3) << "two keys and the lane's time";
  EXPECT_EQ(number("SELECT pending FROM {schema}.wishes WHERE job = 20"), 1);
  EXPECT_EQ(number("SELECT (special AND flags & 64 <> 0)::integer FROM {schema}.running WHERE id = 13"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.running WHERE counted"), 1) << "those under a cap are counted";
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.running WHERE own_ttl"), 3);
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.running WHERE lapsed AND lease_until <= {schema}.now_ms()"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.running WHERE lease_until > {schema}.now_ms() + 10000"), 7);
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.jobs WHERE flags & 128 <> 0"), 2) << "runs are marked";
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.waiting WHERE flags & 256 <> 0"), 1) << "and so is one that has a parent";
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.running WHERE flags & 512 <> 0 AND expires_at IS NOT NULL"), 1)
      << "and one that has a deadline";
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.beats"), 2) << "live workers are as good as seen";
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.history_rest"), 1) << "only what is too old for a day of its own";
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.history"), 5);
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.dead"), 1);
}

TEST_F(SchemaTransfer, ServesWhatArrived) {
  ASSERT_TRUE(fill().ok());
  auto opened = serve();
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  PostgresStore& store = **opened;
  std::vector<JobId> ids;
  for (const auto& record : from_.jobs) ids.push_back(id(record.key));
  const auto jobs = ask<Each<Job>>([&](auto reply) { store.get_jobs(ids, std::move(reply)); });
  ASSERT_TRUE(jobs.ok()) << jobs.status().text();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ASSERT_TRUE((*jobs)[i].ok()) << i;
    EXPECT_EQ((*jobs)[i]->state, from_.jobs[i].job.state) << i;
    EXPECT_EQ((*jobs)[i]->spec.payload, from_.jobs[i].job.spec.payload) << i;
  }
  EXPECT_EQ((*jobs)[19]->dependencies_pending, 1u);

  // The worker of before finishes what it has; a lease that was over is not its own any more.
  const auto done = complete(store, id(13), 101);
  ASSERT_TRUE(done.ok() && (*done)[0].ok());
  const auto stale = complete(store, id(16), 104);
  ASSERT_TRUE(stale.ok());
  EXPECT_EQ((*stale)[0].code(), Code::lease_lost);
  const auto freed = ask<Each<Job>>([&](auto reply) { store.get_jobs({id(20)}, std::move(reply)); });
  EXPECT_EQ((*freed)[0]->state, JobState::ready);
  // A key that becomes free calls one of those that wait for it.
  ASSERT_TRUE((*complete(store, id(17), 105))[0].ok());
  EXPECT_EQ(number("SELECT count(*) FROM {schema}.waiting WHERE id IN (7, 8) AND place = 1"), 1);

  // New work gets ids and fences above those of the source.
  JobSpec spec;
  spec.type = JobType("send");
  const auto fresh = ask<std::vector<Enqueued>>([&](auto reply) { store.enqueue(std::vector<JobSpec>{spec}, std::move(reply)); });
  ASSERT_TRUE(fresh.ok()) << fresh.status().text();
  EXPECT_GE(*IdCodec(from_.numbers.salt).decode((*fresh)[0].id), from_.numbers.next_job_key);
  ClaimRequest claim;
  claim.ns = NamespaceName("default");
  claim.worker = WorkerId("w1");
  claim.session = SessionId{41};
  claim.limit = 1;
  const auto grant = ask<ClaimReply>([&](auto reply) { store.claim(claim, std::move(reply)); });
  ASSERT_TRUE(grant.ok()) << grant.status().text();
  ASSERT_EQ(grant->grants.size(), 1u);
  EXPECT_GE(to_number(grant->grants[0].fence), static_cast<std::uint64_t>(from_.numbers.next_fence));
}

TEST_F(SchemaTransfer, ServesThePlansActionsAndKeysThatArrived) {
  ASSERT_TRUE(fill().ok());
  auto opened = serve();
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  PostgresStore& store = **opened;
  const NamespaceName ns(kDefaultNamespace);
  const auto plans = ask<Each<Plan>>([&](auto reply) { store.get_plans(ns, {PlanId("sort-lines")}, std::move(reply)); });
  ASSERT_TRUE(plans.ok() && (*plans)[0].ok());
  EXPECT_EQ((*plans)[0]->spec, from_.plans[0].spec);
  EXPECT_EQ((*plans)[0]->jobs, 7u);
  // Three of its jobs are there, one was forgotten; jobs 1, 3, 4 and 5 wait.
  const auto open = ask<ActionView>(
      [&](auto reply) { store.get_action({.ns = ns, .id = ActionId("a-open"), .job_limit = 10}, std::move(reply)); });
  ASSERT_TRUE(open.ok()) << open.status().text();
  EXPECT_EQ(open->action.counts, (ActionCounts{.waiting = 4, .failed = 1}));
  EXPECT_EQ(open->jobs, (std::vector<JobId>{id(1), id(3), id(4), id(5), id(900)}));
  const auto done =
      ask<ActionView>([&](auto reply) { store.get_action({.ns = ns, .id = ActionId("a-done")}, std::move(reply)); });
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->action.counts, (ActionCounts{.completed = 1, .cancelled = 1}));

  KeyBatch batch;
  batch.commands = {key::Get{.key = "greeting"},
                    key::HashLength{.key = "hash"},
                    key::SetMembers{.key = "set"},
                    key::ListLength{.key = "list"},
                    key::ScoreOf{.key = "scores", .members = {"low"}},
                    key::Set{.key = "fresh", .value = "new"}};
  const auto answers = ask<std::vector<KeyAnswer>>([&](auto reply) { store.keyspace(batch, std::move(reply)); });
  ASSERT_TRUE(answers.ok()) << answers.status().text();
  EXPECT_EQ(answers->at(0).text, from_.entries[0].text);
  EXPECT_EQ(answers->at(1).number, 2);
  EXPECT_TRUE(answers->at(2).list.empty()) << "its time had come";
  EXPECT_EQ(answers->at(3).number, 2);
  EXPECT_EQ(answers->at(4).real, -0.5);
  EXPECT_EQ(number("SELECT min(id) FROM {schema}.keys WHERE name = 'fresh'"), 14) << "new keys get numbers of their own";
}

TEST_F(SchemaTransfer, ServesTheRunsSignalsAndSchedulesThatArrived) {
  ASSERT_TRUE(fill().ok());
  auto opened = serve();
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  PostgresStore& store = **opened;
  const JobKey parent = from_.steps.front().run;
  const auto page = ask<StepPage>([&](auto reply) { store.list_steps({.run = id(parent)}, std::move(reply)); });
  ASSERT_TRUE(page.ok()) << page.status().text();
  std::vector<Step> expected;
  for (const auto& record : from_.steps) {
    if (record.run != parent) continue;
    expected.push_back(record.step);
    expected.back().run = id(parent);
    expected.back().id = StepIdCodec(from_.numbers.salt).encode({parent, record.place});
  }
  EXPECT_EQ(page->steps, expected) << "their ids are what they were";

  // A signal that was kept is taken, and the next attempt comes behind those that were there.
  const auto answers = ask<Each<StepAnswer>>([&](auto reply) {
    store.run_steps({step::AwaitSignal{.run = {id(parent)}, .step = "ask", .signal = "stop"}}, std::move(reply));
  });
  ASSERT_TRUE(answers.ok() && answers->front().ok());
  EXPECT_EQ((*answers->front()).step->state, StepState::completed);
  EXPECT_EQ(number(fmt::format("SELECT max(place) FROM {{schema}}.steps WHERE job = {}", parent)),
            static_cast<std::int64_t>(expected.size()) + 1);

  const NamespaceName ns(kDefaultNamespace);
  const auto schedules = ask<Each<Schedule>>([&](auto reply) { store.get_schedules(ns, {ScheduleId("s-1")}, std::move(reply)); });
  ASSERT_TRUE(schedules.ok() && schedules->front().ok());
  const Schedule& nightly = *schedules->front();
  EXPECT_EQ(nightly.spec, from_.schedules[0].spec);
  EXPECT_EQ(nightly.last_job, from_.schedules[0].last_job);
  EXPECT_EQ(nightly.revision, from_.schedules[0].revision);
  const auto refused = ask<std::vector<Enqueued>>([&](auto reply) {
    JobSpec spec;
    spec.ns = NamespaceName("other");
    spec.type = JobType("ping");
    store.enqueue(std::vector<JobSpec>{spec}, std::move(reply));
  });
  EXPECT_EQ(refused.code(), Code::conflict) << "the other namespace is not enabled there either";
}

TEST_F(SchemaTransfer, RefusesEndsThatCannotBeUsed) {
  EXPECT_EQ(open_transfer_source(options_).code(), Code::not_found);
  ASSERT_TRUE(fill().ok());
  // Filled by another source, it is not empty any more.
  from_.numbers.salt += 1;
  EXPECT_EQ(fill().code(), Code::conflict);
  {
    auto node = serve();
    ASSERT_TRUE(node.ok());
    EXPECT_EQ(open_transfer_source(options_).code(), Code::conflict);
    EXPECT_EQ(open_transfer_sink(options_).code(), Code::conflict);
    TransferOptions forced = options_;
    forced.force = true;
    EXPECT_TRUE(open_transfer_source(forced).ok());
    EXPECT_EQ(open_transfer_sink(forced).code(), Code::conflict);
    ASSERT_TRUE((*node)->close().ok());
  }
  EXPECT_TRUE(open_transfer_source(options_).ok()) << "a node that left in order is gone at once";
  run("UPDATE {schema}.meta SET value = (value::integer + 1)::text WHERE name = 'schema_version'");
  EXPECT_EQ(open_transfer_source(options_).code(), Code::invalid_argument);
  EXPECT_EQ(open_transfer_sink(options_).code(), Code::invalid_argument);
}

TEST_F(SchemaTransfer, ReadsOneInstantWhileNodesWork) {
  ASSERT_TRUE(fill().ok());
  auto source = open_transfer_source(options_);
  ASSERT_TRUE(source.ok());
  const transfer::Digest before = transfer::digest_of(**source);
  run("UPDATE {schema}.waiting SET rank = rank + 1; DELETE FROM {schema}.history; DELETE FROM {schema}.dependencies");
  EXPECT_EQ(transfer::digest_of(**source), before);
}

TEST_F(SchemaTransfer, RefusesTwoCopiesIntoOneTarget) {
  auto first = open_transfer_sink(options_);
  auto second = open_transfer_sink(options_);
  ASSERT_TRUE(first.ok() && second.ok());
  transfer::BreakingSink breaking(**first, 3);
  ASSERT_FALSE(transfer::copy(source_, breaking, 3, {}).ok());
  ASSERT_TRUE(transfer::copy(source_, **second, 3, {}).ok());
  const transfer::Bookmark stale{.source = "00", .schema = newest_version()};
  EXPECT_EQ((*first)->put(std::vector<NamespaceInfo>{}, stale).code(), Code::conflict);
}

}  // namespace
}  // namespace muster::store::postgres
