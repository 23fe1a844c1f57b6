#include "engine/parking_lot.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

#include "base/check.h"

namespace muster::engine {
namespace {

constexpr std::size_t kMissedWakesMax = 1'024;  // beyond it the oldest is dropped; polling finds the job

// The worker a lane is bound to by name; empty for none.
std::string_view worker_named_by(const Lane& lane) {
  const auto names = lane.needs.names();
  const auto at = std::lower_bound(names.begin(), names.end(), kWorkerKind);
  if (at == names.end() || !std::string_view(*at).starts_with(kWorkerKind)) return {};
  return std::string_view(*at).substr(kWorkerKind.size());
}

}  // namespace

std::size_t ParkingLot::WorkerKeyHash::operator()(WorkerKeyView key) const {
  return mix64(std::hash<std::string_view>()(key.worker)) ^ std::hash<std::string_view>()(key.ns);
}

ParkedClaim& ParkingLot::add(store::ClaimRequest request, Ticks deadline, Reply<store::ClaimReply> reply) {
  auto claim = std::make_unique<ParkedClaim>();
  claim->ticket = next_ticket_++;
  claim->request = std::move(request);
  claim->deadline = deadline;
  claim->reply = std::move(reply);
  claim->wakes_seen = wakes_;
  ParkedClaim& added = *claim;
  added.worker = &by_worker_[{added.request.ns.text(), added.request.worker.text()}];
  added.worker->claims.push_back(&added);
  added.slots_seen = added.worker->slots_freed;
  claims_.emplace(added.ticket, std::move(claim));
  return added;
}

ParkedClaim* ParkingLot::find(std::uint64_t ticket) {
  const auto at = claims_.find(ticket);
  return at == claims_.end() ? nullptr : at->second.get();
}

void ParkingLot::park(ParkedClaim& claim, Place place, Ticks poll_at) {
  check(claim.place == Place::in_flight && place != Place::in_flight, "only a claim in flight is parked");
  claim.place = place;
  claim.poll_at = poll_at;
  if (place == Place::for_lane)
    lanes_.insert(claim.last.offer, claim.ticket);
  else
    ++claim.worker->for_slot;
  deadlines_.emplace(claim.deadline, claim.ticket);
  polls_.emplace(claim.poll_at, claim.ticket);
  ++parked_;
  if (!claim.has_parked) {
    claim.has_parked = true;
    ++waiting_;
  }
  forget_wakes_nobody_missed();
}

void ParkingLot::forget_wakes_nobody_missed() {
  // With nothing in flight nobody can have looked too early.
  if (claims_.size() == parked_) missed_.clear();
}

void ParkingLot::leave_place(ParkedClaim& claim) {
  if (claim.place == Place::in_flight) return;
  if (claim.place == Place::for_lane)
    lanes_.erase(claim.last.offer, claim.ticket);
  else
    --claim.worker->for_slot;
  deadlines_.erase({claim.deadline, claim.ticket});
  polls_.erase({claim.poll_at, claim.ticket});
  --parked_;
  claim.place = Place::in_flight;
}

void ParkingLot::take(ParkedClaim& claim) {
  leave_place(claim);
  claim.wakes_seen = wakes_;
  claim.slots_seen = claim.worker->slots_freed;
  claim.look_again = claim.worker_gone = false;
}

std::unique_ptr<ParkedClaim> ParkingLot::remove(ParkedClaim& claim) {
  leave_place(claim);
  if (claim.has_parked) --waiting_;
  std::erase(claim.worker->claims, &claim);
  if (claim.worker->claims.empty()) {
    const auto worker = by_worker_.find(WorkerKeyView(claim.request.ns.text(), claim.request.worker.text()));
    check(worker != by_worker_.end(), "every claim is listed under its worker");
    by_worker_.erase(worker);
  }
  auto node = claims_.extract(claim.ticket);
  check(!node.empty(), "a claim that is removed is in the lot");
  forget_wakes_nobody_missed();
  return std::move(node.mapped());
}

ParkedClaim* ParkingLot::longest_waiting(const LaneRef& lane) {
  if (parked_ == 0) return nullptr;
  if (const std::string_view worker = worker_named_by(*lane); !worker.empty()) return named_in(*lane, worker);
  const std::optional<std::uint64_t> ticket = lanes_.lowest_able(lane);
  return ticket ? find(*ticket) : nullptr;
}

ParkedClaim* ParkingLot::named_in(const Lane& lane, std::string_view worker) {
  const auto claims = by_worker_.find(WorkerKeyView(lane.ns.text(), worker));
  if (claims == by_worker_.end()) return nullptr;
  for (ParkedClaim* claim : claims->second.claims)
    if (claim->place == Place::for_lane && may_serve(*claim->last.offer, lane)) return claim;
  return nullptr;
}

ParkedClaim* ParkingLot::slot_freed(const NamespaceName& ns, const WorkerId& worker) {
  const auto found = by_worker_.find(WorkerKeyView(ns.text(), worker.text()));
  if (found == by_worker_.end()) return nullptr;
  WorkerClaims& of = found->second;
  if (of.for_slot == 0) {
    ++of.slots_freed;
    return nullptr;
  }
  return *std::find_if(of.claims.begin(), of.claims.end(),
                       [](const ParkedClaim* claim) { return claim->place == Place::for_slot; });
}

const std::vector<ParkedClaim*>& ParkingLot::of_worker(const NamespaceName& ns, const WorkerId& worker) const {
  static const std::vector<ParkedClaim*> kNone;
  const auto claims = by_worker_.find(WorkerKeyView(ns.text(), worker.text()));
  return claims == by_worker_.end() ? kNone : claims->second.claims;
}

void ParkingLot::miss_wake(const LaneRef& lane) {
  if (claims_.size() == parked_) return;
  ++wakes_;
  if (!missed_.empty() && missed_.back().lane == lane) {
    missed_.back().number = wakes_;
    ++missed_.back().count;
    return;
  }
  if (missed_.size() == kMissedWakesMax) missed_.pop_front();
  missed_.push_back({.number = wakes_, .lane = lane, .count = 1});
}

LaneRef ParkingLot::take_missed_wake(const ParkedClaim& claim) {
  for (auto missed = missed_.rbegin(); missed != missed_.rend() && missed->number > claim.wakes_seen; ++missed) {
    if (!may_serve(*claim.last.offer, *missed->lane)) continue;
    LaneRef lane = missed->lane;
    if (--missed->count == 0) missed_.erase(std::next(missed).base());
    return lane;
  }
  return nullptr;
}

ParkedClaim* ParkingLot::first_to_expire() const {
  return deadlines_.empty() ? nullptr : claims_.at(deadlines_.begin()->second).get();
}

ParkedClaim* ParkingLot::first_to_poll() const { return polls_.empty() ? nullptr : claims_.at(polls_.begin()->second).get(); }

std::vector<ParkedClaim*> ParkingLot::all_parked() const {
  std::vector<ParkedClaim*> out;
  out.reserve(parked_);
  for (const auto& [at, ticket] : deadlines_) out.push_back(claims_.at(ticket).get());
  return out;
}

}  // namespace muster::engine
