// Under which lease a call acts on its run. K0 and V1 requests need not name one; then the worker that holds the run, known by
// the connection of the call, is the only one that may (command/speaker.h, words/connections.h).
//
// What this node remembers of its own hand-outs spares the read. Memory may be old: the store then refuses its fence, and the
// call's method runs again and reads the run.
#pragma once

#include <optional>
#include <utility>

#include "base/reply.h"
#include "command/runs.h"
#include "fronts/grpc/call.h"
#include "fronts/grpc/core.h"
#include "model/job.h"

namespace muster::rpc {

struct RunLease {
  JobId run;
  Fence fence{};                       // of the current or last lease
  JobState state = JobState::running;  // of the run, when it was looked at
  bool remembered = false;             // it is known from memory, which may be old
};

// The lease a request names by `muster-fence`; nothing when it names none.
Result<store::RunRef> ref_of(const Call& call, JobId run);

// The lease under which the call may act on the run, which is read. not_found: no such run, or another kind of job. lease_lost:
// somebody else holds it. permission_denied: the caller's token is another worker's, or bound to other namespaces.
void read_lease(const CallRef& call, const store::RunRef& run, Reply<RunLease> reply);
// The same from memory; nothing: it has to be read.
std::optional<RunLease> remembered_lease(const Call& call, const store::RunRef& run);

// Calls `act(lease, reply)` under the call's lease, once. When it was remembered and is over, the call's method runs again.
template <class T, class Act>
void act_on_run(const CallRef& call, const store::RunRef& run, Act act, Reply<T> reply) {
  if (const auto known = remembered_lease(*call, run))
    return act(*known, Reply<T>([call, id = run.run, reply = std::move(reply)](Result<T>&& done) mutable {
      if (done.code() != Code::lease_lost) return reply(std::move(done));
      call->core.fences.forget(id);
      run_again(call);
    }));
  read_lease(call, run, [act = std::move(act), reply = std::move(reply)](Result<RunLease> lease) mutable {
    if (!lease.ok()) return reply(lease.status());
    act(*lease, std::move(reply));
  });
}

// A call about a step of the run it names, under the call's lease.
void take_step(const CallRef& call, store::StepCall step, Reply<store::StepAnswer> reply);

}  // namespace muster::rpc
