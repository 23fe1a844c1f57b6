#include "agents/jobs.h"

#include <algorithm>
#include <cmath>

#include "base/utf8.h"
#include "command/agent_tool_job.h"
#include "model/limits.h"

namespace muster::agents {
namespace {

using json::Tree;

// attempt⁴ seconds: 1, 16, 81, … A policy multiplies, so the first two are exact and the last is the cap.
RetryPolicy retry_of(const ToolSpec& tool) {
  RetryPolicy retry;
  retry.attempts_max = tool.attempts_max;
  retry.non_retryable = {kToolCancel, kToolDiscard};
  retry.jitter = tool.retry_jitter;
  retry.backoff_base = Duration(0);
  retry.backoff_max = Duration(0);
  if (tool.retry_jitter <= 0) return retry;
  const double last = std::pow(std::max<double>(tool.attempts_max, 2) - 1, 4) * 1'000;
  retry.backoff_base = std::chrono::seconds(1);
  retry.backoff_factor = 16;
  retry.backoff_max = Duration(static_cast<std::int64_t>(std::min(last, static_cast<double>(limits::kBackoffMax.count()))));
  return retry;
}

bool fits_label(const std::string& key, const std::string& value) {
  const auto printable = [](const std::string& text) {
    return std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }) && is_utf8(text);
  };
  return key.size() <= limits::kLabelBytesMax && value.size() <= limits::kLabelBytesMax && printable(key) && printable(value) &&
         key.find_first_of("= ") == std::string::npos;
}

void add_variables(Labels& labels, const Tree& variables) {
  for (const auto& [name, value] : variables.items()) {
    if (value.is_structured() || labels.size() >= limits::kLabelsMax) continue;
    const std::string key = kLabelVariable + name;
    const std::string text = value.is_string() ? value.get_ref<const std::string&>() : json::dump(value);
    if (!fits_label(key, text)) continue;
    labels[key] = text;
  }
}

}  // namespace

Tree variables_of(const std::string& session, const std::string& run) {
  Tree out = json::parse_object(session).value_or(Tree::object());
  const Tree over = json::parse_object(run).value_or(Tree::object());
  out.update(over);
  return out;
}

JobSpec run_job(const AgentRun& run) {
  JobSpec job;
  job.ns = run.ns;
  job.queue = QueueName(kAgentQueue);
  job.type = JobType(kRunType);
  job.payload.data = json::dump({{"agent", run.agent.text()}, {"mode", to_string(run.mode)}, {"session", run.session.text()}});
  job.needs = CapabilitySet({kRuntimeCapability});
  job.labels = {{kLabelSession, run.session.text()}};
  job.on_dependency_failure = OnDependencyFailure::run;
  job.run = RunSpec();
  if (run.parent && run.parent_execution) {
    job.run->parent = RunParent{.run = *run.parent, .step = run.parent_execution->text()};
    job.labels[kLabelRun] = run.parent->text();
  }
  return job;
}

JobSpec tool_trial(const Tool& tool, std::string input) {
  JobSpec job;
  job.ns = tool.spec.ns;
  job.queue = tool.spec.queue;
  job.type = JobType(tool.spec.name.text());
  job.payload.data = std::move(input);
  job.needs =
      CapabilitySet(tool.spec.needs.empty() ? std::vector<std::string>{"tool:" + tool.spec.name.text()} : tool.spec.needs);
  // Kagzi's workers take nothing but runs.
  const auto is_workflow = [](const std::string& need) { return need.starts_with(workflow_capability("")); };
  if (std::any_of(tool.spec.needs.begin(), tool.spec.needs.end(), is_workflow)) job.run = RunSpec();
  job.labels = command::tool_labels(tool.spec);
  job.timeout = tool.spec.timeout;
  job.retry = retry_of(tool.spec);
  if (tool.spec.concurrency > 0)
    job.concurrency = ConcurrencyKey{.key = "tool:" + tool.spec.name.text(), .limit = tool.spec.concurrency};
  return job;
}

JobSpec tool_job(const AgentRun& run, const std::string& session_variables, const Tool& tool, const ToolExecution& execution) {
  JobSpec job = tool_trial(tool, execution.input);
  job.labels.merge(
      Labels{{kLabelRun, run.id.text()}, {kLabelSession, run.session.text()}, {kLabelExecution, execution.id.text()}});
  add_variables(job.labels, variables_of(session_variables, run.variables));
  return job;
}

JobSpec batch_job(const NamespaceName& ns, const BatchTask& task, Duration first_poll, const std::string& adopts) {
  Tree members = Tree::array();
  for (const BatchMember& member : task.members) members.push_back({member.run.value.hex(), member.iteration.value.hex()});
  JobSpec job;
  job.ns = ns;
  job.queue = QueueName(kAgentQueue);
  job.type = JobType(kBatchType);
  job.payload.data = json::dump({{"batch", task.batch_id}, {"members", std::move(members)}});
  job.needs = CapabilitySet({kRuntimeCapability});
  job.unique = UniqueKey{.key = "agent.batch:" + task.batch_id + adopts, .during = UniqueWhile::unfinished};
  job.delay = first_poll;
  job.run = RunSpec();  // so that it can be woken
  // A poll that fails is a poll that is made again: the batch itself says when it is over.
  job.retry.attempts_max = limits::kAttemptsMax;
  job.rescues_max = limits::kRescuesMax;
  return job;
}

std::optional<BatchTask> read_batch_task(const Content& payload) {
  const auto tree = json::parse_object(payload.data);
  if (!tree) return std::nullopt;
  const std::string* const batch = json::text(*tree, "batch");
  const Tree* const members = json::array(*tree, "members");
  if (batch == nullptr || members == nullptr) return std::nullopt;
  BatchTask task{.batch_id = *batch, .members = {}};
  for (const Tree& member : *members) {
    if (!json::holds<std::vector<std::string>>(member) || member.size() != 2) return std::nullopt;
    const auto run = JobId::parse(member[0].get_ref<const std::string&>());
    const auto iteration = IterationId::parse(member[1].get_ref<const std::string&>());
    if (!run || !iteration) return std::nullopt;
    task.members.push_back({*run, *iteration});
  }
  return task;
}

}  // namespace muster::agents
