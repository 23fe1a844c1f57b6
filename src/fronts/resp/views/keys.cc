#include "fronts/resp/views/keys.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/glob.h"
#include "command/actions.h"
#include "command/jobs.h"
#include "command/keys.h"
#include "command/plans.h"
#include "command/queues.h"
#include "command/workers.h"
#include "fronts/resp/keyspace/pages.h"
#include "fronts/resp/plans/collect.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/plans/job_find.h"
#include "fronts/resp/plans/live_state.h"
#include "fronts/resp/plans/plan_cache.h"
#include "fronts/resp/views/read.h"
#include "fronts/resp/work/work.h"

namespace muster::resp {
namespace {

constexpr std::size_t kJobsNamedMax = 10'000;  // the newest; older ones are found by their id

// One listing: family after family, as far as the pattern can mean them.
class NameList : public std::enable_shared_from_this<NameList> {
 public:
  NameList(CallRef call, std::string pattern, UniqueFunction<void(std::vector<std::string>)> then)
      : call_(std::move(call)), pattern_(std::move(pattern)), start_(glob_start(pattern_)), then_(std::move(then)) {}

  void list_workers() {
    if (!means("worker:") && !means("capability:") && !means("workers:all")) return list_jobs();
    store::WorkerQuery query;
    query.ns = default_namespace();
    // Only of the worker itself and its metadata is anything left after its death.
    if (pattern_.ends_with(":alive") || !means("worker:")) query.states = {WorkerState::online, WorkerState::draining};
    plans::collect(call_, std::move(query), plans::kCollectedMax,
                   [self = shared_from_this()](const Result<plans::Collected<Worker>>& found) {
                     if (found.ok())
                       for (const Worker& worker : found->items) self->add_worker(worker);
                     self->list_jobs();
                   });
  }

 private:
  Core& core() { return call_->core(); }

  // May a name that begins like this match?
  bool means(std::string_view beginning) const {
    return beginning.starts_with(start_) || std::string_view(start_).starts_with(beginning);
  }

  void add(std::string name) {
    if (names_.size() < kViewNamesMax && glob_matches(pattern_, name)) names_.insert(std::move(name));
  }

  void add_worker(const Worker& worker) {
    const Instant now = core().now();
    if (work::is_anonymous(worker.spec.id) || worker.offline_cause == views::kGoodbye) return;
    const std::string name = "worker:" + worker.spec.id.text();
    add(name);
    add(name + ":metadata");
    if (!worker.stats.empty() && worker.last_seen_at + views::kStatsKept > now) add(name + ":stats");
    if (!plans::tools_text(worker.spec).empty()) add(name + ":tools");
    if (!work::tags_of(worker.spec).empty()) add(name + ":tags");
    if (!plans::is_listed(worker, now)) return;
    add(name + ":alive");
    add("workers:all");
    for (const std::string& tool : work::tools_of(worker.spec))
      if (tool != "*") add("capability:" + tool + ":workers");
  }

  // A pattern that spells a whole id needs no listing.
  std::optional<std::string> only_job() const {
    constexpr std::size_t kNameBytes = 4 + 32;  // job_ and its digits
    std::string name = start_.substr(std::min<std::size_t>(start_.size(), 4), kNameBytes);
    return name.size() == kNameBytes && work::parse_job_id(name) ? std::optional(std::move(name)) : std::nullopt;
  }

  void list_jobs() {
    if (!means("job:")) return list_plans();
    if (const auto name = only_job()) {
      return plans::find_job(call_, *name, [self = shared_from_this()](const Result<Job>& job) {
        if (job.ok()) self->add_job(*job);
        self->list_streams();
      });
    }
    store::JobQuery query;
    query.filter.ns = default_namespace();
    plans::collect(call_, std::move(query), kJobsNamedMax,
                   [self = shared_from_this()](const Result<plans::Collected<Job>>& found) {
                     if (found.ok())
                       for (const Job& job : found->items) self->add_job(job);
                     self->list_streams();
                   });
  }

  void add_job(const Job& job) {
    if (job.spec.ns != default_namespace()) return;
    const std::string name = "job:" + plans::job_name(job.id, job.spec.labels);
    const bool waiting = job.state == JobState::ready || job.state == JobState::scheduled;
    add(name);
    add(name + ":input");
    add(name + ":metadata");
    add(name + ":status");
    if (!plans::plan_of(job.spec.labels).empty()) add(name + ":plan");
    if (job.result) add(name + ":output");
    if (!waiting && !job.worker.empty()) add(name + ":worker");
  }

  // Streams that workers handed over are kept by the digits of their job.
  void list_streams() {
    store::KeyBatch batch;
    batch.space = store::KeySpace::internal;
    batch.commands = {store::key::Names{.after = {}, .pattern = "job:*:std*", .type = {}, .limit = kJobsNamedMax}};
    ask(call_, command::KeysReadRequest{std::move(batch)}, [self = shared_from_this()](const Result<command::KeysReply>& found) {
      if (found.ok())
        for (std::size_t i = 1; i < found->front().list.size(); ++i)
          self->add("job:job_" + found->front().list[i].text.substr(std::string_view("job:").size()));
      self->list_plans();
    });
  }

  void list_plans() {
    if (!means("plan:") && !means("plans:all")) return list_actions();
    plans::collect(call_, store::PlanQuery{.ns = default_namespace()}, plans::kCollectedMax,
                   [self = shared_from_this()](const Result<plans::Collected<Plan>>& found) {
                     if (found.ok() && !found->items.empty()) self->add("plans:all");
                     if (found.ok())
                       for (const Plan& plan : found->items) self->add_plan(plan);
                     self->list_actions();
                   });
  }

  void add_plan(const Plan& plan) {
    const std::string name = "plan:" + plan.spec.id.text();
    add(name);
    if (plan.last_used_at) add(name + ":stats");
    if (plan.actions > 0) add(name + ":actions");
    if (plan.jobs > 0) add(name + ":jobs");
  }

  void list_actions() {
    if (!means("action:") && !means("actions:all")) return list_queues();
    plans::collect(call_, store::ActionListQuery{.ns = default_namespace()}, plans::kCollectedMax,
                   [self = shared_from_this()](const Result<plans::Collected<Action>>& found) {
                     if (found.ok() && !found->items.empty()) self->add("actions:all");
                     if (found.ok())
                       for (const Action& action : found->items) {
                         self->add("action:" + action.id.text());
                         self->add("action:" + action.id.text() + ":jobs");
                       }
                     self->list_queues();
                   });
  }

  void list_queues() {
    if (!means("queue:")) return finish();
    ask(call_, command::QueueListRequest{default_namespace()},
        [self = shared_from_this()](const Result<std::vector<QueueStats>>& found) {
          if (found.ok()) self->add_queues(*found);
          self->finish();
        });
  }

  void add_queues(const std::vector<QueueStats>& queues) {
    const plans::QueueTotals sum = plans::totals_of(queues);
    if (sum.running > 0) add("queue:processing");
    if (sum.scheduled > 0) add("queue:scheduled");
    for (const QueueStats& queue : queues)
      if (queue.ready > 0) add("queue:" + queue.queue.text());
  }

  void finish() { then_({names_.begin(), names_.end()}); }

  const CallRef call_;
  const std::string pattern_;
  const std::string start_;
  UniqueFunction<void(std::vector<std::string>)> then_;
  std::set<std::string> names_;
};

// --- a walk that goes on ---

// Behind which name it does; nothing: it begins, or nobody knows.
std::optional<std::string> place_of(const CallRef& call) {
  const auto cursor = call->size() > 1 ? plans::to_integer(call->arg(1)) : std::nullopt;
  if (!cursor || *cursor <= 0) return std::nullopt;
  const auto place = call->core().cursors.find(static_cast<std::uint64_t>(*cursor));
  if (!place || !place->in_views) return std::nullopt;
  return place->after;
}

std::size_t page_of(const CallRef& call) {
  for (std::size_t i = 2; i + 1 < call->size(); ++i)
    if (same_in_any_case(call->arg(i), "COUNT"))
      if (const auto count = plans::to_integer(call->arg(i + 1)); count && *count > 0) return static_cast<std::size_t>(*count);
  return keyspace::kScanCountDefault;
}

// One more than the page shows, for it to know that there is more.
std::vector<std::string> next_names(const std::vector<std::string>& names, const std::string& after, std::size_t page) {
  const auto first = std::upper_bound(names.begin(), names.end(), after);
  const auto left = static_cast<std::size_t>(names.end() - first);
  return {first, first + static_cast<std::ptrdiff_t>(std::min(left, page + 1))};
}

}  // namespace

void list_view_keys(const CallRef& call, std::string pattern, UniqueFunction<void(std::vector<std::string>)> then) {
  Core& core = call->core();
  const bool scan = call->name() == "SCAN";
  const auto from = scan ? place_of(call) : std::nullopt;
  if (from)
    if (const views::Names names = core.plan_cache->walks.find(pattern, core.clock().elapsed()))
      return then(next_names(*names, *from, page_of(call)));
  auto done = [call, pattern, scan, then = std::move(then)](std::vector<std::string> names) mutable {
    if (scan) {
      Core& shared = call->core();
      shared.plan_cache->walks.keep(pattern, std::make_shared<const std::vector<std::string>>(names), shared.clock().elapsed());
    }
    then(std::move(names));
  };
  std::make_shared<NameList>(call, std::move(pattern), std::move(done))->list_workers();
}

}  // namespace muster::resp
