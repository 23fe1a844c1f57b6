#include "fronts/http/codec/agents.h"

#include <utility>

#include "fronts/http/codec/agent_values.h"
#include "fronts/http/codec/job_replies.h"
#include "fronts/http/codec/operations.h"

namespace muster::http {
namespace {

using command::AgentUpdateRequest;
using command::ToolRunRequest;

// --- agents --------------------------------------------------------------------------------------------------------

constexpr std::array kAgentSpecFields{
    field<&AgentSpec::ns>("namespace"),
    field<&AgentSpec::name>("name", "Unique together with the metadata.").required(),
    field_unless_blank<&AgentSpec::description>("description", "What it is good for; agents that may call it read this."),
    field<&AgentSpec::model>("model", "As the model's API names it.").required(),
    field_unless_blank<&AgentSpec::system_prompt>("system_prompt"),
    field<&AgentSpec::max_tokens>("max_tokens", "Of one answer.").judged(1),
    field<&AgentSpec::temperature>("temperature").judged(0, 1),
    field<&AgentSpec::top_k>("top_k").judged(0),
    field<&AgentSpec::top_p>("top_p").judged(0, 1),
    field<&AgentSpec::tools>("tool_names", "Tools that it is offered."),
    field<&AgentSpec::delegates>("agent_ids", "Other agents that it may call like tools."),
    field_unless_blank<&AgentSpec::betas>("betas", "Names for anthropic-beta."),
    json_object<&AgentSpec::tool_choice>("tool_choice", "As the model's API has it; absent: the model chooses."),
    json_object<&AgentSpec::thinking>("thinking", "As the model's API has it; absent: off."),
    field_unless_blank<&AgentSpec::stop_sequences>("stop_sequences"),
    field<&AgentSpec::cache_prompt>("cache_prompt", "Let the API cache what does not change between calls; true when absent."),
    field<&AgentSpec::iterations_max>("iterations_max", "Calls of the model in one run; 50 when absent."),
    field_unless_blank<&AgentSpec::budget>("budget"),
    json_object<&AgentSpec::metadata>("metadata", kMetadataDoc),
    json_object<&AgentSpec::config>("config", kMetadataDoc),
};
constexpr Object<AgentSpec> kAgentSpec{"AgentRequest", "", kAgentSpecFields};

constexpr std::string_view kAgentBody =
    R"({"name":"support","model":"claude-sonnet-4-5","system_prompt":"Answer briefly.","max_tokens":1024,"tool_names":["get_weather"],"budget":{"tokens_per_run":200000},"metadata":{"team":"care"}})";

// The namespace of the description is that of the request; both are one field here.
constexpr auto kAgentChangeFields = joined(
    fields_of<kAgentSpecFields, &AgentUpdateRequest::agent>(),
    std::array{given<&AgentUpdateRequest::revision>("revision", "Only if it is still this one; absent: whatever is there.")});
constexpr Object<AgentUpdateRequest> kAgentChange{"AgentChange", "Takes the place of the whole description.", kAgentChangeFields};

constexpr auto kAgentFields = joined(std::array{shown<&Agent::id>("id")}, fields_of<kAgentSpecFields, &Agent::spec>(),
                                     std::array{shown<&Agent::created_at>("created_at"), shown<&Agent::updated_at>("updated_at"),
                                                shown<&Agent::revision>("revision", "Grows with every write.")});
constexpr Object<Agent> kAgent{
    "Agent", "", kAgentFields,
    R"({"id":"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0c00","namespace":"default","name":"support","model":"claude-sonnet-4-5","system_prompt":"Answer briefly.","max_tokens":1024,"tool_names":["get_weather"],"agent_ids":[],"cache_prompt":true,"iterations_max":50,"budget":%AgentBudget%,"metadata":{"team":"care"},"config":{},"created_at":%at%,"updated_at":%at%,"revision":1})"};

constexpr std::array kAgentPageFields{
    shown<&store::AgentPage::agents>("agents", "By name."),
    shown_unless_blank<&store::AgentPage::next>("next", kNextDoc),
    shown<&store::AgentPage::total>("total", "That match, whatever the page."),
};
constexpr Object<store::AgentPage> kAgentPage{"AgentPage", "", kAgentPageFields, R"({"agents":[%Agent%],"total":1})"};

// --- tools ---------------------------------------------------------------------------------------------------------

constexpr std::array kToolSpecFields{
    field<&ToolSpec::ns>("namespace"),
    field<&ToolSpec::name>("name").required(),
    field<&ToolSpec::description>("description", "What a model is told about it.").required(),
    json_object<&ToolSpec::input_schema>("input_schema", "JSON Schema 2020-12; any object when absent."),
    field<&ToolSpec::queue>("queue", "Of its executions; `tools` when absent."),
    field_unless_blank<&ToolSpec::needs>("needs", "Capabilities of workers that may run it; tool:<name> when absent."),
    field<&ToolSpec::approval>("approval", "ask: a person says yes before it runs."),
    field<&ToolSpec::timeout>("timeout_ms"),
    field<&ToolSpec::attempts_max>("max_attempts", "2 when absent."),
    field<&ToolSpec::retry_jitter>("retry_jitter", "0: at once; else attempt⁴ seconds, moved by this share.").judged(0, 1),
    field<&ToolSpec::concurrency>("concurrency", "Executions at a time; 0: no limit."),
    field_unless_blank<&ToolSpec::arguments>("arguments",
                                             "For `muster worker`: arguments of the program, with {{input.x}} filled in."),
    json_object<&ToolSpec::metadata>("metadata", kMetadataDoc),
};
constexpr Object<ToolSpec> kToolSpec{"ToolRequest", "", kToolSpecFields};

constexpr auto kToolFields = joined(fields_of<kToolSpecFields, &Tool::spec>(),
                                    std::array{shown<&Tool::created_at>("created_at"), shown<&Tool::updated_at>("updated_at"),
                                               shown<&Tool::revision>("revision", "Grows with every write.")});
constexpr Object<Tool> kTool{
    "Tool", "", kToolFields,
    R"({"namespace":"default","name":"get_weather","description":"The weather of a city.","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]},"queue":"tools","approval":"never","timeout_ms":300000,"max_attempts":2,"retry_jitter":0,"concurrency":0,"metadata":{},"created_at":%at%,"updated_at":%at%,"revision":1})"};

constexpr std::array kToolPageFields{
    shown<&store::ToolPage::tools>("tools", "By name."),
    shown_unless_blank<&store::ToolPage::next>("next", kNextDoc),
};
constexpr Object<store::ToolPage> kToolPage{"ToolPage", "", kToolPageFields, R"({"tools":[%Tool%]})"};

constexpr std::array kToolRunFields{
    given<&ToolRunRequest::ns>("namespace"),
    json_value<&ToolRunRequest::input>("input", "What the tool's schema accepts; {} when absent."),
};
constexpr Object<ToolRunRequest> kToolRun{"", "", kToolRunFields};

// --- queries -------------------------------------------------------------------------------------------------------

constexpr std::array kAgentListParameters{
    parameter<&store::AgentQuery::ns>("namespace", kDefaultNamespaceDoc),
    parameter<&store::AgentQuery::name>("name", "Only these."),
    parameter<&store::AgentQuery::metadata>("metadata", "A JSON object: only those whose metadata contain it.")
        .read_by([](QueryReader& in, const ParameterText& text, store::AgentQuery& out) {
          read_parameter_json_object(in, text, out.metadata);
        }),
    parameter<&store::AgentQuery::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
    parameter<&store::AgentQuery::cursor>("cursor", kCursorDoc),
};
constexpr std::array kToolListParameters{
    parameter<&store::ToolQuery::ns>("namespace", kDefaultNamespaceDoc),
    parameter<&store::ToolQuery::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
    parameter<&store::ToolQuery::cursor>("cursor", kCursorDoc),
};

constexpr std::array kAgentOperations{
    Operation{.id = "agent_create", .body = body<kAgentSpec>(kAgentBody), .answers = {created<Agent>()}},
    Operation{.id = "agent_list", .parameters = draw_parameters<kAgentListParameters>, .answers = {ok<store::AgentPage>()}},
    Operation{.id = "agent_get", .parameters = draw_parameters<kOfNamespace<command::AgentGetRequest>>, .answers = {ok<Agent>()}},
    Operation{.id = "agent_update", .body = body<kAgentChange>(kAgentBody), .answers = {ok<Agent>()}},
    Operation{
        .id = "agent_delete", .parameters = draw_parameters<kOfNamespace<command::AgentDeleteRequest>>, .answers = {ok<Agent>()}},
    Operation{
        .id = "tool_define",
        .body = body<kToolSpec>(
            R"({"name":"get_weather","description":"The weather of a city.","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]},"approval":"ask"})"),
        .answers = {created<Tool>(), found<Tool>("It was there, and is replaced.")}},
    Operation{.id = "tool_list", .parameters = draw_parameters<kToolListParameters>, .answers = {ok<store::ToolPage>()}},
    Operation{.id = "tool_get", .parameters = draw_parameters<kOfNamespace<command::ToolGetRequest>>, .answers = {ok<Tool>()}},
    Operation{
        .id = "tool_delete", .parameters = draw_parameters<kOfNamespace<command::ToolDeleteRequest>>, .answers = {ok<Tool>()}},
    Operation{.id = "tool_run",
              .body = optional_body<kToolRun>(R"({"input":{"city":"Berlin"}})"),
              .answers = {created<store::Enqueued>()}},
};

template <class T>
Result<T> about_tool(std::string tool, const std::vector<QueryParameter>& query) {
  T initial;
  initial.tool = ToolName(std::move(tool));
  return read_query(query, kOfNamespace<T>, std::move(initial));
}

}  // namespace

std::span<const Operation> agent_operations() { return kAgentOperations; }

const Object<Agent>& object_of(Of<Agent>) { return kAgent; }
const Object<store::AgentPage>& object_of(Of<store::AgentPage>) { return kAgentPage; }
const Object<Tool>& object_of(Of<Tool>) { return kTool; }
const Object<store::ToolPage>& object_of(Of<store::ToolPage>) { return kToolPage; }

Result<command::AgentCreateRequest> decode_agent_create(std::string_view body) {
  auto spec = read_body(body, kAgentSpec);
  if (!spec.ok()) return spec.status();
  return command::AgentCreateRequest{.agent = *std::move(spec)};
}

Result<AgentUpdateRequest> decode_agent_update(std::string agent, std::string_view body) {
  const auto id = parse_uuid_of<AgentTag>("agent", agent);
  if (!id.ok()) return id.status();
  AgentUpdateRequest initial;
  initial.id = *id;
  auto request = read_body(body, kAgentChange, std::move(initial));
  if (request.ok()) request->ns = request->agent.ns;
  return request;
}

Result<command::AgentGetRequest> decode_agent_get(std::string agent, const std::vector<QueryParameter>& query) {
  command::AgentGetRequest initial;
  initial.agent = std::move(agent);
  return read_query(query, kOfNamespace<command::AgentGetRequest>, std::move(initial));
}

Result<command::AgentDeleteRequest> decode_agent_delete(std::string agent, const std::vector<QueryParameter>& query) {
  const auto id = parse_uuid_of<AgentTag>("agent", agent);
  if (!id.ok()) return id.status();
  command::AgentDeleteRequest initial;
  initial.id = *id;
  return read_query(query, kOfNamespace<command::AgentDeleteRequest>, std::move(initial));
}

Result<command::AgentListRequest> decode_agent_list(const std::vector<QueryParameter>& query) {
  command::AgentListRequest initial;
  initial.ns = NamespaceName(kDefaultNamespace);
  return read_query(query, kAgentListParameters, std::move(initial));
}

Result<command::ToolDefineRequest> decode_tool_define(std::string_view body) {
  auto spec = read_body(body, kToolSpec);
  if (!spec.ok()) return spec.status();
  return command::ToolDefineRequest{.tool = *std::move(spec)};
}

Result<command::ToolGetRequest> decode_tool_get(std::string tool, const std::vector<QueryParameter>& query) {
  return about_tool<command::ToolGetRequest>(std::move(tool), query);
}

Result<command::ToolDeleteRequest> decode_tool_delete(std::string tool, const std::vector<QueryParameter>& query) {
  return about_tool<command::ToolDeleteRequest>(std::move(tool), query);
}

Result<command::ToolListRequest> decode_tool_list(const std::vector<QueryParameter>& query) {
  command::ToolListRequest initial;
  initial.ns = NamespaceName(kDefaultNamespace);
  return read_query(query, kToolListParameters, std::move(initial));
}

Result<ToolRunRequest> decode_tool_run(std::string tool, std::string_view body) {
  ToolRunRequest initial;
  initial.tool = ToolName(std::move(tool));
  if (body.empty()) return initial;
  return read_body(body, kToolRun, std::move(initial));
}

}  // namespace muster::http
