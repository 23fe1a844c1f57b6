#include "command/job_logs.h"

#include <utility>

#include "base/base64.h"
#include "base/check.h"
#include "base/json_reader.h"
#include "command/run_guard.h"
#include "command/single.h"

namespace muster::command {
namespace {

using Json = json::Tree;

// One stream of one task: as text, or in base64 when its bytes are no text.
std::string stream_of(const Json& task, const char* name, const char* name_base64) {
  if (const std::string* text = json::text(task, name); text != nullptr) return *text;
  const std::string* coded = json::text(task, name_base64);
  return coded != nullptr ? from_base64(*coded).value_or("") : std::string();
}

// The result of a job that completed; of one that did not, what its worker left behind.
Json told(const Job& job) {
  const Content* content = job.result ? &*job.result : job.progress && job.progress->partial ? &*job.progress->partial : nullptr;
  if (content == nullptr || content->encoding != Encoding::json) return nullptr;
  return json::parse(content->data).value_or(nullptr);
}

// The streams of all tasks one after the other, or of the whole when its worker told no tasks apart. Anything else tells nothing.
JobLogs told_logs(const Job& job) {
  JobLogs logs{.job = job.id, .state = job.state, .output = {}, .errors = {}};
  const Json tree = told(job);
  const auto add = [&logs](const Json& task) {
    if (!task.is_object()) return;
    logs.output += stream_of(task, "stdout", "stdout_base64");
    logs.errors += stream_of(task, "stderr", "stderr_base64");
  };
  const Json* tasks = json::member(tree, "task_results");
  const Json& each = tasks == nullptr ? tree : *tasks;
  if (each.is_array())
    for (const Json& task : each) add(task);
  else
    add(each);
  return logs;
}

JobLogs logs_of(const Job& job, std::vector<store::KeyAnswer> streams) {
  check(streams.size() == 2, "two keys have two answers");
  JobLogs logs = told_logs(job);
  if (streams[0].kind == store::KeyAnswer::Kind::text) logs.output = std::move(streams[0].text);
  if (streams[1].kind == store::KeyAnswer::Kind::text) logs.errors = std::move(streams[1].text);
  return logs;
}

}  // namespace

std::string output_key(JobId job) { return "job:" + job.value.hex() + ":stdout"; }
std::string errors_key(JobId job) { return "job:" + job.value.hex() + ":stderr"; }

void handle(Context& context, JobLogsRequest request, Reply<JobLogsReply> reply) {
  auto found = [&engine = context.engine, caller = context.caller, reply = std::move(reply)](Result<Job> job) mutable {
    job = only_own(caller, std::move(job));
    if (!job.ok()) return reply(job.status());
    store::KeyBatch batch;
    batch.ns = job->spec.ns;
    batch.space = store::KeySpace::internal;
    batch.commands = {store::key::Get{output_key(job->id)}, store::key::Get{errors_key(job->id)}};
    engine.keys().run(std::move(batch),
                      [job = *std::move(job), reply = std::move(reply)](Result<std::vector<store::KeyAnswer>> streams) mutable {
                        if (!streams.ok()) return reply(streams.status());
                        reply(logs_of(job, *std::move(streams)));
                      });
  };
  context.engine.jobs().get({request.job}, unwrap<Job>(std::move(found)));
}

}  // namespace muster::command
