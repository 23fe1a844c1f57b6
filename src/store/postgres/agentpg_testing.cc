#include "store/postgres/agentpg_testing.h"

#include <fmt/format.h>

#include "base/patience_testing.h"
#include "store/postgres/statements.h"

namespace muster::store::postgres {
namespace {

constexpr std::string_view kPrefix = "agentpg_";
constexpr std::string_view kEnd = "agentpg_test_end";

}  // namespace

std::string Told::text(const char* key) const {
  const std::string* const found = json::text(payload, key);
  return found != nullptr ? *found : payload.contains(key) ? payload[key].dump() : "missing";
}

AgentpgTest::AgentpgTest(std::size_t nodes) : NodesTest("agentpg", nodes) {}

void AgentpgTest::SetUp() {
  NodesTest::SetUp();
  if (HasFatalFailure()) return;
  for (auto* one : {&admin_, &ear_}) {
    auto opened = Connection::open({.url = url_, .application = "muster-agentpg-test", .schema = schema_});
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    *one = std::move(*opened);
  }
  std::string listen;
  for (const char* channel : {"run_created", "run_state", "run_finalized", "tool_pending", "tools_complete", "test_end"})
    listen += fmt::format("LISTEN {}{};", kPrefix, channel);
  ASSERT_TRUE(ear_->script(listen).ok());
}

void AgentpgTest::TearDown() {
  NodesTest::TearDown();
  if (admin_ != nullptr) {
    EXPECT_TRUE(admin_->script(with_schema("DROP SCHEMA IF EXISTS {agentpg} CASCADE", schema_)).ok());
  }
}

Result<Rows> AgentpgTest::query(const std::string& sql) { return admin_->query(with_schema(sql, schema_)); }

void AgentpgTest::run(const std::string& sql, int line) {
  const Status status = admin_->script(with_schema(sql, schema_));
  EXPECT_TRUE(status.ok()) << "line " << line << ": " << status.text();
}

std::string AgentpgTest::shown(const std::string& sql, int line) {
  const auto rows = query("SELECT (" + sql + ")::text");
  EXPECT_TRUE(rows.ok()) << "line " << line << ": " << rows.status().text();
  if (!rows.ok() || rows->size() == 0) return "none";
  return rows->null(0, 0) ? "null" : rows->text(0, 0);
}

std::string AgentpgTest::refused(const std::string& sql) {
  const Status status = admin_->script(with_schema(sql, schema_));
  return status.ok() ? std::string() : status.message();
}

// Notifications arrive in the order of the commits: what was told before this one is there when it is.
std::vector<Told> AgentpgTest::told() {
  const std::string mark = fmt::format("{}-{}", schema_, ++looks_);
  run(fmt::format("SELECT pg_notify('{}', '{}')", kEnd, mark));
  std::vector<Told> out;
  const auto until = std::chrono::steady_clock::now() + patience();
  while (std::chrono::steady_clock::now() < until) {
    const bool alive = ear_->wait_for_notifications(-1, std::chrono::milliseconds(100));
    for (const Connection::Notification& one : ear_->take_notifications()) {
      if (one.channel == kEnd && one.payload == mark) return out;
      if (one.channel == kEnd) continue;
      auto payload = json::parse_object(one.payload);
      EXPECT_TRUE(payload) << one.payload;
      EXPECT_LT(one.payload.size(), 8000u);
      if (payload) out.push_back({one.channel.substr(kPrefix.size()), std::move(*payload)});
    }
    if (!alive) break;
  }
  ADD_FAILURE() << "the mark did not come";
  return out;
}

std::vector<std::string> AgentpgTest::channels_told() {
  std::vector<std::string> out;
  for (const Told& one : told()) out.push_back(one.channel);
  return out;
}

Result<Agent> AgentpgTest::try_agent(const std::string& name, const std::string& metadata) {
  Agent agent;
  agent.id = AgentId{fresh()};
  agent.spec.name = name;
  agent.spec.model = "claude-x";
  agent.spec.metadata = metadata;
  return ask<Agent>([&](auto reply) { store().put_agent({agent}, std::move(reply)); });
}

void AgentpgTest::make_tool(const std::string& name) {
  Tool tool;
  tool.spec.name = ToolName(name);
  must(ask<Tool>([&](auto reply) { store().put_tool({tool}, std::move(reply)); }));
}

AgentSession AgentpgTest::make_session() {
  AgentSession session;
  session.id = AgentSessionId{fresh()};
  return must(ask<AgentSession>([&](auto reply) { store().create_session({session}, std::move(reply)); }));
}

JobSpec AgentpgTest::job_of(const std::string& queue, const std::string& type, const std::string& capability) {
  JobSpec job;
  job.queue = QueueName(queue);
  job.type = JobType(type);
  job.needs = CapabilitySet({capability});
  job.payload.data = "{}";
  return job;
}

AgentRun AgentpgTest::start(const AgentSession& session, const Agent& agent) {
  AgentRunStart start;
  start.run.session = session.id;
  start.run.agent = agent.id;
  start.run.prompt = "hello";
  start.job = job_of("agents", "agent.run", "agent:runtime");
  start.job.run.emplace();
  return must(ask<AgentRunStarted>([&](auto reply) { store().start_agent_run(start, std::move(reply)); })).run;
}

Result<AgentRunWritten> AgentpgTest::try_write(AgentRunWrite one, std::size_t node) {
  return ask<AgentRunWritten>([&](auto reply) { nodes_[node]->write_agent_run(one, std::move(reply)); });
}

AgentRunWritten AgentpgTest::write(AgentRunWrite one, int line) { return must(try_write(std::move(one)), line); }

AgentRun AgentpgTest::end(AgentRun one, AgentRunState state) {
  one.previous_state = one.state;
  one.state = state;
  one.finalized_at = RealClock().now();
  return write({one}).run;
}

AgentRunWritten AgentpgTest::call_tools(AgentRun one, const std::vector<std::string>& tools, bool jobs) {
  Iteration iteration;
  iteration.id = IterationId{fresh()};
  iteration.number = one.iteration + 1;
  AgentRunWrite out{.run = one, .iteration = iteration};
  out.run.previous_state = one.state;
  out.run.state = AgentRunState::pending_tools;
  out.run.iteration = iteration.number;
  out.run.iteration_id = iteration.id;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    ToolExecution execution;
    execution.id = ToolExecutionId{fresh()};
    execution.iteration = iteration.id;
    execution.place = static_cast<std::uint32_t>(i);
    execution.tool = ToolName(tools[i]);
    execution.tool_use_id = fmt::format("toolu_{}", i);
    execution.input = R"({"z":1,"a":2})";
    execution.created_at = RealClock().now();
    out.executions.push_back({.execution = execution});
    if (jobs) out.executions.back().job = job_of("tools", tools[i], "tool:" + tools[i]);
  }
  return write(std::move(out));
}

ToolExecution AgentpgTest::ended(ToolExecution one, ToolExecutionState state) {
  one.state = state;
  one.output = "done";
  one.completed_at = RealClock().now();
  return one;
}

AgentpgTest::Delegated AgentpgTest::delegate(AgentRun one, const Agent& to) {
  Iteration iteration;
  iteration.id = IterationId{fresh()};
  AgentRunWrite out{.run = one, .iteration = iteration};
  out.run.state = AgentRunState::pending_tools;
  out.run.iteration = 1;
  out.run.iteration_id = iteration.id;
  ToolExecution execution;
  execution.id = ToolExecutionId{fresh()};
  execution.iteration = iteration.id;
  execution.state = ToolExecutionState::running;
  execution.tool = ToolName(to.spec.name);
  execution.input = R"({"task":"help"})";
  execution.agent = to.id;
  AgentRunStart child;
  child.run.session = one.session;
  child.run.agent = to.id;
  child.run.parent = one.id;
  child.run.parent_execution = execution.id;
  child.run.depth = one.depth + 1;
  child.run.prompt = "help";
  child.job = job_of("agents", "agent.run", "agent:runtime");
  child.job.run.emplace();
  out.executions.push_back({.execution = execution, .child = child});
  const AgentRunWritten written = write(std::move(out));
  const JobId id = written.executions.at(0).child_run.value_or(JobId{});
  auto made = ask<Each<AgentRun>>([&](auto reply) { store().get_agent_runs({id}, std::move(reply)); });
  return {written.run, must(must(std::move(made)).at(0)), written.executions.at(0)};
}

SessionId AgentpgTest::join(const std::string& worker, std::vector<std::string> capabilities) {
  WorkerSpec spec;
  spec.id = WorkerId(worker);
  spec.capabilities = CapabilitySet(std::move(capabilities));
  spec.slots = 5;
  spec.hostname = "host-1";
  spec.version = "1.2.3";
  auto made = must(ask<Each<Registered>>([&](auto reply) { store().register_workers({spec}, std::move(reply)); }));
  return must(std::move(made.at(0))).session;
}

std::vector<Grant> AgentpgTest::take(const std::string& worker) {
  ClaimRequest request;
  request.ns = kDefault;
  request.worker = WorkerId(worker);
  request.limit = 10;
  return must(ask<ClaimReply>([&](auto reply) { store().claim(request, std::move(reply)); })).grants;
}

}  // namespace muster::store::postgres
