#include "fronts/grpc/dialect/leases.h"

#include <charconv>
#include <string>

#include <fmt/format.h>

#include "base/check.h"
#include "command/runs.h"
#include "command/speaker.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/roster.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/dialect/workers.h"

namespace muster::rpc {
namespace {

using command::ActsAs;
using command::Standing;

// Workers of one process and queue share a registration. Between two of them the connection that took the run decides.
bool is_shared(const Core& core, const WorkerId& worker) {
  const auto id = parse_uuid(worker.text());
  const auto known = id ? core.roster->find(*id) : std::nullopt;
  return known && registrations_of(*known->spec) > 1;
}

ActsAs acts_as(const Call& call, const Fences::Lease& lease) {
  if (!call.caller.worker.empty()) return call.caller.worker == lease.worker ? ActsAs::holder : ActsAs::others;
  const ActsAs whom = call.core.connections.acts_as(call.connection, lease.worker);
  const bool took_it = lease.connection.empty() || lease.connection == call.connection;
  return whom == ActsAs::holder && !took_it && is_shared(call.core, lease.worker) ? ActsAs::others : whom;
}

Standing judge(const Call& call, const store::RunRef& run, const Fences::Lease& lease) {
  return command::standing_of({.fence = run.fence, .acts_as = acts_as(call, lease)},
                              {.fence = lease.fence, .connected = call.core.connections.is_connected(lease.worker)});
}

Status lost(const store::RunRef& run, Standing standing) {
  if (run.fence)
    return Status::lease_lost(
        fmt::format("run {} is no longer leased under fence {}; stop working on it", run.run.text(), to_number(*run.fence)));
  if (standing == Standing::stranger)
    return Status::lease_lost(
        fmt::format("run {} is held by a worker on another connection; name its lease in muster-fence", run.run.text()));
  return Status::lease_lost(fmt::format("run {} is held by another worker; stop working on it", run.run.text()));
}

// Of the run as it was read. The connection by which it was handed out is known only for this very lease.
Fences::Lease lease_of(const Core& core, const Job& job) {
  Fences::Lease lease{job.fence, job.worker, {}};
  if (const auto known = core.fences.find(job.id); known && known->fence == job.fence) lease.connection = known->connection;
  return lease;
}

enum class Patience : std::uint8_t { once_more, none };

void read_and_judge(const CallRef& call, const store::RunRef& run, Patience patience, Reply<RunLease> reply) {
  find_run(call, {}, run.run, [call, run, patience, reply = std::move(reply)](Result<Job> job) mutable {
    if (!job.ok()) return reply(job.status());
    Core& core = call->core;
    const WorkerId& bound = call->caller.worker;
    if (!bound.empty() && job->worker != bound)
      return reply(Status::permission_denied(
          fmt::format("this token acts as worker \"{}\", which does not hold run {}", bound.text(), job->id.text())));
    const RunLease lease{job->id, job->fence, job->state};
    // Nobody has held it yet, or nobody can any more: the verb itself answers for that.
    if (!run.fence && (job->worker.empty() || is_finished(job->state))) return reply(lease);
    switch (const Standing standing = judge(*call, run, lease_of(core, *job)); standing) {
      case Standing::holder:
        if (job->state == JobState::running) core.fences.put(job->id, lease_of(core, *job));
        return reply(lease);
      case Standing::stand_in: return reply(lease);
      case Standing::late: return reply(lost(run, standing));
      case Standing::stranger:
        // The holder itself may have come back on a new connection, and its heartbeat or poll is on the way.
        if (patience == Patience::none) return reply(lost(run, standing));
        return core.after(core.options.compat_flags.refused_poll_hold, [call, run, reply = std::move(reply)]() mutable {
          read_and_judge(call, run, Patience::none, std::move(reply));
        });
    }
    unreachable();
  });
}

// The call as the store is to judge it. A client that names no lease may begin a step behind a process that died under the same
// lease. Of memory the store judges whether it is old; a lease that was read a moment ago may be over, which hinders nobody to
// begin a step. A run that nobody holds takes reports of its last holder, but is not parked.
store::StepCall under(const store::RunRef& run, const RunLease& lease, store::StepCall call) {
  if (run.fence) return call;
  if (auto* const begin = std::get_if<store::step::Begin>(&call)) begin->anew = true;
  const bool held = lease.state == JobState::running;
  const bool is_report = std::holds_alternative<store::step::Complete>(call) || std::holds_alternative<store::step::Fail>(call);
  const bool is_begin = std::holds_alternative<store::step::Begin>(call);
  if ((is_begin && !lease.remembered) || (is_report && !held)) {
    if (auto* const fail = std::get_if<store::step::Fail>(&call)) fail->requeue = false;
    return call;
  }
  std::visit([&](auto& one) { one.run.fence = lease.fence; }, call);
  return call;
}

// A step that began under a later lease was not this caller's to begin.
bool is_overtaken(const Result<store::StepAnswer>& answer, Fence fence) {
  return answer.ok() && answer->execute && answer->step && to_number(answer->step->fence) > to_number(fence);
}

}  // namespace

void take_step(const CallRef& call, store::StepCall step, Reply<store::StepAnswer> reply) {
  const store::RunRef run = std::visit([](const auto& one) { return one.run; }, step);
  act_on_run<store::StepAnswer>(
      call, run,
      [call, run, step = std::move(step)](const RunLease& lease, Reply<store::StepAnswer> then) mutable {
        ask(call, command::RunStepRequest{run.run, command::just(under(run, lease, std::move(step)))},
            command::unwrap<store::StepAnswer>(
                [call, run, fence = lease.fence, then = std::move(then)](Result<store::StepAnswer>&& answer) mutable {
                  if (answer.ok() && answer->parked) call->core.fences.forget(run.run);
                  if (is_overtaken(answer, fence)) return then(lost(run, Standing::late));
                  then(std::move(answer));
                }));
      },
      std::move(reply));
}

Result<store::RunRef> ref_of(const Call& call, JobId run) {
  const std::string_view text = call.metadata("muster-fence");
  if (text.empty()) return store::RunRef{run};
  std::uint64_t fence = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), fence);
  if (fault != std::errc() || end != text.data() + text.size())
    return Status::invalid_argument(fmt::format("muster-fence '{}' is not a decimal number", text.substr(0, 64)));
  return store::RunRef{run, Fence{fence}};
}

void read_lease(const CallRef& call, const store::RunRef& run, Reply<RunLease> reply) {
  read_and_judge(call, run, Patience::once_more, std::move(reply));
}

std::optional<RunLease> remembered_lease(const Call& call, const store::RunRef& run) {
  // In which namespace the run is has to be read.
  if (call.caller.namespaces || call.memory_was_old) return std::nullopt;
  const auto known = call.core.fences.find(run.run);
  if (!known) return std::nullopt;
  const Standing standing = judge(call, run, *known);
  if (standing != Standing::holder && standing != Standing::stand_in) return std::nullopt;
  return RunLease{.run = run.run, .fence = known->fence, .remembered = true};
}

}  // namespace muster::rpc
