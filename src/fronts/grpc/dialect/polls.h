// A poll: one parked claim. The same rules for both dialects; what is asked and how it is answered is theirs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/unique_function.h"
#include "base/uuid.h"
#include "fronts/grpc/methods.h"
#include "model/job.h"

namespace muster::rpc {

struct Poll {
  ErrorDialect dialect = ErrorDialect::v1;
  std::string ns;  // encoded
  std::string task_queue;
  std::vector<std::string> types;
  bool types_are_queues = false;  // runs that wait in a queue of a type's name are taken too
  std::optional<Duration> lease;  // empty: as long as a silent worker lives
};

// Answers the call with the grant, or with none when the wait is over. A worker that may not poll is refused late
// (CompatFlags::refused_poll_hold), since its client polls again at once.
void poll(const CallRef& call, Uuid worker, Poll poll, void (*answer)(const CallRef& call, const std::optional<Grant>& grant));

}  // namespace muster::rpc
