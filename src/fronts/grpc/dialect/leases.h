// Under which lease a call acts on its run. K0 and V1 requests need not name one; then the worker that holds the run, known by
// the connection of the call, is the only one that may (command/speaker.h, words/connections.h).
//
// What this node remembers of its own hand-outs spares the read. Memory may be old: the store then refuses its fence, the run is
// read and the call judged again.
#pragma once

#include <functional>
#include <memory>
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
};

// The lease a request names by `muster-fence`; nothing when it names none.
Result<store::RunRef> ref_of(const Call& call, JobId run);

// The lease under which the call may act on the run, which is read. not_found: no such run, or another kind of job. lease_lost:
// somebody else holds it. permission_denied: the caller's token is another worker's, or bound to other namespaces.
void read_lease(const CallRef& call, const store::RunRef& run, Reply<RunLease> reply);
// The same from memory; nothing: it has to be read.
std::optional<RunLease> remembered_lease(const Call& call, const store::RunRef& run);

// Makes `act` happen under the call's lease, and once more under what was read when memory was old.
template <class T>
void act_on_run(const CallRef& call, const store::RunRef& run, std::function<void(const RunLease&, Reply<T>)> act,
                Reply<T> reply) {
  const auto known = remembered_lease(*call, run);
  auto shared = std::make_shared<Reply<T>>(std::move(reply));  // by whichever of the two tries answers
  const auto read_and_act = [call, run, act, shared] {
    read_lease(call, run, [act, shared](Result<RunLease> lease) {
      if (!lease.ok()) return (*shared)(lease.status());
      act(*lease, std::move(*shared));
    });
  };
  if (!known) return read_and_act();
  act(*known, [call, run, read_and_act, shared](Result<T> done) {
    if (done.code() != Code::lease_lost) return (*shared)(std::move(done));
    call->core.fences.forget(run.run);
    read_and_act();
  });
}

// A call about a step of the run it names, under the call's lease.
void take_step(const CallRef& call, store::StepCall step, Reply<store::StepAnswer> reply);

}  // namespace muster::rpc
