#include "fronts/http/codec/agent_runs.h"

#include <charconv>
#include <utility>

#include "fronts/http/codec/agent_values.h"
#include "fronts/http/codec/operations.h"

namespace muster::http {
namespace {

using command::AgentRunCancelRequest;
using command::AgentRunDecideRequest;
using command::AgentRunForkRequest;
using command::AgentRunGetRequest;
using command::AgentRunStartRequest;

// --- requests ------------------------------------------------------------------------------------------------------

constexpr std::array kRunStartFields{
    given<&AgentRunStartRequest::ns>("namespace"),
    given<&AgentRunStartRequest::agent>("agent", "Its id, or a name that only one agent has.").required(),
    given<&AgentRunStartRequest::session>("session_id", "The conversation; absent: a new one."),
    given<&AgentRunStartRequest::mode>("run_mode", "streaming when absent; batch is cheaper and may take hours."),
    given<&AgentRunStartRequest::prompt>("prompt").required(),
    json_object<&AgentRunStartRequest::variables>("variables", kVariablesDoc),
    given<&AgentRunStartRequest::budget>("budget", "Of this run; where it is silent the agent's counts."),
    given<&AgentRunStartRequest::idempotency_key>("idempotency_key", "A second start with it finds the first run."),
    given<&AgentRunStartRequest::correlation>("correlation", "Follows the run through logs and traces."),
};
constexpr Object<AgentRunStartRequest> kRunStart{"AgentRunRequest", "", kRunStartFields};

constexpr std::array kRunCancelFields{
    given<&AgentRunCancelRequest::ns>("namespace"),
    given<&AgentRunCancelRequest::reason>("reason"),
};
constexpr Object<AgentRunCancelRequest> kRunCancel{"", "", kRunCancelFields};

constexpr std::array kRunDenyFields{
    given<&AgentRunDecideRequest::ns>("namespace"),
    given<&AgentRunDecideRequest::execution>("execution", "Only this one; absent: every one that waits."),
    given<&AgentRunDecideRequest::reason>("reason", "The model is told why."),
};
constexpr Object<AgentRunDecideRequest> kRunDeny{"", "", kRunDenyFields};
constexpr auto kRunApproveFields =
    joined(kRunDenyFields,
           std::array{Field<AgentRunDecideRequest>{
               .name = "input",
               .doc = "Instead of what the model gave; the tool's schema accepts it.",
               .read = [](JsonReader& in, AgentRunDecideRequest& out, const Range&) { out.input = std::string(in.read_raw()); },
               .draw = [](Schemas&) {},
           }});
constexpr Object<AgentRunDecideRequest> kRunApprove{"", "", kRunApproveFields};

constexpr std::array kRunForkFields{
    given<&AgentRunForkRequest::ns>("namespace"),
    given<&AgentRunForkRequest::through>("through", "The last message that is copied; absent: all before the run's prompt."),
    given<&AgentRunForkRequest::prompt>("prompt", "That of the run when absent."),
    given<&AgentRunForkRequest::agent>("agent", "That of the run when absent."),
};
constexpr Object<AgentRunForkRequest> kRunFork{"", "", kRunForkFields};

// --- queries -------------------------------------------------------------------------------------------------------

constexpr std::array kRunGetParameters{
    parameter<&AgentRunGetRequest::ns>("namespace", kDefaultNamespaceDoc),
    Parameter<AgentRunGetRequest>{.text = {.name = "wait_ms",
                                           .doc = "Long poll: for its end.",
                                           .draw = draw_of<std::uint64_t>,
                                           .range = {0, static_cast<double>(limits::kClaimWaitMax / Duration(1)), true}},
                                  .read =
                                      [](QueryReader& in, const ParameterText& text, AgentRunGetRequest& out) {
                                        std::uint64_t wait = 0;
                                        read_parameter(in, text, wait);
                                        out.wait = Duration(wait);
                                      }},
};
constexpr std::array kRunListParameters{
    parameter<&store::AgentRunQuery::ns>("namespace", kDefaultNamespaceDoc),
    parameter<&store::AgentRunQuery::session>("session_id", "Only of this one."),
    parameter<&store::AgentRunQuery::agent>("agent_id", "Only of this one."),
    parameter<&store::AgentRunQuery::parent>("parent_run_id", "Only those that this run called."),
    parameter<&store::AgentRunQuery::state>("state", "Only these."),
    parameter<&store::AgentRunQuery::mode>("run_mode", "Only these."),
    parameter<&store::AgentRunQuery::unfinished>("unfinished", "true: only these."),
    parameter<&store::AgentRunQuery::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
    parameter<&store::AgentRunQuery::cursor>("cursor", kCursorDoc),
};
constexpr std::array kExecutionListParameters{
    parameter<&store::ExecutionQuery::ns>("namespace", kDefaultNamespaceDoc),
    parameter<&store::ExecutionQuery::run>("run_id", "Only of this run."),
    parameter<&store::ExecutionQuery::id>("id", "Only this one."),
    parameter<&store::ExecutionQuery::job>("job_id", "Only the one that this job carries out."),
    parameter<&store::ExecutionQuery::tool>("tool_name", "Only of this tool."),
    parameter<&store::ExecutionQuery::state>("state", "Only these."),
    parameter<&store::ExecutionQuery::approval_asked>("approval_asked", "true: only those that wait for a person."),
    parameter<&store::ExecutionQuery::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
    parameter<&store::ExecutionQuery::cursor>("cursor", kCursorDoc),
};

// Where to resume comes from the header or the query; decode_run_stream() knows which.
void read_resume_later(QueryReader&, const ParameterText&, RunStreamAsked&) {}
constexpr std::array kRunStreamParameters{
    parameter<&RunStreamAsked::ns>("namespace", kDefaultNamespaceDoc),
    Parameter<RunStreamAsked>{{.name = "last_event_id",
                               .doc = "Resume after it; for clients that cannot set the header.",
                               .draw = draw_of<std::uint64_t>,
                               .range = {.least = 0}},
                              read_resume_later},
    Parameter<RunStreamAsked>{{.name = "Last-Event-ID",
                               .doc = "Resume after it.",
                               .draw = draw_of<std::uint64_t>,
                               .range = {.least = 0},
                               .in = "header"},
                              read_resume_later},
};

// --- replies -------------------------------------------------------------------------------------------------------

constexpr std::array kRunOwnFields{
    shown<&AgentRun::id>("id", "Its job's, too."),
    shown<&AgentRun::ns>("namespace"),
    shown<&AgentRun::session>("session_id"),
    shown<&AgentRun::agent>("agent_id"),
    shown<&AgentRun::mode>("run_mode"),
    shown<&AgentRun::parent>("parent_run_id", "The run that called this one as a tool."),
    shown<&AgentRun::parent_execution>("parent_tool_execution_id"),
    shown<&AgentRun::depth>("depth"),
    shown<&AgentRun::state>("state"),
    shown<&AgentRun::previous_state>("previous_state"),
    shown<&AgentRun::prompt>("prompt"),
    shown<&AgentRun::iteration>("current_iteration", "0: none yet."),
    shown<&AgentRun::iteration_id>("current_iteration_id"),
    shown<&AgentRun::response_text>("response_text", "The last answer's text."),
    shown_unless_blank<&AgentRun::stop_reason>("stop_reason", "In the model's words."),
};
constexpr std::array kRunCountFields{
    shown<&AgentRun::microdollars>("microdollars", "What it has cost; a microdollar is a millionth of a dollar."),
    shown<&AgentRun::iterations>("iteration_count", "Answers that were dealt with."),
    shown<&AgentRun::tool_iterations>("tool_iterations", "Of these, those that called tools."),
    shown_unless_blank<&AgentRun::error_type>("error_type"),
    shown_unless_blank<&AgentRun::error_message>("error_message"),
    shown_unless_blank<&AgentRun::created_by>("created_by_instance_id", "The node."),
    shown_unless_blank<&AgentRun::claimed_by>("claimed_by_instance_id", "Who works on it, or did last."),
    shown<&AgentRun::claimed_at>("claimed_at"),
    json_object<&AgentRun::variables>("variables", kVariablesDoc),
    shown_unless_blank<&AgentRun::budget>("budget"),
    shown<&AgentRun::created_at>("created_at"),
    shown<&AgentRun::started_at>("started_at"),
    shown<&AgentRun::finalized_at>("finalized_at"),
    shown<&AgentRun::rescues>("rescue_attempts"),
    shown<&AgentRun::last_rescue_at>("last_rescue_at"),
    shown<&AgentRun::revision>("revision", "Grows with every write."),
};
constexpr auto kAgentRunFields = joined(kRunOwnFields, fields_of<kUsageFields, &AgentRun::usage>(), kRunCountFields);
constexpr Object<AgentRun> kAgentRun{
    "AgentRun", "", kAgentRunFields,
    R"({"id":%id%,"namespace":"default","session_id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0d00","agent_id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0c00","run_mode":"streaming","depth":0,"state":"completed","previous_state":"streaming","prompt":"How is the weather in Berlin?","current_iteration":2,"current_iteration_id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0a02","response_text":"Sunny, 21 degrees.","stop_reason":"end_turn","input_tokens":812,"output_tokens":96,"cache_creation_input_tokens":0,"cache_read_input_tokens":640,"microdollars":3876,"iteration_count":2,"tool_iterations":1,"variables":{},"created_at":%at%,"started_at":%at%,"finalized_at":%at%,"rescue_attempts":0,"revision":7})"};

constexpr auto kRunStartedFields =
    joined(fields_of<kAgentRunFields, &store::AgentRunStarted::run>(),
           std::array{shown<&store::AgentRunStarted::existed>("existed", "A key found it; nothing was written.")});
constexpr Object<store::AgentRunStarted> kRunStarted{
    "AgentRunStarted", "", kRunStartedFields,
    R"({"id":%id%,"namespace":"default","session_id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0d00","agent_id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0c00","run_mode":"streaming","depth":0,"state":"pending","prompt":"How is the weather in Berlin?","current_iteration":0,"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"microdollars":0,"iteration_count":0,"tool_iterations":0,"variables":{},"created_at":%at%,"rescue_attempts":0,"revision":1,"existed":false})"};

constexpr std::array kIterationOwnFields{
    shown<&Iteration::id>("id", "In a batch, its custom_id."),
    shown<&Iteration::run>("run_id"),
    shown<&Iteration::number>("iteration_number", "From 1."),
    shown<&Iteration::streaming>("is_streaming"),
    shown<&Iteration::trigger>("trigger_type"),
    shown_unless_blank<&Iteration::batch_id>("batch_id"),
    shown<&Iteration::batch_status>("batch_status"),
    shown<&Iteration::batch_submitted_at>("batch_submitted_at"),
    shown<&Iteration::batch_completed_at>("batch_completed_at"),
    shown<&Iteration::batch_expires_at>("batch_expires_at"),
    shown_unless_blank<&Iteration::batch_polls>("batch_poll_count"),
    shown<&Iteration::batch_polled_at>("batch_last_poll_at"),
    shown<&Iteration::streaming_started_at>("streaming_started_at"),
    shown<&Iteration::streaming_completed_at>("streaming_completed_at"),
    shown<&Iteration::attempts>("attempts", "Calls that were made, those that broke included."),
    shown_unless_blank<&Iteration::partial_text>("partial_text", "What a stream had said when it broke."),
    shown_unless_blank<&Iteration::stop_reason>("stop_reason"),
    shown<&Iteration::response>("response_message_id"),
    shown<&Iteration::has_tool_use>("has_tool_use"),
    shown<&Iteration::executions>("tool_execution_count"),
};
constexpr std::array kIterationEndFields{
    shown<&Iteration::microdollars>("microdollars"),
    shown_unless_blank<&Iteration::error_type>("error_type"),
    shown_unless_blank<&Iteration::error_message>("error_message"),
    shown<&Iteration::created_at>("created_at"),
    shown<&Iteration::started_at>("started_at"),
    shown<&Iteration::completed_at>("completed_at"),
};
constexpr auto kIterationFields = joined(kIterationOwnFields, fields_of<kUsageFields, &Iteration::usage>(), kIterationEndFields);
constexpr Object<Iteration> kIteration{
    "Iteration", "One call of the model.", kIterationFields,
    R"({"id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0a02","run_id":%id%,"iteration_number":2,"is_streaming":true,"trigger_type":"tool_results","attempts":1,"stop_reason":"end_turn","has_tool_use":false,"tool_execution_count":0,"input_tokens":412,"output_tokens":40,"cache_creation_input_tokens":0,"cache_read_input_tokens":320,"microdollars":1836,"created_at":%at%})"};

constexpr Field<ToolExecution> kIsAgentTool{
    .name = "is_agent_tool",
    .write = [](JsonWriter& out, std::string_view name,
                const ToolExecution& execution) { out.member(name, execution.agent.has_value()); },
    .draw = draw_of<bool>,
    .always = true,
};
constexpr Field<ToolExecution> kIsCut{
    .name = "is_truncated",
    .doc = "tool_output is its beginning; all of it is under /output.",
    .write = [](JsonWriter& out, std::string_view name,
                const ToolExecution& execution) { out.member(name, execution.whole_output.has_value()); },
    .draw = draw_of<bool>,
    .always = true,
};
constexpr std::array kExecutionFields{
    shown<&ToolExecution::id>("id"),
    shown<&ToolExecution::run>("run_id"),
    shown<&ToolExecution::iteration>("iteration_id"),
    shown<&ToolExecution::place>("place", "Among the calls of its answer, from 0."),
    shown<&ToolExecution::state>("state"),
    shown<&ToolExecution::tool_use_id>("tool_use_id", "The model's."),
    shown<&ToolExecution::tool>("tool_name"),
    json_value<&ToolExecution::input>("tool_input", "As the model gave it, or as whoever approved it changed it."),
    kIsAgentTool,
    shown<&ToolExecution::agent>("agent_id", "The tool is this agent."),
    shown<&ToolExecution::child_run>("child_run_id", "And this run is its answer."),
    shown<&ToolExecution::job>("job_id", "That a worker takes."),
    shown<&ToolExecution::output>("tool_output", "What the model is shown."),
    kIsCut,
    shown<&ToolExecution::is_error>("is_error"),
    shown_unless_blank<&ToolExecution::error_message>("error_message"),
    shown<&ToolExecution::approval>("approval"),
    shown_unless_blank<&ToolExecution::decided_by>("decided_by"),
    shown_unless_blank<&ToolExecution::decision_reason>("decision_reason"),
    shown<&ToolExecution::decided_at>("decided_at"),
    shown_unless_blank<&ToolExecution::claimed_by>("claimed_by_instance_id", "The worker."),
    shown<&ToolExecution::claimed_at>("claimed_at"),
    shown<&ToolExecution::attempts>("attempt_count"),
    shown<&ToolExecution::attempts_max>("max_attempts"),
    shown<&ToolExecution::snoozes>("snooze_count"),
    shown_unless_blank<&ToolExecution::last_error>("last_error"),
    shown<&ToolExecution::scheduled_at>("scheduled_at"),
    shown<&ToolExecution::created_at>("created_at"),
    shown<&ToolExecution::started_at>("started_at"),
    shown<&ToolExecution::completed_at>("completed_at"),
};
constexpr Object<ToolExecution> kExecution{
    "ToolExecution", "", kExecutionFields,
    R"({"id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0b02","run_id":%id%,"iteration_id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0a01","place":0,"state":"completed","tool_use_id":"toolu_01","tool_name":"get_weather","tool_input":{"city":"Berlin"},"is_agent_tool":false,"job_id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0a1c","tool_output":"sunny, 21","is_truncated":false,"is_error":false,"approval":"not_needed","attempt_count":1,"max_attempts":2,"snooze_count":0,"created_at":%at%,"completed_at":%at%})"};

}  // namespace

static const Object<Iteration>& object_of(Of<Iteration>) { return kIteration; }
const Object<AgentRun>& object_of(Of<AgentRun>) { return kAgentRun; }
const Object<ToolExecution>& object_of(Of<ToolExecution>) { return kExecution; }

namespace {

using command::AgentRunDecideReply;
using command::AgentRunGetReply;

constexpr auto kRunViewFields =
    joined(fields_of<kAgentRunFields, &AgentRunGetReply::run>(),
           std::array{shown<&AgentRunGetReply::iterations>("iterations", "Oldest first; the last thousand."),
                      shown<&AgentRunGetReply::executions>("tool_executions", "By iteration and place; the first thousand.")});
constexpr Object<AgentRunGetReply> kRunView{
    "AgentRunView", "A run with its calls of the model and of tools.", kRunViewFields,
    R"({"id":%id%,"namespace":"default","session_id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0d00","agent_id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0c00","run_mode":"streaming","depth":0,"state":"completed","prompt":"How is the weather in Berlin?","current_iteration":2,"response_text":"Sunny, 21 degrees.","stop_reason":"end_turn","input_tokens":812,"output_tokens":96,"cache_creation_input_tokens":0,"cache_read_input_tokens":640,"microdollars":3876,"iteration_count":2,"tool_iterations":1,"variables":{},"created_at":%at%,"finalized_at":%at%,"rescue_attempts":0,"revision":7,"iterations":[%Iteration%],"tool_executions":[%ToolExecution%]})"};

constexpr std::array kDecidedFields{
    shown<&AgentRunDecideReply::run>("run"),
    shown<&AgentRunDecideReply::executions>("tool_executions", "That were decided."),
};
constexpr Object<AgentRunDecideReply> kDecided{"AgentRunDecided", "", kDecidedFields,
                                               R"({"run":%AgentRun%,"tool_executions":[%ToolExecution%]})"};

constexpr std::array kAgentRunPageFields{
    shown<&store::AgentRunPage::runs>("runs", "Newest first."),
    shown_unless_blank<&store::AgentRunPage::next>("next", kNextDoc),
};
constexpr Object<store::AgentRunPage> kAgentRunPage{"AgentRunPage", "", kAgentRunPageFields, R"({"runs":[%AgentRun%]})"};

constexpr std::array kExecutionPageFields{
    shown<&store::ExecutionPage::executions>("tool_executions", "Newest first; of one run: by iteration and place."),
    shown_unless_blank<&store::ExecutionPage::next>("next", kNextDoc),
};
constexpr Object<store::ExecutionPage> kExecutionPage{"ToolExecutionPage", "", kExecutionPageFields,
                                                      R"({"tool_executions":[%ToolExecution%]})"};

constexpr std::array kAgentRunOperations{
    Operation{
        .id = "agent_run_start",
        .body = body<kRunStart>(R"({"agent":"support","prompt":"How is the weather in Berlin?","variables":{"tenant":"a"}})"),
        .answers = {created<store::AgentRunStarted>(), found<store::AgentRunStarted>("A key found it.")}},
    Operation{.id = "agent_run_list", .parameters = draw_parameters<kRunListParameters>, .answers = {ok<store::AgentRunPage>()}},
    Operation{.id = "agent_run_get", .parameters = draw_parameters<kRunGetParameters>, .answers = {ok<AgentRunGetReply>()}},
    Operation{.id = "agent_run_cancel",
              .body = optional_body<kRunCancel>(R"({"reason":"not needed any more"})"),
              .answers = {ok<AgentRun>()}},
    Operation{.id = "agent_run_approve",
              .body = optional_body<kRunApprove>(R"({"reason":"fine","input":{"city":"Berlin"}})"),
              .answers = {ok<AgentRunDecideReply>()}},
    Operation{.id = "agent_run_deny",
              .body = optional_body<kRunDeny>(R"({"reason":"not on a Friday"})"),
              .answers = {ok<AgentRunDecideReply>()}},
    Operation{.id = "agent_run_fork",
              .body = optional_body<kRunFork>(R"({"through":3,"prompt":"And in Paris?"})"),
              .answers = {created<store::AgentRunStarted>()}},
    Operation{.id = "agent_run_stream",
              .parameters = draw_parameters<kRunStreamParameters>,
              .answers = {Answer{.status = 200,
                                 .doc = "Events named as the `type` of their data, such as text_delta, tool_call or state; `id` "
                                        "is a growing number. `gap` says that something is gone, `run.finished` is the last.",
                                 .type = "text/event-stream"}},
              .summary = "What a run says and does, as server-sent events."},
    Operation{.id = "tool_execution_list",
              .parameters = draw_parameters<kExecutionListParameters>,
              .answers = {ok<store::ExecutionPage>()}},
    Operation{.id = "tool_execution_output",
              .parameters = draw_parameters<kOfNamespace<command::ToolExecutionOutputRequest>>,
              .answers = {Answer{.status = 200, .doc = "All of what the tool has said.", .type = "text/plain"}}},
};

template <class T>
Result<T> about_agent_run(JobId run, std::string_view body, const Object<T>& object) {
  T initial;
  initial.run = run;
  if (body.empty()) return initial;
  return read_body(body, object, std::move(initial));
}

}  // namespace

std::span<const Operation> agent_run_operations() { return kAgentRunOperations; }

const Object<store::AgentRunStarted>& object_of(Of<store::AgentRunStarted>) { return kRunStarted; }
const Object<store::AgentRunPage>& object_of(Of<store::AgentRunPage>) { return kAgentRunPage; }
const Object<AgentRunGetReply>& object_of(Of<AgentRunGetReply>) { return kRunView; }
const Object<AgentRunDecideReply>& object_of(Of<AgentRunDecideReply>) { return kDecided; }
const Object<store::ExecutionPage>& object_of(Of<store::ExecutionPage>) { return kExecutionPage; }

Result<AgentRunStartRequest> decode_agent_run_start(std::string_view body) { return read_body(body, kRunStart); }

Result<AgentRunGetRequest> decode_agent_run_get(JobId run, const std::vector<QueryParameter>& query) {
  AgentRunGetRequest initial;
  initial.run = run;
  return read_query(query, kRunGetParameters, std::move(initial));
}

Result<command::AgentRunListRequest> decode_agent_run_list(const std::vector<QueryParameter>& query) {
  command::AgentRunListRequest initial;
  initial.ns = NamespaceName(kDefaultNamespace);
  return read_query(query, kRunListParameters, std::move(initial));
}

Result<AgentRunCancelRequest> decode_agent_run_cancel(JobId run, std::string_view body) {
  return about_agent_run(run, body, kRunCancel);
}

Result<AgentRunDecideRequest> decode_agent_run_approve(JobId run, std::string_view body) {
  auto request = about_agent_run(run, body, kRunApprove);
  if (request.ok()) request->approve = true;
  return request;
}

Result<AgentRunDecideRequest> decode_agent_run_deny(JobId run, std::string_view body) {
  return about_agent_run(run, body, kRunDeny);
}

Result<AgentRunForkRequest> decode_agent_run_fork(JobId run, std::string_view body) {
  return about_agent_run(run, body, kRunFork);
}

Result<command::ToolExecutionListRequest> decode_tool_execution_list(const std::vector<QueryParameter>& query) {
  command::ToolExecutionListRequest initial;
  initial.ns = NamespaceName(kDefaultNamespace);
  return read_query(query, kExecutionListParameters, std::move(initial));
}

Result<command::ToolExecutionOutputRequest> decode_tool_execution_output(std::string id,
                                                                         const std::vector<QueryParameter>& query) {
  const auto execution = parse_uuid_of<ToolExecutionTag>("tool execution", id);
  if (!execution.ok()) return execution.status();
  command::ToolExecutionOutputRequest initial;
  initial.execution = *execution;
  return read_query(query, kOfNamespace<command::ToolExecutionOutputRequest>, std::move(initial));
}

Result<RunStreamAsked> decode_run_stream(JobId run, const std::vector<QueryParameter>& query, const std::string& last_event_id) {
  QueryReader in(query);
  RunStreamAsked out;
  out.run = run;
  read_parameters(in, kRunStreamParameters, out);
  const std::string asked = in.text("last_event_id").value_or("");
  const std::string& resume = last_event_id.empty() ? asked : last_event_id;
  const auto [end, problem] = std::from_chars(resume.data(), resume.data() + resume.size(), out.after);
  if (!resume.empty() && (problem != std::errc() || end != resume.data() + resume.size()))
    in.refuse("last_event_id", fmt::format("\"{}\" is not an event number", resume.substr(0, 64)));
  if (Status read = in.finish(); !read.ok()) return read;
  return out;
}

}  // namespace muster::http
