#include "fronts/grpc/dialect/polls.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/incident.h"
#include "command/jobs.h"
#include "fronts/grpc/core.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/roster.h"
#include "fronts/grpc/dialect/workers.h"

namespace muster::rpc {
namespace {

constexpr Duration kDeadlineMargin{200};  // an empty answer leaves this long before the client gives up

Duration wait_of(const Call& call) {
  const Duration most = std::min(call.core.options.compat_flags.poll_wait, limits::kClaimWaitMax);
  if (!call.deadline) return most;
  const auto left = std::chrono::floor<Duration>(*call.deadline - call.core.clock().elapsed());
  return std::clamp(left - std::min(kDeadlineMargin, left / 2), Duration(0), most);
}

class Polling : public std::enable_shared_from_this<Polling> {
 public:
  using Answer = void (*)(const CallRef&, const std::optional<Grant>&);

  Polling(CallRef call, Uuid worker, WorkerId name, Poll poll, Answer answer)
      : call_(std::move(call)),
        core_(call_->core),
        worker_(worker),
        name_(std::move(name)),
        poll_(std::move(poll)),
        answer_(answer) {}

  void run() {
    if (const auto known = core_.roster->find(worker_))
      if (check(*known->spec).ok()) return claim();
    look();
  }

 private:
  // What memory says no to, or does not know, the registry is asked for.
  void look() {
    looked_ = true;
    find_worker(call_, worker_, [self = self()](Result<Worker> worker) {
      if (worker.code() == Code::not_found)
        return self->refuse(fmt::format("worker {} is not registered; register it first", self->name_.text()));
      if (!worker.ok()) return self->refuse_now(worker.status());
      if (Status fits = self->check_place(worker->spec); !fits.ok()) return self->refuse(fits.message());
      if (worker->state != WorkerState::online) return self->refuse(self->away(worker->state));
      if (Status fits = self->check(worker->spec); !fits.ok()) return self->refuse(fits.message());
      self->claim();
    });
  }

  std::string away(WorkerState state) const {
    return state == WorkerState::draining ? fmt::format("worker {} drains and gets no new runs", name_.text())
                                          : fmt::format("worker {} is offline; register it again", name_.text());
  }

  Status check_place(const WorkerSpec& spec) const {
    if (spec.ns.text() != poll_.ns)
      return Status::conflict(
          fmt::format("worker {} is registered in namespace '{}'", name_.text(), decode_name(spec.ns.text())));
    const QueueName asked(encode_name(poll_.task_queue));
    if (std::find(spec.queues.begin(), spec.queues.end(), asked) == spec.queues.end())
      return Status::conflict(fmt::format("worker {} is not registered for task queue '{}'", name_.text(), poll_.task_queue));
    return {};
  }

  Status check(const WorkerSpec& spec) {
    if (Status place = check_place(spec); !place.ok()) return place;
    std::vector<std::string> both;
    for (const std::string& type : poll_.types)
      if (std::string name = workflow_capability(encode_name(type)); spec.capabilities.contains(name))
        both.push_back(std::move(name));
    offered_ = CapabilitySet(std::move(both));
    if (offered_.empty())
      return Status::conflict(fmt::format("worker {} is registered for none of these workflow types", name_.text()));
    return {};
  }

  store::ClaimRequest request() const {
    store::ClaimRequest request;
    request.ns = NamespaceName(poll_.ns);
    request.worker = name_;
    request.queues = {QueueName(encode_name(poll_.task_queue))};
    request.narrow = offered_;
    request.lease_ttl = poll_.lease;
    if (poll_.types_are_queues)
      for (const std::string& type : poll_.types) {
        const QueueName queue(encode_name(type));
        const bool there = std::find(request.queues.begin(), request.queues.end(), queue) != request.queues.end();
        if (!there && request.queues.size() < limits::kQueuesPerClaimMax) request.queues.push_back(queue);
      }
    return request;
  }

  void claim() {
    if (call_->cancelled()) return answer_(call_, std::nullopt);
    core_.connections.heard(call_->connection, name_);
    if (!waits_.exchange(true)) core_.roster->poll_waits(call_->connection);
    const command::ClaimTicket ticket =
        ask(call_, command::JobClaimRequest{.claim = request(), .wait = wait_of(*call_)},
            [self = self()](Result<store::ClaimReply> claimed) { self->claimed(std::move(claimed)); });
    // When the reply was quicker, the call is answered and drops the handler.
    call_->on_cancel([&core = core_, ticket, weak = weak_from_this()] {
      if (const auto self = weak.lock(); self && self->wait_ended()) core.connections.broke(self->call_->connection);
      core.door.delivery().cancel(ticket);
    });
  }

  // True: no other poll waits on this connection.
  bool wait_ended() { return waits_.exchange(false) && core_.roster->poll_ended(call_->connection); }

  void claimed(Result<store::ClaimReply> claimed) {
    static_cast<void>(wait_ended());
    // What this node remembered may be old: another one registered the worker anew, or it went offline.
    const bool stale = claimed.code() == Code::not_found || claimed.code() == Code::invalid_argument;
    if (stale && !looked_) {
      core_.roster->forget(worker_);
      return look();
    }
    if (claimed.code() == Code::not_found) return refuse(away(WorkerState::offline));
    if (!claimed.ok()) return refuse_now(claimed.status());
    if (claimed->grants.empty()) {
      if (claimed->block == store::ClaimBlock::draining && !call_->cancelled()) return refuse(away(WorkerState::draining));
      return answer_(call_, std::nullopt);
    }
    if (call_->cancelled()) {
      core_.door.delivery().hand_back(claimed->grants);
      return answer_(call_, std::nullopt);
    }
    try {
      hand_out(claimed->grants);
    } catch (...) {
      const Incident incident(Incidents(core_.metrics, "wire"), "poll", claimed->grants.front().id.text());
      core_.door.delivery().failed(command::leases_of(claimed->grants), incident.status());
      refuse_now(incident.status());
    }
  }

  void hand_out(const std::vector<Grant>& grants) {
    const Grant& grant = grants.front();
    // The client may go away while the answer is on its way; then the run is somebody else's at once.
    call_->on_undelivered([delivery = core_.door.delivery(), grants]() mutable { delivery.hand_back(grants); });
    core_.fences.put(grant.id, {grant.fence, name_, call_->connection});
    call_->add_metadata("muster-fence", std::to_string(to_number(grant.fence)));
    call_->add_metadata("muster-attempt", std::to_string(grant.attempt));
    answer_(call_, grant);
  }

  void refuse(std::string why) {
    const Duration hold = core_.options.compat_flags.refused_poll_hold;
    if (hold.count() <= 0) return refuse_now(Status::conflict(std::move(why)));
    core_.after(hold, [self = self(), why = std::move(why)]() mutable { self->refuse_now(Status::conflict(std::move(why))); });
  }

  void refuse_now(const Status& status) {
    const std::string id = name_.text();
    call_->refuse(wire_error(poll_.dialect, status, {.kind = "worker", .id = id}));
  }

  std::shared_ptr<Polling> self() { return shared_from_this(); }

  CallRef call_;
  Core& core_;
  const Uuid worker_;
  const WorkerId name_;  // the same
  const Poll poll_;
  const Answer answer_;
  CapabilitySet offered_;
  bool looked_ = false;
  std::atomic<bool> waits_{false};  // told to the roster
};

}  // namespace

void poll(const CallRef& call, Uuid worker, Poll poll, void (*answer)(const CallRef& call, const std::optional<Grant>& grant)) {
  WorkerId name(worker.text());
  if (Status may = command::authorize_worker(call->caller, name); !may.ok()) return call->refuse(wire_error(poll.dialect, may));
  std::make_shared<Polling>(call, worker, std::move(name), std::move(poll), answer)->run();
}

}  // namespace muster::rpc
