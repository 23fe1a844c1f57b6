#include "command/door.h"

#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "command/audit.h"
#include "command/catalogue.h"
#include "command/jobs.h"
#include "command/keys.h"
#include "command/namespaces.h"
#include "command/queues.h"
#include "command/runs.h"
#include "store/sqlite/open_testing.h"

namespace muster::command {
namespace {

class DoorTest : public testing::Test {
 protected:
  ~DoorTest() override { EXPECT_TRUE(store_->close().ok()); }

  template <class T, class Request>
  Result<T> ask(const Caller& caller, Request request) {
    return muster::ask<T>([&](auto reply) { door_->run(caller, std::move(request), std::move(reply)); });
  }
  Result<QueuePauseReply> pause(const Caller& caller, const char* ns = "default") {
    return ask<QueuePauseReply>(caller, QueuePauseRequest{.ns = NamespaceName(ns), .queue = QueueName("mail"), .reason = ""});
  }
  // Newest first: action, target, outcome, namespace.
  std::vector<std::array<std::string, 4>> audited(const Caller& caller, AuditListRequest query = {}) {
    const auto page = ask<AuditListReply>(caller, std::move(query));
    EXPECT_TRUE(page.ok()) << page.status().text();
    std::vector<std::array<std::string, 4>> out;
    if (page.ok())
      for (const engine::AuditRow& row : page->rows) out.push_back({row.action, row.target, row.outcome, row.ns.text()});
    return out;
  }
  std::uint64_t counted(const char* command, const char* outcome) {
    return metrics_.counter("muster_commands_total", "", {{"command", command}, {"outcome", outcome}}).value();
  }

  const Caller operator_{.role = Role::operator_role, .name = "ops", .address = "10.0.0.1:7"};
  const Caller reader_{.role = Role::read_only, .name = "eyes", .address = "10.0.0.2:7"};
  ManualClock clock_;
  Metrics metrics_;
  TempFolder folder_;
  std::unique_ptr<store::sqlite::SqliteStore> store_ = store::sqlite::open_for_test(folder_.path("muster.db"), clock_, metrics_);
  std::unique_ptr<engine::Engine> engine_ = std::make_unique<engine::Engine>(*store_, clock_, metrics_, engine::Options{});
  std::unique_ptr<Door> door_ = std::make_unique<Door>(*engine_, ServerFacts{}, metrics_);
};

TEST_F(DoorTest, WhatPassesIsCountedByItsOutcomeAndTimed) {
  EXPECT_TRUE(pause(operator_).ok());
  EXPECT_EQ(pause(operator_, "nowhere").code(), Code::not_found);
  EXPECT_EQ(counted("queue.pause", "ok"), 1U);
  EXPECT_EQ(counted("queue.pause", "not_found"), 1U);
  EXPECT_NE(metrics_.text().find("muster_command_seconds_count{command=\"queue.pause\"} 2"), std::string::npos);
}

TEST_F(DoorTest, ARequestIsNotReadForARoleThatMayNotAsk) {
  bool read = false;
  Code told = Code::ok;
  door_->run_read<QueuePauseRequest>(
      reader_,
      [&]() -> Result<QueuePauseRequest> {
        read = true;
        return QueuePauseRequest{};
      },
      Reply<QueuePauseReply>([&](Result<QueuePauseReply> reply) { told = reply.code(); }));
  EXPECT_EQ(told, Code::permission_denied);
  EXPECT_FALSE(read);
  EXPECT_EQ(counted("queue.pause", "permission_denied"), 1U);
}

TEST_F(DoorTest, ARequestThatCannotBeReadIsRefusedWithItsOwnWords) {
  Status told;
  door_->run_read<QueuePauseRequest>(
      operator_, [] { return Result<QueuePauseRequest>(Status::invalid_argument("no queue")); },
      Reply<QueuePauseReply>([&](Result<QueuePauseReply> reply) { told = reply.status(); }));
  EXPECT_EQ(told.message(), "no queue");
  EXPECT_EQ(counted("queue.pause", "invalid_argument"), 1U);
}

TEST_F(DoorTest, ABoundCallerStaysInItsNamespaces) {
  Caller bound = operator_;
  bound.namespaces = {NamespaceName("mine")};
  EXPECT_EQ(pause(bound).code(), Code::permission_denied);
  ASSERT_TRUE(
      ask<NamespaceCreateReply>(operator_, NamespaceCreateRequest{.name = NamespaceName("mine"), .description = ""}).ok());
  EXPECT_TRUE(pause(bound, "mine").ok());
}

TEST_F(DoorTest, AnInterventionIsAuditedWhateverCameOfIt) {
  testing::internal::CaptureStderr();
  EXPECT_TRUE(pause(operator_).ok());
  EXPECT_FALSE(pause(reader_).ok());
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(
      log.find(R"("msg":"audit","who":"ops","address":"10.0.0.1:7","type":"queue.pause","target":"default/mail","outcome":"ok")"),
      std::string::npos)
      << log;
  EXPECT_NE(log.find(R"("who":"eyes","address":"10.0.0.2:7","type":"queue.pause","target":"","outcome":"permission_denied")"),
            std::string::npos)
      << log;
}

TEST_F(DoorTest, ManyRequestsAreAnsweredAndCountedEach) {
  JobSpec job;
  job.type = JobType("x");
  const auto made = ask<JobSubmitReply>(operator_, JobSubmitRequest{.job = job});
  ASSERT_TRUE(made.ok());
  std::promise<Result<store::Each<Job>>> answers;
  door_->run_all(reader_, std::vector<JobGetRequest>{{made->id}, {JobId{Uuid{1, 2}}}},
                 [&](Result<store::Each<Job>> all) { answers.set_value(std::move(all)); });
  const auto read = answers.get_future().get();
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE((*read)[0].ok());
  EXPECT_EQ((*read)[1].code(), Code::not_found);
  EXPECT_EQ(counted("job.get", "ok"), 1U);
  EXPECT_EQ(counted("job.get", "not_found"), 1U);
  EXPECT_NE(metrics_.text().find("muster_command_seconds_count{command=\"job.get\"} 1"), std::string::npos);
}

TEST_F(DoorTest, ManyRequestsAreRefusedTogetherAndCountedEach) {
  Code told = Code::ok;
  door_->run_all(reader_, std::vector<JobCompleteRequest>(3),
                 [&](const Result<store::Each<store::Settled>>& all) { told = all.code(); });
  EXPECT_EQ(told, Code::permission_denied);
  EXPECT_EQ(counted("job.complete", "permission_denied"), 3U);
}

TEST_F(DoorTest, WhoIsNotAdmittedIsCountedAndAuditedAsWhoIsRefused) {
  testing::internal::CaptureStderr();
  EXPECT_TRUE(door_->admit(operator_, kQueuePause).ok());
  EXPECT_EQ(door_->admit(reader_, kQueuePause).code(), Code::permission_denied);
  EXPECT_EQ(counted("queue.pause", "permission_denied"), 1U);
  EXPECT_NE(testing::internal::GetCapturedStderr().find(R"("type":"queue.pause","target":"","outcome":"permission_denied")"),
            std::string::npos);
}

TEST_F(DoorTest, AWireIsHeldToWhatItSaysOfABatchOfKeys) {
  store::KeyBatch writes;
  writes.commands = {store::key::Get{"k"}, store::key::Set{"k", "v"}};
  EXPECT_EQ(ask<KeysReply>(reader_, KeysReadRequest{writes}).code(), Code::permission_denied);
  EXPECT_TRUE(ask<KeysReply>(operator_, KeysWriteRequest{writes}).ok());
  store::KeyBatch clears;
  clears.commands = {store::key::Clear{}};
  EXPECT_EQ(ask<KeysReply>(operator_, KeysWriteRequest{clears}).code(), Code::permission_denied);
  EXPECT_TRUE(ask<KeysReply>(operator_, KeysClearRequest{clears}).ok());
}

TEST_F(DoorTest, AWorkerStartsNoRunButTheChildOfOne) {
  JobSpec run;
  run.type = JobType("t");
  run.run.emplace();
  Caller worker = operator_;
  worker.role = Role::worker;
  EXPECT_EQ(ask<RunStartReply>(worker, RunStartRequest{run}).code(), Code::permission_denied);
  EXPECT_EQ(ask<RunStartReply>(worker, RunStartChildRequest{run}).code(), Code::invalid_argument);
}

using Rows = std::vector<std::array<std::string, 4>>;

TEST_F(DoorTest, AnInterventionIsARowOfTheBookWithWhoAndWhereFrom) {
  Caller caller = operator_;
  caller.correlation = "req-7";
  caller.worker = WorkerId("w1");
  ASSERT_TRUE(pause(caller).ok());
  const auto page = ask<AuditListReply>(operator_, AuditListRequest{});
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->rows.size(), 1U);
  const engine::AuditRow& row = page->rows.front();
  EXPECT_EQ(row.who, "ops");
  EXPECT_EQ(row.role, "operator");
  EXPECT_EQ(row.address, "10.0.0.1:7");
  EXPECT_EQ(row.worker, "w1");
  EXPECT_EQ(row.correlation, "req-7");
  EXPECT_EQ(row.at, clock_.now());
  EXPECT_EQ(audited(operator_), (Rows{{"queue.pause", "default/mail", "ok", "default"}}));
}

TEST_F(DoorTest, RefusalsAreRowsTooWhereverTheyHappen) {
  EXPECT_FALSE(pause(reader_).ok());
  EXPECT_FALSE(door_->admit(reader_, kQueueResume).ok());
  EXPECT_EQ(pause(operator_, "nowhere").code(), Code::not_found);
  EXPECT_EQ(audited(operator_), (Rows{{"queue.pause", "nowhere/mail", "not_found", "nowhere"},
                                      {"queue.resume", "", "permission_denied", ""},
                                      {"queue.pause", "", "permission_denied", ""}}));
}

TEST_F(DoorTest, WhatIsDoneToAJobBelongsToTheNamespaceOfTheJob) {
  ASSERT_TRUE(
      ask<NamespaceCreateReply>(operator_, NamespaceCreateRequest{.name = NamespaceName("team"), .description = ""}).ok());
  JobSpec job;
  job.ns = NamespaceName("team");
  job.type = JobType("x");
  const auto made = ask<JobSubmitReply>(operator_, JobSubmitRequest{.job = job});
  ASSERT_TRUE(made.ok());
  ASSERT_TRUE(ask<JobCancelReply>(operator_, JobCancelRequest{{.job = made->id, .reason = ""}}).ok());
  ASSERT_TRUE(eventually([&] { return audited(operator_).size() == 2; }));
  EXPECT_EQ(audited(operator_),
            (Rows{{"job.cancel", made->id.text(), "ok", "team"}, {"namespace.create", "team", "ok", "team"}}));
}

TEST_F(DoorTest, ABoundOperatorReadsWhatWasDoneInItsNamespacesAndNothingElse) {
  ASSERT_TRUE(
      ask<NamespaceCreateReply>(operator_, NamespaceCreateRequest{.name = NamespaceName("mine"), .description = ""}).ok());
  ASSERT_TRUE(pause(operator_, "mine").ok());
  ASSERT_TRUE(pause(operator_).ok());
  EXPECT_FALSE(pause(reader_).ok());
  Caller bound = operator_;
  bound.namespaces = {NamespaceName("mine"), NamespaceName("also-mine")};
  EXPECT_EQ(audited(bound), (Rows{{"queue.pause", "mine/mail", "ok", "mine"}, {"namespace.create", "mine", "ok", "mine"}}));
  AuditListRequest others;
  others.filter.ns = NamespaceName("default");
  EXPECT_EQ(ask<AuditListReply>(bound, others).code(), Code::permission_denied);
  EXPECT_EQ(audited(operator_).size(), 4U);
}

TEST_F(DoorTest, TheBookIsForOperators) {
  Caller worker = operator_;
  worker.role = Role::worker;
  EXPECT_EQ(ask<AuditListReply>(worker, AuditListRequest{}).code(), Code::permission_denied);
  EXPECT_EQ(ask<AuditListReply>(reader_, AuditListRequest{}).code(), Code::permission_denied);
}

TEST_F(DoorTest, WhatAWireDoesByItselfIsARowAndNoLineOfTheLog) {
  testing::internal::CaptureStderr();
  door_->note(reader_, {.action = "job.dispatch",
                        .ns = NamespaceName("default"),
                        .worker = WorkerId("w1"),
                        .target = "j1",
                        .correlation = "d1",
                        .outcome = "ok"});
  EXPECT_EQ(audited(operator_), (Rows{{"job.dispatch", "j1", "ok", "default"}}));
  EXPECT_EQ(testing::internal::GetCapturedStderr().find("audit"), std::string::npos);
}

TEST_F(DoorTest, RowsOutliveTheServerThatWroteThem) {
  ASSERT_TRUE(pause(operator_).ok());
  engine_->stop();
  door_.reset();
  engine_ = std::make_unique<engine::Engine>(*store_, clock_, metrics_, engine::Options{});
  door_ = std::make_unique<Door>(*engine_, ServerFacts{}, metrics_);
  EXPECT_TRUE(eventually([&] { return audited(operator_) == Rows{{"queue.pause", "default/mail", "ok", "default"}}; }));
}

TEST_F(DoorTest, WhatIsNoInterventionIsNotAudited) {
  testing::internal::CaptureStderr();
  JobSpec job;
  job.type = JobType("x");
  EXPECT_TRUE(ask<JobSubmitReply>(operator_, JobSubmitRequest{.job = job}).ok());
  EXPECT_EQ(testing::internal::GetCapturedStderr().find("audit"), std::string::npos);
}

}  // namespace
}  // namespace muster::command
