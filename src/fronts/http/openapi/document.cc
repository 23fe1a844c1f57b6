#include "fronts/http/openapi/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "fronts/http/codec/operations.h"
#include "fronts/http/routes.h"

namespace muster::http {
namespace {

constexpr std::array kNouns{agent_operations,    agent_run_operations,   session_operations,  audit_operations,
                            job_operations,      job_request_operations, feedback_operations, package_operations,
                            plan_operations,     run_operations,         schedule_operations, worker_operations,
                            resource_operations, lane_operations,        history_operations,  inspection_operations,
                            sign_in_operations,  queue_operations,       event_operations};

constexpr std::array<std::string_view, 13> kTags{"agents",    "tools",   "sessions", "jobs",       "packages", "plans", "runs",
                                                 "schedules", "workers", "queues",   "namespaces", "audit",    "server"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kHead{{
    {"openapi", R"("3.1.0")"},
    {"info", R"({"title":"Muster","version":"0.1","summary":"One control plane for every worker.","description":"Times are )"
             R"(RFC 3339 in UTC; fields that end in _ms are integers of milliseconds. Unknown fields are refused. Absent values )"
             R"(are left out of replies.","license":{"name":"Apache-2.0","identifier":"Apache-2.0"}})"},
    {"servers", R"([{"url":"http://127.0.0.1:8080"}])"},
    {"security", R"([{"bearer":[]},{}])"},
}};

// Written by problem.cc, which answers before any codec is asked.
constexpr std::string_view kProblem =
    R"({"type":"object","description":"RFC 9457. Each code has a page under docs/errors.","properties":{"type":{"type":"string",)"
    R"("format":"uri"},"title":{"type":"string"},"status":{"type":"integer"},"code":{"type":"string","enum":["invalid_argument",)"
    R"("unauthenticated","permission_denied","not_found","already_exists","conflict","lease_lost","exhausted","unavailable",)"
    R"("outcome_unknown","corrupt","internal"]},"detail":{"type":"string"},"instance":{"type":"string"}},)"
    R"("required":["type","title","status","code","detail","instance"],"additionalProperties":false})";

std::string last_word(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  std::string word(path.substr(0, path.find('.')));
  std::replace(word.begin(), word.end(), '-', '_');
  return word;
}

// job.submit_bulk is job_submit_bulk; what is not a command is called by its path. One command may have two routes: searching is
// listing with a body.
std::string id_of(const Route& route) {
  if (route.pattern == "/api/v1/events") return "run_events";
  if (route.pattern == "/api/v1/agent-runs/{id}/stream") return "agent_run_stream";
  if (route.pattern == "/api/v1/sign-in/links") return "sign_in_link";
  if (route.command == nullptr) return last_word(route.pattern);
  if (route.pattern.ends_with("/jobs/search")) return "job_search";
  // A verdict is one command, and two words of people.
  if (route.pattern == "/api/v1/agent-runs/{id}/approve" || route.pattern == "/api/v1/agent-runs/{id}/deny")
    return "agent_run_" + last_word(route.pattern);
  std::string id(route.command->name);
  std::replace(id.begin(), id.end(), '.', '_');
  return id;
}

const Operation& operation_of(std::string_view id) {
  for (const auto& noun : kNouns)
    for (const Operation& operation : noun())
      if (operation.id == id) return operation;
  unreachable();
}

// "/api/v1/jobs/{id}" is about jobs; what has no tag of its own is about the server, an action about its plan, a lane about its
// queue, and a run or an execution about its agent.
std::string_view tag_of(std::string_view pattern) {
  constexpr std::string_view kRoot = "/api/v1/";
  if (!pattern.starts_with(kRoot)) return kTags.back();
  pattern.remove_prefix(kRoot.size());
  const std::string_view noun = pattern.substr(0, pattern.find('/'));
  if (noun == "actions") return "plans";
  if (noun == "lanes") return "queues";
  if (noun == "agent-runs") return "agents";
  if (noun == "tool-executions") return "tools";
  const auto found = std::find(kTags.begin(), kTags.end(), noun);
  return found == kTags.end() ? kTags.back() : *found;
}

std::string_view role_of(const Route& route) {
  if (route.access == Access::everybody || route.access == Access::probe) return "nobody";
  if (route.command == nullptr) return "read-only";
  switch (route.command->auth) {
    case command::Auth::read_only: return "read-only";
    case command::Auth::worker: return "worker";
    case command::Auth::operator_only: return "operator";
  }
  unreachable();
}

void draw_parameter(Schemas& out, const ParameterText& text) {
  out.json.begin_object();
  out.json.member("name", text.name);
  out.json.member("in", text.in);
  if (text.in == "path") out.json.member("required", true);
  if (!text.doc.empty()) out.json.member("description", text.doc);
  out.json.key("schema");
  out.json.begin_object();
  text.draw(out);
  draw_caption(out, {.name = {}, .doc = {}, .range = text.range});
  out.json.end_object();
  out.json.end_object();
}

void draw_path_parameters(Schemas& out, std::string_view pattern) {
  // These are named by what the store made of them, all others by people.
  constexpr std::array<std::string_view, 5> kByUuid{"jobs", "runs", "agent-runs", "sessions", "tool-executions"};
  constexpr std::string_view kRoot = "/api/v1/";
  const std::string_view noun =
      pattern.starts_with(kRoot) ? pattern.substr(kRoot.size(), pattern.find('/', kRoot.size()) - kRoot.size()) : "";
  const bool is_uuid = std::find(kByUuid.begin(), kByUuid.end(), noun) != kByUuid.end();
  for (std::size_t at = pattern.find('{'); at != std::string_view::npos; at = pattern.find('{', at + 1))
    draw_parameter(out, {.name = pattern.substr(at + 1, pattern.find('}', at) - at - 1),
                         .doc = {},
                         .draw = is_uuid ? draw_of<JobId> : draw_of<std::string>,
                         .range = {},
                         .in = "path"});
}

void draw_schema(Schemas& out, Draw draw) {
  out.json.key("schema");
  out.json.begin_object();
  draw(out);
  out.json.end_object();
}

void draw_list(Schemas& out, const Answer& answer) {
  out.json.member("type", "object");
  out.json.key("properties");
  out.json.begin_object();
  out.json.key(answer.list);
  out.json.begin_object();
  if (answer.each) {
    draw_each(out, answer.draw);
  } else {
    out.json.member("type", "array");
    out.json.key("items");
    out.json.begin_object();
    answer.draw(out);
    out.json.end_object();
  }
  out.json.end_object();
  out.json.end_object();
  out.json.key("required");
  out.json.begin_array();
  out.json.string(answer.list);
  out.json.end_array();
  out.json.member("additionalProperties", false);
}

void draw_content(Schemas& out, const Answer& answer) {
  out.json.key(answer.type);
  out.json.begin_object();
  out.json.key("schema");
  out.json.begin_object();
  if (answer.draw == nullptr)
    out.json.member("type", "string");
  else if (answer.list.empty())
    answer.draw(out);
  else
    draw_list(out, answer);
  out.json.end_object();
  const std::string_view own = answer.own_example == nullptr ? "" : answer.own_example();
  if (const std::string_view example = answer.example.empty() ? own : answer.example; !example.empty()) {
    out.json.key("example");
    out.json.raw(example);
  }
  out.json.end_object();
}

void draw_body(Schemas& out, const Body& body) {
  out.json.key("requestBody");
  out.json.begin_object();
  out.json.member("required", body.required);
  out.json.key("content");
  out.json.begin_object();
  out.json.key("application/json");
  out.json.begin_object();
  draw_schema(out, body.draw);
  out.json.key("example");
  out.json.raw(body.example);
  out.json.end_object();
  out.json.end_object();
  out.json.end_object();
}

// Two answers of one status are two forms of it.
void draw_answers(Schemas& out, const std::array<Answer, 2>& answers) {
  out.json.key("responses");
  out.json.begin_object();
  for (std::size_t i = 0; i < answers.size() && answers[i].status != 0; ++i) {
    const bool both = i == 0 && answers[0].status == answers[1].status;
    out.json.key(std::to_string(answers[i].status));
    out.json.begin_object();
    out.json.member("description", answers[i].doc);
    out.json.key("content");
    out.json.begin_object();
    draw_content(out, answers[i]);
    if (both) draw_content(out, answers[1]);
    out.json.end_object();
    out.json.end_object();
    if (both) break;
  }
  out.json.key("default");
  out.json.raw(R"({"$ref":"#/components/responses/Problem"})");
  out.json.end_object();
}

void draw_operation(Schemas& out, const Route& route) {
  const std::string id = id_of(route);
  const Operation& operation = operation_of(id);
  std::string method(to_string(route.method));
  std::transform(method.begin(), method.end(), method.begin(), [](unsigned char c) { return std::tolower(c); });
  out.json.key(method);
  out.json.begin_object();
  out.json.member("operationId", id);
  out.json.member("summary", route.command == nullptr ? operation.summary : route.command->summary);
  out.json.key("tags");
  out.json.begin_array();
  out.json.string(tag_of(route.pattern));
  out.json.end_array();
  out.json.member("x-role", role_of(route));
  if (role_of(route) == "nobody") {
    out.json.key("security");
    out.json.raw("[]");
  }
  out.set_sent(Sent::by_client);
  if (operation.parameters != nullptr || route.pattern.find('{') != std::string_view::npos) {
    out.json.key("parameters");
    out.json.begin_array();
    draw_path_parameters(out, route.pattern);
    if (operation.parameters != nullptr) operation.parameters(draw_parameter, out);
    out.json.end_array();
  }
  if (operation.body.draw != nullptr) draw_body(out, operation.body);
  out.set_sent(Sent::by_server);
  draw_answers(out, operation.answers);
  out.json.end_object();
}

void draw_paths(Schemas& out) {
  out.json.key("paths");
  out.json.begin_object();
  std::vector<std::string_view> drawn;
  for (const Route& first : routes()) {
    if (std::find(drawn.begin(), drawn.end(), first.pattern) != drawn.end()) continue;
    drawn.push_back(first.pattern);
    out.json.key(first.pattern);
    out.json.begin_object();
    for (const Route& route : routes())
      if (route.pattern == first.pattern) draw_operation(out, route);
    out.json.end_object();
  }
  out.json.end_object();
}

// A schema may refer to further ones, and to one that was met from the other side only: drawn again until nothing is new.
void draw_components(Schemas& out) {
  std::map<std::string, std::pair<Sent, std::string>> drawn;
  for (bool more = true; more;) {
    more = false;
    const auto named = out.named();
    for (const auto& [name, object] : named) {
      const auto found = drawn.find(name);
      if (found != drawn.end() && found->second.first == object.sent) continue;
      std::string text;
      Schemas inside(text);
      inside.set_sent(object.sent);
      inside.json.begin_object();
      object.draw(inside);
      inside.json.end_object();
      drawn.insert_or_assign(name, std::pair(object.sent, std::move(text)));
      out.add(inside);
      more = true;
    }
  }
  out.json.key("components");
  out.json.begin_object();
  out.json.key("securitySchemes");
  out.json.raw(R"({"bearer":{"type":"http","scheme":"bearer"}})");
  out.json.key("responses");
  out.json.raw(R"({"Problem":{"description":"What went wrong and what to do.","content":{"application/problem+json":{"schema":)"
               R"({"$ref":"#/components/schemas/Problem"}}}}})");
  out.json.key("schemas");
  out.json.begin_object();
  for (const auto& [name, schema] : drawn) {
    out.json.key(name);
    out.json.raw(schema.second);
  }
  out.json.key("Problem");
  out.json.raw(kProblem);
  out.json.end_object();
  out.json.end_object();
}

// %Name% is the example of that object; %id% and %at% are those of an id and a time.
std::string with_examples(std::string_view text, const std::map<std::string, Schemas::Named>& named) {
  std::string out;
  for (;;) {
    const std::size_t begin = text.find('%');
    out.append(text.substr(0, begin));
    if (begin == std::string_view::npos) return out;
    const std::size_t end = text.find('%', begin + 1);
    const std::string name(text.substr(begin + 1, end - begin - 1));
    text.remove_prefix(end + 1);
    if (name == "id") {
      out.append("\"0198a7b2-4c1d-7e3f-8a5b-6c7d8e9f0a1b\"");
    } else if (name == "at") {
      out.append("\"2026-11-15T09:00:00.000Z\"");
    } else {
      const auto found = named.find(name);
      check(found != named.end() && !found->second.example.empty(), "an example names an object that has one");
      out.append(with_examples(found->second.example, named));
    }
  }
}

std::string draw_document() {
  std::string text;
  Schemas out(text);
  out.json.begin_object();
  for (const auto& [name, value] : kHead) {
    out.json.key(name);
    out.json.raw(value);
  }
  out.json.key("tags");
  out.json.begin_array();
  for (const std::string_view tag : kTags) {
    out.json.begin_object();
    out.json.member("name", tag);
    out.json.end_object();
  }
  out.json.end_array();
  draw_paths(out);
  draw_components(out);
  out.json.end_object();
  return with_examples(text, out.named());
}

}  // namespace

const std::string& openapi_document() {
  static const std::string document = draw_document();
  return document;
}

}  // namespace muster::http
