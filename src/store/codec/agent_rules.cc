#include "store/codec/agent_rules.h"

#include <set>

#include <fmt/format.h>

namespace muster::store {
namespace {

Status timeless(std::string_view noun, const std::string& id, std::string_view state, bool has_time) {
  return Status::invalid_argument(fmt::format("{} {} is {} and has {}; only a final state has the time of its end", noun, id,
                                              state, has_time ? "an end" : "none"));
}

template <class Id>
bool first_seen(std::set<Id>& seen, const Id& id) {
  return seen.insert(id).second;
}

}  // namespace

Status check_start(const AgentRunStart& start) {
  const AgentRun& run = start.run;
  if (is_final(run.state) || run.finalized_at)
    return Status::invalid_argument(fmt::format("a run begins unfinished, not {}", to_string(run.state)));
  if ((run.depth == 0) != !run.parent)
    return Status::invalid_argument(
        fmt::format("a run of depth {} {}; depth 0 is that of a run without a parent, and of no other", run.depth,
                    run.parent ? "has a parent" : "has no parent"));
  return {};
}

Status check_write(const AgentRunWrite& write) {
  const AgentRun& run = write.run;
  if (is_final(run.state) != run.finalized_at.has_value())
    return timeless("run", run.id.text(), to_string(run.state), run.finalized_at.has_value());
  std::set<ToolExecutionId> executions;
  for (const ExecutionWrite& one : write.executions) {
    const ToolExecution& execution = one.execution;
    if (is_final(execution.state) != execution.completed_at.has_value())
      return timeless("execution", execution.id.text(), to_string(execution.state), execution.completed_at.has_value());
    if (one.job && one.child)
      return Status::invalid_argument(
          fmt::format("execution {} has a job and a child; it takes one of them", execution.id.text()));
    if (!first_seen(executions, execution.id))
      return Status::invalid_argument(fmt::format("execution {} is written twice at once", execution.id.text()));
    if (!one.child) continue;
    if (Status status = check_start(*one.child); !status.ok()) return status;
    // A root run would wait for the one that waits for it.
    if (one.child->run.parent != run.id)
      return Status::invalid_argument(fmt::format("the child of execution {} is not one of its run", execution.id.text()));
  }
  std::set<MessageId> messages;
  for (const AgentMessage& one : write.messages)
    if (!first_seen(messages, one.id))
      return Status::already_exists(fmt::format("message {} is given twice at once", one.id.text()));
  std::set<Uuid> blobs;
  for (const Blob& one : write.blobs)
    if (!first_seen(blobs, one.id)) return Status::already_exists(fmt::format("blob {} is given twice at once", one.id.text()));
  return {};
}

bool only_pays(const AgentRun& ended, const AgentRunWrite& write) {
  AgentRun run = write.run;
  run.usage = ended.usage;
  run.microdollars = ended.microdollars;
  run.revision = ended.revision;
  return run == ended && !write.iteration && write.messages.empty() && write.executions.empty() && write.blobs.empty();
}

Status part_failed(bool begun, const Status& why) {
  const bool nothing_written = why.code() == Code::unavailable || why.code() == Code::exhausted;
  return begun && nothing_written ? Status::outcome_unknown(why.message()) : why;
}

Status check_compaction(const Compaction& compaction) {
  std::set<MessageId> archived, replacements;
  for (const MessageId& id : compaction.archived)
    if (!first_seen(archived, id))
      return Status::invalid_argument(fmt::format("message {} is archived twice at once", id.text()));
  std::set<std::uint64_t> places;
  for (const AgentMessage& one : compaction.replacements)
    if (!first_seen(places, one.number) || !first_seen(replacements, one.id))
      return Status::invalid_argument(
          fmt::format("two messages replace number {}, or are one; each has a place of its own", one.number));
  return {};
}

}  // namespace muster::store
