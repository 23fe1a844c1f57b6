#include "fronts/grpc/dialect/workers.h"

#include <algorithm>
#include <charconv>

#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/polls.h"
#include "fronts/grpc/dialect/runs.h"
#include "fronts/grpc/v1/shapes.h"

namespace muster::rpc::v1 {
namespace {

constexpr PageRule kWorkerPages{.usual = 20, .most = 100};

void refuse_worker(const CallRef& call, const Status& status, const std::string& id) {
  V1::refuse(call, status, {.kind = "worker", .id = id});
}

// The worker's id, or nothing: the call has been refused.
std::optional<Uuid> worker_id(const CallRef& call, const std::string& text) {
  const Result<Uuid> id = require_uuid("worker_id", text);
  if (id.ok()) return *id;
  refuse_worker(call, id.status(), text);
  return std::nullopt;
}

void answer_poll(const CallRef& call, const std::optional<Grant>& grant) {
  pb::PollTaskResponse response;
  response.mutable_input();  // always there, perhaps empty
  if (!grant) return V1::answer(call, response);
  response.set_run_id(grant->id.text());
  response.set_workflow_type(decode_name(grant->type.text()));
  response.mutable_input()->set_data(grant->payload.data);
  V1::answer(call, response);
}

}  // namespace

// The dialect's message has no word for it; our SDK says it beside the message. What is no number, or out of range, is not said.
std::uint32_t slots_of(const Call& call) {
  const std::string_view text = call.metadata("muster-slots");
  std::uint32_t slots = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slots);
  const bool good = error == std::errc() && end == text.data() + text.size() && slots >= 1 && slots <= limits::kSlotsMax;
  return good ? slots : kV1Slots;
}

void register_worker(CallRef call) {
  auto request = V1::parse<pb::RegisterRequest>(call);
  if (!request) return;
  if (request->workflow_types().empty()) return V1::refuse(call, Status::invalid_argument("workflow_types is empty"));
  if (Status all = required({{"namespace", &request->namespace_()}}); !all.ok()) return V1::refuse(call, all);
  Registration asked;
  asked.ns = namespace_of(request->namespace_()).text();
  asked.task_queue = request->task_queue();
  asked.types.assign(request->workflow_types().begin(), request->workflow_types().end());
  asked.hostname = request->hostname();
  asked.pid = request->pid();
  asked.version = request->version();
  asked.labels.insert(request->labels().begin(), request->labels().end());
  asked.slots = slots_of(*call);
  asked.queue_limit = request->queue_concurrency_limit();
  for (const auto& one : request->workflow_type_concurrency())
    if (one.max_concurrent() > 0) asked.type_limits.emplace_back(one.workflow_type(), one.max_concurrent());
  rpc::register_worker(call, std::move(asked), [call](Result<store::Registered> registered) {
    if (!registered.ok()) return V1::refuse(call, registered.status());
    pb::RegisterResponse response;
    response.set_worker_id(registered->id.text());
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(registered->policy.interval).count();
    response.set_heartbeat_interval_secs(static_cast<std::int32_t>(std::max<std::int64_t>(seconds, 1)));
    V1::answer(call, response);
  });
}

void heartbeat(CallRef call) {
  const auto request = V1::parse<pb::HeartbeatRequest>(call);
  if (!request) return;
  const auto id = worker_id(call, request->worker_id());
  if (!id) return;
  beat(call, *id, {.lengthens_leases = true}, [call, id = *id](Result<store::BeatReply> heard) {
    if (!heard.ok()) return refuse_worker(call, heard.status(), id.text());
    pb::HeartbeatResponse response;
    response.set_accepted(true);
    response.set_should_drain(heard->state == WorkerState::draining);
    V1::answer(call, response);
  });
}

void deregister(CallRef call) {
  const auto request = V1::parse<pb::DeregisterRequest>(call);
  if (!request) return;
  const auto id = worker_id(call, request->worker_id());
  if (!id) return;
  deregister_worker(call, *id, {request->drain()}, [call, id = *id, drain = request->drain()](Result<Worker> left) {
    if (!left.ok()) return refuse_worker(call, left.status(), id.text());
    pb::DeregisterResponse response;
    response.set_drained(drain);
    V1::answer(call, response);
  });
}

void poll_task(CallRef call) {
  const auto request = V1::parse<pb::PollTaskRequest>(call);
  if (!request) return;
  const auto id = worker_id(call, request->worker_id());
  if (!id) return;
  if (request->workflow_types().empty()) return V1::refuse(call, Status::invalid_argument("workflow_types is empty"));
  if (Status all = required({{"namespace", &request->namespace_()}}); !all.ok()) return V1::refuse(call, all);
  Poll wanted;
  wanted.ns = namespace_of(request->namespace_()).text();
  wanted.task_queue = request->task_queue();
  wanted.types.assign(request->workflow_types().begin(), request->workflow_types().end());
  // The SDK starts every workflow in a queue of its own name and polls one queue alone.
  wanted.types_are_queues = true;
  // It beats no more when it is told to stop, and drains for longer than a silent worker lives. Ours says its slots, and beats
  // on.
  if (call->metadata("muster-slots").empty()) wanted.lease = call->core.options.compat_flags.run_lease;
  poll(call, *id, std::move(wanted), answer_poll);
}

void list_workers(CallRef call) {
  const auto request = V1::parse<pb::ListWorkersRequest>(call);
  if (!request) return;
  if (Status all = required({{"namespace", &request->namespace_()}}); !all.ok()) return V1::refuse(call, all);
  const auto page = page_of(call, request->page(), kWorkerPages);
  if (!page) return;
  WorkerListing listing;
  listing.ns = namespace_of(request->namespace_());
  listing.task_queue = request->task_queue();
  listing.limit = page->limit;
  listing.cursor = page->cursor;
  if (request->has_status_filter()) switch (request->status_filter()) {
      case pb::WORKER_STATUS_UNSPECIFIED: break;
      case pb::WORKER_STATUS_ONLINE: listing.states = {WorkerState::online}; break;
      case pb::WORKER_STATUS_DRAINING: listing.states = {WorkerState::draining}; break;
      case pb::WORKER_STATUS_OFFLINE: listing.states = {WorkerState::offline}; break;
      default:
        return V1::refuse(call, Status::invalid_argument(
                                    fmt::format("status_filter {} is no status", static_cast<int>(request->status_filter()))));
    }
  rpc::list_workers(call, std::move(listing), [call](Result<WorkersPage> workers) {
    if (!workers.ok()) return V1::refuse(call, workers.status());
    pb::ListWorkersResponse response;
    for (const Worker& worker : workers->workers) put_worker(worker, response.add_workers());
    put_page(workers->next, workers->total, response.mutable_page());
    V1::answer(call, response);
  });
}

void get_worker(CallRef call) {
  const auto request = V1::parse<pb::GetWorkerRequest>(call);
  if (!request) return;
  const auto id = worker_id(call, request->worker_id());
  if (!id) return;
  find_worker(call, *id, [call, id = *id](Result<Worker> worker) {
    if (!worker.ok()) return refuse_worker(call, worker.status(), id.text());
    pb::GetWorkerResponse response;
    put_worker(*worker, response.mutable_worker());
    V1::answer(call, response);
  });
}

void drain_worker(CallRef call) {
  const auto request = V1::parse<pb::DrainWorkerRequest>(call);
  if (!request) return;
  const auto id = worker_id(call, request->worker_id());
  if (!id) return;
  deregister_worker(call, *id, {.drain = true, .by_operator = true}, [call, id = *id](Result<Worker> drained) {
    if (!drained.ok()) return refuse_worker(call, drained.status(), id.text());
    pb::DrainWorkerResponse response;
    response.set_success(true);
    response.set_message(fmt::format("worker {} drains; {} runs are left", id.text(), drained->running));
    V1::answer(call, response);
  });
}

}  // namespace muster::rpc::v1
