#include "fronts/resp/plans/live_state.h"

#include <utility>

#include "command/queues.h"
#include "command/workers.h"
#include "fronts/resp/plans/collect.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/work/work.h"

namespace muster::resp::plans {

bool is_listed(const Worker& worker, Instant now) {
  return worker.state != WorkerState::offline && dead_at(worker) > now && !work::is_anonymous(worker.spec.id);
}

void with_live_workers(const CallRef& call, UniqueFunction<void(std::vector<Worker>)> then) {
  store::WorkerQuery query;
  query.ns = default_namespace();
  query.states = {WorkerState::online, WorkerState::draining};
  collect(call, std::move(query), kCollectedMax, [call, then = std::move(then)](Result<Collected<Worker>> found) mutable {
    if (!found.ok()) return refuse(call, found.status());
    const Instant now = call->core().now();
    std::erase_if(found->items, [now](const Worker& worker) { return !is_listed(worker, now); });
    then(std::move(found->items));
  });
}

std::string tools_text(const WorkerSpec& spec) {
  std::string list;
  for (const std::string& tool : work::tools_of(spec)) {
    if (tool == "*") continue;
    if (!list.empty()) list += ',';
    list += tool;
  }
  return list;
}

void with_queues(const CallRef& call, UniqueFunction<void(std::vector<QueueStats>)> then) {
  ask(call, command::QueueListRequest{default_namespace()},
      [call, then = std::move(then)](Result<std::vector<QueueStats>> found) mutable {
        if (!found.ok()) return refuse(call, found.status());
        then(*std::move(found));
      });
}

QueueTotals totals_of(const std::vector<QueueStats>& queues) {
  QueueTotals sum;
  for (const QueueStats& queue : queues) {
    sum.ready += queue.ready;
    sum.scheduled += queue.scheduled;
    sum.running += queue.running;
    sum.completed += queue.completed_total;
    sum.dead += queue.dead;
  }
  return sum;
}

std::uint64_t ready_in(const std::vector<QueueStats>& queues, std::string_view queue) {
  for (const QueueStats& stats : queues)
    if (stats.queue.text() == queue) return stats.ready;
  return 0;
}

}  // namespace muster::resp::plans
