// The stage for tests of the service and the runtime: a real SQLite store and engine, a scripted model, a clock that is moved by
// hand, and no thread: everything happens inside settle(), in one order.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agents/claude/scripted_testing.h"
#include "agents/jobs.h"
#include "agents/rules_testing.h"
#include "agents/runtime.h"
#include "agents/service.h"
#include "base/ask_testing.h"
#include "base/temp_folder_testing.h"
#include "command/feedback.h"
#include "command/jobs.h"
#include "command/workers.h"
#include "store/scripted_testing.h"
#include "store/sqlite/open_testing.h"

namespace muster::agents {

class Stage : public testing::Test {
 protected:
  ~Stage() override {
    runtime_.reset();
    settle();
    EXPECT_TRUE(store_->close().ok());
  }

  // A node: its service and its runtime. Settings may be changed before.
  void start_node() {
    const auto agenda = std::make_shared<Agenda>(clock_, metrics_);
    base_ = std::make_shared<Base>(Base{.door = *door_,
                                        .agents = scripted_,
                                        .runs = scripted_,
                                        .api = api_,
                                        .clock = clock_,
                                        .settings = settings_,
                                        .ids = [source = ids_] { return source->next(); },
                                        .agenda = agenda});
    runtime_ = std::make_unique<Runtime>(base_);
    service_->open(base_, [this](const NamespaceName& ns) {
      if (runtime_) runtime_->notice(ns);
    });
    runtime_->start({.thread = false});
    settle();
  }
  // The node dies: nothing is handed back.
  void crash() {
    runtime_.reset();
    base_.reset();
    settle();
  }

  // Everything that happens by itself now.
  void settle() {
    for (int quiet = 0; quiet < 3;) {
      const bool stored = store::sqlite::pump(*store_);
      const bool done = base_ && base_->agenda->run_due();
      const bool pumped = store::sqlite::pump(*store_);
      engine_->tick();
      quiet = stored || done || pumped ? 0 : quiet + 1;
    }
  }
  // In steps that a sweep or a beat does not miss.
  void pass(Duration time) {
    for (Duration gone{0}; gone < time; gone += std::chrono::seconds(1)) {
      clock_.advance(std::min<Duration>(std::chrono::seconds(1), time - gone));
      settle();
    }
  }

  template <class Request>
  Result<command::AnswerTo<Request>> ask(Request request,
                                         const command::Caller& caller = {
                                             .role = command::Role::operator_role, .name = "ops", .address = {}, .worker = {}}) {
    using Answer = command::AnswerTo<Request>;
    const auto answer = std::make_shared<std::optional<Result<Answer>>>();
    door_->run(caller, std::move(request),
               Reply<Answer>([answer](Result<Answer> result) { answer->emplace(std::move(result)); }));
    settle();
    if (!*answer) return Status::internal("no answer came");
    return std::move(**answer);
  }

  Agent agent(const std::string& name, std::vector<std::string> tools = {}, std::vector<AgentId> delegates = {}) {
    AgentSpec spec;
    spec.name = name;
    spec.description = "is " + name;
    spec.model = "claude-x";
    for (std::string& tool : tools) spec.tools.emplace_back(std::move(tool));
    spec.delegates = std::move(delegates);
    auto made = ask(command::AgentCreateRequest{.agent = spec});
    EXPECT_TRUE(made.ok()) << made.status().text();
    return made.ok() ? *made : Agent();
  }
  void tool(const std::string& name, ToolApproval approval = ToolApproval::never,
            const std::string& schema = R"({"type":"object"})") {
    ToolSpec spec;
    spec.name = ToolName(name);
    spec.description = "does " + name;
    spec.input_schema = schema;
    spec.approval = approval;
    const auto made = ask(command::ToolDefineRequest{.tool = spec});
    EXPECT_TRUE(made.ok()) << made.status().text();
  }
  AgentRun begin(const std::string& agent, const std::string& prompt, RunMode mode = RunMode::streaming,
                 std::optional<AgentSessionId> session = {}) {
    command::AgentRunStartRequest request;
    request.agent = agent;
    request.prompt = prompt;
    request.mode = mode;
    request.session = session;
    auto started = ask(std::move(request));
    EXPECT_TRUE(started.ok()) << started.status().text();
    return started.ok() ? started->run : AgentRun();
  }
  command::AgentRunGetReply look(JobId run) {
    auto found = ask(command::AgentRunGetRequest{.run = run});
    EXPECT_TRUE(found.ok()) << found.status().text();
    return found.ok() ? *found : command::AgentRunGetReply();
  }
  AgentRunState state(JobId run) { return look(run).run.state; }
  std::vector<AgentMessage> messages(AgentSessionId session) {
    command::SessionMessagesRequest request;
    request.query.session = session;
    auto page = ask(std::move(request));
    EXPECT_TRUE(page.ok());
    return page.ok() ? page->messages : std::vector<AgentMessage>();
  }
  Job job(JobId id) {
    auto found = ask(command::JobGetRequest{.job = id});
    EXPECT_TRUE(found.ok()) << found.status().text();
    return found.ok() ? *found : Job();
  }

  // Somebody who has tools. Registered once; takes what there is.
  std::vector<Grant> take_tools(std::vector<std::string> names, std::size_t limit = 10) {
    if (!toolbox_) {
      WorkerSpec spec;
      spec.id = WorkerId("toolbox");
      for (std::string& name : names) name = "tool:" + name;
      spec.capabilities = CapabilitySet(names);
      spec.slots = 100;
      spec.policy = HeartbeatPolicy{.interval = std::chrono::minutes(5), .dead_after = std::chrono::minutes(30)};
      const auto registered = ask(std::move(spec));
      EXPECT_TRUE(registered.ok()) << registered.status().text();
      toolbox_ = true;
    }
    command::JobClaimRequest claim;
    claim.claim.ns = NamespaceName(kDefaultNamespace);
    claim.claim.worker = WorkerId("toolbox");
    claim.claim.limit = limit;
    auto reply = ask(std::move(claim));
    EXPECT_TRUE(reply.ok()) << reply.status().text();
    return reply.ok() ? reply->grants : std::vector<Grant>();
  }
  void answer(const Grant& grant, const std::string& result) {
    ++executed_[grant.type.text()];
    const auto settled = ask(command::JobCompleteRequest{.lease = {grant.id, grant.fence}, .result = Content{.data = result}});
    EXPECT_TRUE(settled.ok()) << settled.status().text();
  }
  void fail(const Grant& grant, const std::string& kind, const std::string& why) {
    ++executed_[grant.type.text()];
    const auto settled = ask(command::JobFailRequest{.lease = {grant.id, grant.fence}, .error = {kind, why}, .delay = {}});
    EXPECT_TRUE(settled.ok()) << settled.status().text();
  }
  // The store is away for so many of them.
  void refuse_snoozes(std::uint32_t times) {
    refusals_ = times;
    scripted_.on(store::Verb::snooze, [this](std::vector<store::Snooze> batch, Reply<store::Each<store::Settled>> reply) {
      if (refusals_ == 0) return store_->snooze(std::move(batch), std::move(reply));
      --refusals_;
      reply(Status::unavailable("the database restarts"));
    });
  }
  // What the run told while it ran.
  std::vector<json::Tree> told(JobId run) {
    auto output = ask(command::JobOutputRequest{.job = run});
    EXPECT_TRUE(output.ok()) << output.status().text();
    std::vector<json::Tree> out;
    if (output.ok())
      for (const OutputChunk& chunk : output->chunks) out.push_back(json::parse(chunk.data).value_or(json::Tree()));
    return out;
  }
  std::vector<std::string> told_states(JobId run) {
    std::vector<std::string> out;
    for (const json::Tree& event : told(run))
      if (event.value("type", "") == "state") out.push_back(event.value("state", ""));
    return out;
  }

  ManualClock clock_;
  Metrics metrics_;
  TempFolder folder_;
  Settings settings_ = [] {
    Settings settings;
    settings.node = "n1";
    return settings;
  }();
  std::shared_ptr<claude::ScriptedApi> api_;
  std::unique_ptr<store::sqlite::SqliteStore> store_ =
      store::sqlite::open_for_test(folder_.path("muster.db"), clock_, metrics_, store::sqlite::Threading::manual);
  store::ScriptedStore scripted_{*store_};
  std::unique_ptr<engine::Engine> engine_ = std::make_unique<engine::Engine>(scripted_, clock_, metrics_, engine::Options{});
  std::shared_ptr<Service> service_ = std::make_shared<Service>();
  std::unique_ptr<command::Door> door_ =
      std::make_unique<command::Door>(*engine_, command::ServerFacts{.agents = service_}, metrics_);
  std::shared_ptr<UuidSource> ids_ = std::make_shared<UuidSource>(clock_, 42);
  BasePtr base_;
  std::unique_ptr<Runtime> runtime_;
  std::map<std::string, int> executed_;  // by tool
  bool toolbox_ = false;
  std::uint32_t refusals_ = 0;
};

}  // namespace muster::agents
