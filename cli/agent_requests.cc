// Requests about agents and tools, made of a file and of flags.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/agents.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/jobs.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

// The beginning of a document: a JSON object, or what is wrong with it.
sdk::Result<Json> read_base(std::string_view base) {
  Json json = Json::parse(base, nullptr, false);
  if (!json.is_object()) return refused(fmt::format("not a JSON object: `{}`", base.substr(0, kShownBytes)));
  return json;
}

// Puts flags over a document. The first thing that is wrong with one is kept.
class Overlay {
 public:
  explicit Overlay(Json& into) : into_(into) {}

  void text(const char* name, const std::string& value) {
    if (!value.empty()) into_[name] = value;
  }
  // The value may be @FILE or -.
  void long_text(const char* name, const std::string& value) {
    if (value.empty()) return;
    sdk::Result<std::string> read = read_argument(value);
    if (read.ok())
      into_[name] = std::move(*read);
    else if (!error)
      error = read.error();
  }
  void json(const char* name, const std::string& value) {
    if (value.empty()) return;
    const sdk::Result<std::string> read = read_json_argument(value, name);
    if (read.ok())
      into_[name] = Json::parse(*read, nullptr, false);
    else if (!error)
      error = read.error();
  }
  template <class T>
  void value(const char* name, const std::optional<T>& value) {
    if (value) into_[name] = *value;
  }
  void list(const char* name, const std::vector<std::string>& values) {
    if (!values.empty()) into_[name] = values;
  }

  std::optional<sdk::Error> error;

 private:
  Json& into_;
};

std::string document_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

sdk::Result<std::string> read_argument(const std::string& text) {
  if (text == "-") return read_all(text);
  if (text.starts_with('@')) return read_all(text.substr(1));
  return text;
}

sdk::Result<std::string> read_json_argument(const std::string& text, std::string_view flag) {
  sdk::Result<std::string> read = read_argument(text);
  if (read.ok() && !read->empty() && !Json::accept(*read))
    return refused(fmt::format("{} is not JSON: `{}`", flag, read->substr(0, kShownBytes)));
  return read;
}

sdk::Result<std::string> agent_document(const AgentArguments& arguments, std::string_view base, const std::string& ns) {
  sdk::Result<Json> json = read_base(base);
  if (!json.ok()) return json.error();
  Overlay over(*json);
  over.text("name", arguments.rename);
  over.text("description", arguments.description);
  over.text("model", arguments.model);
  over.long_text("system_prompt", arguments.system_prompt);
  over.value("max_tokens", arguments.max_tokens);
  over.value("temperature", arguments.temperature);
  over.value("top_k", arguments.top_k);
  over.value("top_p", arguments.top_p);
  over.value("iterations_max", arguments.iterations_max);
  over.list("tool_names", arguments.tools);
  over.list("agent_ids", arguments.delegates);
  over.json("thinking", arguments.thinking);
  over.json("tool_choice", arguments.tool_choice);
  over.json("metadata", arguments.metadata);
  over.json("config", arguments.config);
  if (arguments.tokens_per_run || arguments.microdollars_per_run) {
    Json& budget = (*json)["budget"];
    if (budget.is_null()) budget = Json::object();
    if (!budget.is_object()) return refused("budget is no JSON object");
    Overlay(budget).value("tokens_per_run", arguments.tokens_per_run);
    Overlay(budget).value("microdollars_per_run", arguments.microdollars_per_run);
  }
  if (over.error) return *over.error;
  if (!ns.empty()) (*json)["namespace"] = ns;
  return document_text(*json);
}

std::string changeable_agent(const sdk::Agent& agent) {
  Json json = Json::parse(agent.document, nullptr, false);
  if (!json.is_object()) json = Json::object();
  for (const char* shown : {"id", "created_at", "updated_at"}) json.erase(shown);
  return document_text(json);
}

sdk::Result<std::string> tool_document(const ToolArguments& arguments, std::string_view base, const std::string& ns) {
  sdk::Result<Json> json = read_base(base);
  if (!json.ok()) return json.error();
  Overlay over(*json);
  over.text("name", arguments.name);
  over.long_text("description", arguments.description);
  over.json("input_schema", arguments.schema);
  over.text("queue", arguments.queue);
  over.text("approval", arguments.approval);
  over.list("needs", arguments.needs);
  over.list("arguments", arguments.arguments);
  if (arguments.timeout) (*json)["timeout_ms"] = arguments.timeout->count();
  over.value("max_attempts", arguments.max_attempts);
  over.value("concurrency", arguments.concurrency);
  over.json("metadata", arguments.metadata);
  if (over.error) return *over.error;
  if (!ns.empty()) (*json)["namespace"] = ns;
  return document_text(*json);
}

}  // namespace muster::cli
