#include "tests/claude/script.h"

#include <algorithm>

#include "tests/claude/event_writer.h"

namespace muster::stand_in {
namespace {

constexpr std::string_view kDemo = R"({
  "rules": [
    {"match": {"tool_result": "*"}, "token_ms": 20, "usage": {"input_tokens": 180, "output_tokens": 40},
     "text": "The tools have answered: {{tool_results}}. That is all I needed to know."},
    {"match": {"has_tools": true}, "token_ms": 20, "usage": {"input_tokens": 90, "output_tokens": 60},
     "text": "Let me look at that with two tools. ", "call_tools": 2},
    {"text": "You said: {{last_user}}", "token_ms": 20}
  ]
})";

// The texts of a content that is a text or an array of blocks.
std::string texts_of(const Json& content, const char* type, const char* member) {
  if (content.is_string()) return std::string(type) == "text" ? content.get<std::string>() : std::string();
  std::string all;
  if (!content.is_array()) return all;
  for (const Json& block : content) {
    if (!block.is_object() || block.value("type", "") != type || !block.contains(member)) continue;
    const Json& value = block.at(member);
    if (!all.empty()) all += ", ";
    all += value.is_string() ? value.get<std::string>() : texts_of(value, "text", "text");
  }
  return all;
}

const Json& last_content(const Json& request) {
  static const Json kNone = Json::array();
  if (!request.contains("messages") || !request.at("messages").is_array() || request.at("messages").empty()) return kNone;
  const Json& last = request.at("messages").back();
  return last.is_object() && last.contains("content") ? last.at("content") : kNone;
}

// The name of the tool that a tool_use of this id called.
std::string tool_of(const Json& request, const std::string& id) {
  std::string name;
  for (const Json& message : request.at("messages"))
    if (message.is_object() && message.contains("content") && message.at("content").is_array())
      for (const Json& block : message.at("content"))
        if (block.is_object() && block.value("type", "") == "tool_use" && block.value("id", "") == id)
          name = block.value("name", "");
  return name;
}

bool has_result_of(const Json& request, const std::string& tool) {
  const Json& content = last_content(request);
  if (!content.is_array()) return false;
  return std::any_of(content.begin(), content.end(), [&](const Json& block) {
    if (!block.is_object() || block.value("type", "") != "tool_result") return false;
    return tool == "*" || tool_of(request, block.value("tool_use_id", "")) == tool;
  });
}

bool has_tools(const Json& request) {
  return request.contains("tools") && request.at("tools").is_array() && !request.at("tools").empty();
}

bool contains(const std::string& text, const Json& part) { return text.find(part.get<std::string>()) != std::string::npos; }

bool matches(const Json& match, const Json& request, std::string_view endpoint, std::string_view custom_id) {
  const std::string wanted = match.value("endpoint", "");
  if (wanted.empty() ? (endpoint != "messages" && endpoint != "batch") : wanted != endpoint) return false;
  if (match.contains("model") && request.value("model", "") != match.at("model")) return false;
  if (match.contains("custom_id") && match.at("custom_id") != custom_id) return false;
  if (match.contains("last_user") && !contains(texts_of(last_content(request), "text", "text"), match.at("last_user")))
    return false;
  if (match.contains("system")) {
    const Json system = request.contains("system") ? request.at("system") : Json("");
    if (!contains(texts_of(system, "text", "text"), match.at("system"))) return false;
  }
  if (match.contains("tool_result") && !has_result_of(request, match.at("tool_result"))) return false;
  return !match.contains("has_tools") || match.at("has_tools") == has_tools(request);
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

// Of the clock that every process of the machine reads.
std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string fill(std::string text, const Json& request) {
  replace_all(text, "{{last_user}}", texts_of(last_content(request), "text", "text"));
  replace_all(text, "{{now_us}}", std::to_string(now_us()));
  replace_all(text, "{{tool_results}}", texts_of(last_content(request), "tool_result", "content"));
  return text;
}

// A value that a simple schema accepts.
Json sample(const Json& schema) {
  if (!schema.is_object()) return Json::object();
  if (schema.contains("const")) return schema.at("const");
  if (schema.contains("enum") && !schema.at("enum").empty()) return schema.at("enum").front();
  if (schema.contains("default")) return schema.at("default");
  const std::string type =
      schema.contains("type") && schema.at("type").is_string() ? schema.at("type").get<std::string>() : "object";
  if (type == "string") return "sample";
  if (type == "integer" || type == "number") return schema.value("minimum", 1);
  if (type == "boolean") return true;
  if (type == "array") return Json::array();
  Json object = Json::object();
  if (schema.contains("required") && schema.contains("properties"))
    for (const Json& name : schema.at("required"))
      if (schema.at("properties").contains(name)) object[name.get<std::string>()] = sample(schema.at("properties").at(name));
  return object;
}

Json error_body(const std::string& type, const std::string& message) {
  return {{"type", "error"}, {"error", {{"type", type}, {"message", message}}}};
}

std::string default_error(int status) {
  switch (status) {
    case 401: return "authentication_error";
    case 403: return "permission_error";
    case 404: return "not_found_error";
    case 429: return "rate_limit_error";
    case 529: return "overloaded_error";
    default: return status >= 500 ? "api_error" : "invalid_request_error";
  }
}

// Nothing: the failure is one of the stream itself.
std::optional<Plan> failed_plan(const Json& failure) {
  const int status = failure.value("status", 200);
  if (failure.value("html", false)) {
    Plan plan{.status = status, .content_type = "text/html; charset=utf-8"};
    plan.body = "<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body>\x1b[31mPlease sign in.</body></html>\n";
    return plan;
  }
  if (status == 200) return std::nullopt;
  Plan plan = error_plan(status, failure.value("type", default_error(status)), failure.value("message", "scripted"));
  if (failure.contains("headers"))
    for (const auto& [name, value] : failure.at("headers").items()) plan.headers.emplace_back(name, value.get<std::string>());
  if (failure.contains("body")) plan.body = failure.at("body").get<std::string>();
  return plan;
}

void apply_failure(const Json& failure, Plan& plan) {
  if (failure.contains("drop")) plan.ending = Ending::dropped, plan.events_max = failure.at("drop").get<std::size_t>();
  if (failure.contains("truncate")) plan.ending = Ending::truncated, plan.events_max = failure.at("truncate").get<std::size_t>();
  if (failure.contains("silence")) plan.ending = Ending::silent, plan.events_max = failure.at("silence").get<std::size_t>();
  if (!failure.contains("error_event")) return;
  const std::size_t after = std::min(failure.value("after", std::size_t{0}), plan.events->size());
  std::vector<std::string> events(plan.events->begin(), plan.events->begin() + static_cast<std::ptrdiff_t>(after));
  events.push_back(
      write_event("error", error_body(failure.at("error_event").get<std::string>(), failure.value("message", "scripted"))));
  plan.events = std::make_shared<const std::vector<std::string>>(std::move(events));
}

}  // namespace

Plan error_plan(int status, const std::string& type, const std::string& message) {
  return {.status = status, .headers = {{"request-id", "req_stand_in"}}, .body = error_body(type, message).dump()};
}

std::string_view Script::demo() { return kDemo; }

std::optional<std::string> Script::load(std::string_view text) {
  try {
    const Json script = Json::parse(text, nullptr, true, true);
    for (const Json& each : script.value("rules", Json::array())) rules_.push_back({.spec = each});
    const Json batches = script.value("batches", Json::object());
    polls_until_ended_ = batches.value("polls_until_ended", 1U);
    if (batches.contains("drop_results_after_lines")) results_drop_ = batches.at("drop_results_after_lines").get<std::size_t>();
    if (script.contains("tokens")) tokens_ = script.at("tokens").get<std::uint64_t>();
    return std::nullopt;
  } catch (const Json::exception& error) {
    return error.what();
  }
}

Script::Rule* Script::find(const Json& request, std::string_view endpoint, std::string_view custom_id) {
  for (Rule& rule : rules_) {
    if (!matches(rule.spec.value("match", Json::object()), request, endpoint, custom_id)) continue;
    ++rule.matched;
    if (rule.spec.contains("nth") && rule.matched != rule.spec.at("nth").get<std::uint64_t>()) continue;
    if (rule.spec.contains("times") && rule.matched > rule.spec.at("times").get<std::uint64_t>()) continue;
    return &rule;
  }
  return nullptr;
}

Json Script::message(const Rule& rule, const Json& request) {
  Json content = Json::array();
  if (rule.spec.contains("text")) {
    std::string text;
    for (std::size_t i = 0; i < rule.spec.value("repeat", std::size_t{1}); ++i)
      text += rule.spec.at("text").get_ref<const std::string&>();
    content.push_back({{"type", "text"}, {"text", fill(std::move(text), request)}});
  }
  for (const Json& block : rule.spec.value("blocks", Json::array())) content.push_back(block);
  if (rule.spec.contains("call_tools") && has_tools(request)) {
    const std::size_t count = std::min(rule.spec.at("call_tools").get<std::size_t>(), request.at("tools").size());
    for (std::size_t i = 0; i < count; ++i) {
      const Json& tool = request.at("tools").at(i);
      const Json schema = tool.value("input_schema", Json::object());
      content.push_back({{"type", "tool_use"},
                         {"id", "toolu_" + std::to_string(messages_) + "_" + std::to_string(i)},
                         {"name", tool.value("name", "")},
                         {"input", sample(schema)}});
    }
  }
  const bool calls =
      std::any_of(content.begin(), content.end(), [](const Json& block) { return block.value("type", "") == "tool_use"; });
  Json usage = rule.spec.value("usage", Json::object());
  for (const char* const name : {"input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"})
    if (!usage.contains(name))
      usage[name] = std::string_view(name) == "input_tokens" ? 10 : std::string_view(name) == "output_tokens" ? 5 : 0;
  return {{"id", "msg_" + std::to_string(++messages_)},
          {"type", "message"},
          {"role", "assistant"},
          {"model", request.value("model", "stand-in")},
          {"content", content},
          {"stop_reason", rule.spec.value("stop_reason", calls ? "tool_use" : "end_turn")},
          {"stop_sequence", rule.spec.contains("stop_sequence") ? rule.spec.at("stop_sequence") : Json()},
          {"usage", usage}};
}

Plan Script::answer_message(const Json& request) {
  Rule* const rule = find(request, "messages", {});
  if (rule == nullptr) return error_plan(400, "invalid_request_error", "no rule of the script matches");
  const Json failure = rule->spec.value("failure", Json::object());
  Plan plan;
  if (auto failed = failed_plan(failure)) {
    plan = *std::move(failed);
  } else if (request.value("stream", false)) {
    // Events of a rule that looks at nothing in the request are the same every time: made once, they cost a thousand streams
    // nothing.
    const bool fixed = !rule->spec.contains("call_tools") && rule->spec.value("text", "").find("{{") == std::string::npos;
    if (rule->events == nullptr || !fixed)
      rule->events = std::make_shared<const std::vector<std::string>>(write_events(message(*rule, request), rule->spec));
    plan.content_type = "text/event-stream; charset=utf-8";
    plan.events = rule->events;
    apply_failure(failure, plan);
  } else {
    plan.body = message(*rule, request).dump();
  }
  plan.delay = Milliseconds(rule->spec.value("delay_ms", 0));
  plan.between = Milliseconds(rule->spec.value("token_ms", 0));
  plan.piece_bytes = rule->spec.value("piece_bytes", std::size_t{0});
  return plan;
}

Plan Script::count_tokens(const Json& request, std::size_t request_bytes) {
  if (const Rule* const rule = find(request, "count_tokens", {}))
    if (auto failed = failed_plan(rule->spec.value("failure", Json::object()))) return *std::move(failed);
  return {.body = Json{{"input_tokens", tokens_.value_or(request_bytes / 4)}}.dump()};
}

std::optional<Plan> Script::refuse_batch(const Json& request) {
  const Rule* const rule = find(request, "create_batch", {});
  if (rule == nullptr) return std::nullopt;
  const Json failure = rule->spec.value("failure", Json::object());
  if (auto failed = failed_plan(failure)) return failed;
  if (!failure.contains("drop")) return std::nullopt;
  return Plan{.ending = Ending::dropped};
}

std::string Script::batch_line(const std::string& custom_id, const Json& params) {
  Json line{{"custom_id", custom_id}};
  const Rule* const rule = find(params, "batch", custom_id);
  const std::string type = rule == nullptr ? "errored" : rule->spec.value("batch_result", "succeeded");
  if (type == "missing") return {};
  if (type == "unreadable") return "this is no line of results";
  line["result"] = {{"type", type}};
  if (type == "succeeded") {
    line["result"]["message"] = message(*rule, params);
  } else if (type == "errored") {
    const Json failure = rule == nullptr ? Json::object() : rule->spec.value("failure", Json::object());
    Json error = error_body(failure.value("type", "invalid_request_error"), failure.value("message", "scripted"));
    const bool nested = rule == nullptr || rule->spec.value("nested", true);
    line["result"]["error"] = nested ? error : error.at("error");
  }
  return line.dump();
}

std::optional<std::size_t> Script::take_results_drop() { return std::exchange(results_drop_, std::nullopt); }

}  // namespace muster::stand_in
