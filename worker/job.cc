#include "worker/job.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_reader.h"

namespace muster::worker {
namespace {

using nlohmann::json;

constexpr std::size_t kJobIdMax = 256;

const json* field(const json& document, const char* name) {
  const auto found = document.find(name);
  return found == document.end() || found->is_null() ? nullptr : &*found;
}

std::string text_field(const json& document, const char* name) {
  const std::string* text = muster::json::text(document, name);
  return text != nullptr ? *text : std::string();
}

// Where a job is one task of a plan, its document holds that task under the number it has there. Alone it is the first, and no
// other task's output is at hand.
json alone(json plan) {
  const auto tasks = plan.find("tasks");
  if (tasks == plan.end() || !tasks->is_array() || tasks->size() != 1 || !tasks->front().is_object()) return plan;
  json& task = tasks->front();
  if (task.value("task_number", json()) == 1) return plan;
  task["task_number"] = 1;
  task.erase("input_from_task");
  return plan;
}

// A document of one task has no plan of its own; it becomes a plan of that task.
std::optional<json> plan_of(const json& document) {
  if (const json* plan = field(document, "plan"); plan != nullptr && plan->is_object()) return alone(*plan);
  json plan;
  plan["plan_id"] = text_field(document, "plan_id").empty() ? "plan" : text_field(document, "plan_id");
  if (const json* tasks = field(document, "tasks"); tasks != nullptr) {
    plan["tasks"] = *tasks;
    return alone(std::move(plan));
  }
  const json* command = field(document, "command");
  if (command == nullptr) return std::nullopt;
  json task{{"task_number", 1}, {"command", *command}};
  for (const char* name : {"args", "timeout_secs"})
    if (const json* value = field(document, name)) task[name] = *value;
  plan["tasks"] = json::array({std::move(task)});
  return plan;
}

std::string input_of(const json& document) {
  for (const char* name : {"input", "inputs", "env"}) {
    const json* value = field(document, name);
    if (value == nullptr) continue;
    // One job has one input, also where the dialect calls it a list.
    if (value->is_array() && value->size() == 1) return value->front().dump();
    return value->dump();
  }
  return "null";
}

Verification verification_of(const json& challenge) {
  Verification out;
  out.id = text_field(challenge, "id");
  out.tool = text_field(challenge, "tool");
  out.command = text_field(challenge, "command");
  if (const json* args = field(challenge, "args"); args != nullptr && args->is_array())
    for (const json& arg : *args)
      if (const auto* word = arg.get_ptr<const std::string*>()) out.args.push_back(*word);
  if (out.command.empty()) out.command = out.tool;
  return out;
}

}  // namespace

Result<Job> parse_job(std::string_view element) {
  const auto read = muster::json::parse_object(element);
  if (!read) return Status::invalid_argument("the element is not a JSON object");
  const json& document = *read;
  Job job;
  job.id = text_field(document, "job_id");
  if (job.id.empty()) job.id = text_field(document, "id");
  if (job.id.empty() || job.id.size() > kJobIdMax) return Status::invalid_argument("the element names no job");
  job.status = text_field(document, "status");
  if (const json* challenge = field(document, "verify"); challenge != nullptr && challenge->is_object()) {
    job.verification = verification_of(*challenge);
    return job;
  }
  const auto plan = plan_of(document);
  if (!plan) {
    job.problem = Status::invalid_argument("the job has no plan, no tasks and no command");
    return job;
  }
  auto parsed = plan::parse(plan->dump());
  if (parsed.ok())
    job.plan = std::move(*parsed);
  else
    job.problem = parsed.status();
  job.input = input_of(document);
  job.is_tool = !text_field(document, "tool").empty();
  return job;
}

Result<Verification> parse_verification(std::string_view tool, std::string_view text) {
  const auto challenge = muster::json::parse_object(text);
  if (!challenge) return Status::invalid_argument("a challenge is a JSON object with command and args");
  Verification out = verification_of(*challenge);
  if (!tool.empty()) out.tool = tool;
  if (out.command.empty()) out.command = out.tool;
  if (out.command.empty()) return Status::invalid_argument("a challenge names a tool");
  return out;
}

bool is_bare_id(std::string_view element) {
  constexpr std::string_view kPrefix = "job_";
  constexpr std::size_t kDigits = 32;
  return element.size() == kPrefix.size() + kDigits && element.starts_with(kPrefix) &&
         std::all_of(element.begin() + kPrefix.size(), element.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace muster::worker
