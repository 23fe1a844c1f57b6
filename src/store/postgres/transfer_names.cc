#include "store/postgres/transfer_names.h"

#include "model/lane.h"
#include "store/codec/spec_text.h"
#include "store/postgres/wishes.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

const Sql kDirectoryNamespaces{"directory_namespaces"};
const Sql kDirectoryQueues{"directory_queues"};
const Sql kDirectoryLanes{"directory_lanes"};
const Sql kWorkersKnown{"transfer_workers_known"};
const Sql kNamespacesPut{"transfer_namespaces_put"};
const Sql kQueuesPut{"transfer_queues_put"};
const Sql kWorkersPut{"transfer_workers_put"};
const Sql kLanesPut{"transfer_lanes_put"};

bool is_counted(const QueueSettings& settings) { return settings.running_max || !settings.running_max_by_type.empty(); }

template <class Map, class Key>
typename Map::mapped_type found_in(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? typename Map::mapped_type{} : found->second;
}

NamespaceKey key_at(const Rows& rows, std::size_t row, int column) {
  return static_cast<NamespaceKey>(rows.integer(row, column));
}

}  // namespace

void TransferNames::lost(Status what) {
  if (problem_.ok()) problem_ = std::move(what);
}

void TransferNames::load(Tx& tx) {
  const Rows namespaces = tx.ask(kDirectoryNamespaces);
  for (std::size_t i = 0; i < namespaces.size(); ++i) namespaces_[namespaces.text(i, 1)] = key_at(namespaces, i, 0);
  const Rows queues = tx.ask(kDirectoryQueues);
  for (std::size_t i = 0; i < queues.size(); ++i)
    queues_[{key_at(queues, i, 1), queues.text(i, 2)}] = {key_at(queues, i, 0),
                                                          is_counted(settings_from_text(queues.view(i, 3)))};
  const Rows lanes = tx.ask(kDirectoryLanes);
  for (std::size_t i = 0; i < lanes.size(); ++i)
    if (lanes.null(i, 5))  // the others stand for jobs that are held for somebody
      lanes_[{key_at(lanes, i, 1), lanes.text(i, 2), lanes.text(i, 3), lanes.integer(i, 4) != 0}] = key_at(lanes, i, 0);
  const Rows workers = tx.ask(kWorkersKnown);
  for (std::size_t i = 0; i < workers.size(); ++i)
    workers_[{key_at(workers, i, 1), workers.text(i, 2)}] = {key_at(workers, i, 0), Duration(workers.integer(i, 3))};
}

void TransferNames::put(Tx& tx, const std::vector<NamespaceInfo>& records) {
  Column name(Type::text), description(Type::bytes), created_at(Type::int8), display_name(Type::bytes), enabled(Type::boolean),
      updated_at(Type::int8);
  for (const NamespaceInfo& record : records) {
    name.add(std::string_view(record.name.text()));
    description.add(std::string_view(record.description));
    created_at.add(to_ms(record.created_at));
    display_name.add(std::string_view(record.display_name));
    enabled.add(std::int64_t{record.enabled});
    updated_at.add(to_ms(record.updated_at));
  }
  Params params;
  for (Column* column : {&name, &description, &created_at, &display_name, &enabled, &updated_at})
    params.array(std::move(*column));
  const Rows rows = tx.ask(kNamespacesPut, std::move(params));
  for (std::size_t i = 0; i < rows.size(); ++i) namespaces_[rows.text(i, 1)] = key_at(rows, i, 0);
}

void TransferNames::put(Tx& tx, const std::vector<transfer::QueueRecord>& records) {
  Column in(Type::int4), name(Type::text), settings(Type::bytes), gated(Type::boolean);
  std::set<std::pair<NamespaceKey, std::string>> counted;
  for (const transfer::QueueRecord& record : records) {
    const QueueEntry entry{.settings = record.settings};
    const NamespaceKey scope = ns(record.ns);
    in.add(std::int64_t{scope});
    name.add(std::string_view(record.name.text()));
    record.settings == QueueSettings() ? settings.add_null() : settings.add(std::string_view(settings_to_text(record.settings)));
    gated.add(std::int64_t{entry.gated()});
    if (is_counted(record.settings)) counted.insert({scope, record.name.text()});
  }
  Params params;
  params.array(std::move(in)).array(std::move(name)).array(std::move(settings)).array(std::move(gated));
  const Rows rows = tx.ask(kQueuesPut, std::move(params));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::pair<NamespaceKey, std::string> scoped{key_at(rows, i, 1), rows.text(i, 2)};
    queues_[scoped] = {key_at(rows, i, 0), counted.contains(scoped)};
  }
}

void TransferNames::put(Tx& tx, const std::vector<Worker>& records) {
  Column in(Type::int4), name(Type::text), session(Type::int8), state(Type::int2), slots(Type::int4), dead_after(Type::int8),
      spec(Type::text), registered_at(Type::int8), last_seen_at(Type::int8), offline_at(Type::int8), offline_cause(Type::text),
      drain_deadline(Type::int8), drain_reason(Type::bytes), completed(Type::int8), failed(Type::int8), stats(Type::bytes);
  for (const Worker& worker : records) {
    const HeartbeatPolicy policy = worker.spec.policy.value_or(default_policy(worker.spec.dialect));
    in.add(std::int64_t{ns(worker.spec.ns)});
    name.add(std::string_view(worker.spec.id.text()));
    session.add(static_cast<std::int64_t>(to_number(worker.session)));
    state.add(static_cast<std::int64_t>(worker.state));
    slots.add(std::int64_t{worker.spec.slots});
    dead_after.add(std::int64_t{policy.dead_after.count()});
    spec.add(std::string_view(worker_to_text(worker.spec)));
    registered_at.add(to_ms(worker.registered_at));
    last_seen_at.add(to_ms(worker.last_seen_at));
    offline_at.add(to_ms(worker.offline_at));
    offline_cause.add(std::string_view(worker.offline_cause));
    drain_deadline.add(to_ms(worker.drain_deadline));
    drain_reason.add(std::string_view(worker.drain_reason));
    completed.add(static_cast<std::int64_t>(worker.completed));
    failed.add(static_cast<std::int64_t>(worker.failed));
    stats.add(std::string_view(worker.stats));
  }
  Params params;
  for (Column* column : {&in, &name, &session, &state, &slots, &dead_after, &spec, &registered_at, &last_seen_at, &offline_at,
                         &offline_cause, &drain_deadline, &drain_reason, &completed, &failed, &stats})
    params.array(std::move(*column));
  const Rows rows = tx.ask(kWorkersPut, std::move(params));
  for (std::size_t i = 0; i < rows.size(); ++i)
    workers_[{key_at(rows, i, 1), rows.text(i, 2)}] = {key_at(rows, i, 0), Duration(rows.integer(i, 3))};
}

void TransferNames::put_lanes(Tx& tx, const std::vector<transfer::JobRecord>& records) {
  std::set<LaneName> missing;
  for (const transfer::JobRecord& record : records)
    if (LaneName name = name_of(record.job.spec); !lanes_.contains(name)) missing.insert(std::move(name));
  if (missing.empty()) return;
  Column in(Type::int4), type(Type::text), needs(Type::bytes), special(Type::boolean);
  for (const auto& [queue_key, type_name, needed, is_special] : missing) {
    in.add(std::int64_t{queue_key});
    type.add(std::string_view(type_name));
    needs.add(std::string_view(needed));
    special.add(std::int64_t{is_special});
  }
  Params params;
  params.array(std::move(in)).array(std::move(type)).array(std::move(needs)).array(std::move(special));
  const Rows rows = tx.ask(kLanesPut, std::move(params));
  for (std::size_t i = 0; i < rows.size(); ++i)
    lanes_[{key_at(rows, i, 1), rows.text(i, 2), rows.text(i, 3), rows.integer(i, 4) != 0}] = key_at(rows, i, 0);
}

TransferNames::LaneName TransferNames::name_of(const JobSpec& spec) {
  return {queue(spec.ns, spec.queue).key, spec.type.text(), plain_needs(spec).key(), claims_specially(spec)};
}

NamespaceKey TransferNames::ns(const NamespaceName& name) {
  const NamespaceKey key = found_in(namespaces_, name.text());
  if (key == 0) lost(refusal::source_lacks("namespace", name.text()));
  return key;
}

TransferNames::Queue TransferNames::queue(const NamespaceName& scope, const QueueName& name) {
  const Queue known = found_in(queues_, std::pair(ns(scope), name.text()));
  if (known.key == 0) lost(refusal::source_lacks("queue", name.text()));
  return known;
}

TransferNames::KnownWorker TransferNames::worker(const NamespaceName& scope, const WorkerId& id) {
  return found_in(workers_, std::pair(ns(scope), id.text()));
}

LaneKey TransferNames::lane(const JobSpec& spec) { return found_in(lanes_, name_of(spec)); }

}  // namespace muster::store::postgres
