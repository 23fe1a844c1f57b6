#include "fronts/resp/views/writes.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "command/plans.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/work/work.h"

namespace muster::resp::views {
namespace {

constexpr std::size_t kKeyShownMax = 128;  // of a key in a refusal

bool holds_waiting(Kind kind) { return kind == Kind::queue || kind == Kind::scheduled; }

}  // namespace

void refuse_write(const CallRef& call, std::string_view key, Kind kind) {
  const bool cut = key.size() > kKeyShownMax;
  call->fail(
      fmt::format("'{}{}' is a view of the registry; use {}", key.substr(0, kKeyShownMax), cut ? "…" : "", command_for(kind)));
}

void set_view(const CallRef& call, const ViewKey& key) {
  if (call->size() > 3)
    return call->fail(fmt::format("'{}' is a view of the registry; SET takes no options there", call->arg(1)));
  const std::string& value = call->arg(2);
  switch (key.kind) {
    case Kind::worker_tools: return work::set_worker_tools(call, WorkerId(key.id), value);
    case Kind::worker_tags: return work::set_worker_tags(call, WorkerId(key.id), value);
    case Kind::job_status: return work::set_job_part(call, key.id, work::JobPart::status, value);
    case Kind::job_stdout: return work::set_job_part(call, key.id, work::JobPart::stdout_text, value);
    case Kind::job_stderr: return work::set_job_part(call, key.id, work::JobPart::stderr_text, value);
    default: return refuse_write(call, call->arg(1), key.kind);
  }
}

void delete_view(const CallRef& call, const ViewKey& key) {
  if (key.kind != Kind::plan) return refuse_write(call, call->arg(1), key.kind);
  if (Status status = call->core().door.admit(call->client().caller, command::kPlanDelete); !status.ok())
    return plans::refuse(call, status);
  plans::remove_plan(call, key.id, [call](Result<bool> removed) {
    if (removed.code() == Code::conflict) return call->fail(plans::kPlanInUse);
    if (!removed.ok()) return plans::refuse(call, removed.status());
    call->answer(wire::integer_reply(*removed ? 1 : 0));
  });
}

bool take_write(const CallRef& call, const ViewKey& key) {
  const std::string_view name = call->name();
  if (name == "SET") {
    set_view(call, key);
  } else if (name == "DEL" || name == "UNLINK") {
    // One at a time, so that none is deleted when another cannot be.
    if (call->size() > 2)
      call->fail(fmt::format("{} takes one view at a time", name));
    else
      delete_view(call, key);
  } else if (name == "LREM" && key.kind == Kind::processing) {
    work::remove_processing(call);
  } else if (name == "LREM" && holds_waiting(key.kind)) {
    remove_waiting(call, key);
  } else if (name == "ZREM" && key.kind == Kind::scheduled) {
    remove_waiting(call, key);
  } else if (name == "ZADD" && key.kind == Kind::scheduled) {
    schedule(call);
  } else {
    return false;
  }
  return true;
}

}  // namespace muster::resp::views
