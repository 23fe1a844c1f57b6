// A lane: the jobs of one queue that need the same things. Claiming looks at the heads of the lanes a worker may serve.
//
// `needs` holds everything the match depends on: capabilities, the selector's labels, and a worker's name while a job is
// bound to it. The type is part of a lane so that a per-type cap closes whole lanes instead of hiding inside one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/capability.h"
#include "model/ids.h"
#include "model/job.h"

namespace muster {

struct Lane {
  NamespaceName ns;
  QueueName queue;
  JobType type;
  CapabilitySet needs;
  friend auto operator<=>(const Lane&, const Lane&) = default;
};

// Immutable once made; the store and everybody it told about the lane share it.
using LaneRef = std::shared_ptr<const Lane>;

// What a job is to those that run it: it says so by needing the capability of its own type.
enum class JobKind : std::uint8_t {
  any,
  run,   // `workflow:<type>`: a durable workflow
  node,  // `node:<type>`: a task of AstraFlow's workers
};

// What a claim may take: one worker's offer, or a narrower one for a single claim.
struct Offer {
  NamespaceName ns;
  std::vector<QueueName> queues;  // sorted; empty: every queue
  CapabilitySet capabilities;
  JobKind takes = JobKind::any;  // its client knows no other jobs, whatever they need
  friend auto operator<=>(const Offer&, const Offer&) = default;
};

// Is this a lane of the kind that the offer takes?
bool takes_kind(const Offer& offer, const Lane& lane);

// Rule 3: only the able are asked.
bool may_serve(const Offer& offer, const Lane& lane);

// What a job needs of a worker before affinity: its capabilities and its selector's labels.
CapabilitySet plain_needs(const JobSpec& spec);

}  // namespace muster
