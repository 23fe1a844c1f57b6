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
  // A former holder keeps the old fence in its list for a while, so that its late report is known as one.
  if (const Taken* before = find(grant.id)) forget_text(grant.id, *before);
  if (moved && taken.element && grant.payload.encoding == Encoding::bytes) {
    taken.text_hash = std::hash<std::string>()(grant.payload.data);
    by_text_.emplace(*taken.text_hash, grant.id);
  }
  client->held[grant.id] = grant.fence;
  unsent_.insert(to_number(grant.fence));
  taken_.insert_or_assign(grant.id, std::move(taken));
}

void HeldJobs::forget_text(const JobId& job, const Taken& taken) {
  if (!taken.text_hash) return;
  const auto [first, last] = by_text_.equal_range(*taken.text_hash);
  const auto found = std::find_if(first, last, [&](const auto& entry) { return entry.second == job; });
  if (found != last) by_text_.erase(found);
}

void HeldJobs::delivered(const std::vector<Grant>& grants, bool sent) {
  std::vector<Grant> back;
  for (const Grant& grant : grants) {
    unsent_.erase(to_number(grant.fence));
    if (sent) continue;
    forget(LeaseRef{grant.id, grant.fence});
    back.push_back(grant);
  }
  // One that was settled meanwhile answers lease_lost, which is fine.
  core_.door.delivery().hand_back(back);
}

Taken* HeldJobs::find(const JobId& job) {
  const auto at = taken_.find(job);
  return at == taken_.end() ? nullptr : &at->second;
}

std::optional<JobId> HeldJobs::find_element(const Client& client, const std::string& text) const {
  const auto [first, last] = by_text_.equal_range(std::hash<std::string>()(text));
  for (auto at = first; at != last; ++at)
    if (client.held.contains(at->second)) return at->second;
  if (first == last || client.bond != Bond::none) return std::nullopt;
  return first->second;
}

void HeldJobs::forget(const JobId& job) {
  const auto at = taken_.find(job);
  if (at == taken_.end()) return;
  if (const auto client = at->second.client.lock()) {
    const auto held = client->held.find(job);
    if (held != client->held.end() && held->second == at->second.fence) client->held.erase(held);
  }
  forget_text(job, at->second);
  unsent_.erase(to_number(at->second.fence));
  taken_.erase(at);
}

void HeldJobs::forget(const LeaseRef& lease) {
  const Taken* taken = find(lease.job);
  if (taken != nullptr && taken->fence == lease.fence) forget(lease.job);
}

void HeldJobs::forget_earlier_claims(Client& client) const {
  std::erase_if(client.held, [this](const auto& held) {
    const auto at = taken_.find(held.first);
    return at == taken_.end() || at->second.fence != held.second;
  });
}

void HeldJobs::settled(const JobId& job, bool may_be_listed) {
  const Taken* taken = find(job);
  const bool listed = taken != nullptr ? taken->moved : may_be_listed;
  forget(job);
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
  for (const auto& [job, fence] : client.held)
    if (!unsent_.contains(to_number(fence))) leases.push_back({job, fence});
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
