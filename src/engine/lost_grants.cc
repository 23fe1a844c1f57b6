#include "engine/lost_grants.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/log.h"

namespace muster::engine {
namespace {

constexpr const char* kUnknownToWorker = "its worker does not know that it holds it";

bool names(const store::Beat& beat, const LeaseRef& lease) {
  return std::find(beat.held.begin(), beat.held.end(), lease) != beat.held.end();
}

}  // namespace

class LostGrants::Suspects : public std::enable_shared_from_this<LostGrants::Suspects> {
 public:
  explicit Suspects(store::Store& store) : store_(store) {}

  void heard(const store::Beat& beat, const store::BeatReply& reply) {
    if (reply.running + reply.lost.size() <= beat.held.size()) return forget(beat);
    store::JobQuery query;
    query.filter.ns = beat.ns;
    query.filter.worker = beat.worker;
    query.filter.states = {JobState::running};
    query.limit = limits::kPageMax;
    store_.list_jobs(std::move(query), [self = shared_from_this(), beat](Result<store::JobPage> page) {
      if (page.ok()) self->judge(beat, *page);
    });
  }

 private:
  using Key = std::pair<std::string, std::string>;
  static Key key_of(const store::Beat& beat) { return {beat.ns.text(), beat.worker.text()}; }

  void forget(const store::Beat& beat) {
    const std::lock_guard lock(mutex_);
    suspects_.erase(key_of(beat));
  }

  void judge(const store::Beat& beat, const store::JobPage& page) {
    std::vector<LeaseRef> unnamed;
    for (const Job& job : page.jobs)
      if (const LeaseRef lease{job.id, job.fence}; !names(beat, lease)) unnamed.push_back(lease);
    std::vector<store::Release> again;
    {
      const std::lock_guard lock(mutex_);
      std::vector<LeaseRef>& before = suspects_[key_of(beat)];
      for (const LeaseRef& lease : unnamed)
        if (std::find(before.begin(), before.end(), lease) != before.end()) again.push_back({lease, kUnknownToWorker});
      before = std::move(unnamed);
      if (before.empty()) suspects_.erase(key_of(beat));
    }
    if (again.empty()) return;
    log::warn("jobs that their worker does not know of are handed back",
              {{"worker_id", beat.worker.text()}, {"count", static_cast<std::int64_t>(again.size())}});
    // What cannot be handed back now is found by the next beat.
    store_.release(std::move(again), [](Result<store::Each<store::Settled>>) {});
  }

  store::Store& store_;
  std::mutex mutex_;                               // leaf; guards suspects_
  std::map<Key, std::vector<LeaseRef>> suspects_;  // leases left out of the last beat
};

LostGrants::LostGrants(store::Store& store) : suspects_(std::make_shared<Suspects>(store)) {}
LostGrants::~LostGrants() = default;

void LostGrants::heard(const store::Beat& beat, const store::BeatReply& reply) {
  if (beat.names_all) suspects_->heard(beat, reply);
}

}  // namespace muster::engine
