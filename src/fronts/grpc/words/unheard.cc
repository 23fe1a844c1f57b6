#include "fronts/grpc/words/unheard.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"

namespace muster::rpc {
namespace {

using Alive = std::shared_ptr<void>;

std::vector<LeaseRef> last_handed_out(const std::vector<Job>& running) {
  Instant newest{};
  for (const Job& job : running) newest = std::max(newest, job.started_at.value_or(Instant{}));
  std::vector<LeaseRef> out;
  for (const Job& job : running)
    if (job.started_at && *job.started_at + kLastMoments >= newest) out.push_back({job.id, job.fence});
  return out;
}

// A step under its lease is a word about it. More steps than a page are a word too: such a run is not at its beginning.
bool is_heard_of(const store::StepPage& page, Fence fence) {
  if (!page.next.empty()) return true;
  return std::any_of(page.steps.begin(), page.steps.end(), [fence](const Step& step) { return step.fence == fence; });
}

void judge(Core& core, const LeaseRef& lease, Alive alive) {
  store::StepQuery query;
  query.run = lease.job;
  query.limit = limits::kPageMax;
  core.engine.runs().list_steps(std::move(query), [&core, lease, alive = std::move(alive)](const Result<store::StepPage>& page) {
    if (!page.ok() || is_heard_of(*page, lease.fence)) return;
    // If it has ended or moved on meanwhile, the fence is stale and nothing happens.
    core.engine.jobs().release(
        {{.lease = lease, .reason = "its worker never spoke of it"}},
        [lease, alive](const Result<store::Each<store::Settled>>& settled) {
          if (settled.ok() && settled->front().ok())
            log::info("a run was handed out as the server ended, and is handed back", {{"job_id", lease.job.text()}});
        });
  });
}

}  // namespace

void release_unheard(Core& core, Duration wait, std::shared_ptr<void> alive) {
  store::JobQuery query;
  query.filter.states = {JobState::running};
  query.filter.runs_only = true;
  query.limit = limits::kPageMax;  // newest first; what was handed out last is among them
  core.engine.jobs().list(std::move(query), [&core, wait, alive = std::move(alive)](const Result<store::JobPage>& page) {
    if (!page.ok()) return;
    std::vector<LeaseRef> leases = last_handed_out(page->jobs);
    if (leases.empty()) return;
    core.after(wait, [&core, leases = std::move(leases), alive] {
      if (core.stopping) return;  // sooner than it was to be; the next server looks for itself
      for (const LeaseRef& lease : leases) judge(core, lease, alive);
    });
  });
}

}  // namespace muster::rpc
