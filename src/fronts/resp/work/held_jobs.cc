#include "fronts/resp/work/held_jobs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "fronts/resp/core.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/work/work_state.h"

namespace muster::resp::work {

void HeldJobs::take(const std::shared_ptr<Client>& client, const WorkerId& worker, const Grant& grant, bool moved) {
  Taken taken{.fence = grant.fence,
              .worker = worker,
              .times_out_at = grant.times_out_at,
              .client = client,
              .moved = moved,
              .element = grant.type.text() == plans::kTypeElement,
              .text_hash = std::nullopt};
  if (moved && taken.element && grant.payload.encoding == Encoding::bytes)
    taken.text_hash = std::hash<std::string>()(grant.payload.data);
  client->held[grant.id] = {.fence = grant.fence};
  const auto [at, added] = taken_.try_emplace(grant.id);
  // A former holder keeps the old fence in its list for a while, so that its late report is known as one.
  if (!added) forget_text(grant.id, at->second);
  at->second = std::move(taken);
  if (at->second.text_hash) by_text_.emplace(*at->second.text_hash, grant.id);
}

void HeldJobs::forget_text(const JobId& job, const Taken& taken) {
  if (taken.text_hash) by_text_.erase({*taken.text_hash, job});
}

void HeldJobs::delivered(Client& client, const std::vector<LeaseRef>& leases, bool sent) {
  std::vector<Grant> back;
  for (const LeaseRef& lease : leases) {
    if (const auto at = client.held.find(lease.job); at != client.held.end() && at->second.fence == lease.fence)
      at->second.on_its_way = false;
    if (sent) continue;
    forget(lease);
    Grant& grant = back.emplace_back();  // of which its lease counts
    grant.id = lease.job;
    grant.fence = lease.fence;
  }
  // One that was settled meanwhile answers lease_lost, which is fine.
  core_.door.delivery().hand_back(back);
}

Taken* HeldJobs::find(const JobId& job) {
  const auto at = taken_.find(job);
  return at == taken_.end() ? nullptr : &at->second;
}

std::optional<JobId> HeldJobs::find_element(const Client& client, const std::string& text, const std::set<JobId>& but) const {
  const std::size_t hash = std::hash<std::string>()(text);
  std::optional<JobId> of_another;
  for (auto at = by_text_.lower_bound({hash, JobId()}); at != by_text_.end() && at->first == hash; ++at) {
    if (but.contains(at->second)) continue;
    if (client.held.contains(at->second)) return at->second;
    if (!of_another) of_another = at->second;
  }
  return client.bond == Bond::none ? of_another : std::nullopt;
}

void HeldJobs::forget(TakenJobs::iterator at) {
  const auto& [job, taken] = *at;
  if (const auto client = taken.client.lock()) {
    const auto held = client->held.find(job);
    if (held != client->held.end() && held->second.fence == taken.fence) client->held.erase(held);
  }
  forget_text(job, taken);
  taken_.erase(at);
}

void HeldJobs::forget(const JobId& job) {
  if (const auto at = taken_.find(job); at != taken_.end()) forget(at);
}

void HeldJobs::forget(const LeaseRef& lease) {
  if (const auto at = taken_.find(lease.job); at != taken_.end() && at->second.fence == lease.fence) forget(at);
}

void HeldJobs::forget_earlier_claims(Client& client) const {
  std::erase_if(client.held, [this](const auto& held) {
    const auto at = taken_.find(held.first);
    return at == taken_.end() || at->second.fence != held.second.fence;
  });
}

void HeldJobs::settled(const JobId& job, bool may_be_listed) {
  const auto at = taken_.find(job);
  const bool listed = at != taken_.end() ? at->second.moved : may_be_listed;
  if (at != taken_.end()) forget(at);
  if (!listed || !removals_.insert(job).second) return;
  removals_order_.push_back(job);
  while (removals_order_.size() > kRemovalsMax) {
    removals_.erase(removals_order_.front());
    removals_order_.pop_front();
  }
}

bool HeldJobs::take_removal(const JobId& job) {
  if (removals_.erase(job) == 0) return false;
  // The usual case is the newest one; an entry further back leaves with the bound.
  if (!removals_order_.empty() && removals_order_.back() == job) removals_order_.pop_back();
  return true;
}

void HeldJobs::give_up(const std::vector<LeaseRef>& leases, const std::string& why, UniqueFunction<void()> then) {
  if (leases.empty()) return then();
  for (const LeaseRef& lease : leases) forget(lease);
  using Settled = store::Each<store::Settled>;
  core_.door.delivery().lost(leases, why,
                             core_.on_loop<Settled>([then = std::move(then)](const Result<Settled>&) mutable { then(); }));
}

std::vector<LeaseRef> HeldJobs::held_by(const Client& client) const {
  std::vector<LeaseRef> leases;
  for (const auto& [job, held] : client.held)
    if (!held.on_its_way) leases.push_back({job, held.fence});
  return leases;
}

std::vector<LeaseRef> HeldJobs::held_as(const WorkerId& worker) const {
  std::vector<LeaseRef> leases;
  for (const auto& [job, taken] : taken_)
    if (taken.worker == worker) leases.push_back({job, taken.fence});
  return leases;
}

void HeldJobs::leave(Client& client) {
  for (const LeaseRef& lease : held_by(client)) leave(lease, client.ended_because);
  drop(client);
}

void HeldJobs::leave(const LeaseRef& lease, const std::string& because) {
  std::string why = because.empty() ? "the connection that took it ended without an outcome"
                                    : "the connection that took it was ended: " + because;
  gone_.push_back({.lease = lease, .until = core_.now() + kGraceOfGone, .why = std::move(why)});
  core_.work_state->arm();
}

void HeldJobs::drop(Client& client) {
  for (const LeaseRef& lease : held_by(client)) forget(lease);
}

void HeldJobs::tick(Instant now) {
  std::map<std::string, std::vector<LeaseRef>> by_reason;
  for (std::size_t count = 0; !gone_.empty() && gone_.front().until <= now && count < limits::kSettleBatchMax; ++count) {
    by_reason[std::move(gone_.front().why)].push_back(gone_.front().lease);
    gone_.pop_front();
  }
  for (auto& [why, leases] : by_reason) give_up(std::move(leases), why, [] {});
}

}  // namespace muster::resp::work
