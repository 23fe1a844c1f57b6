#include "engine/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/json_reader.h"
#include "base/time_text.h"
#include "engine/batch.h"
#include "model/validate.h"

namespace muster::engine {
namespace {

using json::Tree;
using store::KeyAnswer;
namespace key = store::key;

constexpr const char* kOrderKey = "resources";  // ids by the instant of their end
constexpr std::size_t kPruneSlice = 256;        // expired ids that one put takes out of the order

std::string resource_key(std::string_view id) { return "resource:" + std::string(id); }

double end_score(Instant at) { return static_cast<double>(at.time_since_epoch().count()); }

store::KeyBatch registry_batch(const NamespaceName& ns) {
  store::KeyBatch batch;
  batch.ns = ns;
  batch.space = store::KeySpace::internal;
  return batch;
}

std::string resource_text(const Resource& resource) {
  Tree tree{{"id", resource.id}, {"type", resource.type}, {"worker_name", resource.worker_name}};
  const auto add = [&tree](const char* name, const std::string& value) {
    if (!value.empty()) tree[name] = value;
  };
  add("scope", resource.scope);
  add("worker", resource.worker.text());
  add("metadata", resource.metadata);
  add("job", resource.job);
  if (resource.size_bytes) tree["size_bytes"] = *resource.size_bytes;
  if (resource.in_result) tree["in_result"] = true;
  tree["created_at"] = to_rfc3339(resource.created_at);
  tree["expires_at"] = to_rfc3339(*resource.expires_at);
  return json::dump(tree);
}

// nullopt: the key holds something else, which nobody writes.
std::optional<Resource> resource_of(const NamespaceName& ns, const KeyAnswer& answer) {
  if (answer.kind != KeyAnswer::Kind::text) return std::nullopt;
  const auto tree = json::parse_object(answer.text);
  if (!tree) return std::nullopt;
  const auto text = [&tree](const char* name) {
    const std::string* value = json::text(*tree, name);
    return value != nullptr ? *value : std::string();
  };
  Resource out;
  out.ns = ns;
  out.id = text("id");
  out.type = text("type");
  out.scope = text("scope");
  out.worker_name = text("worker_name");
  out.worker = WorkerId(text("worker"));
  out.metadata = text("metadata");
  out.job = text("job");
  out.size_bytes = json::natural(*tree, "size_bytes");
  out.in_result = json::flag(*tree, "in_result").value_or(false);
  out.created_at = parse_rfc3339(text("created_at")).value_or(Instant{});
  out.expires_at = parse_rfc3339(text("expires_at"));
  if (out.id.empty() || !out.expires_at) return std::nullopt;
  return out;
}

Status judge_told_resource(Resource& resource, Instant now) {
  if (Status status = validate(resource); !status.ok()) return status;
  if (!resource.expires_at) resource.expires_at = now + limits::kResourceKeptDefault;
  if (*resource.expires_at > limits::kRunAtMax) resource.expires_at = limits::kRunAtMax;
  if (*resource.expires_at <= now)
    return Status::invalid_argument(
        fmt::format("resource '{}' ended at {}; a later instant is accepted", resource.id, to_rfc3339(*resource.expires_at)));
  resource.created_at = now;
  return {};
}

bool is_of_another_worker(const Resource& known, const Resource& told) {
  return known.worker.empty() || told.worker.empty() ? known.worker_name != told.worker_name : known.worker != told.worker;
}

Status unknown_resource(const std::string& id) {
  return Status::not_found(fmt::format("no resource '{}' is known, or it has expired", id));
}

std::vector<std::string> listed_texts(const KeyAnswer& list) {
  std::vector<std::string> out;
  for (const KeyAnswer& each : list.list) out.push_back(each.text);
  return out;
}

// What the registry of workers is asked about some resources, one question after the other.
class HolderCheck : public std::enable_shared_from_this<HolderCheck> {
 public:
  using Then = UniqueFunction<void(Result<std::vector<Resource>>)>;

  HolderCheck(store::Store& store, NamespaceName ns, std::vector<Resource> resources, Then then)
      : store_(store), ns_(std::move(ns)), resources_(std::move(resources)), then_(std::move(then)) {}

  void begin() {
    std::set<WorkerId> ids;
    for (const Resource& resource : resources_)
      if (!resource.worker.empty()) ids.insert(resource.worker);
    if (ids.empty()) return owners_known();
    const std::vector<WorkerId> asked(ids.begin(), ids.end());
    store_.get_workers(ns_, asked, [self = shared_from_this(), asked](Result<store::Each<Worker>> rows) {
      if (!rows.ok()) return self->then_(rows.status());
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const Result<Worker>& row = (*rows)[i];
        if (!row.ok() && row.code() != Code::not_found) return self->then_(row.status());
        self->owners_[asked[i]] = !row.ok()                            ? HolderFacts::Own::unknown
                                  : row->state == WorkerState::offline ? HolderFacts::Own::offline
                                                                       : HolderFacts::Own::live;
      }
      self->owners_known();
    });
  }

 private:
  HolderFacts::Own own(const Resource& resource) const {
    return resource.worker.empty() ? HolderFacts::Own::unnamed : owners_.at(resource.worker);
  }

  void owners_known() {
    for (const Resource& resource : resources_)
      if (own(resource) == HolderFacts::Own::offline || own(resource) == HolderFacts::Own::unnamed)
        names_.insert(resource.worker_name);
    ask_name();
  }

  void ask_name() {
    if (names_.empty()) return finish();
    const std::string name = names_.extract(names_.begin()).value();
    store::WorkerQuery query;
    query.ns = ns_;
    query.states = {WorkerState::online, WorkerState::draining};
    query.labels = {{kWorkerNameLabel, name}};
    query.limit = 1;
    store_.list_workers(std::move(query), [self = shared_from_this(), name](Result<store::WorkerPage> page) {
      if (!page.ok()) return self->then_(page.status());
      if (!page->workers.empty()) self->live_names_.insert(name);
      self->ask_name();
    });
  }

  void finish() {
    for (Resource& resource : resources_)
      judge_holder(resource, {.own = own(resource), .namesake_lives = live_names_.contains(resource.worker_name)});
    then_(std::move(resources_));
  }

  store::Store& store_;
  const NamespaceName ns_;
  std::vector<Resource> resources_;
  Then then_;
  std::map<WorkerId, HolderFacts::Own> owners_;
  std::set<std::string> names_;  // to be asked about
  std::set<std::string> live_names_;
};

}  // namespace

std::string affinity_place_key(std::string_view key) { return "affinity:" + std::string(key); }

void Resources::judge(NamespaceName ns, std::vector<Resource> resources, Judged then) {
  if (resources.empty()) return then(std::move(resources));
  // Shared with the answers that are on their way to it.
  std::make_shared<HolderCheck>(store_, std::move(ns), std::move(resources), std::move(then))->begin();
}

// --- learning of them ---

void Resources::put(std::vector<Resource> resources, Reply<store::Each<Resource>> reply) {
  if (Status status = validate_batch("resources", resources.size(), limits::kResourceBatchMax); !status.ok())
    return reply(status);
  if (resources.empty()) return reply(store::Each<Resource>());
  const Instant now = clock_.now();
  const NamespaceName ns = resources.front().ns;
  std::vector<Status> refusals;
  std::vector<std::string> keys;
  for (Resource& resource : resources) {
    if (resource.ns != ns) return reply(Status::invalid_argument("resources of one batch are of one namespace"));
    refusals.push_back(judge_told_resource(resource, now));
    keys.push_back(resource_key(resource.id));
  }
  store::KeyBatch batch = registry_batch(ns);
  const auto most = static_cast<std::int64_t>(resources.size());
  batch.commands = {key::GetMany{std::move(keys)}, key::ScoresCount{.key = kOrderKey, .range = {}},
                    key::ScoresRange{.key = kOrderKey,
                                     .range = store::ScoreRange{.min = {}, .max = store::ScoreBound{end_score(now), false}},
                                     .limit = kPruneSlice},
                    key::ScoresRange{.key = kOrderKey, .range = key::RankRange{0, most - 1}, .limit = {}}};
  store_.keyspace(std::move(batch), [this, ns, resources = std::move(resources), refusals = std::move(refusals),
                                     reply = std::move(reply)](Result<std::vector<KeyAnswer>> known) mutable {
    if (!known.ok()) return reply(known.status());
    if (known->size() != 4 || known->front().list.size() != resources.size())
      return reply(Status::exhausted("the resources are too many to be read at once"));
    std::vector<Resource> rivals;
    for (std::size_t i = 0; i < resources.size(); ++i)
      if (const auto before = resource_of(ns, known->front().list[i]); before && is_of_another_worker(*before, resources[i]))
        rivals.push_back(*before);
    judge(ns, std::move(rivals),
          [this, resources = std::move(resources), refusals = std::move(refusals), known = *std::move(known),
           reply = std::move(reply)](Result<std::vector<Resource>> judged) mutable {
            if (!judged.ok()) return reply(judged.status());
            for (std::size_t i = 0; i < resources.size(); ++i)
              for (const Resource& rival : *judged)
                if (refusals[i].ok() && rival.id == resources[i].id && rival.state == ResourceState::active)
                  refusals[i] =
                      Status::conflict(fmt::format("resource '{}' is worker '{}'s until {}; '{}' cannot have it", rival.id,
                                                   rival.worker_name, to_rfc3339(*rival.expires_at), resources[i].worker_name));
            keep(std::move(resources), std::move(refusals), known, std::move(reply));
          });
  });
}

void Resources::keep(std::vector<Resource> told, std::vector<Status> refusals, const std::vector<KeyAnswer>& known,
                     Reply<store::Each<Resource>> reply) {
  store::KeyBatch batch = registry_batch(told.front().ns);
  const std::vector<std::string> expired = listed_texts(known[2]);
  if (!expired.empty()) batch.commands.push_back(key::ScoresRemove{kOrderKey, expired});
  std::size_t fresh = 0;
  std::vector<store::ScoredMember> order;
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (!refusals[i].ok()) continue;
    if (known[0].list[i].kind != KeyAnswer::Kind::text) ++fresh;
    order.push_back({told[i].id, end_score(*told[i].expires_at)});
    batch.commands.push_back(
        key::Set{.key = resource_key(told[i].id), .value = resource_text(told[i]), .expires_at = told[i].expires_at});
  }
  const std::size_t after = static_cast<std::size_t>(known[1].number) + fresh;
  if (after > limits::kResourcesMax) {
    std::vector<std::string> soonest = listed_texts(known[3]);
    soonest.resize(std::min(soonest.size(), after - limits::kResourcesMax));
    std::vector<std::string> keys;
    for (const std::string& id : soonest) keys.push_back(resource_key(id));
    // Before what is told is written: one that is told anew stays.
    batch.commands.insert(batch.commands.begin(), {key::Delete{std::move(keys)}, key::ScoresRemove{kOrderKey, soonest}});
  }
  if (!order.empty()) batch.commands.push_back(key::ScoresAdd{.key = kOrderKey, .members = std::move(order)});
  auto answer = [told, refusals](std::vector<Resource> judged) {
    store::Each<Resource> out;
    auto next = judged.begin();
    for (const Status& refusal : refusals) refusal.ok() ? out.emplace_back(std::move(*next++)) : out.emplace_back(refusal);
    return out;
  };
  std::vector<Resource> kept;
  for (std::size_t i = 0; i < told.size(); ++i)
    if (refusals[i].ok()) kept.push_back(told[i]);
  if (batch.commands.empty()) return reply(answer({}));
  const NamespaceName ns = batch.ns;
  store_.keyspace(std::move(batch), [this, ns, kept = std::move(kept), answer = std::move(answer),
                                     reply = std::move(reply)](Result<std::vector<KeyAnswer>> done) mutable {
    if (!done.ok()) return reply(done.status());
    judge(ns, std::move(kept),
          [answer = std::move(answer), reply = std::move(reply)](Result<std::vector<Resource>> judged) mutable {
            if (!judged.ok()) return reply(judged.status());
            reply(answer(*std::move(judged)));
          });
  });
}

// --- reading them ---

void Resources::answer_texts(NamespaceName ns, const KeyAnswer& texts, Judged then) {
  std::vector<Resource> found;
  for (const KeyAnswer& text : texts.list)
    if (auto resource = resource_of(ns, text)) found.push_back(*std::move(resource));
  judge(std::move(ns), std::move(found), std::move(then));
}

void Resources::get(NamespaceName ns, std::vector<std::string> ids, Reply<store::Each<Resource>> reply) {
  if (Status status = validate_batch("resources", ids.size(), limits::kResourceBatchMax); !status.ok()) return reply(status);
  if (ids.empty()) return reply(store::Each<Resource>());
  store::KeyBatch batch = registry_batch(ns);
  std::vector<std::string> keys;
  for (const std::string& id : ids) keys.push_back(resource_key(id));
  batch.commands = {key::GetMany{std::move(keys)}};
  store_.keyspace(std::move(batch), [this, ns = std::move(ns), ids = std::move(ids),
                                     reply = std::move(reply)](Result<std::vector<KeyAnswer>> texts) mutable {
    if (!texts.ok()) return reply(texts.status());
    answer_texts(std::move(ns), texts->front(),
                 [ids = std::move(ids), reply = std::move(reply)](Result<std::vector<Resource>> judged) mutable {
                   if (!judged.ok()) return reply(judged.status());
                   std::map<std::string, Resource> by_id;
                   for (Resource& resource : *judged) by_id.emplace(resource.id, resource);
                   store::Each<Resource> out;
                   for (const std::string& id : ids) {
                     const auto found = by_id.find(id);
                     found != by_id.end() ? out.emplace_back(found->second) : out.emplace_back(unknown_resource(id));
                   }
                   reply(std::move(out));
                 });
  });
}

void Resources::list(ResourceQuery query, Reply<ResourcePage> reply) {
  if (Status status = validate_count("limit", query.limit, {.least = 1, .most = limits::kPageMax}); !status.ok())
    return reply(status);
  store::KeyBatch batch = registry_batch(query.ns);
  batch.commands = {key::ScoresScan{.key = kOrderKey, .after = query.cursor, .pattern = {}, .limit = query.limit}};
  store_.keyspace(std::move(batch),
                  [this, query = std::move(query), reply = std::move(reply)](Result<std::vector<KeyAnswer>> scanned) mutable {
                    if (!scanned.ok()) return reply(scanned.status());
                    const std::vector<KeyAnswer>& rows = scanned->front().list;  // next, then id and score by turns
                    ResourcePage page;
                    if (rows.size() < 3) return reply(std::move(page));
                    page.next = rows.front().text;
                    std::vector<std::string> keys;
                    for (std::size_t i = 1; i < rows.size(); i += 2) keys.push_back(resource_key(rows[i].text));
                    store::KeyBatch texts = registry_batch(query.ns);
                    texts.commands = {key::GetMany{std::move(keys)}};
                    store_.keyspace(std::move(texts), [this, query = std::move(query), page = std::move(page),
                                                       reply = std::move(reply)](Result<std::vector<KeyAnswer>> found) mutable {
                      if (!found.ok()) return reply(found.status());
                      const NamespaceName ns = query.ns;
                      answer_texts(ns, found->front(),
                                   [query = std::move(query), page = std::move(page),
                                    reply = std::move(reply)](Result<std::vector<Resource>> judged) mutable {
                                     if (!judged.ok()) return reply(judged.status());
                                     for (Resource& resource : *judged) {
                                       if (!query.type.empty() && resource.type != query.type) continue;
                                       if (!query.worker.empty() && resource.worker_name != query.worker &&
                                           resource.worker.text() != query.worker)
                                         continue;
                                       page.resources.push_back(std::move(resource));
                                     }
                                     reply(std::move(page));
                                   });
                    });
                  });
}

void Resources::remove(NamespaceName ns, std::string id, Reply<Resource> reply) {
  get(ns, {id}, [this, ns, id, reply = std::move(reply)](Result<store::Each<Resource>> known) mutable {
    if (!known.ok()) return reply(known.status());
    if (!known->front().ok()) return reply(known->front().status());
    store::KeyBatch batch = registry_batch(ns);
    batch.commands = {key::Delete{{resource_key(id)}}, key::ScoresRemove{kOrderKey, {id}}};
    store_.keyspace(std::move(batch),
                    [was = *std::move(known->front()), reply = std::move(reply)](Result<std::vector<KeyAnswer>> done) mutable {
                      if (!done.ok()) return reply(done.status());
                      reply(std::move(was));
                    });
  });
}

void Resources::last_places(NamespaceName ns, std::vector<std::string> keys, Reply<std::vector<WorkerId>> reply) {
  if (Status status = validate_batch("keys", keys.size(), limits::kResourceBatchMax); !status.ok()) return reply(status);
  if (keys.empty()) return reply(std::vector<WorkerId>());
  for (std::string& key : keys) key = affinity_place_key(key);
  store::KeyBatch batch = registry_batch(ns);
  batch.commands = {key::GetMany{std::move(keys)}};
  store_.keyspace(std::move(batch), [reply = std::move(reply)](Result<std::vector<KeyAnswer>> found) mutable {
    if (!found.ok()) return reply(found.status());
    std::vector<WorkerId> out;
    for (const std::string& worker : listed_texts(found->front())) out.emplace_back(worker);
    reply(std::move(out));
  });
}

}  // namespace muster::engine
