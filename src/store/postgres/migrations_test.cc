// Migrations and the doctor, on the tests' server. Each case has a schema name of its own, which does not exist at first.
#include "store/postgres/migrations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/ask_testing.h"
#include "base/metrics.h"
#include "store/postgres/store.h"

namespace muster::store::postgres {
namespace {

class MigrationsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const url = std::getenv("MUSTER_TEST_POSTGRES");
    if (url == nullptr) GTEST_FAIL() << "MUSTER_TEST_POSTGRES names no server; ./dev test starts one";
    static int made = 0;
    options.url = url;
    options.schema = fmt::format("migrations_{}_{}", ::getpid(), ++made);
    auto opened = Connection::open({.url = url, .application = "muster-test", .schema = options.schema});
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    connection = std::move(*opened);
  }
  void TearDown() override {
    if (connection) run("SET client_min_messages = warning; DROP SCHEMA IF EXISTS {schema} CASCADE");
  }
  void run(const std::string& text) {
    const Status status = connection->script(with_schema(text, options.schema));
    EXPECT_TRUE(status.ok()) << status.text();
  }
  std::string meta(const char* name) {
    auto rows =
        connection->query(with_schema(fmt::format("SELECT value FROM {{schema}}.meta WHERE name = '{}'", name), options.schema));
    return rows.ok() && rows->size() == 1 ? rows->text(0, 0) : std::string();
  }
  Finding::Grade grade_of(const std::string& name) const {
    const std::vector<Finding> findings = examine(options);
    const auto found = std::find_if(findings.begin(), findings.end(), [&name](const Finding& one) { return one.name == name; });
    EXPECT_NE(found, findings.end()) << name;
    return found == findings.end() ? Finding::Grade::bad : found->grade;
  }

  Options options;
  std::unique_ptr<Connection> connection;
};

TEST_F(MigrationsTest, AMissingSchemaIsVersionZeroAndIsMade) {
  ASSERT_EQ(schema_status(options)->version, 0u);
  ASSERT_TRUE(migrate(options).ok());
  EXPECT_EQ(schema_status(options)->version, newest_version());
  EXPECT_FALSE(meta(kMetaSalt).empty());
  EXPECT_EQ(meta(kMetaDirectoryVersion), "1");
}

TEST_F(MigrationsTest, ASecondTimeChangesNothing) {
  ASSERT_TRUE(migrate(options).ok());
  const std::string salt = meta(kMetaSalt);
  EXPECT_TRUE(migrate(options).ok());
  EXPECT_EQ(meta(kMetaSalt), salt);
}

// What the program before this one left: a job waits in it, and there is no table for plans and keys.
TEST_F(MigrationsTest, ASchemaOfAnEarlierVersionIsBroughtUpAndWorksOn) {
  ASSERT_TRUE(migrate(*connection, options.schema, 2).ok());
  ASSERT_EQ(schema_status(options)->version, 2u);
  run("INSERT INTO {schema}.queues (namespace, name) VALUES (1, 'mail');"
      "INSERT INTO {schema}.lanes (queue, type, needs, special) VALUES (1, 'send', '', false);"
      "INSERT INTO {schema}.waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, priority, event, "
      "special, payload) VALUES (nextval('{schema}.job_keys'), 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, false, '{}')");

  Metrics metrics;
  auto opened = PostgresStore::open(options, metrics);
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  EXPECT_EQ(schema_status(options)->version, newest_version());
  PostgresStore& store = **opened;
  const auto jobs = ask<JobPage>([&](auto reply) { store.list_jobs({}, std::move(reply)); });
  ASSERT_TRUE(jobs.ok()) << jobs.status().text();
  EXPECT_EQ(jobs->jobs.size(), 1u);

  PlanPut plan;
  plan.plan.id = PlanId("p1");
  plan.plan.text = "{}";
  EXPECT_TRUE(ask<PlanStored>([&](auto reply) { store.put_plan(plan, std::move(reply)); }).ok());
  ActionSpec action;
  action.id = ActionId("a1");
  action.plan = PlanId("p1");
  action.jobs.resize(2);
  for (ActionJob& job : action.jobs) job.spec.type = JobType("plan");
  const auto made = ask<ActionSubmitted>([&](auto reply) { store.submit_action(action, std::move(reply)); });
  ASSERT_TRUE(made.ok()) << made.status().text();
  EXPECT_EQ(made->action.counts.waiting, 2u);
  KeyBatch batch;
  batch.commands = {key::Set{.key = "k", .value = "v"}, key::Get{.key = "k"}};
  const auto keys = ask<std::vector<KeyAnswer>>([&](auto reply) { store.keyspace(batch, std::move(reply)); });
  ASSERT_TRUE(keys.ok()) << keys.status().text();
  EXPECT_EQ(keys->at(1).text, "v");
  EXPECT_TRUE(store.close().ok());
}

// The version before this one: jobs in every table, and nothing of runs, schedules and facts of namespaces.
TEST_F(MigrationsTest, JobsOfTheVersionBeforeRunsAreReadAndRunAsTheyWere) {
  ASSERT_TRUE(migrate(*connection, options.schema, 3).ok());
  run("INSERT INTO {schema}.queues (namespace, name) VALUES (1, 'mail');"
      "INSERT INTO {schema}.lanes (queue, type, needs, special) VALUES (1, 'send', '', false);"
      "INSERT INTO {schema}.waiting (id, rank, created_at, run_at, lane, stand, attempt, rescues, place, flags, priority, event, "
      "special, payload) VALUES (nextval('{schema}.job_keys'), 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, false, '{}');"
      "INSERT INTO {schema}.history (id, finished_at, created_at, lane, attempt, rescues, state, flags, priority, event, "
      "payload) "
      "VALUES (nextval('{schema}.job_keys'), 2, 1, 1, 1, 0, 3, 0, 0, 3, '{}')");

  Metrics metrics;
  auto opened = PostgresStore::open(options, metrics);
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  PostgresStore& store = **opened;
  const auto jobs = ask<JobPage>([&](auto reply) { store.list_jobs({.order = Order::oldest_first}, std::move(reply)); });
  ASSERT_TRUE(jobs.ok()) << jobs.status().text();
  ASSERT_EQ(jobs->jobs.size(), 2u);
  EXPECT_EQ(jobs->jobs[0].last_event, JobEvent::enqueued);
  EXPECT_EQ(jobs->jobs[1].last_event, JobEvent::completed);
  const auto runs = ask<JobPage>([&](auto reply) { store.list_jobs({.filter = {.runs_only = true}}, std::move(reply)); });
  EXPECT_TRUE(runs.ok() && runs->jobs.empty());
  const auto namespaces = ask<std::vector<NamespaceInfo>>([&](auto reply) { store.list_namespaces(std::move(reply)); });
  ASSERT_TRUE(namespaces.ok());
  EXPECT_TRUE(namespaces->front().enabled);
  EXPECT_EQ(namespaces->front().updated_at, namespaces->front().created_at);
  JobSpec run_spec;
  run_spec.type = JobType("flow");
  run_spec.run = RunSpec();
  const auto made = ask<std::vector<Enqueued>>([&](auto reply) { store.enqueue({run_spec}, std::move(reply)); });
  ASSERT_TRUE(made.ok()) << made.status().text();
  EXPECT_TRUE(store.close().ok());
}

TEST_F(MigrationsTest, ManyAtOnceMakeOneSchema) {
  std::vector<std::thread> nodes;
  std::vector<Status> answers(4);
  for (Status& answer : answers) nodes.emplace_back([this, &answer] { answer = migrate(options); });
  for (std::thread& node : nodes) node.join();
  for (const Status& answer : answers) EXPECT_TRUE(answer.ok()) << answer.text();
  EXPECT_EQ(schema_status(options)->version, newest_version());
}

TEST_F(MigrationsTest, ANewerSchemaIsRefusedAndLeftAlone) {
  ASSERT_TRUE(migrate(options).ok());
  run("UPDATE {schema}.meta SET value = '999' WHERE name = 'schema_version'");
  EXPECT_EQ(migrate(options).code(), Code::invalid_argument);
  EXPECT_EQ(meta(kMetaVersion), "999");
  EXPECT_EQ(grade_of("schema"), Finding::Grade::bad);
}

TEST_F(MigrationsTest, ASchemaOfAnotherProgramIsRefusedAndLeftAlone) {
  run("CREATE SCHEMA {schema}; CREATE TABLE {schema}.theirs (a integer)");
  EXPECT_EQ(migrate(options).code(), Code::invalid_argument);
  const auto tables = connection->query(fmt::format("SELECT count(*) FROM pg_tables WHERE schemaname = '{}'", options.schema));
  ASSERT_TRUE(tables.ok());
  EXPECT_EQ(tables->integer(0, 0), 1);
}

TEST_F(MigrationsTest, ASchemaThatSomebodyMadeAndLeftEmptyIsUsed) {
  run("CREATE SCHEMA {schema}");
  EXPECT_TRUE(migrate(options).ok());
}

TEST_F(MigrationsTest, ABadNameIsRefused) {
  for (const std::string& name : std::vector<std::string>{"", "it's", "a\"b", "pg_mine", "a b", std::string(49, 'a')}) {
    Options bad = options;
    bad.schema = name;
    EXPECT_EQ(migrate(bad).code(), Code::invalid_argument) << name;
  }
}

TEST_F(MigrationsTest, AHealthyDatabaseHasNothingBadToItsName) {
  ASSERT_TRUE(migrate(options).ok());
  for (const Finding& finding : examine(options)) {
    EXPECT_NE(finding.grade, Finding::Grade::bad) << finding.name << ": " << finding.text;
    EXPECT_EQ(finding.advice.empty(), finding.grade == Finding::Grade::good) << finding.name;
  }
  EXPECT_EQ(grade_of("schema"), Finding::Grade::good);
  EXPECT_EQ(grade_of("rights"), Finding::Grade::good);
  EXPECT_EQ(grade_of("notifications"), Finding::Grade::good);
}

TEST_F(MigrationsTest, AServerThatIsNotThereIsTheOnlyFinding) {
  options.url = "postgres://127.0.0.1:1/none";
  const std::vector<Finding> findings = examine(options);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings.front().grade, Finding::Grade::bad);
  EXPECT_FALSE(findings.front().advice.empty());
}

TEST(WithoutSecrets, LeavesOutThePassword) {
  EXPECT_EQ(without_secrets("postgres://ann:s3cret@db.example:5433/jobs"), "postgres://ann@db.example:5433/jobs");
  EXPECT_EQ(without_secrets("postgresql://ann:p%40ss@db/jobs"), "postgres://ann@db/jobs");
}

TEST(WithoutSecrets, LeavesOutPasswordsAmongTheParameters) {
  const std::string shown = without_secrets("postgres://db/jobs?user=ann&password=s3cret&sslmode=require&sslpassword=s3cret");
  EXPECT_EQ(shown.find("s3cret"), std::string::npos) << shown;
  EXPECT_NE(shown.find("sslmode=require"), std::string::npos) << shown;
}

TEST(WithoutSecrets, ReadsTheOtherForm) {
  EXPECT_EQ(without_secrets("host=db port=5433 dbname=jobs user=ann password='s3 cret'"), "postgres://ann@db:5433/jobs");
}

TEST(WithoutSecrets, NamesEveryHost) {
  EXPECT_EQ(without_secrets("postgres://ann:x@a:1,b:2/jobs"), "postgres://ann@a:1,b:2/jobs");
  EXPECT_EQ(without_secrets("host=a,b port=5 dbname=jobs"), "postgres://a:5,b:5/jobs");
}

TEST(WithoutSecrets, ShowsNothingOfWhatItCannotRead) {
  for (const char* url : {"postgres://ann:s3cret%zz@db/jobs", "password=s3cret nonsense", "postgres://ann:s3cret@[db/jobs"})
    EXPECT_EQ(without_secrets(url).find("s3cret"), std::string::npos) << url;
}

}  // namespace

}  // namespace muster::store::postgres
