#include "fronts/grpc/dialect/roster.h"

#include <algorithm>
#include <utility>

#include "base/json_reader.h"
#include "fronts/grpc/core.h"

namespace muster::rpc {
namespace {

std::uint64_t number_in(const std::string& stats, const char* name) {
  const auto told = json::parse(stats);
  return told ? json::natural(*told, name).value_or(0) : 0;
}

}  // namespace

std::shared_ptr<Roster> make_roster(const Clock& clock) { return std::make_shared<Roster>(clock); }

Roster::Roster(const Clock& clock) : clock_(clock), ids_(clock, random_seed()) {}

std::optional<Roster::Known> Roster::find(Uuid id) const {
  const std::lock_guard lock(mutex_);
  const auto it = workers_.find(id);
  if (it == workers_.end()) return std::nullopt;
  return it->second.known;
}

void Roster::put(Uuid id, const WorkerSpec& spec, const std::string& stats) {
  Known known{spec.ns, std::make_shared<const WorkerSpec>(spec)};
  const std::uint64_t completed = number_in(stats, "completed");
  const std::uint64_t failed = number_in(stats, "failed");
  const std::lock_guard lock(mutex_);
  if (workers_.size() >= kWorkersMax && !workers_.contains(id)) workers_.clear();
  Entry& entry = workers_[id];
  entry.known = std::move(known);
  entry.completed = std::max(entry.completed, completed);
  entry.failed = std::max(entry.failed, failed);
  if (entry.renewed_at == Ticks{}) entry.renewed_at = clock_.elapsed();
}

void Roster::forget(Uuid id) {
  const std::lock_guard lock(mutex_);
  workers_.erase(id);
}

Roster::Totals Roster::count(Uuid id, std::int32_t completed, std::int32_t failed) {
  const Ticks now = clock_.elapsed();
  const std::lock_guard lock(mutex_);
  const auto it = workers_.find(id);
  if (it == workers_.end()) return {};
  Entry& entry = it->second;
  entry.completed += static_cast<std::uint64_t>(std::max(completed, 0));
  entry.failed += static_cast<std::uint64_t>(std::max(failed, 0));
  const bool renew = now - entry.renewed_at >= kIdentityRenewed;
  if (renew) entry.renewed_at = now;
  return {entry.completed, entry.failed, renew};
}

std::vector<LeaseRef> Roster::suspect(Uuid id, std::vector<LeaseRef> held) {
  const std::lock_guard lock(mutex_);
  const auto it = workers_.find(id);
  if (it == workers_.end()) return {};
  std::vector<LeaseRef> lost;
  if (const auto& before = it->second.suspects)
    for (const LeaseRef& lease : held)
      if (std::find(before->begin(), before->end(), lease) != before->end()) lost.push_back(lease);
  it->second.suspects = std::move(held);
  return lost;
}

void Roster::trust(Uuid id) {
  const std::lock_guard lock(mutex_);
  if (const auto it = workers_.find(id); it != workers_.end()) it->second.suspects.reset();
}

void Roster::enter(const std::string& key, UniqueFunction<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    const auto [it, first] = queues_.try_emplace(key);
    if (!first) {
      it->second.push_back(std::move(work));
      return;
    }
  }
  work();
}

void Roster::leave(const std::string& key) {
  UniqueFunction<void()> next;
  {
    const std::lock_guard lock(mutex_);
    const auto it = queues_.find(key);
    if (it == queues_.end()) return;
    if (it->second.empty()) {
      queues_.erase(it);
      return;
    }
    next = std::move(it->second.front());
    it->second.erase(it->second.begin());
  }
  next();
}

void Roster::poll_waits(const std::string& connection) {
  const std::lock_guard lock(mutex_);
  ++polls_[connection];
}

bool Roster::poll_ended(const std::string& connection) {
  const std::lock_guard lock(mutex_);
  const auto it = polls_.find(connection);
  if (it == polls_.end() || --it->second > 0) return false;
  polls_.erase(it);
  return true;
}

void Roster::expect_echo(JobId run) {
  const Ticks now = clock_.elapsed();
  const std::lock_guard lock(mutex_);
  if (echoes_.size() >= kEchoesMax) std::erase_if(echoes_, [now](const auto& echo) { return echo.second <= now; });
  if (echoes_.size() >= kEchoesMax) echoes_.clear();
  echoes_[run] = now + kEchoKept;
}

bool Roster::take_echo(JobId run) {
  const Ticks now = clock_.elapsed();
  const std::lock_guard lock(mutex_);
  const auto it = echoes_.find(run);
  if (it == echoes_.end()) return false;
  const bool expected = it->second > now;
  echoes_.erase(it);
  return expected;
}

}  // namespace muster::rpc
