// Where a ready job waits, who is woken, and what happens once a group is durable.
#include <algorithm>

#include "store/sqlite/core.h"

namespace muster::store::sqlite {
namespace {

// Wake-ups told for one loosened lane; the claims that follow wake the rest by polling.
constexpr std::size_t kWakesPerLaneMax = 1'000;

}  // namespace

bool Core::somebody_offers(const HotLane& home, const CapabilitySet& needs) {
  const Lane wanted{home.lane->ns, home.lane->queue, home.lane->type, needs};
  const std::int64_t ns_row = queues.at(home.queue).ns_row;
  for (auto it = workers.ordered().lower_bound({ns_row, {}}); it != workers.ordered().end() && it->first.first == ns_row; ++it) {
    const HotWorker* worker = workers.find(it->second);
    if (worker->worker.state == WorkerState::online && may_serve(*worker->lanes->offer, wanted)) return true;
  }
  return false;
}

LaneIndex Core::own_lane(LaneIndex home, const std::string& need) {
  const HotLane& from = lanes.at(home);
  CapabilitySet needs = from.lane->needs.with(need);
  if (const LaneIndex* found = lanes.find(from.queue, from.lane->type, needs)) return *found;
  if (lanes.size() >= lanes_max) return home;
  Lane lane{from.lane->ns, from.lane->queue, from.lane->type, std::move(needs)};
  const QueueIndex queue = from.queue;
  const LaneIndex index = lanes.add(std::move(lane), queue, 0, home);
  queues.at(queue).lanes.push_back(index);
  return index;
}

HotWorker* Core::bound_worker(const HotJob& job) {
  if (!job.wishes || job.wishes->sticky_key.empty()) return nullptr;
  HotWorker* bound = workers.find(bonds.find(queue_of(job).row, job.wishes->sticky_key));
  if (bound == nullptr || !bound->live()) return nullptr;
  return may_serve(*bound->lanes->offer, *lanes.at(job.home).lane) ? bound : nullptr;
}

void Core::place(JobKey key, HotJob& job) {
  HotQueue& queue = queue_of(job);
  if (job.lane != job.home) lanes.let_go(job.lane);
  job.lane = job.home;
  if (job.wishes) {
    Wishes& wishes = *job.wishes;
    if (HotWorker* bound = bound_worker(job)) {
      job.lane = own_lane(job.home, worker_capability(bound->worker.spec.id.text()));
      if (job.lane != job.home) bound->own_lanes.insert(job.lane);
    }
    if (job.lane == job.home && !wishes.prefer.empty() && now < wishes.prefer_until) {
      const CapabilitySet wanted = lanes.at(job.home).lane->needs.with(wishes.prefer);
      if (somebody_offers(lanes.at(job.home), wanted)) {
        job.lane = own_lane(job.home, wishes.prefer);
        preferences.add(wishes.prefer_until, key);
      }
    }
    if (job.lane != job.home) lanes.hold(job.lane);
    if (!wishes.concurrency_key.empty()) {
      KeyHold& hold = keys.at(queue.ns_row, wishes.concurrency_key);
      if (hold.holders.size() >= wishes.concurrency_limit) {
        wishes.waits_for_key = true;
        hold.wait({job.lane, wishes.concurrency_limit}, {job.rank, key});
        return;
      }
      wishes.waits_for_key = false;
    }
  }
  lanes.push(job.lane, {job.rank, key});
  queue.arrivals.push_back({job.run_at_ms, key});
  ++arrivals;
  tidy_arrivals(queue);
  group.wakes.push_back(lanes.at(job.lane).lane);
}

std::size_t Core::promote_due(std::size_t limit) {
  std::size_t moved = 0;
  while (moved < limit) {
    const auto key = due.pop(now);
    if (!key) break;
    HotJob* job = find(*key);
    // Cancelled, claimed after a retry, or put off again since the timer was set.
    if (job == nullptr || job->state != JobState::scheduled || job->blocked() || job->run_at() > now) continue;
    set_state(*job, JobState::ready);
    job->event = JobEvent::due;
    tell(*key, *job, JobState::scheduled, JobEvent::due);
    place(*key, *job);
    ++moved;
  }
  return moved;
}

void Core::drop_stale_arrivals(HotQueue& queue) {
  while (!queue.arrivals.empty()) {
    const HotQueue::Arrival& front = queue.arrivals.front();
    const HotJob* job = find(front.key);
    if (job != nullptr && job->state == JobState::ready && job->run_at_ms == front.run_at_ms) return;
    queue.arrivals.pop_front();
    --arrivals;
  }
}

void Core::wake_queue(QueueIndex index, std::size_t per_lane) {
  for (const LaneIndex lane : queues.at(index).lanes) {
    const std::size_t waiting = std::min(lanes.at(lane).entries.size(), per_lane);
    for (std::size_t i = 0; i < waiting; ++i) group.wakes.push_back(lanes.at(lane).lane);
  }
}

void Core::free_key(std::int64_t ns_row, const std::string& key) {
  KeyHold& hold = keys.at(ns_row, key);
  std::vector<LaneEntry> called;
  for (const auto& [place, waiting] : hold.waiters)
    if (hold.holders.size() < place.limit) called.push_back(*waiting.begin());
  for (const LaneEntry& entry : called) {
    HotJob& job = *find(entry.key);
    hold.leave({job.lane, job.wishes->concurrency_limit}, entry);
    place(entry.key, job);
  }
  keys.drop_if_idle(ns_row, key);
}

void Core::committed() {
  for (const GivenUp& given : group.given_up) {
    const QueueIndex index = lanes.at(given.lane).queue;
    HotQueue& queue = queues.at(index);
    if (given.worker != 0) {
      if (HotWorker* worker = workers.find(given.worker); worker != nullptr && worker->slots_used > 0) --worker->slots_used;
      --queue.held;
      if (!queue.held_by_type.empty()) {
        const auto held = queue.held_by_type.find(lanes.at(given.lane).lane->type.text());
        if (held != queue.held_by_type.end() && --held->second == 0) queue.held_by_type.erase(held);
      }
      if (queue.settings.running_max || !queue.settings.running_max_by_type.empty()) wake_queue(index, 1);
      if (!given.concurrency_key.empty()) keys.at(queue.ns_row, given.concurrency_key).holders.erase(given.job);
    }
    if (!given.concurrency_key.empty()) free_key(queue.ns_row, given.concurrency_key);
  }
  for (const JobKey key : group.became_ready)
    if (HotJob* job = find(key); job != nullptr && job->state == JobState::ready) place(key, *job);
  for (const QueueIndex queue : group.loosened) wake_queue(queue, kWakesPerLaneMax);
  // A retry without delay is due by now, and durable.
  promote_due(kPromotePerGroup);
  fences.reserved();
  job_keys.reserved();
  tidy();
}

void Core::free_own_lanes(HotWorker& worker) {
  for (const LaneIndex index : worker.own_lanes) {
    for (const LaneEntry& entry : lanes.take_entries(index))
      if (HotJob* job = find(entry.key); stands_at(job, index, entry)) place(entry.key, *job);
  }
  worker.own_lanes.clear();
}

}  // namespace muster::store::sqlite
