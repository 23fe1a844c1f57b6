#include "engine/lanes.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "engine/requests.h"
#include "model/run.h"
#include "model/validate.h"

namespace muster::engine {
namespace {

std::string whole_kind_of(std::string_view need) { return std::string(need.substr(0, need.find(':') + 1)) + "*"; }

bool has_kind(const CapabilitySet& needs, std::string_view prefix) {
  return std::any_of(needs.names().begin(), needs.names().end(),
                     [prefix](const std::string& name) { return name.starts_with(prefix); });
}

}  // namespace

LaneServers::LaneServers(std::span<const store::LaneStats> lanes, std::span<const Worker> workers) {
  std::set<std::string> wanted;
  for (const store::LaneStats& lane : lanes)
    for (const std::string& need : lane.needs.names()) {
      wanted.insert(need);
      wanted.insert(whole_kind_of(need));
    }
  for (const Worker& worker : workers) {
    if (worker.state != WorkerState::online) continue;
    const auto place = static_cast<std::uint32_t>(servers_.size());
    Offer offer = offer_of(worker.spec);
    by_namespace_[offer.ns].push_back(place);
    const CapabilitySet offered = std::exchange(offer.capabilities, {});
    for (const std::string& name : offered.names())
      if (wanted.contains(name)) by_offer_[{offer.ns, name}].push_back(place);
    servers_.push_back({worker.spec.id, std::move(offer)});
  }
}

LaneServers::Places LaneServers::offering(const NamespaceName& ns, const std::string& need) const {
  const auto found = [&](const std::string& name) {
    const auto at = by_offer_.find({ns, name});
    return at == by_offer_.end() ? Places() : at->second;
  };
  const Places named = found(need);
  const Places all_of_kind = found(whole_kind_of(need));
  Places out;
  std::set_union(named.begin(), named.end(), all_of_kind.begin(), all_of_kind.end(), std::back_inserter(out));
  return out;
}

// Its queues and its kind; what it offers is matched already. The type of a lane that only runs or nodes need is in its needs.
bool LaneServers::serves(const Server& server, const store::LaneStats& lane) const {
  const auto& queues = server.offer.queues;
  if (!queues.empty() && !std::binary_search(queues.begin(), queues.end(), lane.queue)) return false;
  switch (server.offer.takes) {
    case JobKind::any: return true;
    case JobKind::run: return has_kind(lane.needs, workflow_capability(""));
    case JobKind::node: return has_kind(lane.needs, node_capability(""));
  }
  unreachable();
}

LaneService LaneServers::judge(store::LaneStats lane) const {
  LaneService out;
  std::optional<Places> able;  // empty: no need was looked at yet
  for (const std::string& need : lane.needs.names()) {
    Places offering_it = offering(lane.ns, need);
    if (offering_it.empty()) out.missing.push_back(need);
    if (!able) {
      able = std::move(offering_it);
      continue;
    }
    Places both;
    std::set_intersection(able->begin(), able->end(), offering_it.begin(), offering_it.end(), std::back_inserter(both));
    able = std::move(both);
  }
  if (!able) {
    const auto all = by_namespace_.find(lane.ns);
    able = all == by_namespace_.end() ? Places() : all->second;
  }
  for (const std::uint32_t place : *able) {
    if (out.able_workers == kLaneWorkersCountedMax) break;
    if (!serves(servers_[place], lane)) continue;
    if (++out.able_workers <= kLaneWorkersNamedMax) out.workers.push_back(servers_[place].id);
  }
  out.served = out.able_workers > 0;
  out.stats = std::move(lane);
  return out;
}

void sort_lanes(std::vector<LaneService>& lanes) {
  std::stable_sort(lanes.begin(), lanes.end(), [](const LaneService& a, const LaneService& b) {
    const auto rank = [](const LaneService& lane) {
      return std::tuple(!lane.served && lane.stats.ready > 0, !lane.served, lane.stats.ready);
    };
    return rank(a) > rank(b);
  });
}

namespace {

// One question to the store after the other; lives until the reply.
class Listing : public std::enable_shared_from_this<Listing> {
 public:
  Listing(store::Store& store, LanesQuery query, Reply<LanesListed> reply)
      : store_(store), query_(std::move(query)), reply_(std::move(reply)) {}

  void begin() {
    store_.list_lanes({.ns = query_.ns, .queue = query_.queue, .limit = kLanesLookedAtMax},
                      next<store::LaneList>([](Listing& self, store::LaneList lanes) {
                        self.listed_ = std::move(lanes);
                        if (self.query_.within)
                          std::erase_if(self.listed_.lanes, [&](const auto& lane) { return !self.may_show(lane.ns); });
                        self.ask_queues();
                      }));
  }

 private:
  template <class T, class Then>
  Reply<T> next(Then then) {
    return [self = shared_from_this(), then](Result<T> answer) {
      if (!answer.ok()) return self->reply_(answer.status());
      then(*self, *std::move(answer));
    };
  }

  bool may_show(const NamespaceName& ns) const {
    return std::find(query_.within->begin(), query_.within->end(), ns) != query_.within->end();
  }

  void ask_queues() {
    store_.list_queues(query_.ns, next<std::vector<QueueStats>>([](Listing& self, const std::vector<QueueStats>& queues) {
                         for (const QueueStats& queue : queues)
                           if (queue.settings.paused) self.paused_.emplace(queue.ns, queue.queue);
                         self.ask_workers({});
                       }));
  }

  void ask_workers(std::string cursor) {
    store::WorkerQuery query;
    query.ns = query_.ns;
    query.states = {WorkerState::online};
    query.limit = limits::kPageMax;
    query.cursor = std::move(cursor);
    store_.list_workers(std::move(query), next<store::WorkerPage>([](Listing& self, store::WorkerPage page) {
                          std::move(page.workers.begin(), page.workers.end(), std::back_inserter(self.workers_));
                          if (!page.next.empty() && self.workers_.size() < kLaneWorkersLookedAtMax)
                            return self.ask_workers(std::move(page.next));
                          self.answer();
                        }));
  }

  void answer() {
    const LaneServers servers(listed_.lanes, workers_);
    LanesListed out;
    out.total = listed_.lanes.size();
    out.more = listed_.more;
    for (store::LaneStats& lane : listed_.lanes) {
      LaneService judged = servers.judge(std::move(lane));
      judged.paused = paused_.contains({judged.stats.ns, judged.stats.queue});
      if (!judged.served) ++out.unserved;
      if (!judged.served || !query_.unserved) out.lanes.push_back(std::move(judged));
    }
    sort_lanes(out.lanes);
    if (out.lanes.size() > query_.limit) {
      out.lanes.resize(query_.limit);
      out.more = true;
    }
    reply_(std::move(out));
  }

  store::Store& store_;
  const LanesQuery query_;
  Reply<LanesListed> reply_;
  store::LaneList listed_;
  std::set<std::pair<NamespaceName, QueueName>> paused_;
  std::vector<Worker> workers_;
};

}  // namespace

void list_lanes(store::Store& store, LanesQuery query, Reply<LanesListed> reply) {
  if (Status status = validate_page(query.limit, {}); !status.ok()) return reply(status);
  for (const auto& [what, name] : {std::pair("namespace", query.ns.text()), std::pair("queue", query.queue.text())})
    if (!name.empty())
      if (Status status = validate_name(what, name); !status.ok()) return reply(status);
  std::make_shared<Listing>(store, std::move(query), std::move(reply))->begin();
}

}  // namespace muster::engine
