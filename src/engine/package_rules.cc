#include "engine/package_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace muster::engine {
namespace {

PackageStatus success_of(PackageOp op) { return op == PackageOp::install ? PackageStatus::installed : PackageStatus::removed; }

PackageChange change_of(const PackageWorker& worker, const PackageWish& wish, PackageStatus status, Instant now) {
  PackageChange out;
  out.worker = worker.id;
  out.worker_name = worker.name;
  out.package = wish.name;
  out.version = wish.version;
  out.op = wish.op;
  out.status = status;
  out.by = wish.by;
  out.at = now;
  return out;
}

// The pause before the next try of an operation that failed.
std::optional<Instant> retry_at(const PackageOperation& operation, const PackageTiming& timing, Instant now) {
  if (operation.attempts >= timing.attempts) return now + timing.retry_last;
  Duration pause = timing.retry_first;
  for (std::uint32_t i = 1; i < operation.attempts && pause < timing.retry_last; ++i) pause *= 2;
  return now + std::min(pause, timing.retry_last);
}

void fail_package(PackageOperation& operation, std::string message, const PackageTiming& timing, Instant now) {
  operation.failed = true;
  operation.message = std::move(message);
  operation.due = retry_at(operation, timing, now);
}

bool may_send(const PackageOperation& operation, const PackageTiming& timing, Instant now, PackageContact contact) {
  if (contact.away) return false;
  if (operation.attempts == 0) return true;
  if (!operation.failed || !operation.due || now < *operation.due) return false;
  return operation.attempts < timing.attempts || contact.afresh;
}

void tell_failed(PackageRound& out, const PackageWorker& worker, const PackageWish& wish, const PackageOperation& operation,
                 Instant now) {
  out.changes.push_back(change_of(worker, wish, PackageStatus::failed, now));
  out.changes.back().message = operation.message;
}

// A wish that the worker does not meet.
void pursue(PackageRound& out, PackageWorker& worker, const PackageWish& wish, const PackageTiming& timing, Instant now,
            PackageContact contact) {
  PackageOperation& operation = worker.operations[wish.name];
  if (operation.wish != wish.at || operation.op != wish.op || operation.version != wish.version)
    operation = {.op = wish.op, .version = wish.version, .wish = wish.at, .message = {}};
  out.drift = true;
  if (!worker.unable.empty()) {
    if (operation.failed) return;
    operation.failed = true;
    operation.message = worker.unable;
    operation.due.reset();
    return tell_failed(out, worker, wish, operation, now);
  }
  // Whoever could not and now can is asked from the beginning.
  if (operation.failed && !operation.due) operation = {.op = wish.op, .version = wish.version, .wish = wish.at, .message = {}};
  if (!operation.failed && operation.due && now >= *operation.due) {
    fail_package(operation, fmt::format("E.TIMEOUT: no registration agreed with it within {} ms", timing.answer.count()), timing,
                 now);
    tell_failed(out, worker, wish, operation, now);
  }
  if (may_send(operation, timing, now, contact)) {
    operation.attempts = operation.attempts >= timing.attempts ? 1 : operation.attempts + 1;
    operation.failed = false;
    operation.message.clear();
    operation.due = now + timing.answer;
    out.orders.push_back({.op = wish.op, .name = wish.name, .version = wish.version, .url = wish.url, .sha256 = wish.sha256});
    out.changes.push_back(change_of(worker, wish, PackageStatus::sent, now));
  }
  // What failed for the last time waits for a registration, and what failed at all for a worker that is there.
  const bool waits = operation.failed && (contact.away || operation.attempts >= timing.attempts);
  if (operation.due && !waits) out.next = out.next ? std::min(*out.next, *operation.due) : *operation.due;
}

const WorkerPackage* find_package(std::span<const WorkerPackage> packages, const WorkerPackage& like) {
  const auto same = [&](const WorkerPackage& other) { return other.name == like.name && other.version == like.version; };
  const auto found = std::find_if(packages.begin(), packages.end(), same);
  return found == packages.end() ? nullptr : &*found;
}

}  // namespace

bool matches(const PackageWorker& worker, const PackageWish& wish) {
  if (!wish.worker.empty()) return wish.worker == worker.id;
  return std::all_of(wish.selector.begin(), wish.selector.end(), [&](const auto& label) {
    const auto found = worker.labels.find(label.first);
    return found != worker.labels.end() && found->second == label.second;
  });
}

std::vector<const PackageWish*> wishes_for(const PackageWorker& worker, std::span<const PackageWish> wishes) {
  const auto is_stronger = [](const PackageWish& a, const PackageWish& b) {
    if (a.worker.empty() != b.worker.empty()) return !a.worker.empty();
    return a.at > b.at;
  };
  std::map<std::string_view, const PackageWish*> best;
  for (const PackageWish& wish : wishes) {
    if (!matches(worker, wish)) continue;
    const PackageWish*& place = best[wish.name];
    if (place == nullptr || is_stronger(wish, *place)) place = &wish;
  }
  std::vector<const PackageWish*> out;
  for (const auto& [name, wish] : best) out.push_back(wish);
  return out;
}

bool is_met(const PackageWorker& worker, const PackageWish& wish) {
  const bool has = std::any_of(worker.packages.begin(), worker.packages.end(), [&](const WorkerPackage& package) {
    return package.name == wish.name && package.status == PackageStatus::installed &&
           (wish.version.empty() || package.version == wish.version);
  });
  return has == (wish.op == PackageOp::install);
}

PackageRound advance(PackageWorker& worker, std::span<const PackageWish> wishes, const PackageTiming& timing, Instant now,
                     PackageContact contact) {
  PackageRound out;
  const std::vector<const PackageWish*> wanted = wishes_for(worker, wishes);
  std::erase_if(worker.operations, [&](const auto& entry) {
    return std::none_of(wanted.begin(), wanted.end(), [&](const PackageWish* wish) { return wish->name == entry.first; });
  });
  for (const PackageWish* wish : wanted) {
    if (!is_met(worker, *wish)) {
      pursue(out, worker, *wish, timing, now, contact);
      continue;
    }
    const auto done = worker.operations.find(wish->name);
    if (done == worker.operations.end()) continue;
    // What was never sent has not been brought about by us.
    if (done->second.wish == wish->at && done->second.attempts > 0)
      out.changes.push_back(change_of(worker, *wish, success_of(wish->op), now));
    worker.operations.erase(done);
  }
  return out;
}

void fail_operation(PackageWorker& worker, std::string_view package, std::string message, const PackageTiming& timing,
                    Instant now) {
  const auto found = worker.operations.find(std::string(package));
  if (found == worker.operations.end() || found->second.failed || found->second.attempts == 0) return;
  fail_package(found->second, std::move(message), timing, now);
}

std::vector<PackageChange> differences(const PackageWorker& worker, std::span<const WorkerPackage> before, Instant now) {
  std::vector<PackageChange> out;
  const auto tell = [&](const WorkerPackage& package, PackageStatus status) {
    // An operation that is on its way tells its own end.
    const auto found = worker.operations.find(package.name);
    const bool ours = found != worker.operations.end() && !found->second.failed &&
                      (found->second.version.empty() || found->second.version == package.version) &&
                      status == success_of(found->second.op);
    if (ours) return;
    PackageChange change;
    change.worker = worker.id;
    change.worker_name = worker.name;
    change.package = package.name;
    change.version = package.version;
    change.status = status;
    change.at = now;
    out.push_back(std::move(change));
  };
  for (const WorkerPackage& package : worker.packages) {
    const WorkerPackage* known = find_package(before, package);
    if (known == nullptr || known->status != package.status) tell(package, package.status);
  }
  for (const WorkerPackage& package : before)
    if (find_package(worker.packages, package) == nullptr) tell(package, PackageStatus::removed);
  return out;
}

}  // namespace muster::engine
