#include "fronts/grpc/dialect/workers.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/json_reader.h"
#include "base/log.h"
#include "command/jobs.h"
#include "command/keys.h"
#include "command/queues.h"
#include "command/workers.h"
#include "fronts/grpc/dialect/names.h"
#include "fronts/grpc/dialect/roster.h"
#include "fronts/grpc/dialect/runs.h"
#include "model/key_scope.h"

namespace muster::rpc {
namespace {

using Json = json::Tree;

constexpr std::string_view kTypeKind = "workflow:";

Status no_worker(Uuid id) { return Status::not_found(fmt::format("worker {} is not registered", id.text())); }

std::string home_key(Uuid id) { return fmt::format("{}home:{}", kKagziKeys, id.text()); }

// Empty: a process that does not say where it runs is nobody in particular.
std::string identity_key(const std::string& ns, const std::string& queue, const std::string& host, std::int32_t pid) {
  if (host.empty() || pid == 0) return {};
  return fmt::format("{}worker:{}\n{}\n{}\n{}", kKagziKeys, ns, queue, host, pid);
}

std::string identity_of(const WorkerSpec& spec, const WorkerNotes& notes) {
  if (spec.queues.empty()) return {};
  return identity_key(spec.ns.text(), spec.queues.front().text(), spec.hostname, notes.pid);
}

store::KeyBatch records() {
  store::KeyBatch batch;
  batch.space = store::KeySpace::internal;
  return batch;
}

store::key::Set record(std::string key, std::string value) {
  store::key::Set set;
  set.key = std::move(key);
  set.value = std::move(value);
  set.expires_at = Instant(Roster::kIdentityKept);
  set.relative = true;
  return set;
}

void read_record(Core& core, std::string key, Reply<std::string> reply) {
  store::KeyBatch batch = records();
  batch.commands.emplace_back(store::key::Get{std::move(key)});
  core.door.run(command::itself(), command::KeysReadRequest{std::move(batch)},
                [reply = std::move(reply)](Result<command::KeysReply> answers) mutable {
                  if (!answers.ok()) return reply(answers.status());
                  store::KeyAnswer& answer = answers->front();
                  reply(answer.kind == store::KeyAnswer::Kind::text ? std::move(answer.text) : std::string());
                });
}

void write_records(Core& core, const WorkerSpec& spec, const WorkerNotes& notes, UniqueFunction<void(Status)> then) {
  store::KeyBatch batch = records();
  if (std::string identity = identity_of(spec, notes); !identity.empty())
    batch.commands.emplace_back(record(std::move(identity), spec.id.text()));
  batch.commands.emplace_back(record(fmt::format("{}home:{}", kKagziKeys, spec.id.text()), spec.ns.text()));
  core.door.run(command::itself(), command::KeysWriteRequest{std::move(batch)},
                [then = std::move(then)](const Result<command::KeysReply>& answers) mutable { then(answers.status()); });
}

std::string notes_text(const WorkerNotes& notes) {
  Json out{{"pid", notes.pid}, {"registrations", notes.registrations}};
  if (notes.queue_limit > 0) out["queue_concurrency_limit"] = notes.queue_limit;
  for (const auto& [type, limit] : notes.type_limits) out["workflow_type_concurrency"].push_back({type, limit});
  Json with_types = out;
  with_types["workflow_types"] = notes.types;
  // The types are offered as capabilities anyway; here they only keep their order.
  std::string text = json::dump(with_types);
  return text.size() <= limits::kMetadataBytesMax ? text : json::dump(out);
}

WorkerNotes read_notes(const std::string& metadata) {
  WorkerNotes notes;
  const auto tree = json::parse_object(metadata);
  if (!tree) return notes;
  const auto whole = [&tree](const char* name, std::int32_t otherwise) {
    return static_cast<std::int32_t>(json::integer(*tree, name).value_or(otherwise));
  };
  notes.pid = whole("pid", 0);
  notes.registrations = static_cast<std::uint32_t>(std::max(whole("registrations", 1), 1));
  notes.queue_limit = whole("queue_concurrency_limit", 0);
  if (const Json* types = json::array(*tree, "workflow_types"))
    for (const Json& type : *types)
      if (const auto* name = type.get_ptr<const std::string*>()) notes.types.push_back(*name);
  if (const Json* pairs = json::array(*tree, "workflow_type_concurrency"))
    for (const Json& pair : *pairs)
      if (pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_number_integer())
        notes.type_limits.emplace_back(*pair[0].get_ptr<const std::string*>(), pair[1].get<std::int32_t>());
  return notes;
}

}  // namespace

WorkerNotes notes_of(const Worker& worker) { return read_notes(worker.spec.metadata); }

std::uint32_t registrations_of(const WorkerSpec& spec) { return read_notes(spec.metadata).registrations; }

std::vector<std::string> types_of(const Worker& worker) {
  WorkerNotes notes = notes_of(worker);
  if (!notes.types.empty()) return std::move(notes.types);
  std::vector<std::string> types;
  for (const std::string& name : worker.spec.capabilities.names())
    if (name.starts_with(kTypeKind)) types.push_back(decode_name(name.substr(kTypeKind.size())));
  return types;
}

std::string queue_of(const Worker& worker) {
  return worker.spec.queues.empty() ? std::string() : decode_name(worker.spec.queues.front().text());
}

std::string status_word(const Worker& worker) {
  switch (worker.state) {
    case WorkerState::online: return "ONLINE";
    case WorkerState::draining: return "DRAINING";
    case WorkerState::offline: return "OFFLINE";
  }
  return "OFFLINE";
}

WorkerTotals totals_of(const Worker& worker) {
  WorkerTotals totals{worker.completed, worker.failed};
  const auto told = json::parse_object(worker.stats);
  if (!told) return totals;
  const auto larger = [&told](const char* name, std::uint64_t counted) {
    return std::max(counted, json::natural(*told, name).value_or(0));
  };
  totals.completed = larger("completed", totals.completed);
  totals.failed = larger("failed", totals.failed);
  return totals;
}

void find_worker(const CallRef& call, Uuid id, Reply<Worker> reply) {
  const auto get = [call, id](NamespaceName ns, Reply<Worker> then) {
    ask(call, command::WorkerGetRequest{std::move(ns), WorkerId(id.text())},
        [call, id, then = std::move(then)](Result<Worker> worker) mutable {
          Roster& roster = *call->core.roster;
          if (worker.code() == Code::not_found) {
            roster.forget(id);
            return then(no_worker(id));
          }
          if (worker.ok()) roster.put(id, worker->spec, worker->stats);
          then(std::move(worker));
        });
  };
  if (const auto known = call->core.roster->find(id)) return get(known->ns, std::move(reply));
  read_record(call->core, home_key(id), [get, id, reply = std::move(reply)](Result<std::string> home) mutable {
    if (!home.ok()) return reply(home.status());
    if (home->empty()) return reply(no_worker(id));
    get(NamespaceName(*home), std::move(reply));
  });
}

namespace {

// One registration on its way: look for the process, describe it, write it down, then the limits of its queue.
class Registering : public std::enable_shared_from_this<Registering> {
 public:
  Registering(CallRef call, Registration registration, Reply<store::Registered> reply)
      : call_(std::move(call)), core_(call_->core), asked_(std::move(registration)), reply_(std::move(reply)) {
    queue_ = encode_name(asked_.task_queue);
    identity_ = identity_key(asked_.ns, queue_, asked_.hostname, asked_.pid);
  }

  void run() {
    ensure_namespace(call_, NamespaceName(asked_.ns), [self = shared_from_this()](Status there) {
      if (!there.ok()) return self->reply_(there);
      if (self->identity_.empty()) return self->describe(nullptr);
      self->core_.roster->enter(self->identity_, [self] { self->look(); });
    });
  }

 private:
  void look() {
    read_record(core_, identity_, [self = shared_from_this()](Result<std::string> id) {
      if (!id.ok()) return self->done(id.status());
      const auto uuid = parse_uuid(*id);
      if (!uuid) return self->describe(nullptr);
      ask(self->call_, command::WorkerGetRequest{NamespaceName(self->asked_.ns), WorkerId(*id)},
          [self](const Result<Worker>& worker) {
            if (!worker.ok() && worker.code() != Code::not_found) return self->done(worker.status());
            const bool live = worker.ok() && worker->state != WorkerState::offline;
            self->describe(live ? &*worker : nullptr);
          });
    });
  }

  void describe(const Worker* before) {
    WorkerSpec spec;
    spec.ns = NamespaceName(asked_.ns);
    spec.dialect = Dialect::grpc;
    spec.id = WorkerId(before != nullptr ? before->spec.id.text() : core_.roster->new_id().text());
    if (before == nullptr && !call_->caller.worker.empty()) {
      if (!parse_uuid(call_->caller.worker.text()))
        return done(Status::permission_denied("this token acts as a worker whose name is not a UUID; Kagzi workers have UUIDs"));
      spec.id = call_->caller.worker;
    }
    if (Status may = command::authorize_worker(call_->caller, spec.id); !may.ok()) return done(may);
    std::vector<std::string> capabilities;
    for (const std::string& type : asked_.types) capabilities.push_back(workflow_capability(encode_name(type)));
    spec.capabilities = CapabilitySet(std::move(capabilities));
    spec.queues = {QueueName(queue_)};
    spec.labels = asked_.labels;
    spec.slots = std::min(asked_.slots, limits::kSlotsMax);
    spec.hostname = asked_.hostname;
    spec.version = asked_.version;
    const CompatFlags& compat_flags = core_.options.compat_flags;
    spec.policy = HeartbeatPolicy{compat_flags.heartbeat_every, compat_flags.dead_after};
    notes_ = {asked_.pid, 1, asked_.types, asked_.queue_limit, asked_.type_limits};
    if (before != nullptr) {
      notes_.registrations = notes_of(*before).registrations + 1;
      // A worker that drains and holds nothing is online again as a new session; one that still works keeps its leases.
      if (before->state == WorkerState::online || before->running > 0) spec.resume = before->session;
    }
    spec.metadata = notes_text(notes_);
    spec_ = spec;
    ask(call_, std::move(spec), [self = shared_from_this()](Result<store::Registered> made) {
      if (!made.ok()) return self->done(made.status());
      self->registered_ = *made;
      self->keep();
    });
  }

  void keep() {
    const auto id = parse_uuid(spec_.id.text());
    core_.roster->forget(*id);
    core_.roster->put(*id, spec_, {});
    core_.connections.registered(call_->connection, spec_.id);
    write_records(core_, spec_, notes_, [self = shared_from_this()](Status kept) {
      if (!kept.ok()) return self->done(kept);
      self->limit();
    });
  }

  // The last registration wins.
  void limit() {
    command::QueueLimitRequest change;
    change.ns = spec_.ns;
    change.queue = spec_.queues.front();
    const auto capped = [](std::int32_t wanted) { return static_cast<std::uint32_t>(std::min(wanted, kKagziConcurrencyMax)); };
    if (asked_.queue_limit > 0) change.running_max = capped(asked_.queue_limit);
    for (const auto& [type, most] : asked_.type_limits)
      if (most > 0) change.running_max_by_type[encode_name(type)] = capped(most);
    if (!change.running_max && change.running_max_by_type.empty()) return done(registered_);
    if (call_->caller.role != command::Role::operator_role) {
      // Its client sends them with every registration and would not start if they were refused.
      log::warn("a worker's token changes no limits of queues", {{"worker_id", spec_.id.text()}, {"who", call_->caller.name}});
      return done(registered_);
    }
    ask(call_, std::move(change), [self = shared_from_this()](const Result<QueueStats>& changed) {
      if (!changed.ok()) return self->done(changed.status());
      self->done(self->registered_);
    });
  }

  void done(Result<store::Registered> outcome) {
    // The next one may begin before this one's answer is written, but not before its records are.
    if (!identity_.empty()) core_.roster->leave(identity_);
    reply_(std::move(outcome));
  }

  CallRef call_;
  Core& core_;
  Registration asked_;
  Reply<store::Registered> reply_;
  std::string queue_;
  std::string identity_;
  WorkerSpec spec_;
  WorkerNotes notes_;
  store::Registered registered_;
};

}  // namespace

void register_worker(const CallRef& call, Registration registration, Reply<store::Registered> reply) {
  std::make_shared<Registering>(call, std::move(registration), std::move(reply))->run();
}

namespace {

// The leases named in `muster-runs`; nothing: the request does not have it.
Result<std::optional<std::vector<LeaseRef>>> leases_of(const Call& call) {
  std::string_view text = call.metadata("muster-runs");
  if (text.empty()) return std::optional<std::vector<LeaseRef>>();
  std::vector<LeaseRef> leases;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    if (one.empty()) continue;
    const std::size_t colon = one.rfind(':');
    const auto run = colon == std::string_view::npos ? std::nullopt : parse_uuid(one.substr(0, colon));
    std::uint64_t fence = 0;
    const std::string_view digits = run ? one.substr(colon + 1) : std::string_view();
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), fence);
    if (!run || digits.empty() || fault != std::errc() || end != digits.data() + digits.size())
      return Status::invalid_argument(fmt::format("muster-runs holds '{}'; run_id:fence is accepted", one.substr(0, 64)));
    leases.push_back({JobId{*run}, Fence{fence}});
  }
  return std::optional(std::move(leases));
}

void tell_cancelled(const CallRef& call, const store::BeatReply& reply) {
  std::string ids;
  const auto add = [&ids](const LeaseRef& lease) { ids += (ids.empty() ? "" : ",") + lease.job.text(); };
  std::for_each(reply.cancel.begin(), reply.cancel.end(), add);
  std::for_each(reply.lost.begin(), reply.lost.end(), add);
  call->add_metadata("muster-cancelled", std::move(ids));
}

// A worker that says it works on nothing while runs are leased to it, twice in a row, has lost them: a handler that died, a reply
// that never arrived. Its heartbeats would renew their leases for ever. `then` follows when that is noted, so that its next
// heartbeat is judged by this one.
void look_for_lost(Core& core, Uuid id, const NamespaceName& ns, UniqueFunction<void()> then) {
  store::JobQuery query;
  query.filter.ns = ns;
  query.filter.worker = WorkerId(id.text());
  query.filter.states = {JobState::running};
  query.limit = limits::kPageMax;
  core.door.run(command::itself(), std::move(query), [&core, id, then = std::move(then)](Result<store::JobPage> page) mutable {
    if (!page.ok()) return then();
    std::vector<LeaseRef> held;
    for (const Job& job : page->jobs) held.push_back({job.id, job.fence});
    std::vector<store::Release> lost;
    for (const LeaseRef& lease : core.roster->suspect(id, std::move(held)))
      lost.push_back({lease, "its worker reported twice that it works on nothing"});
    if (lost.empty()) return then();
    core.door.run_all(command::itself(), std::move(lost),
                      [then = std::move(then)](const Result<store::Each<store::Settled>>&) mutable { then(); });
  });
}

}  // namespace

void beat(const CallRef& call, Uuid id, Heartbeat heartbeat, Reply<store::BeatReply> reply) {
  Core& core = call->core;
  if (Status may = command::authorize_worker(call->caller, WorkerId(id.text())); !may.ok()) return reply(may);
  auto leases = leases_of(*call);
  if (!leases.ok()) return reply(leases.status());
  const auto known = core.roster->find(id);
  if (!known) {
    // Once after a restart of this server; then its totals are known again, too.
    return find_worker(call, id, [call, id, heartbeat, reply = std::move(reply)](Result<Worker> worker) mutable {
      if (!worker.ok()) return reply(worker.status());
      beat(call, id, heartbeat, std::move(reply));
    });
  }
  if (Status may = command::authorize_namespace(call->caller, known->ns); !may.ok()) return reply(may);
  const Roster::Totals totals = core.roster->count(id, heartbeat.completed_delta, heartbeat.failed_delta);
  if (totals.renew) write_records(core, *known->spec, read_notes(known->spec->metadata), [](const Status&) {});
  store::Beat one;
  one.ns = known->ns;
  one.worker = WorkerId(id.text());
  if (heartbeat.active)
    one.stats = fmt::format(R"({{"active":{},"completed":{},"failed":{}}})", *heartbeat.active, totals.completed, totals.failed);
  // Two workers of one process speak in turns, each for its own runs.
  const bool idle = heartbeat.active == 0 && registrations_of(*known->spec) == 1;
  const bool names_all = leases->has_value();
  if (names_all) {
    one.held = std::move(**leases);
    one.names_all = true;
  } else if (heartbeat.lengthens_leases) {
    one.lengthens = store::Lengthening{.by = core.options.compat_flags.run_lease_per_beat,
                                       .ahead_max = core.options.compat_flags.run_lease_max};
  }
  auto heard_of = [call, id, ns = known->ns, names_all, idle, reply = std::move(reply)](Result<store::BeatReply> heard) mutable {
    Core& shared = call->core;
    if (heard.code() == Code::not_found) {
      shared.roster->forget(id);
      return reply(no_worker(id));
    }
    if (!heard.ok()) return reply(std::move(heard));
    shared.connections.heard(call->connection, WorkerId(id.text()));
    if (names_all) tell_cancelled(call, *heard);
    if (idle && heard->running > 0)
      return look_for_lost(shared, id, ns,
                           [heard = std::move(heard), reply = std::move(reply)]() mutable { reply(std::move(heard)); });
    shared.roster->trust(id);
    reply(std::move(heard));
  };
  ask(call, std::move(one), std::move(heard_of));
}

namespace {

void unregister(const CallRef& call, const Worker& worker, Reply<Worker> reply) {
  ask(call, command::WorkerUnregisterRequest{worker.spec.ns, worker.spec.id, std::nullopt}, std::move(reply));
}

// One of several registrations of the same process goes; the others stay.
void count_down(const CallRef& call, const Worker& worker, WorkerNotes notes, Reply<Worker> reply) {
  WorkerSpec spec = worker.spec;
  --notes.registrations;
  spec.metadata = notes_text(notes);
  spec.resume = worker.session;
  ask(call, std::move(spec), [worker, reply = std::move(reply)](const Result<store::Registered>& left) mutable {
    if (!left.ok()) return reply(left.status());
    reply(std::move(worker));
  });
}

}  // namespace

void deregister_worker(const CallRef& call, Uuid id, Leaving leaving, Reply<Worker> reply) {
  if (Status may = command::authorize_worker(call->caller, WorkerId(id.text())); !may.ok()) return reply(may);
  find_worker(call, id, [call, id, leaving, reply = std::move(reply)](Result<Worker> worker) mutable {
    Core& shared = call->core;
    if (!worker.ok()) return reply(worker.status());
    if (worker->state == WorkerState::offline) return reply(no_worker(id));
    store::Drain drain{worker->spec.ns, worker->spec.id, kDrainDeadline, "its client asked for it"};
    if (leaving.drain && leaving.by_operator) return ask(call, std::move(drain), std::move(reply));
    if (leaving.drain) return ask(call, command::WorkerRetireRequest{std::move(drain)}, std::move(reply));
    shared.connections.left(call->connection, worker->spec.id);
    const std::string identity = identity_of(worker->spec, notes_of(*worker));
    if (identity.empty()) return unregister(call, *worker, std::move(reply));
    // The count is read again where no registration can come in between.
    shared.roster->enter(identity, [call, id, identity, reply = std::move(reply)]() mutable {
      Reply<Worker> last = [call, identity, reply = std::move(reply)](Result<Worker> outcome) mutable {
        call->core.roster->leave(identity);
        reply(std::move(outcome));
      };
      find_worker(call, id, [call, id, last = std::move(last)](Result<Worker> now) mutable {
        if (!now.ok()) return last(now.status());
        if (now->state == WorkerState::offline) return last(no_worker(id));
        const WorkerNotes notes = notes_of(*now);
        if (notes.registrations > 1) return count_down(call, *now, notes, std::move(last));
        unregister(call, *now, std::move(last));
      });
    });
  });
}

namespace {

// Pages are cut out of the whole list, because the total has to be told anyway.
class Listing : public std::enable_shared_from_this<Listing> {
 public:
  Listing(CallRef call, WorkerListing wanted, Reply<WorkersPage> reply)
      : call_(std::move(call)), wanted_(std::move(wanted)), reply_(std::move(reply)) {}

  void read(std::string cursor) {
    store::WorkerQuery query;
    query.ns = wanted_.ns;
    query.states = wanted_.states;
    if (!wanted_.task_queue.empty()) query.queue = QueueName(encode_name(wanted_.task_queue));
    query.limit = limits::kPageMax;
    query.cursor = std::move(cursor);
    ask(call_, std::move(query), [self = shared_from_this()](Result<store::WorkerPage> page) {
      if (page.code() == Code::not_found) return self->reply_(std::move(self->page_));
      if (!page.ok()) return self->reply_(page.status());
      for (Worker& worker : page->workers) self->take(std::move(worker));
      if (!page->next.empty()) return self->read(page->next);
      if (self->beyond_ && !self->page_.workers.empty()) self->page_.next = self->page_.workers.back().spec.id.text();
      self->reply_(std::move(self->page_));
    });
  }

 private:
  void take(Worker worker) {
    if (!parse_uuid(worker.spec.id.text())) return;  // of another wire; these clients could not name it
    ++page_.total;
    if (worker.spec.id.text() <= wanted_.cursor) return;
    if (page_.workers.size() < wanted_.limit)
      page_.workers.push_back(std::move(worker));
    else
      beyond_ = true;
  }

  const CallRef call_;
  WorkerListing wanted_;
  Reply<WorkersPage> reply_;
  WorkersPage page_;
  bool beyond_ = false;
};

}  // namespace

void list_workers(const CallRef& call, WorkerListing listing, Reply<WorkersPage> reply) {
  std::make_shared<Listing>(call, std::move(listing), std::move(reply))->read({});
}

}  // namespace muster::rpc
