#include "engine/lanes.h"

#include <algorithm>
#include <iterator>
#include <memory>
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

LaneServers::LaneServers(std::span<const store::LaneStats> lanes) {
  for (const store::LaneStats& lane : lanes)
    for (const std::string& need : lane.needs.names()) {
      wanted_.insert(need);
      wanted_.insert(whole_kind_of(need));
    }
}

void LaneServers::add(const Worker& worker, std::vector<QueueName> asked) {
  if (worker.state != WorkerState::online) return;
  Offer offer = offer_of(worker.spec);
  Likes likes;
  for (const std::string& name : offer.capabilities.names())
    if (wanted_.contains(name)) likes.offers.push_back(name);
  likes.ns = std::move(offer.ns);
  likes.queues = std::move(offer.queues);
  likes.asked = std::move(asked);
  likes.takes = offer.takes;
  const auto [at, fresh] = groups_.try_emplace(std::move(likes), static_cast<Place>(members_.size()));
  if (fresh) {
    members_.push_back({.likes = &at->first});
    by_namespace_[at->first.ns].push_back(at->second);
    for (const std::string& name : at->first.offers) by_offer_[{at->first.ns, name}].push_back(at->second);
  }
  Members& members = members_[at->second];
  if (++members.count <= kLaneWorkersNamedMax) members.first.push_back(worker.spec.id);
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
bool LaneServers::serves(const Likes& likes, const store::LaneStats& lane) {
  for (const auto* queues : {&likes.queues, &likes.asked})
    if (!queues->empty() && !std::binary_search(queues->begin(), queues->end(), lane.queue)) return false;
  switch (likes.takes) {
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
  for (const Place place : *able) {
    if (out.able_workers == kLaneWorkersCountedMax) break;
    const Members& members = members_[place];
    if (!serves(*members.likes, lane)) continue;
    out.able_workers = std::min(out.able_workers + members.count, std::uint64_t{kLaneWorkersCountedMax});
    for (const WorkerId& id : members.first)
      if (out.workers.size() < kLaneWorkersNamedMax) out.workers.push_back(id);
  }
  std::sort(out.workers.begin(), out.workers.end());
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

// One question to the store after the other, a namespace at a time where the asker may see only some; lives until the reply.
class Listing : public std::enable_shared_from_this<Listing> {
 public:
  Listing(store::Store& store, const AskedQueues* asked, LanesQuery query, Reply<LanesListed> reply)
      : store_(store), asked_(asked), query_(std::move(query)), reply_(std::move(reply)) {
    if (query_.within && query_.ns.empty())
      scopes_ = *query_.within;
    else
      scopes_.push_back(query_.ns);
  }

  void begin() { ask_lanes(); }

 private:
  template <class T, class Then>
  Reply<T> next(Then then) {
    return [self = shared_from_this(), then](Result<T> answer) {
      if (!answer.ok()) return self->refused(answer.status());
      then(*self, *std::move(answer));
    };
  }

  // A token may be for namespaces that are not there yet, or no longer.
  void refused(const Status& status) {
    if (status.code() == Code::not_found && query_.ns.empty()) return ask_lanes_elsewhere();
    reply_(status);
  }

  void ask_lanes() {
    if (scope_ == scopes_.size()) return answer();
    store_.list_lanes({.ns = scopes_[scope_], .queue = query_.queue, .limit = kLanesLookedAtMax - lanes_},
                      next<store::LaneList>([](Listing& self, store::LaneList lanes) {
                        self.lanes_ += lanes.lanes.size();
                        self.listed_ = std::move(lanes);
                        if (self.listed_.lanes.empty()) return self.judge();
                        self.ask_queues();
                      }));
  }

  void ask_lanes_elsewhere() {
    ++scope_;
    if (lanes_ < kLanesLookedAtMax) return ask_lanes();
    out_.more = out_.more || scope_ < scopes_.size();
    answer();
  }

  void ask_queues() {
    store_.list_queues(scopes_[scope_], next<std::vector<QueueStats>>([](Listing& self, const std::vector<QueueStats>& queues) {
                         self.paused_.clear();
                         for (const QueueStats& queue : queues)
                           if (queue.settings.paused) self.paused_.emplace(queue.ns, queue.queue);
                         self.servers_.emplace(self.listed_.lanes);
                         self.workers_ = 0;
                         self.ask_workers({});
                       }));
  }

  void ask_workers(std::string cursor) {
    store::WorkerQuery query;
    query.ns = scopes_[scope_];
    query.states = {WorkerState::online};
    query.limit = limits::kPageMax;
    query.cursor = std::move(cursor);
    store_.list_workers(std::move(query), next<store::WorkerPage>([](Listing& self, store::WorkerPage page) {
                          for (const Worker& worker : page.workers)
                            self.servers_->add(worker, self.asked_ == nullptr ? std::vector<QueueName>()
                                                                              : self.asked_->of(worker.spec.ns, worker.spec.id));
                          self.workers_ += page.workers.size();
                          if (!page.next.empty() && self.workers_ < kLaneWorkersLookedAtMax)
                            return self.ask_workers(std::move(page.next));
                          self.judge();
                        }));
  }

  void judge() {
    out_.total += listed_.lanes.size();
    out_.more = out_.more || listed_.more;
    for (store::LaneStats& lane : listed_.lanes) {
      LaneService judged = servers_->judge(std::move(lane));
      judged.paused = paused_.contains({judged.stats.ns, judged.stats.queue});
      if (!judged.served) ++out_.unserved;
      if (!judged.served || !query_.unserved) out_.lanes.push_back(std::move(judged));
    }
    ask_lanes_elsewhere();
  }

  void answer() {
    sort_lanes(out_.lanes);
    if (out_.lanes.size() > query_.limit) {
      out_.lanes.resize(query_.limit);
      out_.more = true;
    }
    reply_(std::move(out_));
  }

  store::Store& store_;
  const AskedQueues* asked_;
  const LanesQuery query_;
  Reply<LanesListed> reply_;
  std::vector<NamespaceName> scopes_;  // asked one after the other; one that is empty: all
  std::size_t scope_ = 0;
  std::size_t lanes_ = 0;    // looked at
  std::size_t workers_ = 0;  // likewise, of the scope
  store::LaneList listed_;   // of the scope
  std::set<std::pair<NamespaceName, QueueName>> paused_;
  std::optional<LaneServers> servers_;
  LanesListed out_;
};

}  // namespace

void list_lanes(store::Store& store, const AskedQueues* asked, LanesQuery query, Reply<LanesListed> reply) {
  if (Status status = validate_page(query.limit, {}); !status.ok()) return reply(status);
  for (const auto& [what, name] : {std::pair("namespace", query.ns.text()), std::pair("queue", query.queue.text())})
    if (!name.empty())
      if (Status status = validate_name(what, name); !status.ok()) return reply(status);
  std::make_shared<Listing>(store, asked, std::move(query), std::move(reply))->begin();
}

}  // namespace muster::engine
