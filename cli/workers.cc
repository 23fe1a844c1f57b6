#include "cli/workers.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/format.h"

namespace muster::cli {
namespace {

constexpr std::size_t kListWidth = 48;  // of a list inside one cell

std::string joined(const std::vector<std::string>& words, const char* when_empty) {
  if (words.empty()) return when_empty;
  return fmt::format("{}", fmt::join(words, " "));
}

// "draining: memory 93 %"
std::string state_text(const sdk::WorkerInfo& worker) {
  if (worker.state != "draining" || worker.drain_reason.empty()) return worker.state;
  return fmt::format("{}: {}", worker.state, worker.drain_reason);
}

Color color_of_age(std::optional<sdk::Instant> then, sdk::Instant now) {
  using namespace std::chrono_literals;
  if (!then || now - *then < 10s) return Color::none;
  return now - *then < 1min ? Color::yellow : Color::red;
}

std::string limits_text(const sdk::Queue& queue) {
  std::vector<std::string> parts;
  if (queue.running_max && *queue.running_max > 0) parts.push_back(fmt::format("max {}", *queue.running_max));
  for (const auto& [type, max] : queue.running_max_by_type) parts.push_back(fmt::format("{} max {}", type, max));
  if (queue.rate && queue.rate->count > 0)
    parts.push_back(fmt::format("{:g} per {}, burst {}", queue.rate->count, format_duration(queue.rate->per), queue.rate->burst));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

Table workers_table(std::span<const sdk::WorkerInfo> workers, sdk::Instant now) {
  Table table({{"ID"},
               {"STATE"},
               {"HEALTH"},
               {"BUSY", Align::right},
               {"DONE", Align::right},
               {"FAILED", Align::right},
               {"SEEN", Align::right},
               {"UP", Align::right},
               {"QUEUES"},
               {"OFFERS"}});
  for (const sdk::WorkerInfo& worker : workers) {
    const bool offline = worker.state == "offline";
    const Color busy = worker.slots > 0 && worker.running >= worker.slots ? Color::yellow : Color::none;
    table.add({{worker.id},
               {shortened(state_text(worker), kListWidth), color_of_state(worker.state)},
               {offline ? worker.offline_cause : worker.health, offline ? Color::dim : color_of_state(worker.health)},
               {fmt::format("{}/{}", worker.running, worker.slots), busy},
               {format_count(worker.completed)},
               {format_count(worker.failed), worker.failed > 0 ? Color::red : Color::none},
               {format_age(worker.last_seen_at, now)},
               {offline ? "-" : format_age(worker.registered_at, now)},
               {shortened(joined(worker.queues, "all"), kListWidth)},
               {shortened(joined(worker.capabilities, "-"), kListWidth), Color::dim}});
  }
  return table;
}

Table worker_details(const sdk::WorkerInfo& worker, sdk::Instant now) {
  Table table({{"FIELD"}, {"VALUE"}});
  const auto put = [&table](const char* field, const std::string& value, Color color = Color::none) {
    if (!value.empty()) table.add({{field, Color::dim}, {value, color}});
  };
  const auto put_time = [&](const char* field, const std::optional<sdk::Instant>& at) {
    if (at) put(field, fmt::format("{} ({})", sdk::format_instant(*at), format_age(at, now)));
  };
  put("id", worker.id);
  put("namespace", worker.ns);
  put("state", worker.state, color_of_state(worker.state));
  put("health", worker.health, color_of_state(worker.health));
  put("dialect", worker.dialect);
  put("slots", fmt::format("{} of {} busy", worker.running, worker.slots));
  put("completed", std::to_string(worker.completed));
  put("failed", std::to_string(worker.failed), worker.failed > 0 ? Color::red : Color::none);
  put("queues", joined(worker.queues, "all"));
  put("offers", joined(worker.capabilities, "nothing"));
  std::string labels;
  for (const auto& [key, value] : worker.labels) labels += fmt::format("{}{}={}", labels.empty() ? "" : " ", key, value);
  put("labels", labels);
  put("host", worker.hostname);
  put("version", worker.version);
  put_time("registered", worker.registered_at);
  put_time("last seen", worker.last_seen_at);
  put_time("offline", worker.offline_at);
  put("offline cause", worker.offline_cause, Color::yellow);
  put_time("drain until", worker.drain_deadline);
  put("drain reason", worker.drain_reason);
  put("drain origin", worker.drain_origin);
  return table;
}

Table queues_table(std::span<const sdk::Queue> queues, sdk::Instant now) {
  const bool many = std::any_of(queues.begin(), queues.end(), [&](const sdk::Queue& q) { return q.ns != queues.front().ns; });
  Table table({{"QUEUE"},
               {"STATE"},
               {"READY", Align::right},
               {"SCHEDULED", Align::right},
               {"RUNNING", Align::right},
               {"DEAD", Align::right},
               {"OLDEST", Align::right},
               {"RATE", Align::right},
               {"DONE", Align::right},
               {"LIMITS"}});
  for (const sdk::Queue& queue : queues) {
    const std::string state = queue.paused ? "paused" : "active";
    table.add({{many ? fmt::format("{}/{}", queue.ns, queue.name) : queue.name},
               {state, color_of_state(state)},
               {format_count(queue.ready)},
               {format_count(queue.scheduled)},
               {format_count(queue.running)},
               {format_count(queue.dead), queue.dead > 0 ? Color::red : Color::none},
               {format_age(queue.oldest_ready_at, now), color_of_age(queue.oldest_ready_at, now)},
               {format_rate(queue.completed_per_second)},
               {format_count(queue.completed_total)},
               {queue.paused && !queue.pause_reason.empty() ? fmt::format("paused: {}", queue.pause_reason) : limits_text(queue),
                Color::dim}});
  }
  return table;
}

Table lanes_table(std::span<const sdk::Lane> lanes, sdk::Instant now) {
  constexpr std::size_t kNeedsWidth = 60;
  Table table({{"QUEUE"},
               {"NEEDS"},
               {"READY", Align::right},
               {"RUN", Align::right},
               {"SCHED", Align::right},
               {"OLDEST", Align::right},
               {"WORKERS", Align::right},
               {"SERVED"}});
  const bool many = std::any_of(lanes.begin(), lanes.end(), [&](const sdk::Lane& lane) { return lane.ns != lanes.front().ns; });
  for (const sdk::Lane& lane : lanes) {
    const std::string missing = lane.missing.empty() ? "nobody" : "nobody offers " + joined(lane.missing, "");
    table.add({{many ? lane.ns + "/" + lane.queue : lane.queue},
               {shortened(joined(lane.needs, "-"), kNeedsWidth)},
               {format_count(lane.ready)},
               {format_count(lane.running)},
               {format_count(lane.scheduled)},
               {format_age(lane.oldest_ready_at, now)},
               {format_count(lane.able_workers)},
               {lane.paused   ? "paused"
                : lane.served ? "yes"
                              : shortened(missing, kNeedsWidth),
                lane.paused   ? Color::yellow
                : lane.served ? Color::green
                              : Color::red}});
  }
  return table;
}

}  // namespace muster::cli
