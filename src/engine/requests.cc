#include "engine/requests.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "model/limits.h"
#include "model/validate.h"

namespace muster::engine {
namespace {

constexpr DurationRange kDelays{.least = Duration(0), .most = limits::kDelayMax};
constexpr DurationRange kLeases{.least = limits::kLeaseMin, .most = limits::kLeaseMax};

Status validate_reason(std::string_view text) {
  return validate_text("reason", text, {.bytes_max = limits::kErrorBytesMax, .one_line = false});
}

// A filter's name: empty means any.
Status validate_name_if_any(std::string_view what, std::string_view text) {
  return text.empty() ? Status() : validate_name(what, text);
}

Status validate_worker(const NamespaceName& ns, const WorkerId& worker) {
  if (Status status = validate_name("namespace", ns.text()); !status.ok()) return status;
  return validate_name("worker", worker.text());
}

}  // namespace

Status validate_page(std::size_t limit, std::string_view cursor) {
  if (Status status = validate_count("limit", limit, {.least = 1, .most = limits::kPageMax}); !status.ok()) return status;
  return validate_text("cursor", cursor, {.bytes_max = kCursorBytesMax});
}

Status validate(const store::ClaimRequest& request) {
  if (Status status = validate_worker(request.ns, request.worker); !status.ok()) return status;
  if (Status status = validate_count("limit", request.limit, {.least = 1, .most = limits::kClaimBatchMax}); !status.ok())
    return status;
  if (Status status = validate_count("number of queues", request.queues.size(), {.least = 0, .most = limits::kQueuesPerClaimMax});
      !status.ok())
    return status;
  for (const QueueName& queue : request.queues)
    if (Status status = validate_name("queue", queue.text()); !status.ok()) return status;
  if (request.narrow) {
    // A worker's whole offer may be named: what it said, two capabilities for each label, and its own name.
    constexpr std::size_t kNarrowMax = limits::kCapabilitiesMax + 2 * limits::kLabelsMax + 1;
    if (Status status =
            validate_count("number of capabilities in narrow", request.narrow->names().size(), {.least = 0, .most = kNarrowMax});
        !status.ok())
      return status;
    for (const std::string& name : request.narrow->names())
      if (Status status = validate_capability(name); !status.ok()) return status.annotate("narrow");
  }
  if (request.lease_ttl) return validate_duration("lease", *request.lease_ttl, kLeases);
  return {};
}

Status validate_wait(Duration wait) {
  return validate_duration("wait", wait, {.least = Duration(0), .most = limits::kClaimWaitMax});
}

Status validate(const store::Completion& completion) {
  return completion.result ? validate_content("result", *completion.result, limits::kResultBytesMax) : Status();
}

Status validate(const store::Failure& failure) {
  if (Status status = muster::validate(failure.error); !status.ok()) return status;
  return failure.delay ? validate_duration("delay", *failure.delay, kDelays) : Status();
}

Status validate(const store::Snooze& snooze) { return validate_duration("delay", snooze.delay, kDelays); }

Status validate(const store::Release& release) { return validate_reason(release.reason); }

Status validate(const store::ProgressUpdate& update) {
  // A comparison with NaN is false, so NaN is refused too.
  if (!(update.fraction >= 0 && update.fraction <= 1))
    return Status::invalid_argument(fmt::format("fraction is {}; 0 to 1 is accepted", update.fraction));
  if (Status status = validate_text("message", update.message, {.bytes_max = limits::kErrorBytesMax, .one_line = false});
      !status.ok())
    return status;
  return update.partial ? validate_content("partial result", *update.partial, limits::kPartialBytesMax) : Status();
}

Status validate(const store::Renewal& renewal) {
  return renewal.ttl ? validate_duration("lease", *renewal.ttl, kLeases) : Status();
}

Status validate(const store::Cancel& cancel) { return validate_reason(cancel.reason); }

Status validate(const store::JobFilter& filter) {
  if (Status status = validate_name_if_any("namespace", filter.ns.text()); !status.ok()) return status;
  if (Status status = validate_name_if_any("queue", filter.queue.text()); !status.ok()) return status;
  if (Status status = validate_name_if_any("type", filter.type.text()); !status.ok()) return status;
  if (Status status = validate_name_if_any("worker", filter.worker.text()); !status.ok()) return status;
  if (Status status = validate_labels("labels", filter.labels); !status.ok()) return status;
  return validate_text("error_kind", filter.error_kind, {.bytes_max = limits::kNameBytesMax});
}

Status validate(const store::JobQuery& query) {
  if (Status status = validate(query.filter); !status.ok()) return status;
  return validate_page(query.limit, query.cursor);
}

Status validate(const store::RedriveFilter& redrive) {
  if (Status status = validate(redrive.filter); !status.ok()) return status;
  for (const JobState state : redrive.filter.states)
    if (!next(state, JobEvent::redriven))
      return Status::invalid_argument(
          fmt::format("state '{}' cannot be re-driven; dead and cancelled are accepted", to_string(state)));
  return validate_count("limit", redrive.limit, {.least = 1, .most = limits::kRedriveBatchMax});
}

Status validate(const store::Beat& beat) {
  if (Status status = validate_worker(beat.ns, beat.worker); !status.ok()) return status;
  if (Status status = validate_text("stats", beat.stats, {.bytes_max = limits::kMetadataBytesMax, .one_line = false});
      !status.ok())
    return status;
  return validate_count("number of held leases", beat.held.size(), {.least = 0, .most = limits::kSettleBatchMax});
}

Status validate(const store::Drain& drain) {
  if (Status status = validate_worker(drain.ns, drain.worker); !status.ok()) return status;
  if (Status status = validate_duration("deadline", drain.deadline, {.least = Duration(0), .most = limits::kDrainDeadlineMax});
      !status.ok())
    return status;
  return validate_reason(drain.reason);
}

Status validate(const store::Resume& resume) { return validate_worker(resume.ns, resume.worker); }

Status validate(const store::Unregister& unregister) { return validate_worker(unregister.ns, unregister.worker); }

Status validate(const store::WorkerQuery& query) {
  if (Status status = validate_name_if_any("namespace", query.ns.text()); !status.ok()) return status;
  if (Status status = validate_name_if_any("queue", query.queue.text()); !status.ok()) return status;
  // Labels are found by their capability too, so any kind may be asked for.
  if (!query.capability.empty())
    if (Status status = validate_capability(query.capability); !status.ok()) return status;
  if (Status status = validate_labels("labels", query.labels); !status.ok()) return status;
  return validate_page(query.limit, query.cursor);
}

}  // namespace muster::engine
