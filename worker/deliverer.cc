#include "worker/deliverer.h"

#include <algorithm>

#include "base/log.h"
#include "worker/refusal.h"

namespace muster::worker {
namespace {

constexpr std::uint64_t kSeed = 0x5DEECE66DULL;

}  // namespace

Deliverer::Deliverer(Spool& spool, Control& control, Pause& pause) : spool_(spool), control_(control), pause_(pause) {
  for (std::string& name : spool.list()) {
    auto report = spool.read(name);
    if (report.ok())
      entries_.push_back({.name = std::move(name), .job_id = report->job_id});
    else
      log::error("a result in the spool cannot be read", {{"file", name}, {"error", report.status().message()}});
  }
}

Status Deliverer::add(const Report& report) {
  auto name = spool_.put(report);
  if (!name.ok()) return name.status();
  {
    const std::lock_guard lock(mutex_);
    entries_.push_back({.name = std::move(*name), .job_id = report.job_id});
  }
  changed_.notify_all();
  return {};
}

bool Deliverer::empty() const { return waiting() == 0; }

std::size_t Deliverer::waiting() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

bool Deliverer::has(const std::string& job_id) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.job_id == job_id; });
}

void Deliverer::begin() {
  {
    const std::lock_guard lock(mutex_);
    begun_ = true;
  }
  changed_.notify_all();
}

void Deliverer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
}

void Deliverer::run() {
  sdk::Backoff backoff(kReconnect, kSeed);
  while (true) {
    Entry entry;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || (begun_ && !entries_.empty()); });
      if (stopping_) return;
      entry = entries_.front();
    }
    const Step step = deliver(entry);
    {
      const std::lock_guard lock(mutex_);
      if (step == Step::done)
        entries_.pop_front();
      else
        entries_.front() = entry;
    }
    if (step == Step::done)
      backoff.reset();
    else if (!pause_.wait(backoff.next()))
      return;
  }
}

void Deliverer::send_outputs(const Report& report) {
  for (const auto& [part, bytes] : {std::pair{"stdout", &report.out}, std::pair{"stderr", &report.err}}) {
    const auto reply = control_.say({"SET", "job:" + report.job_id + ":" + part, *bytes});
    // The update says that it holds less than everything; without the rest it is still the result.
    if (reply.ok() && reply->is_error())
      log::warn("an output was refused", {{"job_id", report.job_id}, {"output", part}, {"error", reply->text}});
  }
}

Deliverer::Step Deliverer::deliver(Entry& entry) {
  const auto report = spool_.read(entry.name);
  if (!report.ok()) {
    log::error("a result in the spool cannot be read", {{"file", entry.name}, {"error", report.status().message()}});
    return Step::done;
  }
  if (report->has_outputs) send_outputs(*report);
  const auto reply = control_.say({"JOB.UPDATE", report->job_id, report->update});
  if (!reply.ok()) return Step::again;
  if (reply->is_error()) return refused(entry, *report, reply->text);
  spool_.remove(entry.name);
  return Step::done;
}

Deliverer::Step Deliverer::refused(Entry& entry, const Report& report, const std::string& error) {
  switch (read_refusal(error)) {
    case Refusal::stale:
      log::warn("a result came too late and is dropped", {{"job_id", report.job_id}, {"error", error}});
      spool_.remove(entry.name);
      return Step::done;
    case Refusal::unregistered:
    case Refusal::later: return Step::again;
    case Refusal::other: break;
  }
  if (++entry.tries < kDeliveriesMax) return Step::again;
  log::error("a result was refused and is set aside", {{"job_id", report.job_id}, {"file", entry.name}, {"error", error}});
  spool_.set_aside(entry.name);
  return Step::done;
}

}  // namespace muster::worker
