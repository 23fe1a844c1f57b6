#include "agents/tool_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "agents/claude/api.h"
#include "agents/jobs.h"
#include "model/validate.h"
#include "schema/schema.h"

namespace muster::agents {
namespace {

using json::Tree;

std::string names_of(const ToolSet& set) {
  std::string out;
  const auto add = [&out](const std::string& name) { out += out.empty() ? name : ", " + name; };
  for (const Tool& tool : set.tools) add(tool.spec.name.text());
  for (const Delegate& delegate : set.delegates) add(delegate.name);
  return out.empty() ? "none" : out;
}

store::ExecutionWrite call_delegate(const CallingRun& caller, const Delegate& delegate, ToolExecution execution, Instant now) {
  execution.agent = delegate.agent.id;
  const auto input = json::parse_object(execution.input);
  const std::string* const task = input ? json::text(*input, "task") : nullptr;
  if (task == nullptr || task->empty()) {
    refuse(execution, "The input is wrong: task: a text that is not empty is required.", now);
  } else if (std::find(caller.lineage.begin(), caller.lineage.end(), delegate.agent.id) != caller.lineage.end()) {
    refuse(execution, fmt::format("Agent '{}' is at work above this call already and cannot be called again.", delegate.name),
           now);
  } else if (caller.run.depth + 1 > kDelegateDepthMax) {
    refuse(execution, fmt::format("Agents call each other {} deep already, which is the most there may be.", kDelegateDepthMax),
           now);
  } else {
    AgentRun run;
    run.ns = caller.run.ns;
    run.session = caller.run.session;
    run.agent = delegate.agent.id;
    run.mode = caller.run.mode;
    run.parent = caller.run.id;
    run.parent_execution = execution.id;
    run.depth = caller.run.depth + 1;
    run.prompt = *task;
    run.created_by = caller.run.created_by;
    run.variables = caller.run.variables;
    execution.state = ToolExecutionState::running;
    execution.started_at = now;
    JobSpec job = run_job(run);
    return {.execution = std::move(execution),
            .job = {},
            .child = store::AgentRunStart{.run = std::move(run), .job = std::move(job)}};
  }
  return {.execution = std::move(execution)};
}

}  // namespace

std::vector<ToolUse> tool_uses(Tree& blocks) {
  std::vector<ToolUse> uses;
  std::set<std::string> ids;
  if (!blocks.is_array()) return uses;
  for (Tree& block : blocks) {
    const std::string* const type = json::text(block, "type");
    if (type == nullptr || *type != "tool_use") continue;
    const std::string* const id = json::text(block, "id");
    const std::string* const name = json::text(block, "name");
    std::string own = id == nullptr || id->empty() ? "toolu" : *id;
    for (std::size_t n = 2; !ids.insert(own).second; ++n) own = fmt::format("{}_{}", id == nullptr ? "toolu" : *id, n);
    const Tree* const input = json::member(block, "input");
    uses.push_back({.id = own, .name = name == nullptr ? "" : *name, .input = input == nullptr ? "{}" : json::dump(*input)});
    if (id == nullptr || own != *id) block["id"] = own;
  }
  return uses;
}

void refuse(ToolExecution& execution, std::string why, Instant now) {
  execution.state = ToolExecutionState::failed;
  execution.is_error = true;
  execution.output = why;
  execution.error_message = std::move(why);
  execution.completed_at = now;
}

Status check_input(const ToolSpec& tool, const std::string& input) {
  const auto value = json::parse(input);
  if (!value) return Status::invalid_argument("it is not JSON");
  const std::string* const broken = json::text(*value, claude::kInvalidInputMember);
  if (broken != nullptr && value->size() == 1) return Status::invalid_argument("it is not whole JSON");
  const auto document = json::parse(tool.input_schema);
  if (!document) return Status::invalid_argument(fmt::format("the schema of tool '{}' is not JSON", tool.name.text()));
  const auto schema = schema::Schema::compile(*document);
  if (!schema.ok()) return schema.status().annotate(fmt::format("the schema of tool '{}'", tool.name.text()));
  std::string faults;
  std::size_t count = 0;
  for (const schema::Fault& fault : schema->faults(*value)) {
    if (++count > kFaultsShownMax) break;
    faults += fmt::format("{}{}: {}", faults.empty() ? "" : "; ", fault.instance.empty() ? "/" : fault.instance, fault.message);
  }
  return faults.empty() ? Status() : Status::invalid_argument(std::move(faults));
}

store::ExecutionWrite give_to_worker(const CallingRun& caller, const Tool& tool, ToolExecution execution, Instant now) {
  JobSpec job = tool_job(caller.run, caller.session.variables, tool, execution);
  if (const Status fits = validate(job); !fits.ok()) {
    refuse(execution, fmt::format("The call cannot be carried out: {}.", fits.message()), now);
    return {.execution = std::move(execution)};
  }
  execution.scheduled_at = now;
  return {.execution = std::move(execution), .job = std::move(job)};
}

store::ExecutionWrite judge_call(const CallingRun& caller, const ToolSet& set, const ToolUse& use, ToolExecution execution,
                                 Instant now) {
  execution.tool_use_id = use.id;
  execution.tool = ToolName(use.name.empty() ? std::string("?") : use.name.substr(0, limits::kToolNameMax));
  execution.input = use.input;
  execution.created_at = now;
  if (execution.place >= kCallsPerAnswerMax) {
    refuse(execution, fmt::format("More than {} calls in one answer.", kCallsPerAnswerMax), now);
    return {.execution = std::move(execution)};
  }
  const Tool* const tool = find_tool(set, use.name);
  if (tool == nullptr) {
    if (const Delegate* const delegate = find_delegate(set, use.name))
      return call_delegate(caller, *delegate, std::move(execution), now);
    refuse(execution, fmt::format("There is no tool named '{}'. Tools: {}.", use.name, names_of(set)), now);
    return {.execution = std::move(execution)};
  }
  execution.attempts_max = tool->spec.attempts_max;
  if (const Status valid = check_input(tool->spec, use.input); !valid.ok()) {
    refuse(execution, fmt::format("The input is wrong: {}.", valid.message()), now);
    return {.execution = std::move(execution)};
  }
  if (tool->spec.approval == ToolApproval::ask) {
    execution.approval = ApprovalState::asked;
    return {.execution = std::move(execution)};
  }
  return give_to_worker(caller, *tool, std::move(execution), now);
}

}  // namespace muster::agents
