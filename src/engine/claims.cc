#include "engine/claims.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/incident.h"
#include "base/log.h"
#include "engine/parking_lot.h"
#include "engine/requests.h"

namespace muster::engine {
namespace {

constexpr Duration kPollPause{50};  // between ticks while more polls are due than the period allows
constexpr const char* kNotDelivered = "the claim could not be delivered";

// What is left to do once the lock is gone: the store and replies are never called under it.
struct Launch {
  std::uint64_t ticket = 0;
  store::ClaimRequest request;
  LaneRef woken_for;  // the lane whose wake-up this look answers; nullptr for a first look, a poll or a freed slot
};

struct Answer {
  Reply<store::ClaimReply> reply;
  Result<store::ClaimReply> result;
};

struct Work {
  std::vector<Launch> launches;
  std::vector<Answer> answers;
};

store::ClaimReply empty_reply(store::ClaimReply last) {
  last.grants.clear();
  return last;
}

}  // namespace

// The lot behind its mutex, and what moves claims in and out of it.
class Claims::Shared : public std::enable_shared_from_this<Claims::Shared> {
 public:
  Shared(store::Store& store, const Clock& clock, Metrics& metrics, const Options& options)
      : store_(store),
        clock_(clock),
        parked_max_(options.parked_max),
        poll_every_(std::max(options.claim_poll_every, Duration(1))),
        waiting_gauge_(metrics.gauge("muster_claims_parked", "Claims that wait for work.")),
        wakes_(metrics.counter("muster_claim_wakes_total", "Parked claims tried again because work may have come.")),
        polls_(metrics.counter("muster_claim_polls_total", "Parked claims tried again by the clock.")),
        handed_back_(metrics.counter("muster_claim_grants_handed_back_total",
                                     "Grants returned to the store because nobody was there to take them.")),
        incidents_(metrics, "engine") {}

  ClaimTicket claim(store::ClaimRequest request, Duration wait, Reply<store::ClaimReply> reply) {
    std::uint64_t ticket = 0;
    const Ticks now = clock_.elapsed();
    {
      const std::lock_guard lock(mutex_);
      ticket = lot_.add(request, stopped_ ? now : now + wait, std::move(reply)).ticket;
    }
    launch({.ticket = ticket, .request = std::move(request), .woken_for = nullptr});
    return ClaimTicket{ticket};
  }

  void cancel(std::uint64_t ticket) {
    std::unique_ptr<ParkedClaim> claim;
    {
      const std::lock_guard lock(mutex_);
      ParkedClaim* found = lot_.find(ticket);
      if (found == nullptr) return;
      // A flight that comes back finds no claim of its ticket and hands its grants back.
      claim = lot_.remove(*found);
      update_gauge();
    }
    claim->reply(empty_reply(std::move(claim->last)));
  }

  void hurry(std::uint64_t ticket) {
    Work work;
    {
      const std::lock_guard lock(mutex_);
      ParkedClaim* claim = lot_.find(ticket);
      if (claim == nullptr) return;
      if (claim->place == Place::in_flight)
        claim->deadline = Ticks::min();  // which nothing is sorted by before it parks
      else
        answer_empty(*claim, work);
      update_gauge();
    }
    perform(std::move(work));
  }

  void hand_back(const std::vector<Grant>& grants) {
    if (grants.empty()) return;
    std::vector<store::Release> batch;
    batch.reserve(grants.size());
    for (const Grant& grant : grants) batch.push_back({.lease = {grant.id, grant.fence}, .reason = kNotDelivered});
    handed_back_.add(grants.size());
    store_.release(std::move(batch), [count = grants.size()](Result<store::Each<store::Settled>> settled) {
      // What could not be handed back is rescued when its lease expires: late, but not lost.
      if (!settled.ok())
        log::warn("grants could not be handed back; their leases will expire",
                  {{"count", static_cast<std::int64_t>(count)}, {"code", std::string(to_string(settled.code()))}});
    });
  }

  void committed(const store::Committed& commit) {
    Work work;
    {
      const std::lock_guard lock(mutex_);
      if (lot_.size() == 0) return;
      for (const WorkerChange& change : commit.workers) worker_changed(change, work);
      for (const JobChange& change : commit.jobs)
        if (change.from == JobState::running && !change.worker.empty())
          if (ParkedClaim* claim = lot_.slot_freed(change.lane->ns, change.worker)) take(*claim, nullptr, work);
      wake_lanes(commit.wakes, work);
      update_gauge();
    }
    wakes_.add(work.launches.size());
    perform(std::move(work));
  }

  Duration tick() {
    const Ticks now = clock_.elapsed();
    Work work;
    Ticks sleep = poll_every_;
    {
      const std::lock_guard lock(mutex_);
      for (ParkedClaim* claim = lot_.first_to_expire(); claim != nullptr && claim->deadline <= now;
           claim = lot_.first_to_expire())
        answer_empty(*claim, work);
      refill_polls(now);
      while (ParkedClaim* claim = lot_.first_to_poll()) {
        const bool due = claim->poll_at <= now;
        if (!due || polls_left_ < 1) {
          sleep = std::min<Ticks>(sleep, due ? kPollPause : claim->poll_at - now);
          break;
        }
        polls_left_ -= 1;
        take(*claim, nullptr, work);
      }
      if (const ParkedClaim* claim = lot_.first_to_expire()) sleep = std::min(sleep, claim->deadline - now);
      update_gauge();
    }
    polls_.add(work.launches.size());
    perform(std::move(work));
    return std::chrono::ceil<Duration>(sleep);
  }

  std::size_t parked() const {
    const std::lock_guard lock(mutex_);
    return lot_.parked();
  }

  void stop() {
    Work work;
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      for (ParkedClaim* claim : lot_.all_parked()) answer_empty(*claim, work);
      update_gauge();
    }
    perform(std::move(work));
  }

 private:
  void launch(Launch launch) {
    const std::uint64_t ticket = launch.ticket;
    const LaneRef lane = std::move(launch.woken_for);
    try {
      store_.claim(std::move(launch.request), [self = shared_from_this(), ticket, lane](Result<store::ClaimReply> result) {
        self->answered(ticket, lane, std::move(result));
      });
    } catch (...) {
      // Or the claim would be under way for ever.
      const Incident incident(incidents_, "claim");
      answered(ticket, lane, incident.status());
    }
  }

  void perform(Work work) {
    for (Answer& answer : work.answers) answer.reply(std::move(answer.result));
    for (Launch& next : work.launches) launch(std::move(next));
  }

  // The store has looked for a claim.
  void answered(std::uint64_t ticket, const LaneRef& woken_for, Result<store::ClaimReply> result) {
    const Ticks now = clock_.elapsed();
    Work work;
    bool delivered = true;
    {
      const std::lock_guard lock(mutex_);
      ParkedClaim* claim = lot_.find(ticket);
      delivered = claim != nullptr;
      const bool unanswered = woken_for != nullptr && (!delivered || leaves_wake(*woken_for, result));
      if (delivered && must_answer(*claim, result, now))
        work.answers.push_back({std::move(lot_.remove(*claim)->reply), std::move(result)});
      else if (delivered)
        wait_on(*claim, std::move(*result), now, work);
      // After the claim has left or parked, so that the wake-up goes to somebody else.
      if (unanswered) wake(woken_for, work);
      update_gauge();
    }
    perform(std::move(work));
    if (!delivered && result.ok()) hand_back(result->grants);
  }

  // Whether the lane may still have a claimable head after a look that its wake-up caused.
  bool leaves_wake(const Lane& lane, const Result<store::ClaimReply>& result) const {
    // A store that is in trouble would fail the next claim as well; the poll finds the job when the trouble is over.
    if (!result.ok()) return result.code() == Code::not_found || result.code() == Code::lease_lost;
    if (result->grants.empty()) return result->block != store::ClaimBlock::none;
    const auto is_of_lane = [&](const Grant& grant) { return grant.type == lane.type && grant.queue == lane.queue; };
    return lot_.lanes().shares_type(lane) || std::none_of(result->grants.begin(), result->grants.end(), is_of_lane);
  }

  bool must_answer(const ParkedClaim& claim, const Result<store::ClaimReply>& result, Ticks now) const {
    if (!result.ok() || !result->grants.empty()) return true;
    return stopped_ || claim.worker_gone || result->block == store::ClaimBlock::draining || claim.deadline <= now;
  }

  // Nothing was found and there is time left: looks again if something happened meanwhile, else parks.
  void wait_on(ParkedClaim& claim, store::ClaimReply empty, Ticks now, Work& work) {
    claim.last = std::move(empty);
    if (claim.last.offer == nullptr) claim.last.offer = std::make_shared<const Offer>(plain_offer(claim.request));
    const bool no_slots = claim.last.block == store::ClaimBlock::no_slots;
    if (claim.look_again || (no_slots && claim.missed_slot())) return take(claim, nullptr, work);
    if (!no_slots)
      if (LaneRef lane = lot_.take_missed_wake(claim)) return take(claim, std::move(lane), work);
    if (!claim.has_parked && lot_.waiting() >= parked_max_) {
      Status status =
          Status::exhausted(fmt::format("{} claims wait for work already; at most {} are accepted", lot_.waiting(), parked_max_));
      work.answers.push_back({std::move(lot_.remove(claim)->reply), std::move(status)});
      return;
    }
    Ticks poll_in = poll_every_;
    if (claim.last.retry_at) poll_in = std::clamp<Ticks>(*claim.last.retry_at - clock_.now(), Ticks(0), poll_every_);
    lot_.park(claim, no_slots ? Place::for_slot : Place::for_lane, now + poll_in);
  }

  // What a request says about its offer when the store did not say more.
  static Offer plain_offer(const store::ClaimRequest& request) {
    Offer offer{request.ns, request.queues, request.narrow.value_or(CapabilitySet())};
    std::sort(offer.queues.begin(), offer.queues.end());
    return offer;
  }

  void take(ParkedClaim& claim, LaneRef woken_for, Work& work) {
    lot_.take(claim);
    work.launches.push_back({.ticket = claim.ticket, .request = claim.request, .woken_for = std::move(woken_for)});
  }

  void answer_empty(ParkedClaim& claim, Work& work) {
    const std::unique_ptr<ParkedClaim> removed = lot_.remove(claim);
    work.answers.push_back({std::move(removed->reply), empty_reply(std::move(removed->last))});
  }

  void worker_changed(const WorkerChange& change, Work& work) {
    const std::vector<ParkedClaim*> claims = lot_.of_worker(change.ns, change.id);  // a copy: answering changes the list
    for (ParkedClaim* claim : claims) {
      if (change.to == WorkerState::online) {
        // The offer may be another one now, and a claim of an earlier session is told so by the store.
        claim->worker_gone = false;
        if (claim->place == Place::in_flight)
          claim->look_again = true;
        else
          take(*claim, nullptr, work);
        continue;
      }
      if (claim->request.session && *claim->request.session != change.session) continue;
      if (claim->place == Place::in_flight) {
        claim->worker_gone = true;
        continue;
      }
      claim->last.block = store::ClaimBlock::draining;
      answer_empty(*claim, work);
    }
  }

  // Returns whether somebody was there.
  bool wake(const LaneRef& lane, Work& work) {
    if (ParkedClaim* claim = lot_.longest_waiting(lane)) {
      take(*claim, lane, work);
      return true;
    }
    lot_.miss_wake(lane);
    return false;
  }

  void wake_lanes(std::span<const LaneRef> lanes, Work& work) {
    const Lane* last = nullptr;
    bool somebody = true;  // waits for `last`; entries of one lane stand together in a commit
    for (const LaneRef& lane : lanes) {
      if (lane.get() != last) lot_.lanes().note_lane(lane);
      if (lane.get() == last && !somebody)
        lot_.miss_wake(lane);
      else
        somebody = wake(lane, work);
      last = lane.get();
    }
  }

  void refill_polls(Ticks now) {
    const auto most = static_cast<double>(kPollsPerPeriod);
    if (now > refilled_at_)
      polls_left_ = std::min(most, polls_left_ + most * std::chrono::duration<double>(now - refilled_at_) / poll_every_);
    refilled_at_ = now;
  }

  void update_gauge() { waiting_gauge_.set(static_cast<double>(lot_.waiting())); }

  store::Store& store_;
  const Clock& clock_;
  const std::size_t parked_max_;
  const Ticks poll_every_;
  Gauge& waiting_gauge_;
  Counter& wakes_;
  Counter& polls_;
  Counter& handed_back_;
  const Incidents incidents_;

  mutable std::mutex mutex_;  // leaf; guards everything below. The store and replies are called without it.
  ParkingLot lot_;
  bool stopped_ = false;
  double polls_left_ = static_cast<double>(kPollsPerPeriod);
  Ticks refilled_at_{};
};

Claims::Claims(store::Store& store, const Clock& clock, Metrics& metrics, const Options& options)
    : shared_(std::make_shared<Shared>(store, clock, metrics, options)), clock_(clock) {}

Claims::~Claims() { stop(); }

ClaimTicket Claims::claim(store::ClaimRequest request, Duration wait, Reply<store::ClaimReply> reply) {
  Status status = validate(request);
  if (status.ok()) status = validate_wait(wait);
  if (!status.ok()) {
    reply(status);
    return ClaimTicket{};
  }
  asked_.note(request, clock_.elapsed());
  return shared_->claim(std::move(request), wait, std::move(reply));
}

void Claims::cancel(ClaimTicket ticket) { shared_->cancel(static_cast<std::uint64_t>(ticket)); }

void Claims::hurry(ClaimTicket ticket) { shared_->hurry(static_cast<std::uint64_t>(ticket)); }

void Claims::hand_back(const std::vector<Grant>& grants) { shared_->hand_back(grants); }

void Claims::committed(const store::Committed& commit) { shared_->committed(commit); }

Duration Claims::tick() { return shared_->tick(); }

std::size_t Claims::parked() const { return shared_->parked(); }

void Claims::stop() { shared_->stop(); }

}  // namespace muster::engine
