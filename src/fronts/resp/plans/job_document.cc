#include "fronts/resp/plans/job_document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/json_reader.h"
#include "command/agent_tool_job.h"
#include "fronts/resp/plans/json_text.h"
#include "model/plan.h"

namespace muster::resp::plans {
namespace {

using Json = json::Tree;

std::int64_t seconds(Instant at) { return std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count(); }

const std::string* label(const Labels& labels, const char* name) {
  const auto it = labels.find(name);
  return it == labels.end() ? nullptr : &it->second;
}

std::optional<std::size_t> number(const std::string* text) {
  std::size_t value = 0;
  if (text == nullptr) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return value;
}

// What the original calls a task's tags: which kind of worker it is for.
std::string_view tags_of(std::string_view command) {
  const bool gpu = command.find("ocr") != std::string_view::npos || command.find("gpu") != std::string_view::npos;
  return gpu ? R"(["gpu"])" : R"(["cpu"])";
}

std::string input_of(const Content& payload) {
  return payload.encoding == Encoding::json && !payload.data.empty() ? payload.data : json_string(payload.data);
}

// The element its client pushed, with what is known about the job. A worker's parser reads its own fields as they were sent.
std::string element_document(const JobFacts& facts, Json element) {
  const std::string name = job_name(facts.id, facts.labels);
  element["job_id"] = name;
  if (!element.contains("id")) element["id"] = name;
  element["status"] = facts.status;
  element["attempt"] = facts.attempt;
  if (facts.created_at && !element.contains("created_at")) element["created_at"] = seconds(*facts.created_at);
  if (facts.started_at) element["started_at"] = seconds(*facts.started_at);
  if (facts.finished_at) element["completed_at"] = seconds(*facts.finished_at);
  if (!facts.worker.empty()) element["worker_id"] = facts.worker;
  if (facts.error != nullptr) element["error"] = facts.error->message;
  return json::dump(element);
}

// Fields that the document of an element adds; one that its client used itself must not stand there twice, however it spelled it.
constexpr std::array<std::string_view, 5> kAdded{R"("job_id")", R"("id")", R"("status")", R"("attempt")", R"("worker_id")"};

bool may_name_one_of_ours(std::string_view element) {
  if (element.find("\\u") != std::string_view::npos) return true;
  for (std::size_t at = element.find('"'); at != std::string_view::npos; at = element.find('"', at + 1)) {
    const std::string_view rest = element.substr(at);
    for (const std::string_view field : kAdded)
      if (rest.size() > 1 && rest[1] == field[1] && rest.starts_with(field)) return true;
  }
  return false;
}

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::size_t kAddedBytes = 96;  // about: their names, the status, the attempt

// The same without reading the element, for the usual one that has just been taken: our fields go in front of its own. Empty: it
// has to be read after all. REQUIRES: valid JSON.
std::string taken_document(const JobFacts& facts) {
  const std::string& element = facts.payload.data;
  if (facts.created_at || facts.started_at || facts.finished_at || facts.error != nullptr) return {};
  const std::size_t open = element.find_first_not_of(kBlank);
  if (open == std::string::npos || element[open] != '{' || may_name_one_of_ours(element)) return {};
  const std::size_t first = element.find_first_not_of(kBlank, open + 1);
  if (first == std::string::npos) return {};
  const std::string name = json_string(job_name(facts.id, facts.labels));
  std::string out;
  out.reserve(element.size() + 2 * name.size() + facts.worker.size() + kAddedBytes);
  out.append(R"({"attempt":)").append(fmt::format_int(facts.attempt).c_str());
  out.append(R"(,"id":)").append(name).append(R"(,"job_id":)").append(name);
  out.append(R"(,"status":")").append(facts.status).append(1, '"');
  if (!facts.worker.empty()) {
    out.append(R"(,"worker_id":)");
    append_json_string(out, facts.worker);
  }
  if (element[first] != '}') out += ',';
  return out.append(element, first);
}

// Which part of the plan the job runs.
struct Part {
  const StoredPlan* plan = nullptr;
  std::size_t first = 0;  // the task whose command stands at the top of the document
  bool alone = false;
};

Part part_of(const JobFacts& facts, const StoredPlan* plan) {
  if (plan == nullptr || plan->document.tasks.empty()) return {};
  const auto task = number(label(facts.labels, kLabelTask));
  if (!task || *task < 1 || *task > plan->document.tasks.size()) return {.plan = plan};
  return {.plan = plan, .first = *task - 1, .alone = true};
}

std::string plan_json(const Part& part) {
  if (!part.alone) return part.plan->json;
  ObjectText out;
  if (!part.plan->description.empty()) out.raw("plan_description", part.plan->description);
  out.text("plan_id", part.plan->document.id);
  out.raw("tasks", '[' + part.plan->task[part.first] + ']');
  return std::move(out).take();
}

// The one task of a tool execution: a program that reads the input, too, from its standard input.
std::string tool_task(const command::ToolProgram& program) {
  ObjectText out;
  out.raw("args", string_array(program.arguments));
  out.text("command", program.tool);
  out.number("task_number", 1);
  if (program.timeout_secs) out.number("timeout_secs", *program.timeout_secs);
  return std::move(out).take();
}

}  // namespace

std::string job_name(JobId id) { return std::string("job_").append(id.value.hex()); }

std::string job_name(JobId id, const Labels& labels) {
  const std::string* own = label(labels, kLabelJob);
  return own != nullptr ? *own : job_name(id);
}

bool is_engine_error(std::string_view kind) {
  constexpr std::array<std::string_view, 5> kOwn{kErrorTimeout, kErrorWorkerLost, kErrorRescueFailed, kErrorExpired,
                                                 kErrorDependency};
  return std::find(kOwn.begin(), kOwn.end(), kind) != kOwn.end();
}

std::string_view status_word(JobState state, const std::optional<JobError>& error) {
  switch (state) {
    case JobState::scheduled: return error ? "failed" : "pending";
    case JobState::ready: return "pending";
    case JobState::running: return "running";
    case JobState::completed: return "completed";
    case JobState::dead: return error && is_engine_error(error->kind) ? "dead" : "failed";
    case JobState::cancelled: return "cancelled";
  }
  return "pending";
}

std::string_view status_word(const Job& job) { return status_word(job.state, job.error); }

std::string plan_of(const Labels& labels) {
  const std::string* plan = label(labels, kLabelPlan);
  return plan != nullptr ? *plan : std::string();
}

JobFacts facts_of(const Job& job) {
  const bool held = job.state != JobState::ready && job.state != JobState::scheduled;
  return {.id = job.id,
          .type = job.spec.type.text(),
          .labels = job.spec.labels,
          .payload = job.spec.payload,
          .status = status_word(job),
          .attempt = job.attempt,
          .worker = held ? std::string_view(job.worker.text()) : std::string_view(),
          .created_at = job.created_at,
          .started_at = job.started_at,
          .finished_at = job.finished_at,
          .error = job.error ? &*job.error : nullptr};
}

JobFacts facts_of(const Grant& grant, std::string_view worker) {
  return {.id = grant.id,
          .type = grant.type.text(),
          .labels = grant.labels,
          .payload = grant.payload,
          .status = "running",
          .attempt = grant.attempt,
          .worker = worker};
}

std::string job_document(const JobFacts& facts, const StoredPlan* plan) {
  if (facts.type == kTypeElement && facts.payload.encoding == Encoding::json)
    if (std::string taken = taken_document(facts); !taken.empty()) return taken;
  if (facts.type == kTypeElement && facts.payload.encoding == Encoding::json)
    if (auto element = json::parse_object(facts.payload.data)) return element_document(facts, *std::move(element));

  const Part part = part_of(facts, plan);
  const auto program = part.plan == nullptr ? command::tool_program(facts.type, facts.labels) : std::nullopt;
  const std::string name = job_name(facts.id, facts.labels);
  const std::string input = input_of(facts.payload);
  const std::string* action = label(facts.labels, kLabelAction);
  const std::string* plan_id = label(facts.labels, kLabelPlan);
  const auto place = number(label(facts.labels, kLabelInput));

  ObjectText out;
  if (action != nullptr) out.text("action_id", *action);
  if (part.plan != nullptr) out.raw("args", part.plan->arguments[part.first]);
  if (program) out.raw("args", string_array(program->arguments));
  out.number("attempt", facts.attempt);
  if (part.plan != nullptr) out.raw("command", part.plan->commands[part.first]);
  if (program) out.text("command", program->tool);
  if (facts.finished_at) out.number("completed_at", seconds(*facts.finished_at));
  if (facts.created_at) out.number("created_at", seconds(*facts.created_at));
  out.raw("env", input);
  if (facts.error != nullptr) out.text("error", facts.error->message);
  out.text("id", name);
  out.raw("input", input);
  if (place) out.number("input_index", static_cast<std::int64_t>(*place));
  out.raw("inputs", input);
  out.text("job_id", name);
  if (part.plan != nullptr) out.raw("plan", plan_json(part));
  if (part.plan != nullptr && !part.plan->description.empty()) out.raw("plan_description", part.plan->description);
  if (plan_id != nullptr) out.text("plan_id", *plan_id);
  if (facts.started_at) out.number("started_at", seconds(*facts.started_at));
  out.text("status", facts.status);
  if (part.plan != nullptr) {
    out.raw("tags", tags_of(part.plan->document.tasks[part.first].command));
    out.number("task_number", static_cast<std::int64_t>(part.first + 1));
    out.raw("tasks", part.alone ? '[' + part.plan->task[part.first] + ']' : part.plan->tasks);
  }
  if (program) {
    out.raw("tags", tags_of(program->tool));
    out.number("task_number", 1);
    out.raw("tasks", '[' + tool_task(*program) + ']');
    out.text("tool", program->tool);
  }
  if (!facts.worker.empty()) out.text("worker_id", facts.worker);
  return std::move(out).take();
}

}  // namespace muster::resp::plans
