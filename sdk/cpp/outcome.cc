// The ways a handler can end, as values; declared in worker.h.
#include "sdk/cpp/worker.h"

namespace muster::sdk {

Outcome Outcome::completed(std::string json) { return completed_with(Content{.data = std::move(json), .binary = false}); }

Outcome Outcome::completed_with(Content result) {
  Outcome outcome;
  outcome.result = std::move(result);
  return outcome;
}

Outcome Outcome::failed(Failure error) {
  Outcome outcome;
  outcome.kind = Kind::fail;
  outcome.failure.error = std::move(error);
  return outcome;
}

Outcome Outcome::failed_for_good(Failure error) {
  Outcome outcome = failed(std::move(error));
  outcome.failure.retryable = false;
  return outcome;
}

Outcome Outcome::snoozed(Duration delay) {
  Outcome outcome;
  outcome.kind = Kind::snooze;
  outcome.delay = delay;
  return outcome;
}

Outcome Outcome::released(std::string reason) {
  Outcome outcome;
  outcome.kind = Kind::release;
  outcome.reason = std::move(reason);
  return outcome;
}

}  // namespace muster::sdk
