// Both ends of a copy on a file: everything comes back as it was put, and a store serves what arrived.
#include "store/sqlite/transfer.h"

#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "store/sqlite/migrations.h"
#include "store/sqlite/store.h"
#include "store/transfer/memory_testing.h"

namespace muster::store::sqlite {
namespace {

using transfer::Everything;
using transfer::Kind;
using transfer::MemorySink;
using transfer::MemorySource;
using transfer::Sample;

class FileTransfer : public ::testing::Test {
 protected:
  Result<transfer::Report> fill(std::size_t batch = 5) {
    auto sink = open_transfer_sink(path_);
    if (!sink.ok()) return sink.status();
    return transfer::copy(source_, **sink, batch, {});
  }

  Result<std::unique_ptr<SqliteStore>> serve() {
    return SqliteStore::open({.path = path_, .threading = Threading::manual, .seed = 1}, clock_, metrics_);
  }

  template <class T, class Verb>
  static Result<T> ask(SqliteStore& store, Verb verb) {
    return muster::ask<T>(verb, [&store] { return store.pump(); });
  }
  static Result<Each<Settled>> complete(SqliteStore& store, const JobId& job, std::uint64_t fence) {
    return ask<Each<Settled>>(store, [&](auto reply) {
      store.complete({{{job, Fence{fence}}, std::nullopt}}, std::move(reply));
    });
  }
  JobId id(JobKey key) const { return IdCodec(from_.numbers.salt).encode(key); }

  ManualClock clock_;
  Metrics metrics_;
  Everything from_ = Sample(clock_.now()).all;
  MemorySource source_{from_};
  const TempFolder folder_;
  const std::string path_ = folder_.path("m.db");
};

TEST_F(FileTransfer, GivesBackEverythingAsItWasPut) {
  const auto there = fill();
  ASSERT_TRUE(there.ok()) << there.status().text();
  for (const Kind kind : transfer::kKinds) EXPECT_TRUE(there->source.same(there->target, kind)) << to_string(kind);
  Everything back;
  MemorySink sink(back);
  auto source = open_transfer_source(path_);
  ASSERT_TRUE(source.ok()) << source.status().text();
  const auto report = transfer::copy(**source, sink, 6, {});
  ASSERT_TRUE(report.ok()) << report.status().text();
  EXPECT_EQ(report->target, there->source);
  EXPECT_EQ(back.numbers.salt, from_.numbers.salt);
  EXPECT_EQ(back.numbers.next_fence, from_.numbers.next_fence);
  EXPECT_EQ(back.numbers.next_job_key, from_.numbers.next_job_key);
}

TEST_F(FileTransfer, GoesOnAfterEveryBatchAndServesNothingBeforeTheEnd) {
  for (std::size_t puts = 0; puts < 90; ++puts) {
    {
      auto sink = open_transfer_sink(path_);
      ASSERT_TRUE(sink.ok()) << sink.status().text();
      transfer::BreakingSink breaking(**sink, puts);
      const auto broken = transfer::copy(source_, breaking, 3, {});
      if (broken.ok()) break;
      ASSERT_EQ(broken.code(), Code::unavailable) << broken.status().text();
    }
    EXPECT_FALSE(serve().ok());
    EXPECT_EQ(open_transfer_source(path_).code(), Code::conflict);
    const auto report = fill(3);
    ASSERT_TRUE(report.ok()) << report.status().text();
    EXPECT_TRUE(report->same()) << puts;
    ASSERT_TRUE(serve().ok());
    std::filesystem::remove_all(path_);
  }
}

TEST_F(FileTransfer, WhatAKilledServerAcknowledgedIsCopied) {
  {
    auto store = serve();
    ASSERT_TRUE(store.ok()) << store.status().text();
    JobSpec job;
    job.type = JobType("t");
    ASSERT_TRUE(ask<std::vector<Enqueued>>(**store, [&](auto reply) { (*store)->enqueue({job}, std::move(reply)); }).ok());
  }  // without close()
  Everything back;
  MemorySink sink(back);
  auto source = open_transfer_source(path_);
  ASSERT_TRUE(source.ok()) << source.status().text();
  ASSERT_TRUE(transfer::copy(**source, sink, 6, {}).ok());
  EXPECT_EQ(back.jobs.size(), 1u);
}

TEST_F(FileTransfer, ServesTheAgentsThatArrived) {
  ASSERT_TRUE(fill().ok());
  auto opened = serve();
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  SqliteStore& store = **opened;
  const AgentRun root = from_.agent_runs[0];
  const auto view = ask<AgentRunView>(store, [&](auto reply) { store.view_agent_run(root.id, std::move(reply)); });
  ASSERT_TRUE(view.ok()) << view.status().text();
  EXPECT_EQ(view->run, root);
  EXPECT_EQ(view->agent, from_.agents[0]);
  EXPECT_EQ(view->session, from_.sessions[0].session);
  EXPECT_EQ(view->iteration, from_.iterations[0]);
  ASSERT_EQ(view->executions.size(), 2u);
  EXPECT_EQ(view->executions[1], from_.executions[1].execution);
  // What happens next goes on where the source was: numbers, spending, the archive.
  AgentRunWrite write{.run = root, .spent = {{.input = 1}, 0}};
  write.run.state = AgentRunState::completed;
  write.run.finalized_at = clock_.now();
  write.messages = {AgentMessage{.id = MessageId{{7, 7}}}};
  const auto written = ask<AgentRunWritten>(store, [&](auto reply) { store.write_agent_run(write, std::move(reply)); });
  ASSERT_TRUE(written.ok()) << written.status().text();
  EXPECT_EQ(written->messages, std::vector<std::uint64_t>{7});
  const auto spent = ask<SpendingView>(
      store, [&](auto reply) { store.get_spending({.ns = root.ns, .session = root.session}, std::move(reply)); });
  EXPECT_EQ(spent->session.usage.input, 2u);
  const Uuid event = from_.compactions[1].id;
  const auto restored =
      ask<CompactionEvent>(store, [&](auto reply) { store.restore_session(root.session, event, std::move(reply)); });
  ASSERT_TRUE(restored.ok()) << restored.status().text();
  const auto page =
      ask<MessagePage>(store, [&](auto reply) { store.list_messages({.session = root.session}, std::move(reply)); });
  ASSERT_EQ(page->messages.size(), 5u);
  EXPECT_EQ(page->messages[0], from_.archive[0].row.message);
  EXPECT_EQ(page->messages[1], from_.archive[1].row.message);
  const auto blob = ask<Blob>(store, [&](auto reply) { store.get_blob(from_.blobs[0].blob.id, std::move(reply)); });
  EXPECT_EQ(blob->data, from_.blobs[0].blob.data);
}

TEST_F(FileTransfer, ServesWhatArrived) {
  ASSERT_TRUE(fill().ok());
  auto opened = serve();
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  SqliteStore& store = **opened;
  std::vector<JobId> ids;
  for (const auto& record : from_.jobs) ids.push_back(id(record.key));
  const auto jobs = ask<Each<Job>>(store, [&](auto reply) { store.get_jobs(ids, std::move(reply)); });
  ASSERT_TRUE(jobs.ok());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ASSERT_TRUE((*jobs)[i].ok()) << i;
    EXPECT_EQ((*jobs)[i]->state, from_.jobs[i].job.state) << i;
    EXPECT_EQ((*jobs)[i]->spec.payload, from_.jobs[i].job.spec.payload) << i;
  }
  EXPECT_EQ((*jobs)[12]->lease_expires_at, clock_.now() + Duration(20'000));
  EXPECT_EQ((*jobs)[13]->lease_expires_at, clock_.now() + Duration(300'000));
  EXPECT_EQ((*jobs)[19]->dependencies_pending, 1u);

  // The worker of before finishes what it has; a lease that was over is not its own any more.
  const auto done = complete(store, id(13), 101);
  ASSERT_TRUE(done.ok() && (*done)[0].ok());
  const auto stale = complete(store, id(16), 104);
  ASSERT_TRUE(stale.ok());
  EXPECT_EQ((*stale)[0].code(), Code::lease_lost);
  const auto freed = ask<Each<Job>>(store, [&](auto reply) { store.get_jobs({id(20)}, std::move(reply)); });
  EXPECT_EQ((*freed)[0]->state, JobState::ready);

  // New work gets ids and fences above those of the source.
  JobSpec spec;
  spec.type = JobType("send");
  const auto fresh =
      ask<std::vector<Enqueued>>(store, [&](auto reply) { store.enqueue(std::vector<JobSpec>{spec}, std::move(reply)); });
  ASSERT_TRUE(fresh.ok());
  EXPECT_GE(*IdCodec(from_.numbers.salt).decode((*fresh)[0].id), from_.numbers.next_job_key);
  ClaimRequest claim;
  claim.ns = NamespaceName("default");
  claim.worker = WorkerId("w1");
  claim.limit = 1;
  const auto grant = ask<ClaimReply>(store, [&](auto reply) { store.claim(claim, std::move(reply)); });
  ASSERT_TRUE(grant.ok()) << grant.status().text();
  ASSERT_EQ(grant->grants.size(), 1u);
  EXPECT_GE(to_number(grant->grants[0].fence), static_cast<std::uint64_t>(from_.numbers.next_fence));
}

TEST_F(FileTransfer, ServesThePlansActionsAndKeysThatArrived) {
  ASSERT_TRUE(fill().ok());
  auto opened = serve();
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  SqliteStore& store = **opened;
  const NamespaceName ns(kDefaultNamespace);
  const auto plans = ask<Each<Plan>>(store, [&](auto reply) { store.get_plans(ns, {PlanId("sort-lines")}, std::move(reply)); });
  ASSERT_TRUE(plans.ok() && (*plans)[0].ok());
  EXPECT_EQ((*plans)[0]->spec, from_.plans[0].spec);
  EXPECT_EQ((*plans)[0]->jobs, 7u);
  // One of its jobs was forgotten; jobs 1, 3, 4 and 5 wait.
  const auto open = ask<ActionView>(
      store, [&](auto reply) { store.get_action({.ns = ns, .id = ActionId("a-open"), .job_limit = 10}, std::move(reply)); });
  ASSERT_TRUE(open.ok()) << open.status().text();
  EXPECT_EQ(open->action.counts, (ActionCounts{.waiting = 4, .failed = 1}));
  EXPECT_EQ(open->jobs, (std::vector<JobId>{id(1), id(3), id(4), id(5), id(900)}));
  const auto backwards = ask<ActionView>(store, [&](auto reply) {
    store.get_action({.ns = ns, .id = ActionId("a-open"), .job_offset = 1, .job_limit = 2, .newest_first = true},
                     std::move(reply));
  });
  EXPECT_EQ(backwards->jobs, (std::vector<JobId>{id(5), id(4)}));
  const auto done =
      ask<ActionView>(store, [&](auto reply) { store.get_action({.ns = ns, .id = ActionId("a-done")}, std::move(reply)); });
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->action.counts, (ActionCounts{.completed = 1, .cancelled = 1}));

  KeyBatch batch;
  batch.commands = {key::Get{.key = "greeting"},
                    key::HashLength{.key = "hash"},
                    key::SetMembers{.key = "set"},
                    key::ListLength{.key = "list"},
                    key::ScoreOf{.key = "scores", .members = {"low"}},
                    key::Set{.key = "fresh", .value = "new"}};
  const auto answers = ask<std::vector<KeyAnswer>>(store, [&](auto reply) { store.keyspace(batch, std::move(reply)); });
  ASSERT_TRUE(answers.ok()) << answers.status().text();
  EXPECT_EQ(answers->at(0).text, from_.entries[0].text);
  EXPECT_EQ(answers->at(1).number, 2);
  EXPECT_TRUE(answers->at(2).list.empty()) << "its time had come";
  EXPECT_EQ(answers->at(3).number, 2);
  EXPECT_EQ(answers->at(4).real, -0.5);
  EXPECT_EQ(answers->at(5).kind, KeyAnswer::Kind::done);
}

TEST_F(FileTransfer, ServesTheRunsAndSchedulesThatArrived) {
  ASSERT_TRUE(fill().ok());
  auto opened = serve();
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  SqliteStore& store = **opened;
  const JobKey parent = from_.steps.front().run;
  const JobKey asleep = from_.steps.back().run;
  const auto listed = [&](JobKey run) {
    return ask<StepPage>(store, [&](auto reply) { store.list_steps({.run = id(run)}, std::move(reply)); });
  };
  const auto steps = listed(parent);
  ASSERT_TRUE(steps.ok()) << steps.status().text();
  ASSERT_EQ(steps->steps.size(), 4u);
  EXPECT_EQ(steps->steps[0].output, from_.steps[0].step.output);
  EXPECT_EQ(steps->steps[0].policy, from_.steps[0].step.policy);
  EXPECT_EQ(steps->steps[3].child, id(asleep));

  // The run goes on under its old lease, behind its steps; a signal that was kept is taken, and one that is awaited wakes.
  const RunRef run{id(parent), Fence{110}};
  const auto answers = ask<Each<StepAnswer>>(store, [&](auto reply) {
    std::vector<StepCall> calls{step::Begin{.run = run, .step = "charge"}, step::Begin{.run = run, .step = "new"},
                                step::AwaitSignal{.run = run, .step = "stopped", .signal = "stop"}};
    store.run_steps(std::move(calls), std::move(reply));
  });
  ASSERT_TRUE(answers.ok());
  EXPECT_FALSE((*answers)[0]->execute);
  EXPECT_TRUE((*answers)[1]->execute);
  EXPECT_EQ((*answers)[2]->step->state, StepState::completed);
  EXPECT_EQ(listed(parent)->steps.size(), 6u);
  const auto signalled = ask<Each<Signalled>>(store, [&](auto reply) {
    store.signal_runs({{id(asleep), "approved", Content{}}}, std::move(reply));
  });
  EXPECT_TRUE((*signalled)[0]->taken);
  const auto woken = ask<Each<Job>>(store, [&](auto reply) { store.get_jobs({id(asleep)}, std::move(reply)); });
  EXPECT_EQ((*woken)[0]->state, JobState::ready);
  EXPECT_EQ((*woken)[0]->spec.run->parent->run, id(parent));

  const auto schedules =
      ask<SchedulePage>(store, [&](auto reply) { store.list_schedules({.ns = NamespaceName("default")}, std::move(reply)); });
  ASSERT_TRUE(schedules.ok() && schedules->schedules.size() == 1);
  EXPECT_EQ(schedules->schedules[0].spec, from_.schedules[0].spec);
  EXPECT_EQ(schedules->schedules[0].last_job, id(1));
  EXPECT_EQ(schedules->schedules[0].revision, 17u);
  const auto namespaces = ask<std::vector<NamespaceInfo>>(store, [&](auto reply) { store.list_namespaces(std::move(reply)); });
  ASSERT_TRUE(namespaces.ok() && namespaces->size() == 2);
  EXPECT_EQ(namespaces->back().display_name, "The other one");
  EXPECT_FALSE(namespaces->back().enabled);
}

TEST_F(FileTransfer, RefusesATargetThatIsNotEmptyAndLeavesItAlone) {
  {
    auto store = serve();
    ASSERT_TRUE(store.ok());
    JobSpec spec;
    spec.type = JobType("send");
    ASSERT_TRUE(ask<std::vector<Enqueued>>(**store, [&](auto reply) {
                  (*store)->enqueue(std::vector<JobSpec>{spec}, std::move(reply));
                }).ok());
    ASSERT_TRUE((*store)->close().ok());
  }
  EXPECT_EQ(fill().code(), Code::conflict);
  auto store = serve();
  ASSERT_TRUE(store.ok()) << store.status().text();
}

TEST_F(FileTransfer, WhatAKilledServerAcknowledgedIsInTheWayToo) {
  {
    auto store = serve();
    ASSERT_TRUE(store.ok());
    JobSpec spec;
    spec.type = JobType("send");
    ASSERT_TRUE(ask<std::vector<Enqueued>>(**store, [&](auto reply) {
                  (*store)->enqueue(std::vector<JobSpec>{spec}, std::move(reply));
                }).ok());
  }  // without close()
  EXPECT_EQ(fill().code(), Code::conflict);
  EXPECT_TRUE(serve().ok());
}

TEST_F(FileTransfer, FillsAFileThatWasOnlyMigrated) {
  {
    auto store = serve();
    ASSERT_TRUE(store.ok() && (*store)->close().ok());
  }
  const auto report = fill();
  ASSERT_TRUE(report.ok()) << report.status().text();
  EXPECT_TRUE(report->same());
}

TEST_F(FileTransfer, RefusesEndsThatCannotBeUsed) {
  EXPECT_EQ(open_transfer_source(folder_.path("none.db")).code(), Code::not_found);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("none.db")));
  EXPECT_EQ(open_transfer_sink(folder_.path("no/folder.db")).code(), Code::unavailable);
  auto store = serve();
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(open_transfer_source(path_).code(), Code::conflict);
  EXPECT_EQ(open_transfer_sink(path_).code(), Code::conflict);
  ASSERT_TRUE((*store)->close().ok());
  store->reset();
  {
    auto connection = Connection::open(path_, OpenMode::read_write, {});
    ASSERT_TRUE((*connection)->exec(fmt::format("PRAGMA user_version = {}", newest_version() + 1).c_str()).ok());
  }
  EXPECT_EQ(open_transfer_source(path_).code(), Code::invalid_argument);
  EXPECT_EQ(open_transfer_sink(path_).code(), Code::invalid_argument);
}

TEST_F(FileTransfer, ChangesNothingOfItsSource) {
  ASSERT_TRUE(fill().ok());
  const auto before = std::filesystem::last_write_time(path_);
  const auto size = std::filesystem::file_size(path_);
  Everything back;
  MemorySink sink(back);
  {
    auto source = open_transfer_source(path_);
    ASSERT_TRUE(source.ok());
    ASSERT_TRUE(transfer::copy(**source, sink, 100, {}).ok());
  }
  EXPECT_EQ(std::filesystem::last_write_time(path_), before);
  EXPECT_EQ(std::filesystem::file_size(path_), size);
}

}  // namespace
}  // namespace muster::store::sqlite
