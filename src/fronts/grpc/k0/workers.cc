#include "fronts/grpc/dialect/workers.h"

#include <algorithm>

#include "command/jobs.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/polls.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/dialect/values.h"
#include "fronts/grpc/k0/shapes.h"

namespace muster::rpc::k0 {
namespace {

constexpr PageRule kWorkerPages{.usual = 50, .most = 100};

void refuse_worker(const CallRef& call, const Status& status, const std::string& id) {
  K0::refuse(call, status, {.kind = "worker", .id = id});
}

// The worker's id, or nothing: the call has been refused.
std::optional<Uuid> worker_id(const CallRef& call, const std::string& text) {
  const Result<Uuid> id = require_uuid("worker_id", text);
  if (id.ok()) return *id;
  refuse_worker(call, id.status(), text);
  return std::nullopt;
}

std::int32_t seconds_of(Duration interval) {
  // Clients make a timer of it, and a timer of nothing ends them.
  return static_cast<std::int32_t>(std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(interval).count(), 1));
}

void answer_poll(const CallRef& call, const std::optional<Grant>& grant) {
  pb::PollActivityResponse response;
  if (grant) {
    response.set_run_id(grant->id.text());
    response.set_workflow_type(decode_name(grant->type.text()));
    response.set_workflow_input(grant->payload.data);
  }
  K0::answer(call, response);
}

}  // namespace

void register_worker(CallRef call) {
  auto request = K0::parse<pb::RegisterWorkerRequest>(call);
  if (!request) return;
  if (request->workflow_types().empty()) return K0::refuse(call, Status::invalid_argument("workflow_types is empty"));
  Registration asked;
  asked.ns = namespace_of(request->namespace_id()).text();
  asked.task_queue = request->task_queue();
  asked.types.assign(request->workflow_types().begin(), request->workflow_types().end());
  asked.hostname = request->hostname();
  asked.pid = request->pid();
  asked.version = request->version();
  asked.labels.insert(request->labels().begin(), request->labels().end());
  asked.slots = static_cast<std::uint32_t>(std::max(request->max_concurrent(), 1));
  asked.queue_limit = request->queue_concurrency_limit();
  for (const auto& one : request->workflow_type_concurrency())
    if (one.max_concurrent() > 0) asked.type_limits.emplace_back(one.workflow_type(), one.max_concurrent());
  rpc::register_worker(call, std::move(asked), [call](Result<store::Registered> registered) {
    if (!registered.ok()) return K0::refuse(call, registered.status());
    pb::RegisterWorkerResponse response;
    response.set_worker_id(registered->id.text());
    response.set_heartbeat_interval_secs(seconds_of(registered->policy.interval));
    K0::answer(call, response);
  });
}

void worker_heartbeat(CallRef call) {
  const auto request = K0::parse<pb::WorkerHeartbeatRequest>(call);
  if (!request) return;
  const auto id = worker_id(call, request->worker_id());
  if (!id) return;
  const Heartbeat heartbeat{std::max(request->active_count(), 0), request->completed_delta(), request->failed_delta()};
  beat(call, *id, heartbeat, [call, id = *id](Result<store::BeatReply> heard) {
    if (!heard.ok()) return refuse_worker(call, heard.status(), id.text());
    pb::WorkerHeartbeatResponse response;
    response.set_accepted(true);
    response.set_should_drain(heard->state == WorkerState::draining);
    K0::answer(call, response);
  });
}

void deregister_worker(CallRef call) {
  const auto request = K0::parse<pb::DeregisterWorkerRequest>(call);
  if (!request) return;
  const auto id = worker_id(call, request->worker_id());
  if (!id) return;
  rpc::deregister_worker(call, *id, {request->drain()}, [call, id = *id](Result<Worker> left) {
    // Whoever is gone already is welcome to say so.
    if (!left.ok() && left.code() != Code::not_found) return refuse_worker(call, left.status(), id.text());
    K0::answer(call, pb::Empty());
  });
}

void list_workers(CallRef call) {
  const auto request = K0::parse<pb::ListWorkersRequest>(call);
  if (!request) return;
  WorkerListing listing;
  if (!request->page_token().empty()) {
    const Result<Uuid> after = require_uuid("page_token", request->page_token());
    if (!after.ok()) return K0::refuse(call, after.status());
    listing.cursor = after->text();
  }
  listing.ns = namespace_of(request->namespace_id());
  listing.task_queue = request->task_queue();
  listing.limit = page_size(request->page_size(), kWorkerPages);
  // Any other word is no filter.
  if (request->filter_status() == "ONLINE") listing.states = {WorkerState::online};
  if (request->filter_status() == "DRAINING") listing.states = {WorkerState::draining};
  if (request->filter_status() == "OFFLINE") listing.states = {WorkerState::offline};
  rpc::list_workers(call, std::move(listing), [call](Result<WorkersPage> page) {
    if (!page.ok()) return K0::refuse(call, page.status());
    pb::ListWorkersResponse response;
    for (const Worker& worker : page->workers) put_worker(worker, response.add_workers());
    response.set_next_page_token(page->next);
    response.set_total_count(static_cast<std::int32_t>(page->total));
    K0::answer(call, response);
  });
}

void get_worker(CallRef call) {
  const auto request = K0::parse<pb::GetWorkerRequest>(call);
  if (!request) return;
  const auto id = worker_id(call, request->worker_id());
  if (!id) return;
  find_worker(call, *id, [call, id = *id](Result<Worker> worker) {
    if (!worker.ok()) return refuse_worker(call, worker.status(), id.text());
    pb::GetWorkerResponse response;
    put_worker(*worker, response.mutable_worker());
    K0::answer(call, response);
  });
}

void poll_activity(CallRef call) {
  const auto request = K0::parse<pb::PollActivityRequest>(call);
  if (!request) return;
  // The first description of this message had the two fields the other way round, so the one that is a worker's id decides.
  const auto second = parse_uuid(request->worker_id());
  const auto first = parse_uuid(request->task_queue());
  if (!second && !first) {
    worker_id(call, request->worker_id());
    return;
  }
  if (request->supported_workflow_types().empty())
    return K0::refuse(call, Status::invalid_argument("supported_workflow_types is empty"));
  Poll wanted;
  wanted.dialect = ErrorDialect::k0;
  wanted.ns = namespace_of(request->namespace_id()).text();
  wanted.task_queue = request->task_queue();
  wanted.types.assign(request->supported_workflow_types().begin(), request->supported_workflow_types().end());
  if (!first) return poll(call, *second, std::move(wanted), answer_poll);
  find_worker(
      call, second.value_or(*first),
      [call, first = *first, second, queue = request->worker_id(), wanted = std::move(wanted)](Result<Worker> found) mutable {
        if (second && found.code() != Code::not_found) return poll(call, *second, std::move(wanted), answer_poll);
        Poll swapped = wanted;
        swapped.task_queue = queue;
        if (found.ok()) return poll(call, first, std::move(swapped), answer_poll);
        if (!second)
          return refuse_worker(call, Status::invalid_argument(fmt::format("worker_id '{}' is not a UUID", queue)), queue);
        find_worker(call, first,
                    [call, first, second = *second, wanted = std::move(wanted),
                     swapped = std::move(swapped)](Result<Worker> other) mutable {
                      if (other.ok()) return poll(call, first, std::move(swapped), answer_poll);
                      poll(call, second, std::move(wanted), answer_poll);
                    });
      });
}

// Of the days before workers registered: a worker speaks for one run it holds.
void record_heartbeat(CallRef call) {
  const auto request = K0::parse<pb::RecordHeartbeatRequest>(call);
  if (!request) return;
  const Result<JobId> id = require_run("run_id", request->run_id());
  if (!id.ok()) return K0::refuse(call, id.status(), {.kind = "workflow_run", .id = request->run_id()});
  if (request->worker_id().empty()) return K0::refuse(call, Status::invalid_argument("worker_id is empty"));
  const auto uuid = parse_uuid(request->worker_id());
  const WorkerId worker(uuid ? uuid->text() : request->worker_id());
  if (Status may = command::authorize_worker(call->caller, worker); !may.ok()) return K0::refuse(call, may);
  find_run(call, {}, *id, [call, worker, asked = id->text()](Result<Job> run) {
    if (!run.ok()) return K0::refuse(call, run.status(), {.kind = "workflow_run", .id = asked});
    if (run->state != JobState::running || run->worker != worker)
      return K0::refuse(call, Status::conflict(fmt::format("run {} is not held by this worker", run->id.text())));
    ask(call, command::JobHeartbeatRequest{{run->id, run->fence}, std::nullopt}, [call](const Result<store::Renewed>& renewed) {
      if (!renewed.ok()) return K0::refuse(call, renewed.status());
      K0::answer(call, pb::Empty());
    });
  });
}

}  // namespace muster::rpc::k0
