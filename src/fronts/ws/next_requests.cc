#include "fronts/ws/next_requests.h"

#include <algorithm>
#include <utility>

#include "fronts/ws/core.h"
#include "fronts/ws/member_text.h"
#include "fronts/ws/task_document.h"
#include "fronts/ws/worker_session.h"
#include "session/codes.h"

namespace muster::ws {
namespace {

using json::Tree;
using session::ErrorCode;

// Jobs that end are told at once where they end on this node; those of another are looked at this often, and so are deadlines.
constexpr Duration kLookEvery{1'000};

Tree names_of(const Tree& payload) {
  Tree names = Tree::object();
  for (const char* name : {"requestId", "runId", "nodeId", "middlewareId"}) names[name] = text_of(payload, name);
  return names;
}

Tree error_of(std::string_view code, std::string_view message) { return {{"error", {{"code", code}, {"message", message}}}}; }

// What became of the job that was asked for.
Tree outcome_of(const Job& job) {
  if (job.state == JobState::completed) {
    auto result = job.result && job.result->encoding == Encoding::json ? json::parse(job.result->data) : std::nullopt;
    return {{"result", result && result->is_object() ? *std::move(result) : Tree::object()}};
  }
  if (job.state == JobState::cancelled) return error_of(session::kNextCancelled.code, session::kNextCancelled.reason);
  if (job.error && job.error->kind == kErrorTimeout) return error_of(session::kTimeout.code, job.error->message);
  return job.error ? error_of(job.error->kind, job.error->message)
                   : error_of(session::kNextFailed.code, session::kNextFailed.reason);
}

}  // namespace

NextRequests::NextRequests(WorkerSession& session) : session_(session), poll_(session.core().deadlines, [this] { tick(); }) {}

NextRequests::~NextRequests() {
  *alive_ = false;
  for (const auto& [id, pending] : pending_)
    if (pending.job) session_.core().awaited.erase(*pending.job);
}

void NextRequests::asked(const session::Envelope& frame, const NextAsker* asker) {
  const Tree& payload = frame.payload.tree();
  Tree names = names_of(payload);
  const std::string id = text_of(payload, "requestId");
  if (asker == nullptr) return refuse(names, session::kNextRunFinalised);
  if (pending_.contains(id)) return refuse(names, session::kNextDuplicate);
  if (!asker->next.is_object()) return refuse(names, session::kNextNoChain);
  if (pending_.size() >= kNextRequestsMax) return refuse(names, session::kNextUnavailable);
  JobSpec spec = job_of_next(asker->next);
  spec.ns = NamespaceName(session_.identity().tenant);
  spec.queue = asker->queue;
  // Its own document may say otherwise, which the door reads.
  if (json::member(asker->next, "priority") == nullptr) spec.priority = asker->priority;
  Pending pending{.asker = asker->lease, .names = std::move(names), .job = std::nullopt, .deadline = std::nullopt};
  if (const auto limit = json::natural(payload, "timeoutMs"))
    pending.deadline = session_.core().steady() + Duration(std::min<std::uint64_t>(*limit, limits::kJobTimeoutMax.count()));
  pending_.emplace(id, std::move(pending));
  begin(id, std::move(spec));
  arm();
}

void NextRequests::begin(const std::string& id, JobSpec spec) {
  // The worker may not submit jobs; this one is ours, for a task that it holds.
  session_.core().ask(command::itself(), command::JobSubmitRequest{std::move(spec)},
                      [this, alive = alive_, id](const Result<store::Enqueued>& made) {
                        if (!*alive) return;
                        const Place place = pending_.find(id);
                        if (place == pending_.end()) {
                          if (made.ok()) cancel(made->id, "nobody waits for it any more");
                          return;
                        }
                        if (!made.ok()) return answer(place, error_of(session::kNextUnavailable.code, made.status().message()));
                        place->second.job = made->id;
                        session_.core().awaited[made->id] = session_.weak_from_this();
                        look(id);  // it may have ended before its name was known
                      });
}

void NextRequests::ended(const JobId& job) {
  for (const auto& [id, pending] : pending_)
    if (pending.job == job) return look(std::string(id));
}

void NextRequests::look(const std::string& id) {
  Pending& pending = pending_.at(id);
  if (!pending.job || std::exchange(pending.looking, true)) return;
  session_.core().ask(command::itself(), command::JobGetRequest{*pending.job},
                      [this, alive = alive_, id](const Result<Job>& job) {
                        if (!*alive) return;
                        const Place place = pending_.find(id);
                        if (place == pending_.end()) return;
                        place->second.looking = false;
                        if (job.ok() && is_finished(job->state)) answer(place, outcome_of(*job));
                        if (job.code() == Code::not_found)
                          answer(place, error_of(session::kNextUnavailable.code, session::kNextUnavailable.reason));
                      });
}

void NextRequests::answer(Place place, Tree outcome) {
  outcome.update(place->second.names);
  const std::string payload = json::dump(outcome);
  const std::string frame_id = session_.core().next_id();
  // Too much under way, or too long: the worker's own wait ends it.
  static_cast<void>(session_.channel().send(
      {.kind = session::FrameKind::next_response, .id = frame_id, .corr = place->first, .payload = payload}));
  if (place->second.job) session_.core().awaited.erase(*place->second.job);
  pending_.erase(place);
}

void NextRequests::refuse(const Tree& names, const ErrorCode& code) {
  Tree outcome = error_of(code.code, code.reason);
  outcome.update(names);
  const std::string payload = json::dump(outcome);
  const std::string frame_id = session_.core().next_id();
  const std::string id = text_of(names, "requestId");
  static_cast<void>(
      session_.channel().send({.kind = session::FrameKind::next_response, .id = frame_id, .corr = id, .payload = payload}));
}

void NextRequests::cancel(const std::optional<JobId>& job, std::string why) {
  if (!job) return;
  const store::Cancel cancel{.job = *job, .reason = std::move(why), .at_once = true};
  session_.core().ask(command::itself(), command::JobCancelRequest{cancel}, [](const Result<store::Cancelled>&) {});
}

void NextRequests::asker_over(const LeaseRef& lease) {
  for (Place place = pending_.begin(); place != pending_.end();) {
    const Place next = std::next(place);
    if (place->second.asker == lease) {
      cancel(place->second.job, "the task that asked for it is over");
      answer(place, error_of(session::kNextCancelled.code, session::kNextCancelled.reason));
    }
    place = next;
  }
}

void NextRequests::tick() {
  const Instant now = session_.core().steady();
  for (Place place = pending_.begin(); place != pending_.end();) {
    const Place next = std::next(place);
    if (place->second.deadline && *place->second.deadline <= now) {
      cancel(place->second.job, "nobody waits for it any more");
      answer(place, error_of(session::kNextTimeout.code, session::kNextTimeout.reason));
    } else {
      look(place->first);
    }
    place = next;
  }
  arm();
}

void NextRequests::arm() {
  if (pending_.empty()) return poll_.set(std::nullopt);
  Instant at = session_.core().steady() + kLookEvery;
  for (const auto& [id, pending] : pending_)
    if (pending.deadline) at = std::min(at, *pending.deadline);
  poll_.set(at);
}

}  // namespace muster::ws
