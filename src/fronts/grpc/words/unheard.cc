#include "fronts/grpc/words/unheard.h"

#include <algorithm>
#include <iterator>
#include <string>
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

void judge(Core& core, const LeaseRef& lease, Duration wait, const Alive& alive);

// A store that cannot answer or write at the moment is asked again; a fence that is stale means that the run has moved on by
// itself.
void judge_again(Core& core, const LeaseRef& lease, Duration wait, const Alive& alive, Code code) {
  if (code != Code::unavailable && code != Code::outcome_unknown) return;
  if (core.stopping) return;
  core.after(wait, [&core, lease, wait, alive] { judge(core, lease, wait, alive); });
}

void hand_back(Core& core, const LeaseRef& lease, Duration wait, const Alive& alive) {
  core.engine.jobs().release(
      {{.lease = lease, .reason = "its worker never spoke of it"}},
      [&core, lease, wait, alive](const Result<store::Each<store::Settled>>& settled) {
        const Code code = settled.ok() ? settled->front().code() : settled.code();
        if (code != Code::ok) return judge_again(core, lease, wait, alive, code);
        log::info("a run was handed out as the server ended, and is handed back", {{"job_id", lease.job.text()}});
      });
}

void judge(Core& core, const LeaseRef& lease, Duration wait, const Alive& alive) {
  if (core.stopping) return;  // sooner than it was to be; the next server looks for itself
  store::StepQuery query;
  query.run = lease.job;
  query.limit = limits::kPageMax;
  core.engine.runs().list_steps(std::move(query), [&core, lease, wait, alive](const Result<store::StepPage>& page) {
    if (!page.ok()) return judge_again(core, lease, wait, alive, page.code());
    if (!is_heard_of(*page, lease.fence)) hand_back(core, lease, wait, alive);
  });
}

// All runs that are running, page by page: what was handed out last may have been started long ago.
void gather(Core& core, Duration wait, const Alive& alive, std::string cursor, std::vector<Job> running) {
  store::JobQuery query;
  query.filter.states = {JobState::running};
  query.filter.runs_only = true;
  query.limit = limits::kPageMax;
  query.cursor = std::move(cursor);
  core.engine.jobs().list(
      std::move(query), [&core, wait, alive, running = std::move(running)](Result<store::JobPage> page) mutable {
        if (!page.ok()) {
          log::warn("runs that were handed out as the server ended were not looked for", {{"detail", page.status().text()}});
          return;
        }
        std::move(page->jobs.begin(), page->jobs.end(), std::back_inserter(running));
        if (!page->next.empty()) return gather(core, wait, alive, std::move(page->next), std::move(running));
        for (const LeaseRef& lease : last_handed_out(running))
          core.after(wait, [&core, lease, wait, alive] { judge(core, lease, wait, alive); });
      });
}

}  // namespace

void release_unheard(Core& core, Duration wait, std::shared_ptr<void> alive) { gather(core, wait, alive, {}, {}); }

}  // namespace muster::rpc
