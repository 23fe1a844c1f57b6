#include "fronts/http/codec/agent_values.h"

namespace muster::http {
namespace {

constexpr std::size_t kUuidShownBytes = 64;

constexpr std::array kBudgetFields{
    field_unless_blank<&AgentBudget::tokens_per_run>("tokens_per_run"),
    field_unless_blank<&AgentBudget::tokens_per_session>("tokens_per_session"),
    field_unless_blank<&AgentBudget::tokens_per_day>("tokens_per_day", "Of the agent, whatever the session."),
    field_unless_blank<&AgentBudget::microdollars_per_run>("microdollars_per_run"),
    field_unless_blank<&AgentBudget::microdollars_per_session>("microdollars_per_session"),
    field_unless_blank<&AgentBudget::microdollars_per_day>("microdollars_per_day", "Of the agent, whatever the session."),
};
constexpr Object<AgentBudget> kBudget{
    "AgentBudget", "What may be spent before a run is stopped; absent or 0: no limit. A microdollar is a millionth of a dollar.",
    kBudgetFields, R"({"tokens_per_run":200000})"};

constexpr Object<TokenUsage> kUsage{
    "TokenUsage", "", kUsageFields,
    R"({"input_tokens":812,"output_tokens":96,"cache_creation_input_tokens":0,"cache_read_input_tokens":640})"};

}  // namespace

const Object<AgentBudget>& object_of(Of<AgentBudget>) { return kBudget; }
const Object<TokenUsage>& object_of(Of<TokenUsage>) { return kUsage; }

Result<Uuid> parse_uuid(std::string_view what, std::string_view text) {
  const auto uuid = Uuid::parse(text);
  if (!uuid) return Status::invalid_argument(fmt::format("{} id \"{}\" is not a UUID", what, text.substr(0, kUuidShownBytes)));
  return *uuid;
}

void read_value(JsonReader& in, Uuid& out, const Range&) {
  const std::string text = in.read_string();
  if (!in.ok()) return;
  const auto uuid = Uuid::parse(text);
  if (!uuid) return in.refuse(fmt::format("\"{}\" is not a UUID", text.substr(0, kUuidShownBytes)));
  out = *uuid;
}

void read_parameter(QueryReader& in, const ParameterText& text, std::optional<JobId>& out) {
  const auto given_text = in.text(text.name);
  if (!given_text || given_text->empty()) return;
  const auto id = parse_job_id(*given_text);
  if (id.ok())
    out = *id;
  else
    in.refuse(text.name, id.status().message());
}

void read_parameter_json_object(QueryReader& in, const ParameterText& text, std::string& out) {
  const auto given_text = in.text(text.name);
  if (!given_text || given_text->empty()) return;
  JsonReader json(*given_text);
  read_json_object(json, out);
  json.finish();
  if (!json.ok()) in.refuse(text.name, json.status().message());
}

}  // namespace muster::http
