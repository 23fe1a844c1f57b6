// Goal: a file written by any earlier version opens with this program, and everything in it is still there.
//
// Method: for each schema version, an empty file is migrated up to that version and no further, the rows of tests/upgrade/vN.sql
// are put into it, and the current program opens it. A fixture describes itself: each job's payload says what state it must be
// seen in, so the test needs no table of its own and never changes when a fixture is added. When a migration is added, write the
// fixture of the version before it: run this program with
// --gtest_also_run_disabled_tests --gtest_filter='*WritesTheFixture' in the source folder BEFORE the migration exists.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "base/ask_testing.h"
#include "base/metrics.h"
#include "base/temp_folder_testing.h"
#include "store/sqlite/migrations.h"
#include "store/sqlite/store.h"

namespace muster::store::sqlite {
namespace {

using namespace std::chrono_literals;

std::string fixture_path(std::uint32_t version) { return fmt::format("tests/upgrade/v{}.sql", version); }

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Far away, so that a fixture's key is there whenever it is read.
constexpr Instant kFixtureExpiry{Duration(4'102'444'800'000)};

JobSpec fixture_job(const std::string& name, JobState expect) {
  JobSpec spec;
  spec.type = JobType("fixture");
  spec.labels = {{"name", name}};
  spec.payload.data = fmt::format("{{\"expect\":\"{}\"}}", to_string(expect));
  return spec;
}

class Upgrade : public testing::Test {
 protected:
  std::string path() const { return folder_->path("muster.db"); }

  void open() {
    Options options;
    options.path = path();
    options.threading = Threading::manual;
    options.seed = 1;
    auto opened = SqliteStore::open(options, clock_, metrics_);
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    store_ = std::move(opened).value();
  }
  void write_file_of(std::uint32_t version) {
    auto connection = Connection::open(path(), OpenMode::create, {});
    ASSERT_TRUE(connection.ok());
    ASSERT_TRUE(migrate(**connection, version).ok());
    const std::string rows = read_file(fixture_path(version));
    ASSERT_FALSE(rows.empty()) << fixture_path(version)
                               << " is missing: every version needs a fixture (run from the source folder)";
    const Status status = (*connection)->exec(rows.c_str());
    ASSERT_TRUE(status.ok()) << status.text();
  }

  // Opens a file of each version from `first` on and looks at it.
  void in_each_version_since(std::uint32_t first, const std::function<void()>& look) {
    for (std::uint32_t version = first; version <= newest_version(); ++version) {
      SCOPED_TRACE(fmt::format("version {}", version));
      store_.reset();
      folder_.emplace();
      write_file_of(version);
      open();
      ASSERT_NE(store_, nullptr);
      look();
    }
  }

  // Runs one verb to its answer.
  template <class T, class Verb>
  Result<T> ask(Verb verb) {
    return muster::ask<T>(std::move(verb), [this] { return store_->pump(); });
  }
  std::vector<Job> jobs() {
    JobQuery query;
    query.with_payload = true;
    query.limit = limits::kPageMax;
    auto page = ask<JobPage>([&](auto reply) { store_->list_jobs(query, std::move(reply)); });
    EXPECT_TRUE(page.ok()) << page.status().text();
    return page.ok() ? page->jobs : std::vector<Job>();
  }
  Job named(const std::string& name) {
    for (const Job& job : jobs())
      if (job.spec.labels.contains("name") && job.spec.labels.at("name") == name) return job;
    ADD_FAILURE() << "no job is named " << name;
    return {};
  }

  void put_plan_and_action(const std::string& name) {
    PlanPut plan;
    plan.plan.id = PlanId("p-" + name);
    plan.plan.text = "{\"tasks\":[]}";
    plan.plan.needs = CapabilitySet({"tool:ffmpeg"});
    ASSERT_TRUE(ask<PlanStored>([&](auto reply) { store_->put_plan(plan, std::move(reply)); }).ok());
    ActionSpec action;
    action.id = ActionId("a-" + name);
    action.plan = plan.plan.id;
    for (int i = 0; i < 2; ++i) {
      ActionJob job;
      job.spec = fixture_job(fmt::format("{}-{}", name, i), JobState::ready);
      job.spec.needs = plan.plan.needs;
      action.jobs.push_back(std::move(job));
    }
    const auto made = ask<ActionSubmitted>([&](auto reply) { store_->submit_action(action, std::move(reply)); });
    ASSERT_TRUE(made.ok()) << made.status().text();
  }
  ActionCounts counts_of(const std::string& action) {
    const auto view = ask<ActionView>([&](auto reply) {
      store_->get_action({.ns = NamespaceName(kDefaultNamespace), .id = ActionId(action)}, std::move(reply));
    });
    EXPECT_TRUE(view.ok()) << view.status().text();
    return view.ok() ? view->action.counts : ActionCounts();
  }
  std::vector<KeyAnswer> keys(std::vector<KeyCommand> commands) {
    KeyBatch batch;
    batch.commands = std::move(commands);
    const std::size_t asked = batch.commands.size();
    auto answers = ask<std::vector<KeyAnswer>>([&](auto reply) { store_->keyspace(batch, std::move(reply)); });
    EXPECT_TRUE(answers.ok()) << answers.status().text();
    return answers.ok() ? *answers : std::vector<KeyAnswer>(asked);
  }

  std::vector<Result<StepAnswer>> steps(std::vector<StepCall> calls) {
    auto answers = ask<Each<StepAnswer>>([&](auto reply) { store_->run_steps(calls, std::move(reply)); });
    EXPECT_TRUE(answers.ok()) << answers.status().text();
    return answers.ok() ? *answers : std::vector<Result<StepAnswer>>(calls.size(), Status::internal("no answer"));
  }

  // An agent with a tool and a session in which a run has asked for that tool, and an earlier one was compacted.
  void add_agent(const std::string& name, std::uint64_t seed) {
    const auto id = [&seed] { return Uuid{0x0190'0000'0000'7000ULL, 0x8000'0000'0000'0000ULL | ++seed}; };
    Agent agent;
    agent.id = AgentId{id()};
    agent.spec.name = name;
    agent.spec.tools = {ToolName(name + "-lint")};
    agent.spec.metadata = R"({"team":"x"})";
    ASSERT_TRUE(ask<Agent>([&](auto reply) { store_->put_agent({agent}, std::move(reply)); }).ok());
    Tool tool;
    tool.spec.name = agent.spec.tools[0];
    tool.spec.approval = ToolApproval::ask;
    ASSERT_TRUE(ask<Tool>([&](auto reply) { store_->put_tool({tool}, std::move(reply)); }).ok());
    AgentSession session;
    session.id = AgentSessionId{id()};
    session.metadata = R"({"user":"ann"})";
    ASSERT_TRUE(ask<AgentSession>([&](auto reply) { store_->create_session({session}, std::move(reply)); }).ok());
    const auto begin = [&](const std::string& job) {
      AgentRunStart start;
      start.run.session = session.id;
      start.run.agent = agent.id;
      start.run.prompt = job;
      start.job = fixture_job(job, JobState::ready);
      start.job.needs = CapabilitySet({"agent:runtime"});
      start.job.run = RunSpec();
      auto started = ask<AgentRunStarted>([&](auto reply) { store_->start_agent_run(start, std::move(reply)); });
      EXPECT_TRUE(started.ok()) << started.status().text();
      return started->run;
    };
    const auto write = [&](AgentRunWrite one) {
      auto written = ask<AgentRunWritten>([&](auto reply) { store_->write_agent_run(one, std::move(reply)); });
      EXPECT_TRUE(written.ok()) << written.status().text();
    };
    AgentRunWrite said{.run = begin(name + "-first")};
    said.run.state = AgentRunState::completed;
    said.run.finalized_at = clock_.now();
    said.run.response_text = "done";
    for (const char* text : {"[1]", "[2]", "[3]"}) said.messages.push_back({.id = MessageId{id()}, .blocks = text});
    write(said);
    const auto now = ask<Each<AgentSession>>(
        [&](auto reply) { store_->get_sessions(NamespaceName(kDefaultNamespace), {session.id}, std::move(reply)); });
    Compaction compaction;
    compaction.event.id = id();
    compaction.event.session = session.id;
    compaction.revision = now->front()->revision;
    compaction.archived = {said.messages[0].id, said.messages[1].id};
    compaction.replacements = {{.id = MessageId{id()}, .number = 2, .blocks = "[\"short\"]", .summary = true}};
    ASSERT_TRUE(ask<CompactionEvent>([&](auto reply) { store_->compact_session(compaction, std::move(reply)); }).ok());
    Iteration iteration;
    iteration.id = IterationId{id()};
    ToolExecution execution;
    execution.id = ToolExecutionId{id()};
    execution.iteration = iteration.id;
    execution.tool = tool.spec.name;
    execution.approval = ApprovalState::asked;
    AgentRunWrite asks{.run = begin(name + "-second"), .iteration = iteration, .executions = {{execution}}};
    asks.run.state = AgentRunState::awaiting_input;
    asks.run.iteration = 1;
    asks.run.iteration_id = iteration.id;
    asks.blobs = {{id(), std::string("b\0\xff", 3)}};
    asks.spent = {{.input = 5}, 7};
    write(asks);
  }
  AgentRun run_named(const std::string& job) {
    const auto runs = ask<Each<AgentRun>>([&](auto reply) { store_->get_agent_runs({named(job).id}, std::move(reply)); });
    EXPECT_TRUE(runs.ok() && runs->front().ok());
    return runs.ok() && runs->front().ok() ? *runs->front() : AgentRun();
  }

  std::optional<TempFolder> folder_{std::in_place};
  ManualClock clock_;
  Metrics metrics_;
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(Upgrade, EveryEarlierVersionOpensWithEverythingInIt) {
  in_each_version_since(1, [&] {
    const std::vector<Job> all = jobs();
    EXPECT_GE(all.size(), 9U);
    for (const Job& job : all) {
      const std::string expect = fmt::format("\"expect\":\"{}\"", to_string(job.state));
      EXPECT_NE(job.spec.payload.data.find(expect), std::string::npos)
          << job.spec.labels.begin()->second << " is " << to_string(job.state);
    }
    EXPECT_EQ(named("completed").result->data, "{\"answer\":42}");
    EXPECT_EQ(named("dead").error->kind, "bad_input");
    EXPECT_GT(named("big").spec.payload.data.size(), 10'000U);
    EXPECT_TRUE(named("ready").spec.needs.contains("tool:ffmpeg"));
    EXPECT_EQ(named("ready").spec.priority, 7);

    auto queues =
        ask<std::vector<QueueStats>>([&](auto reply) { store_->list_queues(NamespaceName("other"), std::move(reply)); });
    ASSERT_TRUE(queues.ok());
    ASSERT_EQ(queues->size(), 1U);
    EXPECT_TRUE(queues->front().settings.paused);
    EXPECT_EQ(queues->front().settings.running_max, 3U);

    auto workers = ask<WorkerPage>([&](auto reply) { store_->list_workers({}, std::move(reply)); });
    ASSERT_TRUE(workers.ok());
    ASSERT_EQ(workers->workers.size(), 2U);
    EXPECT_EQ(workers->workers[0].spec.labels.at("zone"), "a");
    EXPECT_EQ(workers->workers[1].state, WorkerState::offline);
  });
}

TEST_F(Upgrade, WorkGoesOnInAFileOfEveryEarlierVersion) {
  in_each_version_since(1, [&] {
    JobSpec again = fixture_job("ready", JobState::ready);
    again.idempotency_key = "upgrade-key";
    auto enqueued = ask<std::vector<Enqueued>>([&](auto reply) { store_->enqueue({again}, std::move(reply)); });
    ASSERT_TRUE(enqueued.ok());
    EXPECT_TRUE(enqueued->front().existed) << "an idempotency key of the old file is honoured";
    EXPECT_EQ(enqueued->front().id, named("ready").id);

    const Job running = named("running");
    auto settled = ask<Each<Settled>>([&](auto reply) {
      store_->complete({{{running.id, running.fence}, std::nullopt}}, std::move(reply));
    });
    ASSERT_TRUE(settled.ok());
    EXPECT_TRUE(settled->front().ok()) << "the lease of the old file is honoured: " << settled->front().status().text();
    EXPECT_EQ(named("waiting").state, JobState::ready) << "and the job that waited for it is free";
  });
}

TEST_F(Upgrade, PlansActionsAndKeysWorkInAFileOfEveryEarlierVersion) {
  in_each_version_since(1, [&] {
    put_plan_and_action("new");
    EXPECT_EQ(counts_of("a-new"), (ActionCounts{.waiting = 2}));
    EXPECT_EQ(keys({key::Push{.key = "new-list", .values = {"a", "b"}}, key::ListLength{.key = "new-list"}}).at(1).number, 2);
  });
}

// From version 2 on there are plans, actions and keys.
TEST_F(Upgrade, PlansActionsAndKeysOfEveryEarlierVersionAreThere) {
  in_each_version_since(2, [&] {
    const auto plans = ask<Each<Plan>>(
        [&](auto reply) { store_->get_plans(NamespaceName(kDefaultNamespace), {PlanId("p-old")}, std::move(reply)); });
    ASSERT_TRUE(plans.ok() && plans->front().ok());
    EXPECT_EQ(plans->front()->spec.text, "{\"tasks\":[]}");
    EXPECT_EQ(plans->front()->jobs, 2U);
    EXPECT_EQ(counts_of("a-old"), (ActionCounts{.waiting = 2}));
    const auto answers =
        keys({key::Get{.key = "old-text"}, key::ListRange{.key = "old-list"}, key::HashGet{.key = "old-hash", .field = "f"},
              key::SetHas{.key = "old-set", .members = {"m"}}, key::ScoreOf{.key = "old-scores", .members = {"m"}},
              key::TimeLeft{.key = "old-text", .absolute = true}});
    EXPECT_EQ(answers.at(0).text, std::string("v\0\xff", 3));
    ASSERT_EQ(answers.at(1).list.size(), 2U);
    EXPECT_EQ(answers.at(1).list[0].text, "one");
    EXPECT_EQ(answers.at(2).text, "hv");
    EXPECT_EQ(answers.at(3).number, 1);
    EXPECT_EQ(answers.at(4).real, 2.5);
    EXPECT_EQ(answers.at(5).number, to_ms(kFixtureExpiry));
  });
}

TEST_F(Upgrade, RunsAndSchedulesWorkInAFileOfEveryEarlierVersion) {
  in_each_version_since(1, [&] {
    JobSpec run = fixture_job("new-run", JobState::ready);
    run.run = RunSpec();
    auto enqueued = ask<std::vector<Enqueued>>([&](auto reply) { store_->enqueue({run}, std::move(reply)); });
    ASSERT_TRUE(enqueued.ok()) << enqueued.status().text();
    EXPECT_TRUE(steps({step::Begin{.run = {enqueued->front().id}, .step = "a"}}).front()->execute);
    Schedule schedule;
    schedule.spec.id = ScheduleId("new");
    schedule.spec.job = run;
    EXPECT_TRUE(ask<Schedule>([&](auto reply) { store_->create_schedule(schedule, std::move(reply)); }).ok());
    const auto all = ask<std::vector<NamespaceInfo>>([&](auto reply) { store_->list_namespaces(std::move(reply)); });
    ASSERT_TRUE(all.ok());
    for (const NamespaceInfo& one : *all) {
      EXPECT_TRUE(one.enabled) << one.name.text();
      EXPECT_GE(one.updated_at, one.created_at) << one.name.text();
    }
  });
}

// From version 3 on there are runs and schedules.
TEST_F(Upgrade, RunsAndSchedulesOfEveryEarlierVersionAreThere) {
  in_each_version_since(3, [&] {
    const Job run = named("asleep");
    ASSERT_TRUE(run.spec.run);
    EXPECT_EQ(run.spec.run->external_id, "order-1");
    EXPECT_EQ(run.last_event, JobEvent::snoozed);
    const auto page = ask<StepPage>([&](auto reply) { store_->list_steps({.run = run.id}, std::move(reply)); });
    ASSERT_TRUE(page.ok());
    ASSERT_EQ(page->steps.size(), 2U);
    EXPECT_EQ(page->steps[0].output->data, std::string("o\0\xff", 3));
    EXPECT_EQ(page->steps[1].signal, "approved");
    const auto signalled = ask<Each<Signalled>>([&](auto reply) {
      store_->signal_runs({{run.id, "approved", {}}}, std::move(reply));
    });
    ASSERT_TRUE(signalled.ok() && signalled->front().ok());
    EXPECT_TRUE(signalled->front()->taken);
    EXPECT_EQ(named("asleep").state, JobState::ready);
    const auto schedules = ask<SchedulePage>([&](auto reply) { store_->list_schedules({}, std::move(reply)); });
    ASSERT_TRUE(schedules.ok());
    ASSERT_EQ(schedules->schedules.size(), 1U);
    EXPECT_EQ(schedules->schedules[0].spec.timing.text, "0 2 * * *");
    EXPECT_EQ(schedules->schedules[0].next_fire_at, kFixtureExpiry);
    EXPECT_EQ(schedules->schedules[0].last_job, run.id);
  });
}

TEST_F(Upgrade, AgentsWorkInAFileOfEveryEarlierVersion) {
  in_each_version_since(1, [&] {
    add_agent("new", 1'000);
    EXPECT_EQ(run_named("new-second").state, AgentRunState::awaiting_input);
  });
}

// From version 6 on there are agents.
TEST_F(Upgrade, AgentsOfEveryEarlierVersionAreThere) {
  in_each_version_since(6, [&] {
    const AgentRun first = run_named("old-first");
    EXPECT_EQ(first.response_text, "done");
    const AgentRun second = run_named("old-second");
    const auto view = ask<AgentRunView>([&](auto reply) { store_->view_agent_run(second.id, std::move(reply)); });
    ASSERT_TRUE(view.ok()) << view.status().text();
    EXPECT_EQ(view->agent.spec.tools, std::vector<ToolName>{ToolName("old-lint")});
    EXPECT_EQ(view->session.compactions, 1u);
    ASSERT_EQ(view->executions.size(), 1u);
    EXPECT_EQ(view->executions[0].approval, ApprovalState::asked);
    const auto spent = ask<SpendingView>([&](auto reply) {
      store_->get_spending({.ns = NamespaceName(kDefaultNamespace), .session = second.session}, std::move(reply));
    });
    EXPECT_EQ(spent->session, (Spending{{.input = 5}, 7}));
    // It goes on: the run ends, and what was compacted comes back.
    AgentRunWrite end{.run = second, .messages = {{.id = MessageId{{7, 7}}, .blocks = "[4]"}}};
    end.run.state = AgentRunState::cancelled;
    end.run.finalized_at = clock_.now();
    const auto written = ask<AgentRunWritten>([&](auto reply) { store_->write_agent_run(end, std::move(reply)); });
    ASSERT_TRUE(written.ok()) << written.status().text();
    EXPECT_EQ(written->messages, std::vector<std::uint64_t>{4});
    const auto events =
        ask<CompactionPage>([&](auto reply) { store_->list_compactions({.session = second.session}, std::move(reply)); });
    ASSERT_EQ(events->events.size(), 1u);
    const auto restored = ask<CompactionEvent>(
        [&](auto reply) { store_->restore_session(second.session, events->events[0].id, std::move(reply)); });
    ASSERT_TRUE(restored.ok()) << restored.status().text();
    const auto page = ask<MessagePage>([&](auto reply) { store_->list_messages({.session = second.session}, std::move(reply)); });
    std::string blocks;
    for (const AgentMessage& one : page->messages) blocks += one.blocks;
    EXPECT_EQ(blocks, "[1][2][3][4]");
  });
}

TEST_F(Upgrade, RefusesAFileOfALaterVersion) {
  open();
  store_.reset();
  auto connection = Connection::open(path(), OpenMode::read_write, {});
  ASSERT_TRUE(connection.ok());
  ASSERT_TRUE((*connection)->exec(fmt::format("PRAGMA user_version = {}", newest_version() + 1).c_str()).ok());
  connection->reset();
  Options options;
  options.path = path();
  options.threading = Threading::manual;
  const auto opened = SqliteStore::open(options, clock_, metrics_);
  EXPECT_EQ(opened.code(), Code::invalid_argument) << opened.status().text();
}

// --- making a fixture ---------------------------------------------------------------------------------------------

// Every row of every table as INSERT statements.
std::string dump(const std::string& path) {
  sqlite3* db = nullptr;
  sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr);
  const auto rows = [db](const std::string& sql, auto each) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr);
    while (sqlite3_step(statement) == SQLITE_ROW) each(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
    sqlite3_finalize(statement);
  };
  std::string out;
  rows("SELECT name FROM sqlite_schema WHERE type='table' ORDER BY name", [&](const char* table) {
    std::string columns, quoted;
    rows(fmt::format("SELECT name FROM pragma_table_info('{}')", table), [&](const char* column) {
      columns += fmt::format("{}{}", columns.empty() ? "" : ", ", column);
      quoted += fmt::format("{}quote({})", quoted.empty() ? "" : " || ', ' || ", column);
    });
    rows(fmt::format("SELECT {} FROM {}", quoted, table), [&](const char* values) {
      out += fmt::format("INSERT OR REPLACE INTO {} ({}) VALUES ({});\n", table, columns, values);
    });
  });
  sqlite3_close(db);
  return out;
}

TEST_F(Upgrade, DISABLED_WritesTheFixture) {
  open();
  const auto enqueue = [this](JobSpec spec) {
    auto done = ask<std::vector<Enqueued>>([&](auto reply) { store_->enqueue({spec}, std::move(reply)); });
    ASSERT_TRUE(done.ok()) << done.status().text();
  };
  const auto add_worker = [this](const char* id, const char* tool) {
    WorkerSpec worker;
    worker.id = WorkerId(id);
    worker.labels = {{"zone", "a"}};
    worker.capabilities = CapabilitySet({tool});
    worker.slots = 10;
    auto done = ask<Each<Registered>>([&](auto reply) { store_->register_workers({worker}, std::move(reply)); });
    ASSERT_TRUE(done.ok() && done->front().ok());
  };
  const auto take = [this]() -> LeaseRef {
    ClaimRequest request;
    request.ns = NamespaceName(kDefaultNamespace);
    request.worker = WorkerId("w1");
    auto got = ask<ClaimReply>([&](auto reply) { store_->claim(request, std::move(reply)); });
    EXPECT_TRUE(got.ok() && got->grants.size() == 1);
    return got.ok() && got->grants.size() == 1 ? LeaseRef{got->grants[0].id, got->grants[0].fence} : LeaseRef{};
  };
  // The first write after opening reserves numbers; a namespace is as good as any.
  NamespaceInfo other;
  other.name = NamespaceName("other");
  other.description = "a second one";
  ASSERT_TRUE(ask<NamespaceInfo>([&](auto reply) { store_->create_namespace(other, std::move(reply)); }).ok());
  QueueChange change;
  change.ns = other.name;
  change.queue = QueueName("slow");
  change.paused = true;
  change.pause_reason = "maintenance";
  change.running_max = 3;
  change.rate = RateLimit{10, 1s, 2};
  ASSERT_TRUE(ask<QueueStats>([&](auto reply) { store_->change_queue(change, std::move(reply)); }).ok());
  add_worker("w1", "tool:convert");
  add_worker("w2", "tool:none");

  enqueue(fixture_job("completed", JobState::completed));
  const LeaseRef done = take();
  ASSERT_TRUE(ask<Each<Settled>>([&](auto reply) {
                store_->complete({{done, Content{"{\"answer\":42}", Encoding::json}}}, std::move(reply));
              })
                  ->front()
                  .ok());
  JobSpec fails = fixture_job("dead", JobState::dead);
  fails.retry.non_retryable = {"bad_input"};
  enqueue(fails);
  const LeaseRef bad = take();
  ASSERT_TRUE(ask<Each<Settled>>([&](auto reply) {
                store_->fail({Failure{bad, {"bad_input", "no such file"}, true, {}}}, std::move(reply));
              })
                  ->front()
                  .ok());
  JobSpec retried = fixture_job("retried", JobState::scheduled);
  retried.retry.backoff_base = 24h * 20;
  retried.retry.backoff_max = 24h * 20;
  enqueue(retried);
  const LeaseRef again = take();
  ProgressUpdate progress;
  progress.lease = again;
  progress.fraction = 0.5;
  progress.partial = Content{"{\"page\":3}", Encoding::json};
  ASSERT_TRUE(ask<Each<Renewed>>([&](auto reply) { store_->report_progress({progress}, std::move(reply)); })->front().ok());
  ASSERT_TRUE(ask<Each<Settled>>([&](auto reply) {
                store_->fail({Failure{again, {"crashed", "exit code 3"}, true, {}}}, std::move(reply));
              })
                  ->front()
                  .ok());
  enqueue(fixture_job("running", JobState::running));
  const LeaseRef held = take();
  JobSpec waiting = fixture_job("waiting", JobState::scheduled);
  waiting.after = {held.job};
  enqueue(waiting);
  JobSpec cancelled = fixture_job("cancelled", JobState::cancelled);
  cancelled.unique = UniqueKey{"customer-1", UniqueWhile::unfinished};
  enqueue(cancelled);
  ASSERT_TRUE(ask<Each<Cancelled>>([&](auto reply) {
                store_->cancel({{named("cancelled").id, "not needed"}}, std::move(reply));
              })
                  ->front()
                  .ok());
  JobSpec later = fixture_job("later", JobState::scheduled);
  later.delay = 24h * 365;
  later.concurrency = ConcurrencyKey{"customer-42", 2};
  later.fairness = FairnessKey{"tenant-a", 3};
  later.affinity.sticky_key = "session-9";
  enqueue(later);
  JobSpec ready = fixture_job("ready", JobState::ready);
  ready.needs = CapabilitySet({"tool:ffmpeg"});
  ready.selector = {{"zone", "b"}};
  ready.priority = 7;
  ready.idempotency_key = "upgrade-key";
  ready.timeout = 1h;
  ready.correlation = "trace-1";
  enqueue(ready);
  JobSpec big = fixture_job("big", JobState::ready);
  big.needs = CapabilitySet({"tool:ffmpeg"});
  big.payload.data.insert(big.payload.data.size() - 1, fmt::format(",\"pad\":\"{}\"", std::string(11'000, 'x')));
  enqueue(big);
  put_plan_and_action("old");
  JobSpec asleep = fixture_job("asleep", JobState::scheduled);
  asleep.run = RunSpec{.external_id = "order-1"};
  enqueue(asleep);
  const LeaseRef run = take();
  const RunRef ref{run.job, run.fence};
  for (const auto& answer :
       steps({step::Begin{.run = ref, .step = "charge", .input = Content{"{}", Encoding::json}},
              step::Complete{.run = ref, .step = "charge", .output = Content{std::string("o\0\xff", 3), Encoding::bytes}},
              step::AwaitSignal{.run = ref, .step = "approval", .signal = "approved"}}))
    ASSERT_TRUE(answer.ok()) << answer.status().text();
  ASSERT_TRUE(ask<Each<Signalled>>([&](auto reply) {
                store_->signal_runs({{run.job, "early", Content{"{}", Encoding::json}}}, std::move(reply));
              })
                  ->front()
                  .ok());
  Schedule nightly;
  nightly.spec.id = ScheduleId("nightly");
  nightly.spec.timing.text = "0 2 * * *";
  nightly.spec.job = fixture_job("nightly", JobState::ready);
  nightly.next_fire_at = kFixtureExpiry;
  nightly.last_job = run.job;
  ASSERT_TRUE(ask<Schedule>([&](auto reply) { store_->create_schedule(nightly, std::move(reply)); }).ok());
  ASSERT_TRUE(ask<NamespaceInfo>([&](auto reply) {
                store_->update_namespace({.name = other.name, .display_name = "Other"}, std::move(reply));
              }).ok());
  add_agent("old", 0);
  keys({key::Set{.key = "old-text", .value = std::string("v\0\xff", 3), .expires_at = kFixtureExpiry},
        key::Push{.key = "old-list", .end = ListEnd::right, .values = {"one", "two"}},
        key::HashSet{.key = "old-hash", .fields = {{"f", "hv"}}}, key::SetAdd{.key = "old-set", .members = {"m"}},
        key::ScoresAdd{.key = "old-scores", .members = {{"m", 2.5}}}});
  ASSERT_TRUE(ask<Each<Worker>>([&](auto reply) {
                store_->unregister({{NamespaceName(kDefaultNamespace), WorkerId("w2"), {}}}, std::move(reply));
              })
                  ->front()
                  .ok());
  ASSERT_TRUE(store_->close().ok());
  store_.reset();
  std::ofstream out(fixture_path(newest_version()));
  out << "-- Rows written by the program when this was the newest schema version. See upgrade_test.cc; never edited.\n"
      << dump(path());
}

}  // namespace
}  // namespace muster::store::sqlite
