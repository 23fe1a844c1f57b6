// The facts behind `why`, read at one instant. The words are the engine's.
#include <algorithm>

#include "store/sqlite/verbs/steps.h"
#include "store/sqlite/verbs/verbs.h"

namespace muster::store::sqlite {
namespace {

constexpr std::size_t kNamedMax = 10;       // workers, holders and dependencies named
constexpr std::size_t kAheadMax = 100'000;  // entries of a lane that are counted

void worker_facts(Core& core, const HotLane& lane, WaitFacts& facts) {
  const std::int64_t ns_row = core.queues.at(lane.queue).ns_row;
  CapabilitySet all;
  std::vector<std::string> everything;
  const HotWorker* nearest = nullptr;
  std::size_t nearest_missing = ~std::size_t{0};
  for (auto it = core.workers.ordered().lower_bound({ns_row, {}});
       it != core.workers.ordered().end() && it->first.first == ns_row; ++it) {
    const HotWorker* worker = core.workers.find(it->second);
    if (!worker->live()) continue;
    const Offer& offer = *worker->lanes->offer;
    if (!offer.queues.empty() && !std::binary_search(offer.queues.begin(), offer.queues.end(), lane.lane->queue)) continue;
    if (!takes_kind(offer, *lane.lane)) continue;
    ++facts.live_workers;
    const auto missing = offer.capabilities.missing(facts.needs);
    for (const std::string& need : facts.needs.names())
      if (offer.capabilities.contains(need)) everything.push_back(need);
    if (missing.size() < nearest_missing) {
      nearest = worker;
      nearest_missing = missing.size();
    }
    if (!missing.empty()) continue;
    ++facts.able_count;
    const bool has_slot = worker->slots_used < worker->worker.spec.slots;
    if (worker->worker.state == WorkerState::online && has_slot) ++facts.able_free;
    if (facts.able.size() < kNamedMax)
      facts.able.push_back({worker->worker.spec.id, worker->worker.state, worker->slots_used, worker->worker.spec.slots});
  }
  facts.missing = CapabilitySet(std::move(everything)).missing(facts.needs);
  if (facts.able_count == 0 && facts.missing.empty() && nearest != nullptr)
    facts.missing_nearest = nearest->lanes->offer->capabilities.missing(facts.needs);
}

void key_facts(Core& core, const HotJob& job, WaitFacts& facts) {
  const Wishes& wishes = *job.wishes;
  const HotQueue& queue = core.queue_of(job);
  if (!wishes.concurrency_key.empty()) {
    const KeyHold* hold = core.keys.find(queue.ns_row, wishes.concurrency_key);
    if (hold != nullptr && hold->holders.size() >= wishes.concurrency_limit)
      for (const JobKey holder : hold->holders)
        if (facts.concurrency_holders.size() < kNamedMax) facts.concurrency_holders.push_back(core.ids.encode(holder));
  }
  if (job.lane != job.home) {
    const HotWorker* bound = core.workers.find(core.bonds.find(queue.row, wishes.sticky_key));
    if (bound != nullptr) {
      facts.bound_to = bound->worker.spec.id.text();
    } else {
      facts.bound_to = wishes.prefer;
      facts.bound_until = wishes.prefer_until;
    }
  }
}

}  // namespace

Result<WaitFacts> explain(Core& core, const JobId& id) {
  auto read = read_job(core, id);
  if (!read.ok()) return read.status();
  WaitFacts facts;
  facts.job = std::move(*read);
  facts.now = core.now;
  const JobKey key = *core.ids.decode(id);
  const HotJob* job = core.find(key);
  if (job == nullptr) return facts;
  const HotLane& lane = core.lanes.at(job->lane);
  HotQueue& queue = core.queues.at(lane.queue);
  facts.needs = lane.lane->needs;
  facts.queue = queue.settings;
  facts.queue_running = queue.held;
  if (const auto held = queue.held_by_type.find(lane.lane->type.text()); held != queue.held_by_type.end())
    facts.type_running = held->second;
  if (queue.settings.rate && !queue.bucket.has_token(*queue.settings.rate, core.now))
    facts.rate_token_at = queue.bucket.next_token_at(*queue.settings.rate, core.now);
  if (job->wishes) key_facts(core, *job, facts);
  facts.parked_on = parked_on(core, key, *job, kNamedMax);
  if (job->blocked()) {
    for (const JobId& after : facts.job.spec.after) {
      const auto after_key = core.ids.decode(after);
      if (after_key && core.find(*after_key) != nullptr && facts.waiting_for.size() < kNamedMax)
        facts.waiting_for.push_back(after);
    }
  }
  if (job->state == JobState::ready) {
    const LaneEntry self{job->rank, key};
    std::size_t looked = 0;
    for (const LaneEntry& entry : lane.entries) {
      if (++looked > kAheadMax) break;
      if (entry < self) ++facts.ahead;
    }
  }
  worker_facts(core, lane, facts);
  return facts;
}

}  // namespace muster::store::sqlite
