// What the engine accepts as a request of a store verb: the bounds of model/limits.h applied to store/verbs.h.
//
// Pure rules, called by Jobs, Workers, Queues and Claims before anything reaches the store. Each answers ok, or
// invalid_argument with the thing, the value and the accepted range. Rules about the nouns themselves are model/validate.h.
#pragma once

#include "base/clock.h"
#include "base/status.h"
#include "store/verbs.h"

namespace muster::engine {

inline constexpr std::size_t kCursorBytesMax = 4 * 1024;

// Of any list.
Status validate_page(std::size_t limit, std::string_view cursor);
Status validate(const store::ClaimRequest& request);
Status validate_wait(Duration wait);
Status validate(const store::Completion& completion);
Status validate(const store::Failure& failure);
Status validate(const store::Snooze& snooze);
Status validate(const store::Release& release);
Status validate(const store::ProgressUpdate& update);
Status validate(const store::Renewal& renewal);
Status validate(const store::Cancel& cancel);
Status validate(const store::JobFilter& filter);
Status validate(const store::JobQuery& query);
// Only states that can be re-driven are named.
Status validate(const store::RedriveFilter& redrive);

Status validate(const store::Beat& beat);
Status validate(const store::Drain& drain);
Status validate(const store::Resume& resume);
Status validate(const store::Unregister& unregister);
Status validate(const store::WorkerQuery& query);

}  // namespace muster::engine
