// Jobs out of queues: a run of neighbouring pops of one connection becomes as few claims as their meaning allows.
//
// Pops are answered in their order. Those that ask the same queue are claimed for together; one that waits is waited for alone
// with whatever comes meanwhile going to it first, and only when it is answered does the time of the next one begin.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "command/jobs.h"
#include "fronts/resp/commands.h"
#include "fronts/resp/core.h"
#include "fronts/resp/work/access.h"
#include "fronts/resp/work/element.h"
#include "fronts/resp/work/held_jobs.h"
#include "fronts/resp/work/lengths.h"
#include "fronts/resp/work/names.h"
#include "fronts/resp/work/pop_request.h"
#include "fronts/resp/work/roster.h"
#include "fronts/resp/work/work_state.h"

namespace muster::resp::work {
namespace {

constexpr std::size_t kHeaderBytes = 64;  // about: of a reply and of each element, beside the elements themselves
constexpr int kRecoveriesMax = 2;         // of a claimant that the store does not know, for one pop

// One pop, from its command to its reply.
struct Pop {
  CallRef call;
  std::size_t asks = 0;  // which of the run's requests it is
  Ticks until{};         // when its wait ends; set when it becomes the first
  bool begun = false;    // it is the first, and its time runs
  bool hurried = false;  // its client waits no longer; what is there is still given
  bool given = false;    // jobs are being written out for it
};

class PopRun : public std::enable_shared_from_this<PopRun> {
 public:
  PopRun(Core& core, std::shared_ptr<Client> client) : core_(core), client_(std::move(client)) {}

  void add(const CallRef& call) {
    // Neighbours nearly always ask the same.
    if (pops_.empty() || pops_.back().call->args() != call->args()) {
      auto request = read_pop(call->args());
      if (!request.ok()) return refuse(call, request.status());
      if (request->limit() == 0) return call->answer(none(*request, call->protocol()));
      requests_.push_back(*std::move(request));
    }
    pops_.push_back({.call = call, .asks = requests_.size() - 1});
  }

  void start() {
    // Those that do not wait are answered soon, whatever stands behind them.
    for (std::size_t i = 0; i < pops_.size(); ++i)
      if (request_of(pops_[i]).waits)
        pops_[i].call->on_interrupt([self = shared_from_this(), i](Call::Interrupt) { self->interrupt(i); });
    step();
  }

 private:
  // A pop is over when it is answered, or when its jobs are on their way to it.
  bool over(const Pop& pop) const { return pop.given || pop.call->answered(); }

  const PopRequest& request_of(const Pop& pop) const { return requests_[pop.asks]; }

  bool may_wait(const Pop& pop) const { return request_of(pop).waits && !pop.hurried; }

  static std::string none(const PopRequest& request, Protocol protocol) {
    std::string out;
    if (request.count)
      wire::null_array(out, protocol);
    else
      wire::null(out, protocol);
    return out;
  }

  void answer_none(Pop& pop) {
    if (pop.call->answered()) return;
    std::string out;
    if (request_of(pop).names && client_->pairs)
      wire::null_array(out, pop.call->protocol());
    else
      out = none(request_of(pop), pop.call->protocol());
    pop.call->answer(std::move(out));
  }

  void interrupt(std::size_t index) {
    pops_[index].hurried = true;
    if (nobody_is_there()) return answer_nobody();
    if (index == next_ && ticket_) core_.door.delivery().hurry(*ticket_);
  }

  // Jobs that are handed out now would only have to come back.
  bool nobody_is_there() const { return !client_->open() || core_.stopping; }

  // A claim that is under way is for nobody any more. Its grants are handed back, wherever they are.
  void answer_nobody() {
    ++round_;
    if (ticket_) core_.door.delivery().cancel(*std::exchange(ticket_, std::nullopt));
    for (; next_ < pops_.size(); ++next_)
      if (!over(pops_[next_])) answer_none(pops_[next_]);
  }

  // Whatever is to be done for the first pop that is not over.
  void step() {
    while (next_ < pops_.size() && over(pops_[next_])) ++next_;
    if (next_ == pops_.size()) return;
    if (nobody_is_there()) return answer_nobody();
    Pop& first = pops_[next_];
    if (!first.begun && client_->answer_bytes >= kRunAnswerBytesMax) return postpone_rest();
    if (!first.begun) {
      first.begun = true;
      first.until = core_.clock().elapsed() + request_of(first).wait;
      probe_ = 0;
      recoveries_ = 0;
    }
    const std::uint64_t round = ++round_;
    core_.work_state->roster().with_claimant(client_, [self = shared_from_this(), round](Result<Claimant> claimant) {
      if (self->round_ != round) return;
      self->with_claimant(std::move(claimant));
    });
  }

  // The session begins the rest again when what is answered is on its way.
  void postpone_rest() {
    while (next_ < pops_.size()) {
      const Pop& pop = pops_[next_++];
      if (!over(pop)) pop.call->postpone();
    }
  }

  void with_claimant(Result<Claimant> claimant) {
    if (!claimant.ok()) return fail_first(claimant.status());
    claimant_ = *std::move(claimant);
    if (client_->bond == Bond::pinged) {
      // It works on one job at a time: asking for another says that the one before was lost.
      std::vector<LeaseRef> held = core_.work_state->held_jobs().held_by(*client_);
      if (!held.empty()) {
        core_.work_state->held_jobs().give_up(
            std::move(held), fmt::format("worker '{}' asked for other work while it held the job", claimant_.worker.text()),
            [self = shared_from_this(), round = round_] {
              if (self->round_ == round) self->claim();
            });
        return;
      }
    }
    claim();
  }

  // How many neighbours ask the same as the first, one claim's worth.
  std::size_t neighbours() const {
    const PopRequest& first = request_of(pops_[next_]);
    std::size_t last = next_ + 1;
    std::size_t jobs = first.limit();
    if (first.queues.size() > 1) return last;
    for (; last < pops_.size() && !over(pops_[last]); ++last) {
      const PopRequest& other = request_of(pops_[last]);
      if ((&other != &first && other.queues != first.queues) || jobs + other.limit() > limits::kClaimBatchMax) break;
      jobs += other.limit();
    }
    return last;
  }

  void claim() {
    const Ticks until = pops_[next_].until;
    const PopRequest& first = request_of(pops_[next_]);
    const std::size_t last = neighbours();
    std::size_t limit = 0;
    for (std::size_t i = next_; i < last; ++i) limit += request_of(pops_[i]).limit();

    store::ClaimRequest request;
    request.ns = NamespaceName(kDefaultNamespace);
    request.worker = claimant_.worker;
    request.session = claimant_.session;
    request.limit = limit;
    // Several queues: each by itself in their order, then all of them together for what comes first.
    const bool probing = first.queues.size() > 1 && probe_ < first.queues.size();
    request.queues = probing ? std::vector{first.queues[probe_]} : first.queues;
    Duration wait{0};
    if (may_wait(pops_[next_]) && !probing) {
      const Duration left = std::chrono::ceil<Duration>(until - core_.clock().elapsed());
      wait = first.wait == Duration(0) ? limits::kClaimWaitMax : std::clamp(left, Duration(0), limits::kClaimWaitMax);
    }
    core_.work_state->roster().noticed(claimant_);
    const std::uint64_t round = ++round_;
    ticket_.reset();
    auto answered = [self = shared_from_this(), round, last, probing](Result<store::ClaimReply> reply) {
      if (self->round_ != round) {
        // Nobody waits for it any more. It was answered before it could be cancelled.
        if (reply.ok()) self->core_.door.delivery().hand_back(reply->grants);
        return;
      }
      self->ticket_.reset();
      self->answered(std::move(reply), last, probing);
    };
    ticket_ =
        core_.ask(client_->caller, command::JobClaimRequest{.claim = std::move(request), .wait = wait}, std::move(answered));
  }

  void answered(Result<store::ClaimReply> reply, std::size_t last, bool probing) {
    if (!reply.ok()) {
      if (reply.code() != Code::not_found && reply.code() != Code::lease_lost) return fail_first(reply.status());
      if (recoveries_++ >= kRecoveriesMax) return fail_first(reply.status());
      const std::uint64_t round = ++round_;
      core_.work_state->roster().recover(client_, claimant_, [self = shared_from_this(), round](Result<Claimant> claimant) {
        if (self->round_ == round) self->with_claimant(std::move(claimant));
      });
      return;
    }
    if (!reply->grants.empty()) return give(std::move(reply->grants), last);
    Pop& first = pops_[next_];
    const PopRequest& asked = request_of(first);
    if (probing && ++probe_ < asked.queues.size()) return claim();
    const bool in_time =
        may_wait(first) && (asked.wait == Duration(0) || core_.clock().elapsed() < first.until) && !core_.stopping;
    if (!in_time) {
      // Nothing for the first is nothing for those of its neighbours that do not wait either.
      answer_none(first);
      for (std::size_t i = next_ + 1; i < last && !may_wait(pops_[i]); ++i) answer_none(pops_[i]);
      return step();
    }
    if (probing) return claim();
    if (reply->block != store::ClaimBlock::draining) return step();
    // A worker that drains is answered at once, so asking again at once would never end.
    const std::uint64_t round = ++round_;
    core_.work_state->later([self = shared_from_this(), round] {
      if (self->round_ == round) self->step();
    });
  }

  void fail_first(const Status& status) {
    if (!pops_[next_].call->answered()) refuse(pops_[next_].call, status);
    step();
  }

  // Hands the grants to the pops in their order.
  void give(std::vector<Grant> grants, std::size_t last) {
    auto grant = std::make_move_iterator(grants.begin());
    const auto end = std::make_move_iterator(grants.end());
    for (std::size_t i = next_; i < last && grant != end; ++i) {
      if (over(pops_[i])) continue;
      const auto count = std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(request_of(pops_[i]).limit()), end - grant);
      std::vector<Grant> own(grant, grant + count);
      grant += count;
      pops_[i].given = true;
      write_out(i, std::move(own));
    }
    if (grant != end) core_.door.delivery().hand_back(std::vector<Grant>(grant, end));
    step();
  }

  void write_out(std::size_t index, std::vector<Grant> grants) {
    const bool moves = request_of(pops_[index]).moves;
    const std::vector<LeaseRef> leases = command::leases_of(grants);
    guarded(index, leases, [&] {
      for (const Grant& grant : grants) {
        core_.work_state->lengths().add(grant.queue, -1);
        core_.work_state->held_jobs().take(client_, claimant_.worker, grant, moves);
      }
      render(core_, client_, std::move(grants), {.worker = claimant_.worker, .moves = moves},
             [self = shared_from_this(), index, leases](Rendered rendered) {
               self->guarded(index, leases, [&] { self->deliver(self->pops_[index], std::move(rendered)); });
             });
    });
  }

  // The jobs of a pop that goes wrong on its way out are not handed back for nothing: they would come again at once.
  template <class Work>
  void guarded(std::size_t index, const std::vector<LeaseRef>& leases, Work work) {
    try {
      work();
    } catch (...) {
      const Incident incident(core_.incidents, pops_[index].call->entry().name);
      if (pops_[index].call->answered()) return;  // then its delivery knows what becomes of them
      give_up(leases, incident.status());
      refuse(pops_[index].call, incident.status());
    }
  }

  void give_up(const std::vector<LeaseRef>& leases, const Status& why) {
    for (const LeaseRef& lease : leases) core_.work_state->held_jobs().forget(lease);
    core_.door.delivery().failed(leases, why);
  }

  void deliver(Pop& pop, Rendered rendered) {
    give_up(rendered.failed, rendered.why);
    std::vector<LeaseRef> leases = command::leases_of(rendered.grants);
    // Interrupted while its jobs were being written out.
    if (pop.call->answered()) return core_.work_state->held_jobs().delivered(*client_, leases, false);
    if (leases.empty()) return refuse(pop.call, rendered.why);
    const PopRequest& asked = request_of(pop);
    std::size_t bytes = kHeaderBytes;
    for (const std::string& element : rendered.elements) bytes += element.size() + kHeaderBytes;
    std::string out;
    out.reserve(bytes);
    if (asked.count) wire::array(out, rendered.elements.size());
    if (asked.names && (client_->pairs || asked.queues.size() > 1)) {
      wire::array(out, 2);
      wire::bulk(out, std::string(kQueuePrefix) + rendered.grants.front().queue.text());
    }
    for (const std::string& element : rendered.elements) wire::bulk(out, element);
    pop.call->answer(std::move(out), [&core = core_, client = client_, leases = std::move(leases)](bool sent) {
      core.work_state->held_jobs().delivered(*client, leases, sent);
    });
  }

  Core& core_;
  std::shared_ptr<Client> client_;
  std::vector<PopRequest> requests_;
  std::vector<Pop> pops_;
  std::size_t next_ = 0;     // the first pop that is not over
  std::uint64_t round_ = 0;  // grows with every step: an answer of an earlier one is nobody's
  std::optional<command::ClaimTicket> ticket_;
  Claimant claimant_;
  std::size_t probe_ = 0;  // which queue is looked at by itself next
  int recoveries_ = 0;
};

}  // namespace
}  // namespace muster::resp::work

namespace muster::resp {

void run_pops(const CallGroupRef& calls) {
  const auto run = std::make_shared<work::PopRun>(calls->front()->core(), calls->front()->client_ref());
  for (const CallRef& call : *calls) run->add(call);
  run->start();
}

}  // namespace muster::resp
