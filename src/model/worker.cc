#include "model/worker.h"

#include <algorithm>

#include "base/check.h"

namespace muster {

CapabilitySet offered(const WorkerSpec& spec) {
  std::vector<std::string> names(spec.capabilities.names().begin(), spec.capabilities.names().end());
  for (std::string& name : label_capabilities(spec.labels)) names.push_back(std::move(name));
  names.push_back(worker_capability(spec.id.text()));
  return CapabilitySet(std::move(names));
}

namespace {

JobKind kind_for(Dialect dialect) {
  switch (dialect) {
    case Dialect::grpc: return JobKind::run;
    case Dialect::ws: return JobKind::node;
    case Dialect::http:
    case Dialect::resp:
    case Dialect::agent: return JobKind::any;
  }
  unreachable();
}

}  // namespace

Offer offer_of(const WorkerSpec& spec) {
  Offer offer{spec.ns, spec.queues, offered(spec), kind_for(spec.dialect)};
  std::sort(offer.queues.begin(), offer.queues.end());
  return offer;
}

Instant dead_at(const Worker& worker) {
  return worker.last_seen_at + worker.spec.policy.value_or(default_policy(worker.spec.dialect)).dead_after;
}

Health grade(const Worker& worker, Instant now) {
  if (worker.state == WorkerState::offline) return Health::unhealthy;
  const HeartbeatPolicy policy = worker.spec.policy.value_or(default_policy(worker.spec.dialect));
  // A beat on its way is not a miss: what the policy allows beyond three intervals, else half an interval, may pass first.
  const Duration beyond = policy.dead_after - 3 * policy.interval;
  const Duration silence = now - worker.last_seen_at;
  const auto missed = (silence - (beyond > Duration::zero() ? beyond : policy.interval / 2)) / policy.interval;
  if (missed >= 3) return Health::unhealthy;
  if (missed == 2) return Health::degraded;
  if (missed == 1) return Health::warn;
  return Health::healthy;
}

std::string_view to_string(Dialect dialect) {
  switch (dialect) {
    case Dialect::http: return "http";
    case Dialect::resp: return "resp";
    case Dialect::grpc: return "grpc";
    case Dialect::ws: return "ws";
    case Dialect::agent: return "agent";
  }
  unreachable();
}

std::string_view to_string(WorkerState state) {
  switch (state) {
    case WorkerState::online: return "online";
    case WorkerState::draining: return "draining";
    case WorkerState::offline: return "offline";
  }
  unreachable();
}

std::string_view to_string(Health health) {
  switch (health) {
    case Health::healthy: return "healthy";
    case Health::warn: return "warn";
    case Health::degraded: return "degraded";
    case Health::unhealthy: return "unhealthy";
  }
  unreachable();
}

std::string_view to_string(DrainOrigin origin) {
  switch (origin) {
    case DrainOrigin::none: return "none";
    case DrainOrigin::asked: return "asked";
    case DrainOrigin::itself: return "itself";
    case DrainOrigin::load: return "load";
    case DrainOrigin::overruled: return "overruled";
  }
  unreachable();
}

std::optional<Dialect> parse_dialect(std::string_view name) {
  for (const Dialect dialect : {Dialect::http, Dialect::resp, Dialect::grpc, Dialect::ws, Dialect::agent})
    if (to_string(dialect) == name) return dialect;
  return std::nullopt;
}

std::optional<WorkerState> parse_worker_state(std::string_view name) {
  for (const WorkerState state : {WorkerState::online, WorkerState::draining, WorkerState::offline})
    if (to_string(state) == name) return state;
  return std::nullopt;
}

}  // namespace muster
