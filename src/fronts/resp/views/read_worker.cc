// worker:<id> and what hangs on it, capability:<tool>:workers, workers:all.
#include <algorithm>
#include <utility>

#include "command/workers.h"
#include "fronts/resp/plans/collect.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/plans/json_text.h"
#include "fronts/resp/plans/live_state.h"
#include "fronts/resp/views/read.h"
#include "fronts/resp/work/work.h"
#include "plan/plan.h"

namespace muster::resp::views {
namespace {

using store::KeyType;

bool is_alive(const Worker& worker, Instant now) { return worker.state != WorkerState::offline && dead_at(worker) > now; }

View state_of(const Worker& worker, Instant now) {
  std::string status = "dead";
  if (is_alive(worker, now)) status = worker.state == WorkerState::draining ? "draining" : "active";
  return hash_view({{"last_seen", plans::unix_seconds_text(worker.last_seen_at)},
                    {"status", status},
                    {"expire_at", plans::unix_seconds_text(dead_at(worker))}});
}

// What it registered with; for one that said nothing, or came by another wire, what is known about it.
std::string metadata_of(const WorkerSpec& spec) {
  if (!spec.metadata.empty()) return spec.metadata;
  std::vector<std::string> tools = work::tools_of(spec);
  std::erase(tools, "*");
  plans::ObjectText capabilities;
  capabilities.raw("tools", plans::string_array(tools));
  plans::ObjectText out;
  out.text("agw_version", spec.version);
  out.raw("capabilities", std::move(capabilities).take());
  out.text("hostname", spec.hostname);
  out.number("max_concurrent_jobs", spec.slots);
  out.text("worker_id", spec.id.text());
  return std::move(out).take();
}

View text_or_absent(std::string text) { return text.empty() ? absent({KeyType::text}) : text_view(std::move(text)); }

View show(Kind kind, const Worker& worker, Instant now) {
  switch (kind) {
    case Kind::worker: return state_of(worker, now);
    case Kind::worker_metadata: return text_view(metadata_of(worker.spec));
    case Kind::worker_tools: return text_or_absent(plans::tools_text(worker.spec));
    case Kind::worker_tags: return text_or_absent(work::tags_of(worker.spec));
    case Kind::worker_alive: {
      if (!is_alive(worker, now)) return absent({KeyType::text});
      View view = text_view(plans::unix_seconds_text(worker.last_seen_at));
      view.expires_at = dead_at(worker);
      return view;
    }
    case Kind::worker_stats: {
      if (worker.stats.empty() || worker.last_seen_at + kStatsKept <= now) return absent({KeyType::text});
      View view = text_view(worker.stats);
      view.expires_at = worker.last_seen_at + kStatsKept;
      return view;
    }
    default: return absent({KeyType::text});
  }
}

KeyType form_of(Kind kind) { return kind == Kind::worker ? KeyType::hash : KeyType::text; }

}  // namespace

void read_worker(const CallRef& call, const ViewKey& key, const Want&, ReadThen then) {
  const WorkerId id(key.id);
  if (work::is_anonymous(id)) return then(absent({form_of(key.kind)}));
  ask(call, command::WorkerGetRequest{.worker = id},
      [call, kind = key.kind, then = std::move(then)](const Result<Worker>& worker) mutable {
        const bool gone = worker.ok() && worker->offline_cause == kGoodbye;
        if (worker.code() == Code::not_found || gone) return then(absent({form_of(kind)}));
        if (!worker.ok()) return then(worker.status());
        then(show(kind, *worker, call->core().now()));
      });
}

void read_capability(const CallRef& call, const ViewKey& key, const Want&, ReadThen then) {
  const std::string capability = "tool:" + key.id;
  // No worker can offer what is no capability; the registry would refuse the question.
  if (!validate_capability(capability).ok()) return then(absent({KeyType::set}));
  store::WorkerQuery query;
  query.ns = default_namespace();
  query.states = {WorkerState::online, WorkerState::draining};
  query.capability = capability;
  plans::collect(call, std::move(query), plans::kCollectedMax,
                 [call, capability, then = std::move(then)](Result<plans::Collected<Worker>> found) mutable {
                   if (!found.ok()) return then(found.status());
                   const Instant now = call->core().now();
                   View view = absent({KeyType::set});
                   for (const Worker& worker : found->items)
                     // Those that did not say which tools they have are in no tool's set.
                     if (plans::is_listed(worker, now) && worker.spec.capabilities.contains(capability))
                       view.items.push_back(worker.spec.id.text());
                   std::sort(view.items.begin(), view.items.end());
                   view.count = view.items.size();
                   view.exists = view.count > 0;
                   then(std::move(view));
                 });
}

void read_all_workers(const CallRef& call, const Want&, ReadThen then) {
  plans::with_live_workers(call, [then = std::move(then)](std::vector<Worker> workers) mutable {
    std::vector<store::ScoredMember> members;
    for (const Worker& worker : workers)
      members.push_back({worker.spec.id.text(), static_cast<double>(plans::unix_seconds(worker.last_seen_at))});
    then(scores_view(std::move(members)));
  });
}

}  // namespace muster::resp::views
