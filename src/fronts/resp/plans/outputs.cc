#include "fronts/resp/plans/outputs.h"

#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/json_reader.h"
#include "base/time_text.h"
#include "command/jobs.h"
#include "command/keys.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/plans/json_text.h"
#include "model/plan.h"

namespace muster::resp::plans {
namespace {

using Json = json::Tree;

// The result of a job that completed; of one that failed, what its worker left behind.
const Content* told(const Job& job) {
  if (job.result) return &*job.result;
  return job.progress && job.progress->partial ? &*job.progress->partial : nullptr;
}

Json told_tree(const Job& job) {
  const Content* content = told(job);
  if (content == nullptr || content->encoding != Encoding::json) return nullptr;
  return json::parse(content->data).value_or(nullptr);
}

// The reports of the tasks stand alone or in an object around them.
Json results_in(Json tree) {
  if (tree.is_object() && tree.contains("task_results")) tree = Json(std::move(tree["task_results"]));
  return tree.is_array() ? tree : Json::array();
}

Json results(const Job& job) { return results_in(told_tree(job)); }

std::optional<std::string> stream_of(const Json& tasks, const char* name, const char* name_base64) {
  std::optional<std::string> all;
  for (const Json& task : tasks) {
    if (const std::string* text = json::text(task, name); text != nullptr)
      all = all.value_or("") + *text;
    else if (const std::string* coded = json::text(task, name_base64); coded != nullptr)
      all = all.value_or("") + from_base64(*coded).value_or("");
  }
  return all;
}

// The streams of all tasks one after the other, or of the whole when its worker told no tasks apart.
Outputs outputs_in(Json tree) {
  Json tasks = tree.is_object() && !tree.contains("task_results") ? Json::array({std::move(tree)}) : results_in(std::move(tree));
  return {.output = stream_of(tasks, "stdout", "stdout_base64"), .errors = stream_of(tasks, "stderr", "stderr_base64")};
}

std::optional<std::string> kept(store::KeyAnswer& answer) {
  if (answer.kind != store::KeyAnswer::Kind::text) return std::nullopt;
  return std::move(answer.text);
}

std::string text_or_null(const std::string* text) { return text == nullptr || text->empty() ? "null" : json_string(*text); }
std::string time_or_null(const std::optional<Instant>& at) { return at ? json_string(to_rfc3339(*at)) : "null"; }

const std::string* label(const Job& job, const char* name) {
  const auto it = job.spec.labels.find(name);
  return it == job.spec.labels.end() ? nullptr : &it->second;
}

}  // namespace

void read_outputs(const CallRef& call, const Job& job, UniqueFunction<void(Result<Outputs>)> then) {
  Outputs told = outputs_in(told_tree(job));
  store::KeyBatch batch;
  batch.ns = job.spec.ns;
  batch.space = store::KeySpace::internal;
  batch.commands = {store::key::Get{command::output_key(job.id)}, store::key::Get{command::errors_key(job.id)}};
  ask(call, command::KeysReadRequest{std::move(batch)},
      [told = std::move(told), then = std::move(then)](Result<command::KeysReply> streams) mutable {
        if (!streams.ok()) return then(streams.status());
        if (auto output = kept((*streams)[0])) told.output = std::move(output);
        if (auto errors = kept((*streams)[1])) told.errors = std::move(errors);
        then(std::move(told));
      });
}

std::string task_results(const Job& job) { return json::dump(results(job)); }

std::optional<std::int64_t> exit_code(const Job& job) {
  const Json tasks = results(job);
  for (auto task = tasks.rbegin(); task != tasks.rend(); ++task)
    if (const auto code = json::integer(*task, "exit_code")) return code;
  if (job.state == JobState::completed) return 0;
  return std::nullopt;
}

std::string status_document(const Job& job, const Outputs& outputs) {
  const JobFacts facts = facts_of(job);
  const auto code = exit_code(job);
  ObjectText out;
  out.raw("action_id", text_or_null(label(job, kLabelAction)));
  out.number("attempt", job.attempt);
  out.raw("completed_at", time_or_null(job.finished_at));
  out.text("created_at", to_rfc3339(job.created_at));
  out.raw("error", job.error ? json_string(job.error->message) : "null");
  out.raw("exit_code", code ? std::to_string(*code) : "null");
  out.text("job_id", job_name(job.id, job.spec.labels));
  out.raw("plan_id", text_or_null(label(job, kLabelPlan)));
  out.raw("started_at", time_or_null(job.started_at));
  out.text("status", facts.status);
  out.raw("stderr", outputs.errors ? json_string(*outputs.errors) : "null");
  out.raw("stdout", outputs.output ? json_string(*outputs.output) : "null");
  out.raw("task_results", task_results(job));
  out.raw("worker_id", facts.worker.empty() ? "null" : json_string(facts.worker));
  return std::move(out).take();
}

}  // namespace muster::resp::plans
