// Commands about agents: who may, in which namespace, what the audit book says of it, and that they are handed over.
#include "command/agents.h"

#include <gtest/gtest.h>

#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "command/agent_service_testing.h"
#include "command/audit.h"
#include "command/door.h"
#include "store/sqlite/open_testing.h"

namespace muster::command {
namespace {

class AgentCommands : public testing::Test {
 protected:
  ~AgentCommands() override {
    door_.reset();
    EXPECT_TRUE(store_->close().ok());
  }

  template <class Request>
  Result<AnswerTo<Request>> ask(const Caller& caller, Request request) {
    return muster::ask<AnswerTo<Request>>([&](auto reply) { door_->run(caller, std::move(request), std::move(reply)); });
  }
  void without_agents() { door_ = std::make_unique<Door>(*engine_, ServerFacts{}, metrics_); }
  // Of the newest entry: target and namespace.
  std::pair<std::string, std::string> audited() {
    const auto page = ask(operator_, AuditListRequest{});
    EXPECT_TRUE(page.ok() && !page->rows.empty());
    if (!page.ok() || page->rows.empty()) return {};
    return {page->rows.front().target, page->rows.front().ns.text()};
  }
  static Caller bound(std::vector<NamespaceName> namespaces) {
    return {.role = Role::operator_role, .name = "bound", .address = "", .worker = {}, .namespaces = std::move(namespaces)};
  }

  const Caller operator_{.role = Role::operator_role, .name = "ops", .address = "", .worker = {}};
  const Caller worker_{.role = Role::worker, .name = "hand", .address = "", .worker = {}};
  ManualClock clock_;
  Metrics metrics_;
  TempFolder folder_;
  std::unique_ptr<store::sqlite::SqliteStore> store_ = store::sqlite::open_for_test(folder_.path("m.db"), clock_, metrics_);
  std::unique_ptr<engine::Engine> engine_ = std::make_unique<engine::Engine>(*store_, clock_, metrics_, engine::Options{});
  const std::shared_ptr<ScriptedAgents> agents_ = std::make_shared<ScriptedAgents>();  // shared with the door's facts
  std::unique_ptr<Door> door_ = std::make_unique<Door>(*engine_, ServerFacts{.version = "0", .agents = agents_}, metrics_);
};

AgentSpec spec(std::string ns, std::string name) {
  AgentSpec out;
  out.ns = NamespaceName(std::move(ns));
  out.name = std::move(name);
  return out;
}

const JobId kRun{Uuid{1, 2}};

TEST_F(AgentCommands, AServerWithoutAgentsSaysSo) {
  without_agents();
  const auto refused = ask(operator_, AgentGetRequest{.agent = "a"});
  EXPECT_EQ(refused.code(), Code::unavailable);
  EXPECT_NE(refused.status().message().find("runs no agents"), std::string::npos) << refused.status().message();
  EXPECT_EQ(ask(operator_, SessionCreateRequest{}).code(), Code::unavailable);
  EXPECT_EQ(ask(operator_, AgentRunGetRequest{.run = kRun}).code(), Code::unavailable);
}

TEST_F(AgentCommands, AreHandedOverWithWhoAsks) {
  Agent answer;
  answer.spec = spec("default", "found");
  agents_->will_answer(answer);
  const auto found = ask(worker_, AgentGetRequest{.agent = "by-name"});
  ASSERT_TRUE(found.ok()) << found.status().text();
  EXPECT_EQ(found->spec.name, "found");
  EXPECT_EQ(agents_->asked<AgentGetRequest>().agent, "by-name");
  EXPECT_EQ(agents_->asked_by(), "hand");
  agents_->will_refuse(Status::not_found("no such agent"));
  EXPECT_EQ(ask(worker_, AgentGetRequest{.agent = "x"}).code(), Code::not_found);
}

TEST_F(AgentCommands, OnlyOperatorsChangeAnything) {
  EXPECT_EQ(ask(worker_, AgentCreateRequest{spec("default", "a")}).code(), Code::permission_denied);
  EXPECT_EQ(ask(worker_, AgentRunStartRequest{.agent = "a", .prompt = "p"}).code(), Code::permission_denied);
  EXPECT_EQ(ask(worker_, AgentRunDecideRequest{.run = kRun, .approve = true}).code(), Code::permission_denied);
  EXPECT_FALSE(agents_->was_asked());
}

TEST_F(AgentCommands, ABoundCallerStaysInItsNamespaces) {
  const Caller mine = bound({NamespaceName("mine")});
  const NamespaceName theirs("theirs");
  EXPECT_EQ(ask(mine, AgentCreateRequest{spec("theirs", "a")}).code(), Code::permission_denied);
  ToolDefineRequest tool;
  tool.tool.ns = theirs;
  EXPECT_EQ(ask(mine, tool).code(), Code::permission_denied);
  EXPECT_EQ(ask(mine, SessionMessagesRequest{.ns = theirs, .query = {}}).code(), Code::permission_denied);
  EXPECT_EQ(ask(mine, AgentRunCancelRequest{.ns = theirs, .run = kRun, .reason = ""}).code(), Code::permission_denied);
  EXPECT_FALSE(agents_->was_asked());
  AgentListRequest all;
  EXPECT_TRUE(ask(mine, all).ok());
  EXPECT_EQ(agents_->asked<AgentListRequest>().ns, NamespaceName("mine"));
}

TEST_F(AgentCommands, AnUpdateCannotCarryAnAgentIntoAnotherNamespace) {
  AgentUpdateRequest request{.ns = NamespaceName("mine"), .id = AgentId{Uuid{3, 4}}, .agent = spec("theirs", "a")};
  ASSERT_TRUE(ask(bound({NamespaceName("mine")}), request).ok());
  EXPECT_EQ(agents_->asked<AgentUpdateRequest>().agent.ns, NamespaceName("mine"));
}

TEST_F(AgentCommands, TheAuditBookKnowsWhatWasChanged) {
  using Pair = std::pair<std::string, std::string>;
  ASSERT_TRUE(ask(operator_, AgentCreateRequest{spec("default", "support")}).ok());
  EXPECT_EQ(audited(), Pair("default/support", "default"));
  ToolDefineRequest tool;
  tool.tool.name = ToolName("deploy");
  ASSERT_TRUE(ask(operator_, tool).ok());
  EXPECT_EQ(audited(), Pair("default/deploy", "default"));
  ASSERT_TRUE(ask(operator_, ToolRunRequest{.tool = ToolName("deploy")}).ok());
  EXPECT_EQ(audited(), Pair("default/deploy", "default"));
  const ToolExecutionId execution{Uuid{5, 6}};
  ASSERT_TRUE(ask(operator_, AgentRunDecideRequest{.run = kRun, .execution = execution, .approve = true}).ok());
  EXPECT_EQ(audited(), Pair(kRun.text() + " approve " + execution.text(), "default"));
  ASSERT_TRUE(ask(operator_, AgentRunDecideRequest{.run = kRun}).ok());
  EXPECT_EQ(audited().first, kRun.text() + " deny");
  ASSERT_TRUE(ask(operator_, SessionDeleteRequest{.id = AgentSessionId{Uuid{7, 8}}}).ok());
  EXPECT_EQ(audited().first, "default/" + (Uuid{7, 8}).text());
}

TEST_F(AgentCommands, APromptIsRefusedBeforeAnybodyCopiesIt) {
  AgentRunStartRequest request{.agent = "a", .prompt = std::string(limits::kPromptMax + 1, 'x')};
  const auto refused = ask(operator_, request);
  EXPECT_EQ(refused.code(), Code::invalid_argument);
  EXPECT_NE(refused.status().message().find("4194304"), std::string::npos) << refused.status().message();
  EXPECT_FALSE(agents_->was_asked());
  request.prompt.pop_back();
  EXPECT_TRUE(ask(operator_, request).ok());
}

}  // namespace
}  // namespace muster::command
