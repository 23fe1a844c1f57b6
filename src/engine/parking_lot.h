// Who waits for work, in order of arrival: the memory behind Claims. Plain single-threaded code; Claims guards it with its mutex.
//
//   ticket ──► ParkedClaim ──► in flight (the store is looking), or parked:
//                               · for a lane    taken by wake-ups of lanes, lowest ticket first (LaneIndex)
//                               · for a slot    taken when one of the worker's jobs ends
//
// Every claim, parked or not, is also listed under its worker, and every parked one under its deadline and its next poll.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/reply.h"
#include "engine/lane_index.h"
#include "model/lane.h"
#include "store/verbs.h"

namespace muster::engine {

enum class Place : std::uint8_t { in_flight, for_lane, for_slot };

struct ParkedClaim;

// The claims of one worker that are in the lot.
struct WorkerClaims {
  std::vector<ParkedClaim*> claims;  // in order of arrival
  std::size_t for_slot = 0;          // of them parked for a slot
  std::uint64_t slots_freed = 0;     // slots that became free while none was
};

struct ParkedClaim {
  std::uint64_t ticket = 0;
  store::ClaimRequest request;
  Ticks deadline{};  // monotonic: a step of the wall clock must not make anybody wait longer
  Reply<store::ClaimReply> reply;
  Place place = Place::in_flight;
  store::ClaimReply last;   // the newest empty answer: offer, block and retry_at
  Ticks poll_at{};          // meaningful while parked
  bool has_parked = false;  // counts against parked_max from its first parking to its answer
  // What happened while in flight, so that an empty answer that is older than it does not put the claim to sleep.
  std::uint64_t wakes_seen = 0;    // wake-ups counted when the flight began
  std::uint64_t slots_seen = 0;    // slots of its worker that had become free by then
  bool look_again = false;         // its worker registered again
  bool worker_gone = false;        // its worker drains or is offline
  WorkerClaims* worker = nullptr;  // the lot's: this one and the others of its worker

  bool missed_slot() const { return worker->slots_freed != slots_seen; }
};

class ParkingLot {
 public:
  // A new claim, in flight, with the next ticket.
  ParkedClaim& add(store::ClaimRequest request, Ticks deadline, Reply<store::ClaimReply> reply);
  ParkedClaim* find(std::uint64_t ticket);
  // REQUIRES: in flight; for_lane or for_slot; `last.offer` is set for for_lane.
  void park(ParkedClaim& claim, Place place, Ticks poll_at);
  // From parked to in flight.
  void take(ParkedClaim& claim);
  // Out of the lot, whatever it was doing.
  std::unique_ptr<ParkedClaim> remove(ParkedClaim& claim);

  // The longest waiting parked claim that can serve the lane, or nullptr.
  ParkedClaim* longest_waiting(const LaneRef& lane);
  // A job of the worker ended: its longest waiting claim that is parked for a slot, or nullptr. Those in flight then see that
  // they missed it.
  ParkedClaim* slot_freed(const NamespaceName& ns, const WorkerId& worker);
  // Every claim of the worker, in order of arrival. Valid until the next change of the lot.
  const std::vector<ParkedClaim*>& of_worker(const NamespaceName& ns, const WorkerId& worker) const;

  // A wake-up found nobody parked: remembered while claims are in flight that may have looked too early.
  void miss_wake(const LaneRef& lane);
  // The lane of a wake-up that the claim can serve and that was missed during its flight; nullptr for none. Each wake-up is given
  // to one claim only.
  LaneRef take_missed_wake(const ParkedClaim& claim);

  LaneIndex& lanes() { return lanes_; }
  const LaneIndex& lanes() const { return lanes_; }

  // The parked claim with the earliest deadline, or with the earliest poll; nullptr when none is parked.
  ParkedClaim* first_to_expire() const;
  ParkedClaim* first_to_poll() const;

  std::size_t size() const { return claims_.size(); }
  std::size_t parked() const { return parked_; }    // parked now
  std::size_t waiting() const { return waiting_; }  // parked, or back in flight after having been parked
  std::vector<ParkedClaim*> all_parked() const;

 private:
  struct WorkerKey {
    std::string ns;
    std::string worker;
  };
  struct WorkerKeyView {
    std::string_view ns;
    std::string_view worker;
    WorkerKeyView(std::string_view ns_name, std::string_view worker_name) : ns(ns_name), worker(worker_name) {}
    WorkerKeyView(const WorkerKey& key) : ns(key.ns), worker(key.worker) {}  // NOLINT: implicit, for lookups by view
  };
  struct WorkerKeyHash {
    using is_transparent = void;
    std::size_t operator()(WorkerKeyView key) const;
  };
  struct WorkerKeyEqual {
    using is_transparent = void;
    bool operator()(WorkerKeyView a, WorkerKeyView b) const { return a.ns == b.ns && a.worker == b.worker; }
  };
  struct MissedWake {
    std::uint64_t number = 0;  // of the newest
    LaneRef lane;
    std::size_t count = 0;
  };

  ParkedClaim* named_in(const Lane& lane, std::string_view worker);
  void leave_place(ParkedClaim& claim);
  void forget_wakes_nobody_missed();

  std::uint64_t next_ticket_ = 1;
  std::unordered_map<std::uint64_t, std::unique_ptr<ParkedClaim>> claims_;
  std::unordered_map<WorkerKey, WorkerClaims, WorkerKeyHash, WorkerKeyEqual> by_worker_;
  std::set<std::pair<Ticks, std::uint64_t>> deadlines_;
  std::set<std::pair<Ticks, std::uint64_t>> polls_;
  std::size_t parked_ = 0;
  std::size_t waiting_ = 0;

  LaneIndex lanes_;          // those parked for a lane
  std::uint64_t wakes_ = 0;  // missed ones, counted
  std::deque<MissedWake> missed_;
};

}  // namespace muster::engine
