// The facts behind `why`, read in one exchange. The words are the engine's.
#include <algorithm>
#include <set>

#include "model/rate_bucket.h"
#include "store/codec/spec_text.h"
#include "store/postgres/moves.h"
#include "store/postgres/read_rows.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {
namespace {

constexpr std::size_t kNamedMax = 10;        // workers, holders and dependencies named
constexpr std::int64_t kAheadMax = 100'000;  // jobs of a lane that are counted

// Where the job stands and what it wishes for: the answer of explain_live.
struct Stand {
  std::optional<Place> place;  // empty: it runs
  LaneKey lane = 0;
  std::int64_t rank = 0;
  NamespaceKey ns = 0;
  std::string concurrency_key;
  std::uint64_t concurrency_limit = 0;
  std::string sticky_key;
  std::string prefer;
  std::optional<Instant> prefer_until;
};

Stand read_stand(const Rows& rows) {
  Stand out;
  if (const auto place = rows.maybe(0, 0)) out.place = static_cast<Place>(*place);
  out.lane = static_cast<LaneKey>(rows.integer(0, 1));
  out.rank = rows.integer(0, 2);
  out.ns = static_cast<NamespaceKey>(rows.integer(0, 3));
  out.concurrency_key = rows.text(0, 4);
  out.concurrency_limit = static_cast<std::uint64_t>(rows.integer(0, 5));
  out.sticky_key = rows.text(0, 6);
  out.prefer = rows.text(0, 7);
  if (const auto until = rows.maybe(0, 8)) out.prefer_until = from_ms(*until);
  return out;
}

void queue_facts(const Rows& rows, WaitFacts& facts) {
  if (rows.size() == 0) return;
  facts.queue_running = static_cast<std::uint32_t>(rows.integer(0, 0));
  if (!facts.queue.running_max_by_type.empty()) facts.type_running = static_cast<std::uint32_t>(rows.integer(0, 1));
  if (!facts.queue.rate) return;
  const auto filled_at = rows.maybe(0, 3);
  RateBucket bucket(rows.real(0, 2), filled_at ? std::optional(from_ms(*filled_at)) : std::nullopt);
  if (!bucket.has_token(*facts.queue.rate, facts.now)) facts.rate_token_at = bucket.next_token_at(*facts.queue.rate, facts.now);
}

void worker_facts(const Rows& rows, const Lane& lane, WaitFacts& facts) {
  std::vector<std::string> everything;
  std::vector<std::string> nearest;
  std::size_t nearest_missing = ~std::size_t{0};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    WorkerSpec spec;
    worker_from_text(rows.view(i, 3), spec);
    spec.ns = lane.ns;
    spec.id = WorkerId(rows.text(i, 0));
    const Offer offer = offer_of(spec);
    if (!offer.queues.empty() && !std::binary_search(offer.queues.begin(), offer.queues.end(), lane.queue)) continue;
    if (!takes_kind(offer, lane)) continue;
    ++facts.live_workers;
    auto missing = offer.capabilities.missing(facts.needs);
    for (const std::string& need : facts.needs.names())
      if (offer.capabilities.contains(need)) everything.push_back(need);
    const bool able = missing.empty();
    if (missing.size() < nearest_missing) {
      nearest_missing = missing.size();
      nearest = std::move(missing);
    }
    if (!able) continue;
    ++facts.able_count;
    const WaitFacts::AbleWorker worker{spec.id, static_cast<WorkerState>(rows.integer(i, 1)),
                                       static_cast<std::uint32_t>(rows.integer(i, 4)),
                                       static_cast<std::uint32_t>(rows.integer(i, 2)), rows.text(i, 5)};
    if (worker.state == WorkerState::online && worker.running < worker.slots) ++facts.able_free;
    if (facts.able.size() < kNamedMax) facts.able.push_back(worker);
  }
  facts.missing = CapabilitySet(std::move(everything)).missing(facts.needs);
  if (facts.able_count == 0 && facts.missing.empty()) facts.missing_nearest = std::move(nearest);
}

void holder_facts(const Tx& tx, const Rows& rows, const Stand& stand, WaitFacts& facts) {
  if (stand.concurrency_key.empty() || rows.size() == 0) return;
  if (static_cast<std::uint64_t>(rows.integer(0, 1)) < stand.concurrency_limit) return;
  for (std::size_t i = 0; i < rows.size(); ++i) facts.concurrency_holders.push_back(tx.ids().encode(rows.integer(i, 0)));
}

void bond_facts(const Rows& rows, const Stand& stand, WaitFacts& facts) {
  if (!stand.sticky_key.empty() && rows.size() > 0) {
    facts.bound_to = rows.text(0, 0);
    return;
  }
  facts.bound_to = stand.prefer;
  facts.bound_until = stand.prefer_until;
}

void dependency_facts(const Tx& tx, const Rows& rows, WaitFacts& facts) {
  std::set<JobId> open;
  for (std::size_t i = 0; i < rows.size(); ++i) open.insert(tx.ids().encode(rows.integer(i, 0)));
  for (const JobId& after : facts.job.spec.after)
    if (open.contains(after) && facts.waiting_for.size() < kNamedMax) facts.waiting_for.push_back(after);
}

}  // namespace

Result<WaitFacts> explain(Tx& tx, const JobId& id) {
  Each<Job> read = get_jobs(tx, {id});
  if (!read.front().ok()) return read.front().status();
  WaitFacts facts;
  facts.job = std::move(*read.front());
  facts.now = tx.now();
  if (is_finished(facts.job.state)) return facts;
  const std::int64_t key = *tx.ids().decode(id);
  const Rows live = tx.ask("explain_live"_sql, Params().int8(key));
  if (live.size() == 0) return facts;  // it finished between the two
  const Stand stand = read_stand(live);
  LanePtr lane = tx.directory().lane(stand.lane);
  if (lane == nullptr) {  // made for it after this transaction began
    tx.reload_directory();
    lane = tx.directory().lane(stand.lane);
  }
  if (lane == nullptr) return facts;
  if (const QueueRef queue = tx.directory().queue(lane->queue)) facts.queue = queue->settings;
  facts.needs = lane->lane->needs;

  tx.write("explain_queue"_sql, Params().int4(lane->queue).text(lane->lane->type.text()));
  tx.write("explain_holders"_sql, Params().int4(stand.ns).bytes(stand.concurrency_key).int8(kNamedMax));
  tx.write("explain_bound"_sql, Params().int4(lane->queue).bytes(stand.sticky_key));
  tx.write("explain_dependencies"_sql, Params().int8(key));
  tx.write("explain_ahead"_sql, Params().int4(stand.lane).int8(stand.rank).int8(key).int8(kAheadMax));
  tx.write("explain_workers"_sql, Params().int4(lane->ns));
  tx.write("explain_steps"_sql, Params().int8(key).int8(facts.job.run_at ? to_ms(*facts.job.run_at) : 0).int8(kNamedMax));
  const std::vector<Rows> answers = tx.ask_all();
  if (answers.size() != 7) return facts;
  queue_facts(answers[0], facts);
  holder_facts(tx, answers[1], stand, facts);
  if (lane->home != 0) bond_facts(answers[2], stand, facts);
  if (stand.place == Place::blocked) dependency_facts(tx, answers[3], facts);
  if (facts.job.state == JobState::ready && answers[4].size() == 1)
    facts.ahead = static_cast<std::uint64_t>(answers[4].integer(0, 0));
  worker_facts(answers[5], *lane->lane, facts);
  if (stand.place == Place::scheduled)
    for (std::size_t i = 0; i < answers[6].size(); ++i) facts.parked_on.push_back(read_step(tx, answers[6], i));
  return facts;
}

}  // namespace muster::store::postgres
