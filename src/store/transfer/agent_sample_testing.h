// What agents leave behind, for the sample of everything there can be: a run that waits for the one it called, whose job is gone,
// in a session that was compacted.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "store/transfer/everything_testing.h"

namespace muster::store::transfer {

class AgentSample {
 public:
  AgentSample(Everything& all, Instant now) : all_(all), now_(now) {}
  void add() {
    add_agents();
    add_runs();
    add_conversation();
  }

 private:
  static NamespaceName ns() { return NamespaceName("default"); }
  static Uuid uuid(std::uint64_t number) { return {0x0190'0000'0000'7000ULL, 0x8000'0000'0000'0000ULL | number}; }
  JobId job_id(JobKey key) const { return IdCodec(all_.numbers.salt).encode(key); }
  // Of jobs that are forgotten: runs outlive them.
  static constexpr JobKey kRootRun = 951, kChildRun = 952, kToolJob = 953;

  void add_agents() {
    Agent coder;
    coder.id = AgentId{uuid(1)};
    coder.spec.ns = ns();
    coder.spec.name = "coder \xe2\x82\xac";
    coder.spec.description = "it's \"so\"";
    coder.spec.model = "claude-x";
    coder.spec.system_prompt = std::string(5'000, 's');
    coder.spec.max_tokens = 4'096;
    coder.spec.temperature = 0.1;
    coder.spec.top_k = 3;
    coder.spec.top_p = 0.7;
    coder.spec.tools = {ToolName("lint")};
    coder.spec.delegates = {AgentId{uuid(2)}};
    coder.spec.betas = {"b-1"};
    coder.spec.tool_choice = R"({"type":"any"})";
    coder.spec.thinking = R"({"type":"enabled"})";
    coder.spec.stop_sequences = {"STOP"};
    coder.spec.cache_prompt = false;
    coder.spec.budget = {1, 2, 3, 4, 5, 6};
    coder.spec.metadata = R"({"b": 1, "a": 2})";
    coder.spec.config = R"({"c":[]})";
    coder.created_at = now_ - Duration(9'000);
    coder.updated_at = now_ - Duration(8'000);
    coder.revision = 4;
    Agent critic;
    critic.id = AgentId{uuid(2)};
    critic.spec.ns = NamespaceName("other");
    critic.spec.name = "critic";
    critic.created_at = critic.updated_at = now_ - Duration(7'000);
    critic.revision = 1;
    all_.agents = {coder, critic};
    Tool lint;
    lint.spec.ns = ns();
    lint.spec.name = ToolName("lint");
    lint.spec.description = "finds faults";
    lint.spec.needs = {"tool:lint"};
    lint.spec.approval = ToolApproval::ask;
    lint.spec.retry_jitter = 0.1;
    lint.spec.arguments = {"{{input.file}}"};
    lint.created_at = lint.updated_at = now_ - Duration(6'000);
    lint.revision = 2;
    Tool elsewhere = lint;
    elsewhere.spec.ns = NamespaceName("other");
    elsewhere.spec.approval = ToolApproval::never;
    all_.tools = {lint, elsewhere};
    SessionRow top;
    top.session.id = AgentSessionId{uuid(10)};
    top.session.ns = ns();
    top.session.metadata = R"({"user":"x"})";
    top.session.compactions = 1;
    top.session.created_at = now_ - Duration(5'000);
    top.session.updated_at = now_ - Duration(10);
    top.session.revision = 9;
    top.last_message = 6;
    SessionRow below = top;
    below.session.id = AgentSessionId{uuid(11)};
    below.session.parent = top.session.id;
    below.session.depth = 1;
    below.session.compactions = 0;
    below.last_message = 0;
    all_.sessions = {top, below};
    all_.spending = {{ns(), SpendingScope::session, top.session.id.text(), 0, {{1, 2, 3, 4}, 5}},
                     {ns(), SpendingScope::agent, coder.id.text(), 19'000, {{6, 7, 8, 9}, 10}},
                     {ns(), SpendingScope::ns, "", 19'000, {{6, 7, 8, 9}, 10}},
                     {NamespaceName("other"), SpendingScope::ns, "", 19'001, {{.input = 1}, 0}}};
  }

  // A run that waits for the one it called, which has ended. Their jobs are gone.
  void add_runs() {
    AgentRun root;
    root.id = job_id(kRootRun);
    root.ns = ns();
    root.session = AgentSessionId{uuid(10)};
    root.agent = AgentId{uuid(1)};
    root.state = AgentRunState::pending_tools;
    root.previous_state = AgentRunState::streaming;
    root.mode = RunMode::streaming;
    root.prompt = std::string(6'000, 'q');
    root.iteration = 1;
    root.iteration_id = IterationId{uuid(20)};
    root.usage = {1, 2, 3, 4};
    root.microdollars = 5;
    root.claimed_by = WorkerId("agents-n1");
    root.claimed_at = now_ - Duration(900);
    root.variables = R"({"x":1})";
    root.budget.tokens_per_run = 7;
    root.rescues = 1;
    root.last_rescue_at = now_ - Duration(950);
    root.created_at = now_ - Duration(1'000);
    root.started_at = now_ - Duration(990);
    root.revision = 5;
    AgentRun child = root;
    child.id = job_id(kChildRun);
    child.parent = root.id;
    child.parent_execution = ToolExecutionId{uuid(31)};
    child.depth = 1;
    child.state = AgentRunState::failed;
    child.iteration = 0;
    child.iteration_id.reset();
    child.response_text = "";
    child.error_type = "max_iterations";
    child.error_message = "too many";
    child.finalized_at = now_ - Duration(100);
    all_.agent_runs = {root, child};
    Iteration first;
    first.id = IterationId{uuid(20)};
    first.run = root.id;
    first.streaming = true;
    first.batch_id = "msgbatch_1";
    first.batch_job = job_id(1);
    first.batch_status = BatchStatus::ended;
    first.batch_submitted_at = first.batch_completed_at = first.batch_expires_at = first.batch_polled_at = now_ - Duration(800);
    first.streaming_started_at = now_ - Duration(800);
    first.attempts = 2;
    first.partial_text = std::string(3'000, 'p');
    first.stop_reason = "tool_use";
    first.response = MessageId{uuid(42)};
    first.has_tool_use = true;
    first.executions = 2;
    first.usage = {5, 6, 7, 8};
    first.created_at = now_ - Duration(900);
    all_.iterations = {first};
    ToolExecution tool;
    tool.id = ToolExecutionId{uuid(30)};
    tool.run = root.id;
    tool.iteration = first.id;
    tool.state = ToolExecutionState::completed;
    tool.tool_use_id = "toolu_1";
    tool.tool = ToolName("lint");
    tool.input = R"({"file":"a"})";
    tool.job = job_id(kToolJob);
    tool.output = std::string(4'000, 'o');
    tool.whole_output = uuid(50);
    tool.approval = ApprovalState::approved;
    tool.decided_by = "ann";
    tool.decided_at = now_ - Duration(700);
    tool.attempts = 1;
    tool.created_at = now_ - Duration(800);
    tool.completed_at = now_ - Duration(600);
    ToolExecution called = tool;
    called.id = ToolExecutionId{uuid(31)};
    called.place = 1;
    called.state = ToolExecutionState::running;
    called.agent = AgentId{uuid(2)};
    called.child_run = child.id;
    called.job.reset();
    called.output.reset();
    called.whole_output.reset();
    called.completed_at.reset();
    all_.executions = {{ns(), tool}, {ns(), called}};
    all_.blobs = {{root.session, {uuid(50), std::string("\0\xff", 2) + std::string(9'000, 'b')}}, {root.session, {uuid(51), ""}}};
  }

  MessageRow message(std::uint64_t id, std::uint64_t number, std::string blocks) const {
    MessageRow out;
    out.message.id = MessageId{uuid(id)};
    out.message.session = AgentSessionId{uuid(10)};
    out.message.number = number;
    out.message.blocks = std::move(blocks);
    out.message.created_at = now_ - Duration(500);
    return out;
  }

  // Numbers 1 and 2 are archived, and a summary stands in the place of the first.
  void add_conversation() {
    CompactionEvent event;
    event.id = uuid(60);
    event.session = AgentSessionId{uuid(10)};
    event.strategy = "hybrid";
    event.original_tokens = 100;
    event.compacted_tokens = 10;
    event.messages_removed = 2;
    event.summary = "short";
    event.preserved = {MessageId{uuid(42)}};
    event.model = "claude-x";
    event.took = Duration(1'500);
    event.created_at = now_ - Duration(300);
    CompactionEvent undone = event;
    undone.id = uuid(61);
    undone.restored = true;
    all_.compactions = {undone, event};
    all_.archive = {{event.id, message(40, 1, "[1]")},
                    {event.id, message(41, 2, std::string("[2, \"") + std::string(3'000, 'x') + "\"]")}};
    all_.archive[1].row.compaction = undone.id;
    MessageRow summary = message(43, 1, "[]");
    summary.message.summary = true;
    summary.compaction = event.id;
    MessageRow kept = message(42, 3, R"([{"type":"text","text":"\ud83e\udd8a"}])");
    kept.message.run = job_id(kRootRun);
    kept.message.role = MessageRole::assistant;
    kept.message.usage = {1, 2, 3, 4};
    kept.message.preserved = true;
    kept.message.metadata = R"({"m":1})";
    MessageRow deeper = message(44, 6, "[6]");
    deeper.message.run = job_id(kChildRun);
    deeper.message.run_depth = 1;
    all_.messages = {kept, summary, deeper};
  }

  Everything& all_;
  const Instant now_;
};

}  // namespace muster::store::transfer
