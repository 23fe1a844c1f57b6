#include "fronts/resp/work/work_state.h"

#include <utility>

#include "fronts/resp/core.h"
#include "fronts/resp/work/action_times.h"
#include "fronts/resp/work/held_jobs.h"
#include "fronts/resp/work/lengths.h"
#include "fronts/resp/work/roster.h"
#include "fronts/resp/work/verify.h"

namespace muster::resp::work {

WorkState::WorkState(Core& core)
    : core_(core),
      held_jobs_(std::make_unique<HeldJobs>(core)),
      roster_(std::make_unique<Roster>(core)),
      action_times_(std::make_unique<ActionTimes>(core)),
      lengths_(std::make_unique<Lengths>(core)),
      verifications_(std::make_unique<Verifications>(core)) {}

WorkState::~WorkState() = default;

void WorkState::arm() {
  if (armed_ || core_.stopping) return;
  armed_ = true;
  if (timer_ == nullptr) timer_ = std::make_unique<net::Timer>(core_.loop);
  timer_->start(kTickEvery, [this] {
    armed_ = false;
    try {
      tick();
    } catch (...) {
      const Incident incident(core_.incidents, "tick");
    }
    arm();
  });
}

void WorkState::later(UniqueFunction<void()> work) {
  later_.push_back(core_.later(std::move(work)));
  arm();
}

void WorkState::tick() {
  const Instant now = core_.now();
  roster_->tick(now);
  held_jobs_->tick(now);
  verifications_->tick(now);
  // What runs may ask to run later again.
  std::vector<UniqueFunction<void()>> due = std::move(later_);
  later_.clear();
  for (UniqueFunction<void()>& work : due) work();
}

void WorkState::closed(const std::shared_ptr<Client>& client) {
  verifications_->closed(*client);
  // A server that stops breaks its connections itself: nobody is to blame, and whoever comes back in time goes on.
  if (core_.stopping) return held_jobs_->drop(*client);
  switch (client->bond) {
    case Bond::registered: held_jobs_->drop(*client); break;
    case Bond::pinged: roster_->end_pinged(client); break;
    case Bond::none:
      if (client->caller.worker.empty())
        held_jobs_->leave(*client);
      else
        held_jobs_->drop(*client);
      break;
  }
  roster_->left(*client);
}

WorkState::Facts WorkState::facts() const {
  return {.held = held_jobs_->size(),
          .left = held_jobs_->left(),
          .verifications = verifications_->pending(),
          .flagged = roster_->flagged()};
}

}  // namespace muster::resp::work
