// WORKERS.LIST and METRICS.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/plans/json_text.h"
#include "fronts/resp/plans/live_state.h"

namespace muster::resp::plans {
namespace {

std::string listed(const Worker& worker) {
  ObjectText out;
  out.number("last_seen", unix_seconds(worker.last_seen_at));
  out.text("status", "active");
  out.text("tools", tools_text(worker.spec));
  out.text("worker_id", worker.spec.id.text());
  return std::move(out).take();
}

// A label's value as the exposition format wants it.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::uint64_t moved(Core& core, const char* event) {
  return core.metrics
      .counter("muster_jobs_moved_total", "Moves of jobs from state to state, by what caused them.", {{"event", event}})
      .value();
}

// Jobs by the words of the dialect. Those that have ended are counted since this process started.
std::vector<std::pair<std::string_view, std::uint64_t>> jobs_by_word(Core& core, const QueueTotals& sum) {
  return {{"pending", sum.ready + sum.scheduled},
          {"running", sum.running},
          {"completed", sum.completed},
          {"failed", moved(core, "failed") + moved(core, "exhausted")},
          {"dead", sum.dead}};
}

std::string prometheus(Core& core, const std::vector<QueueStats>& queues, std::size_t workers) {
  std::string out = "# HELP agq_jobs_total Jobs by status.\n# TYPE agq_jobs_total gauge\n";
  for (const auto& [word, value] : jobs_by_word(core, totals_of(queues)))
    out += fmt::format("agq_jobs_total{{status=\"{}\"}} {}\n", word, value);
  out += "# HELP agq_queue_length Jobs that wait in a queue.\n# TYPE agq_queue_length gauge\n";
  for (const QueueStats& queue : queues)
    out += fmt::format("agq_queue_length{{queue=\"queue:{}\"}} {}\n", escaped(queue.queue.text()), queue.ready);
  out += fmt::format(
      "# HELP agq_workers_active Workers that were heard lately.\n# TYPE agq_workers_active gauge\n"
      "agq_workers_active {}\n",
      workers);
  return out + core.metrics.text();
}

std::string as_json(Core& core, const std::vector<QueueStats>& queues, std::size_t workers) {
  ObjectText jobs;
  auto words = jobs_by_word(core, totals_of(queues));
  std::sort(words.begin(), words.end());
  for (const auto& [word, value] : words) jobs.number(word, static_cast<std::int64_t>(value));
  ObjectText lengths;
  for (const QueueStats& queue : queues) {
    const std::string key = json_string("queue:" + queue.queue.text());
    lengths.number(std::string_view(key).substr(1, key.size() - 2), static_cast<std::int64_t>(queue.ready));
  }
  ObjectText out;
  out.raw("agq_jobs_total", std::move(jobs).take());
  out.raw("agq_queue_length", std::move(lengths).take());
  out.number("agq_workers_active", static_cast<std::int64_t>(workers));
  return std::move(out).take();
}

}  // namespace

void workers_list(const CallRef& call) {
  with_live_workers(call, [call](std::vector<Worker> workers) {
    std::stable_sort(workers.begin(), workers.end(),
                     [](const Worker& a, const Worker& b) { return a.last_seen_at > b.last_seen_at; });
    std::string out;
    wire::array(out, workers.size());
    for (const Worker& worker : workers) wire::bulk(out, listed(worker));
    call->answer(std::move(out));
  });
}

void metrics(const CallRef& call) {
  const bool json = call->size() > 1 && same_in_any_case(call->arg(1), "JSON");
  if (call->size() > 1 && !json && !same_in_any_case(call->arg(1), "PROMETHEUS"))
    return call->fail("format must be one of: prometheus, json");
  with_queues(call, [call, json](std::vector<QueueStats> queues) {
    std::sort(queues.begin(), queues.end(), [](const QueueStats& a, const QueueStats& b) { return a.queue < b.queue; });
    with_live_workers(call, [call, json, queues = std::move(queues)](const std::vector<Worker>& workers) {
      Core& core = call->core();
      call->answer(wire::bulk_reply(json ? as_json(core, queues, workers.size()) : prometheus(core, queues, workers.size())));
    });
  });
}

}  // namespace muster::resp::plans
