#include "fronts/ws/change_watch.h"

#include <utility>

#include "fronts/ws/core.h"
#include "fronts/ws/package_watch.h"
#include "fronts/ws/sessions.h"
#include "fronts/ws/worker_session.h"

namespace muster::ws {
namespace {

constexpr std::size_t kReadBatch = 256;  // events taken from the ring at a time

// The ends of leases that a session may not have brought about itself.
bool ends_lease(JobEvent event) {
  switch (event) {
    case JobEvent::exhausted:
    case JobEvent::lost:
    case JobEvent::cancelled:
    case JobEvent::failed: return true;
    case JobEvent::enqueued:
    case JobEvent::due:
    case JobEvent::claimed:
    case JobEvent::completed:
    case JobEvent::released:
    case JobEvent::snoozed:
    case JobEvent::expired:
    case JobEvent::redriven:
    case JobEvent::pruned: return false;
  }
  return false;
}

}  // namespace

ChangeWatch::ChangeWatch(Core& core) : core_(core), events_(core.door.events()) {}

void ChangeWatch::start() {
  if (std::exchange(watching_, true)) return;
  after_ = events_.newest();
  subscription_ = events_.subscribe([weak = weak_from_this(), &loop = core_.loop] {
    const auto self = weak.lock();
    // Many publishes between two turns of the loop are one wake.
    if (!self || self->wake_pending_.exchange(true, std::memory_order_acq_rel)) return;
    loop.post([weak] {
      const auto watch = weak.lock();
      if (!watch) return;
      watch->wake_pending_.store(false, std::memory_order_release);
      watch->read();
    });
  });
}

void ChangeWatch::stop() {
  if (std::exchange(watching_, false)) events_.unsubscribe(subscription_);
}

void ChangeWatch::read() {
  while (watching_) {
    const command::Events::Slice slice = events_.read(after_, kReadBatch);
    after_ = slice.next;
    for (const command::Event& event : slice.events) {
      if (const auto* job = std::get_if<JobChange>(&event.what)) tell(*job);
      if (const auto* worker = std::get_if<WorkerChange>(&event.what)) tell(*worker);
      if (const auto* mail = std::get_if<command::ExtensionTold>(&event.what)) tell(*mail);
      if (const auto* package = std::get_if<PackageChange>(&event.what)) tell(*package);
    }
    if (slice.events.size() < kReadBatch) return;
  }
}

void ChangeWatch::tell(const JobChange& change) {
  core_.feed.changed(change);
  if (is_finished(change.to) && !core_.awaited.empty())
    if (const auto waits = core_.awaited.find(change.id); waits != core_.awaited.end())
      if (const auto session = waits->second.lock()) session->job_ended(change.id);
  if (change.worker.empty() || !ends_lease(change.event) || change.lane == nullptr) return;
  if (const auto session = core_.sessions->find(change.lane->ns.text(), change.worker.text()))
    session->lease_over({change.id, change.fence});
}

void ChangeWatch::tell(const WorkerChange& change) {
  const bool begins = change.to == WorkerState::draining && change.from != WorkerState::draining;
  const bool taken_back = change.to == WorkerState::online && change.from == WorkerState::draining;
  if (!begins && !taken_back) return;
  if (const auto session = core_.sessions->find(change.ns.text(), change.id.text())) session->drain_changed();
}

void ChangeWatch::tell(const command::ExtensionTold& told) {
  if (told.way != command::ExtensionTold::Way::to_worker) return;
  if (const auto session = core_.sessions->find(told.ns.text(), told.worker.text())) session->collect_mail();
}

void ChangeWatch::tell(const PackageChange& change) {
  if (change.status != PackageStatus::requested) return;
  if (change.worker.empty()) return core_.package_watch->changed(change.ns.text());
  if (const auto session = core_.sessions->find(change.ns.text(), change.worker.text())) session->packages().look();
}

}  // namespace muster::ws
