// What became of what the door gave away: waits whose caller left, jobs and elements that did not arrive, workers that are gone.
// None of it is a command: nobody asks for it. The wires tell it, on any thread.
#pragma once

#include <string>
#include <vector>

#include "base/reply.h"
#include "base/status.h"
#include "engine/engine.h"
#include "model/job.h"

namespace muster::command {

using engine::ClaimTicket;
using engine::KeyTicket;
using engine::RunTicket;

std::vector<LeaseRef> leases_of(const std::vector<Grant>& grants);

// Cheap to make; the engine outlives it.
class Delivery {
 public:
  explicit Delivery(engine::Engine& engine) : engine_(engine) {}

  // Nobody waits for this any more; a look for an element that is under way is still answered. A ticket whose reply was called is
  // ignored.
  void cancel(ClaimTicket ticket) { engine_.claims().cancel(ticket); }
  void cancel(KeyTicket ticket) { engine_.keys().cancel(ticket); }
  void cancel(RunTicket ticket) { engine_.runs().cancel_wait(ticket); }
  // Somebody takes what there is, and waits no longer.
  void hurry(ClaimTicket ticket) { engine_.claims().hurry(ticket); }

  // Jobs that were granted and could not be sent go back without cost.
  void hand_back(const std::vector<Grant>& grants);
  // Jobs that were granted and could not be shown to their worker, by a mistake of ours. Handed back without cost they would be
  // granted again at once, and fail again, for ever. So each spends a rescue: a mistake that passes costs the job nothing, one
  // that stays makes it dead, with `why` (of the incident: base/incident.h) as its cause.
  void failed(const std::vector<LeaseRef>& leases, const Status& why);
  // Whoever took these jobs is gone without an outcome. The attempts are lost, and the jobs may be taken again at once.
  void lost(const std::vector<LeaseRef>& leases, const std::string& why, Reply<store::Each<store::Settled>> reply);
  // An element that a pop or a move took out of a list and nobody got goes back to the end it came from.
  void put_back(const store::KeyCommand& taken_by, store::KeyAnswer answer);

  std::size_t parked_claims() const { return engine_.claims().parked(); }

 private:
  engine::Engine& engine_;
};

}  // namespace muster::command
