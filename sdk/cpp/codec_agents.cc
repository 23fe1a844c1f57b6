// Agents, tools, sessions and runs: requests and replies as tables.
#include "sdk/cpp/fields.h"

namespace muster::sdk {
namespace fields {
namespace {

// JSON that the program has as text.
template <auto kMember>
constexpr auto agent_json(const char* name) {
  using T = ObjectOf<kMember>;
  return Field<T>{.name = name,
                  .read =
                      [](const Json& object, const char* key, T& out) {
                        if (const Json* found = find(object, key)) out.*kMember = text_of(*found);
                      },
                  .write =
                      [](Writing& out, const char* key, const T& value) {
                        const std::string& text = value.*kMember;
                        if (text.empty()) return;
                        Json json = Json::parse(text, nullptr, false);
                        if (json.is_discarded())
                          return out.fail(fmt::format("{} is not JSON: `{}`", key, text.substr(0, kShownBytes)));
                        out.json[key] = std::move(json);
                      }};
}

// The members of `kMember` stand among those of the whole.
template <auto kMember>
constexpr auto inlined() {
  using T = ObjectOf<kMember>;
  using M = typename Member<kMember>::Value;
  return Field<T>{
      .name = "",
      .read = [](const Json& object, const char*, T& out) { read_fields(object, Fields<M>(kFields<M>), out.*kMember); },
      .write = [](Writing& out, const char*, const T& value) { write_fields(out, Fields<M>(kFields<M>), value.*kMember); }};
}

}  // namespace

template <>
constexpr auto kFields<AgentBudget> = std::array{
    field<&AgentBudget::tokens_per_run>("tokens_per_run"),
    field<&AgentBudget::tokens_per_session>("tokens_per_session"),
    field<&AgentBudget::tokens_per_day>("tokens_per_day"),
    field<&AgentBudget::microdollars_per_run>("microdollars_per_run"),
    field<&AgentBudget::microdollars_per_session>("microdollars_per_session"),
    field<&AgentBudget::microdollars_per_day>("microdollars_per_day"),
};
template <>
constexpr auto kFields<AgentSpec> = std::array{
    field<&AgentSpec::ns>("namespace"),
    field<&AgentSpec::name>("name").must(),
    field<&AgentSpec::description>("description"),
    field<&AgentSpec::model>("model"),
    field<&AgentSpec::system_prompt>("system_prompt"),
    field<&AgentSpec::max_tokens>("max_tokens"),
    field<&AgentSpec::temperature>("temperature"),
    field<&AgentSpec::top_k>("top_k"),
    field<&AgentSpec::top_p>("top_p"),
    field<&AgentSpec::tool_names>("tool_names"),
    field<&AgentSpec::agent_ids>("agent_ids"),
    field<&AgentSpec::betas>("betas"),
    agent_json<&AgentSpec::tool_choice>("tool_choice"),
    agent_json<&AgentSpec::thinking>("thinking"),
    field<&AgentSpec::stop_sequences>("stop_sequences"),
    field<&AgentSpec::cache_prompt>("cache_prompt"),
    field<&AgentSpec::iterations_max>("iterations_max"),
    field<&AgentSpec::budget>("budget"),
    agent_json<&AgentSpec::metadata>("metadata"),
    agent_json<&AgentSpec::config>("config"),
};
template <>
constexpr auto kFields<Agent> = std::array{
    field<&Agent::id>("id").must(),          inlined<&Agent::spec>(),
    field<&Agent::created_at>("created_at"), field<&Agent::updated_at>("updated_at"),
    field<&Agent::revision>("revision"),     document<&Agent::document>(),
};
template <>
constexpr auto kFields<AgentPage> = std::array{
    field<&AgentPage::agents>("agents").must(),
    field<&AgentPage::next>("next"),
    field<&AgentPage::total>("total"),
};
template <>
constexpr auto kFields<ToolSpec> = std::array{
    field<&ToolSpec::ns>("namespace"),
    field<&ToolSpec::name>("name").must(),
    field<&ToolSpec::description>("description"),
    agent_json<&ToolSpec::input_schema>("input_schema"),
    field<&ToolSpec::queue>("queue"),
    field<&ToolSpec::needs>("needs"),
    field<&ToolSpec::approval>("approval"),
    field<&ToolSpec::timeout>("timeout_ms"),
    field<&ToolSpec::max_attempts>("max_attempts"),
    field<&ToolSpec::retry_jitter>("retry_jitter"),
    field<&ToolSpec::concurrency>("concurrency"),
    field<&ToolSpec::arguments>("arguments"),
    agent_json<&ToolSpec::metadata>("metadata"),
};
template <>
constexpr auto kFields<Tool> = std::array{
    inlined<&Tool::spec>(),
    field<&Tool::created_at>("created_at"),
    field<&Tool::updated_at>("updated_at"),
    field<&Tool::revision>("revision"),
    document<&Tool::document>(),
};
template <>
constexpr auto kFields<ToolPage> = std::array{field<&ToolPage::tools>("tools").must(), field<&ToolPage::next>("next")};

template <>
constexpr auto kFields<Usage> = std::array{
    field<&Usage::input_tokens>("input_tokens"),
    field<&Usage::output_tokens>("output_tokens"),
    field<&Usage::cache_creation_input_tokens>("cache_creation_input_tokens"),
    field<&Usage::cache_read_input_tokens>("cache_read_input_tokens"),
};
template <>
constexpr auto kFields<SessionRequest> = std::array{
    field<&SessionRequest::ns>("namespace"),
    field<&SessionRequest::parent_session_id>("parent_session_id"),
    agent_json<&SessionRequest::metadata>("metadata"),
    agent_json<&SessionRequest::variables>("variables"),
};
template <>
constexpr auto kFields<SessionChange> = std::array{
    field<&SessionChange::ns>("namespace"),
    agent_json<&SessionChange::metadata>("metadata"),
    agent_json<&SessionChange::variables>("variables"),
};
template <>
constexpr auto kFields<Session> = std::array{
    field<&Session::id>("id").must(),
    field<&Session::ns>("namespace"),
    field<&Session::parent_session_id>("parent_session_id"),
    field<&Session::depth>("depth"),
    agent_json<&Session::metadata>("metadata"),
    agent_json<&Session::variables>("variables"),
    field<&Session::compaction_count>("compaction_count"),
    field<&Session::created_at>("created_at"),
    field<&Session::updated_at>("updated_at"),
    field<&Session::revision>("revision"),
    inlined<&Session::usage>(),
    field<&Session::microdollars>("microdollars"),
    document<&Session::document>(),
};
template <>
constexpr auto kFields<SessionPage> = std::array{
    field<&SessionPage::sessions>("sessions").must(),
    field<&SessionPage::next>("next"),
    field<&SessionPage::total>("total"),
};
template <>
constexpr auto kFields<AgentMessage> = std::array{
    field<&AgentMessage::id>("id").must(),
    field<&AgentMessage::session_id>("session_id"),
    field<&AgentMessage::number>("number"),
    field<&AgentMessage::run_id>("run_id"),
    field<&AgentMessage::role>("role"),
    agent_json<&AgentMessage::blocks>("blocks"),
    field<&AgentMessage::usage>("usage"),
    field<&AgentMessage::is_preserved>("is_preserved"),
    field<&AgentMessage::is_summary>("is_summary"),
    field<&AgentMessage::created_at>("created_at"),
    document<&AgentMessage::document>(),
};
template <>
constexpr auto kFields<MessagePage> =
    std::array{field<&MessagePage::messages>("messages").must(), field<&MessagePage::more>("more")};
template <>
constexpr auto kFields<Compaction> = std::array{
    field<&Compaction::id>("id").must(),
    field<&Compaction::session_id>("session_id"),
    field<&Compaction::strategy>("strategy"),
    field<&Compaction::original_tokens>("original_tokens"),
    field<&Compaction::compacted_tokens>("compacted_tokens"),
    field<&Compaction::messages_removed>("messages_removed"),
    field<&Compaction::summary_content>("summary_content"),
    field<&Compaction::model_used>("model_used"),
    field<&Compaction::duration>("duration_ms"),
    field<&Compaction::restored>("restored"),
    field<&Compaction::created_at>("created_at"),
    document<&Compaction::document>(),
};
template <>
constexpr auto kFields<CompactionPage> = std::array{
    field<&CompactionPage::compactions>("compactions").must(),
    field<&CompactionPage::next>("next"),
};
template <>
constexpr auto kFields<CompactRequest> = std::array{
    field<&CompactRequest::ns>("namespace"),
    field<&CompactRequest::strategy>("strategy"),
    field<&CompactRequest::only_if_needed>("only_if_needed"),
};
template <>
constexpr auto kFields<Compacted> = std::array{
    field<&Compacted::done>("done"),     field<&Compacted::needed>("needed"),
    field<&Compacted::tokens>("tokens"), field<&Compacted::compaction>("compaction"),
    document<&Compacted::document>(),
};

template <>
constexpr auto kFields<AgentRunRequest> = std::array{
    field<&AgentRunRequest::ns>("namespace"),
    field<&AgentRunRequest::agent>("agent"),
    field<&AgentRunRequest::session_id>("session_id"),
    field<&AgentRunRequest::run_mode>("run_mode"),
    said<&AgentRunRequest::prompt>("prompt"),
    agent_json<&AgentRunRequest::variables>("variables"),
    field<&AgentRunRequest::budget>("budget"),
    field<&AgentRunRequest::idempotency_key>("idempotency_key"),
    field<&AgentRunRequest::correlation>("correlation"),
};
template <>
constexpr auto kFields<Iteration> = std::array{
    field<&Iteration::id>("id").must(),
    field<&Iteration::iteration_number>("iteration_number"),
    field<&Iteration::trigger_type>("trigger_type"),
    field<&Iteration::is_streaming>("is_streaming"),
    field<&Iteration::batch_id>("batch_id"),
    field<&Iteration::batch_status>("batch_status"),
    field<&Iteration::attempts>("attempts"),
    field<&Iteration::partial_text>("partial_text"),
    field<&Iteration::stop_reason>("stop_reason"),
    field<&Iteration::has_tool_use>("has_tool_use"),
    field<&Iteration::tool_execution_count>("tool_execution_count"),
    inlined<&Iteration::usage>(),
    field<&Iteration::microdollars>("microdollars"),
    field<&Iteration::error_type>("error_type"),
    field<&Iteration::error_message>("error_message"),
    field<&Iteration::created_at>("created_at"),
    field<&Iteration::completed_at>("completed_at"),
};
template <>
constexpr auto kFields<ToolExecution> = std::array{
    field<&ToolExecution::id>("id").must(),
    field<&ToolExecution::run_id>("run_id"),
    field<&ToolExecution::iteration_id>("iteration_id"),
    field<&ToolExecution::state>("state"),
    field<&ToolExecution::tool_use_id>("tool_use_id"),
    field<&ToolExecution::tool_name>("tool_name"),
    agent_json<&ToolExecution::tool_input>("tool_input"),
    field<&ToolExecution::is_agent_tool>("is_agent_tool"),
    field<&ToolExecution::agent_id>("agent_id"),
    field<&ToolExecution::child_run_id>("child_run_id"),
    field<&ToolExecution::job_id>("job_id"),
    field<&ToolExecution::tool_output>("tool_output"),
    field<&ToolExecution::is_truncated>("is_truncated"),
    field<&ToolExecution::is_error>("is_error"),
    field<&ToolExecution::error_message>("error_message"),
    field<&ToolExecution::approval>("approval"),
    field<&ToolExecution::decided_by>("decided_by"),
    field<&ToolExecution::decision_reason>("decision_reason"),
    field<&ToolExecution::attempt_count>("attempt_count"),
    field<&ToolExecution::max_attempts>("max_attempts"),
    field<&ToolExecution::last_error>("last_error"),
    field<&ToolExecution::created_at>("created_at"),
    field<&ToolExecution::completed_at>("completed_at"),
    document<&ToolExecution::document>(),
};
template <>
constexpr auto kFields<ToolExecutionPage> =
    std::array{field<&ToolExecutionPage::tool_executions>("tool_executions").must(), field<&ToolExecutionPage::next>("next")};
template <>
constexpr auto kFields<AgentRun> = std::array{
    field<&AgentRun::id>("id").must(),
    field<&AgentRun::ns>("namespace"),
    field<&AgentRun::session_id>("session_id"),
    field<&AgentRun::agent_id>("agent_id"),
    field<&AgentRun::run_mode>("run_mode"),
    field<&AgentRun::parent_run_id>("parent_run_id"),
    field<&AgentRun::depth>("depth"),
    field<&AgentRun::state>("state").must(),
    field<&AgentRun::previous_state>("previous_state"),
    field<&AgentRun::prompt>("prompt"),
    field<&AgentRun::current_iteration>("current_iteration"),
    field<&AgentRun::response_text>("response_text"),
    field<&AgentRun::stop_reason>("stop_reason"),
    inlined<&AgentRun::usage>(),
    field<&AgentRun::microdollars>("microdollars"),
    field<&AgentRun::iteration_count>("iteration_count"),
    field<&AgentRun::tool_iterations>("tool_iterations"),
    field<&AgentRun::error_type>("error_type"),
    field<&AgentRun::error_message>("error_message"),
    field<&AgentRun::claimed_by_instance_id>("claimed_by_instance_id"),
    agent_json<&AgentRun::variables>("variables"),
    field<&AgentRun::created_at>("created_at"),
    field<&AgentRun::started_at>("started_at"),
    field<&AgentRun::finalized_at>("finalized_at"),
    field<&AgentRun::rescue_attempts>("rescue_attempts"),
    field<&AgentRun::existed>("existed"),
    field<&AgentRun::iterations>("iterations"),
    field<&AgentRun::tool_executions>("tool_executions"),
    document<&AgentRun::document>(),
};
template <>
constexpr auto kFields<AgentRunPage> = std::array{field<&AgentRunPage::runs>("runs").must(), field<&AgentRunPage::next>("next")};
template <>
constexpr auto kFields<AgentVerdict> = std::array{
    field<&AgentVerdict::ns>("namespace"),
    field<&AgentVerdict::execution>("execution"),
    field<&AgentVerdict::reason>("reason"),
    agent_json<&AgentVerdict::input>("input"),
};
template <>
constexpr auto kFields<AgentRunDecided> = std::array{
    field<&AgentRunDecided::run>("run").must(),
    field<&AgentRunDecided::tool_executions>("tool_executions"),
    document<&AgentRunDecided::document>(),
};
template <>
constexpr auto kFields<AgentRunFork> = std::array{
    field<&AgentRunFork::ns>("namespace"),
    field<&AgentRunFork::through>("through"),
    field<&AgentRunFork::prompt>("prompt"),
    field<&AgentRunFork::agent>("agent"),
};

}  // namespace fields

using namespace fields;

Result<std::string> encode(const AgentSpec& spec) { return encoded(spec); }
Result<std::string> encode(const ToolSpec& spec) { return encoded(spec); }
Result<std::string> encode(const SessionRequest& request) { return encoded(request); }
Result<std::string> encode(const SessionChange& change) { return encoded(change); }
std::string encode(const CompactRequest& request) { return encoded_plain(request); }
Result<std::string> encode(const AgentRunRequest& request) { return encoded(request); }
Result<std::string> encode(const AgentVerdict& verdict) { return encoded(verdict); }
std::string encode(const AgentRunFork& fork) { return encoded_plain(fork); }

Result<Agent> decode_agent(std::string_view body) { return decoded<Agent>(body); }
Result<AgentPage> decode_agent_page(std::string_view body) { return decoded<AgentPage>(body); }
Result<Tool> decode_tool(std::string_view body) { return decoded<Tool>(body); }
Result<ToolPage> decode_tool_page(std::string_view body) { return decoded<ToolPage>(body); }
Result<Session> decode_session(std::string_view body) { return decoded<Session>(body); }
Result<SessionPage> decode_session_page(std::string_view body) { return decoded<SessionPage>(body); }
Result<MessagePage> decode_message_page(std::string_view body) { return decoded<MessagePage>(body); }
Result<Compaction> decode_compaction(std::string_view body) { return decoded<Compaction>(body); }
Result<CompactionPage> decode_compaction_page(std::string_view body) { return decoded<CompactionPage>(body); }
Result<Compacted> decode_compacted(std::string_view body) { return decoded<Compacted>(body); }
Result<AgentRun> decode_agent_run(std::string_view body) { return decoded<AgentRun>(body); }
Result<AgentRunPage> decode_agent_run_page(std::string_view body) { return decoded<AgentRunPage>(body); }
Result<AgentRunDecided> decode_agent_run_decided(std::string_view body) { return decoded<AgentRunDecided>(body); }
Result<ToolExecutionPage> decode_tool_execution_page(std::string_view body) { return decoded<ToolExecutionPage>(body); }

}  // namespace muster::sdk
