#include "cli/top_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "cli/format.h"
#include "cli/table.h"

namespace muster::cli {
namespace {

constexpr std::size_t kBarWidth = 10;
constexpr std::size_t kHeadLines = 5;   // title, totals, two sparklines, a blank
constexpr std::size_t kTableExtra = 2;  // its heading and the blank after it

template <class Value>
std::vector<double> newest_of(const Value& values, std::size_t count) {
  const std::size_t have = std::min(count, values.size());
  return {values.end() - static_cast<std::ptrdiff_t>(have), values.end()};
}

Table queue_rows(const std::vector<sdk::Queue>& queues, std::size_t count, const TopLook& look, sdk::Instant now) {
  std::uint64_t deepest = 1;
  bool many = false;
  for (const sdk::Queue& queue : queues) {
    deepest = std::max(deepest, queue.ready);
    many = many || queue.ns != queues.front().ns;
  }
  Table table({{"QUEUE"},
               {"DEPTH"},
               {"READY", Align::right},
               {"RUN", Align::right},
               {"SCHED", Align::right},
               {"DEAD", Align::right},
               {"OLDEST", Align::right},
               {"RATE", Align::right},
               {"STATE"}});
  for (const sdk::Queue& queue : std::span(queues).first(count)) {
    const std::string state = queue.paused ? "paused" : "active";
    const double share = static_cast<double>(queue.ready) / static_cast<double>(deepest);
    table.add({{many ? queue.ns + "/" + queue.name : queue.name},
               {bar(share, kBarWidth, look.unicode), Color::cyan},
               {format_count(queue.ready)},
               {format_count(queue.running)},
               {format_count(queue.scheduled)},
               {format_count(queue.dead), queue.dead > 0 ? Color::red : Color::none},
               {format_age(queue.oldest_ready_at, now)},
               {format_rate(queue.completed_per_second)},
               {state, color_of_state(state)}});
  }
  return table;
}

Table worker_rows(const std::vector<sdk::WorkerInfo>& workers, std::size_t count, const TopLook& look, sdk::Instant now) {
  Table table({{"WORKER"},
               {"BUSY"},
               {"SLOTS", Align::right},
               {"DONE", Align::right},
               {"FAILED", Align::right},
               {"SEEN", Align::right},
               {"STATE"},
               {"HEALTH"}});
  for (const sdk::WorkerInfo& worker : std::span(workers).first(count)) {
    const double share = worker.slots == 0 ? 0 : static_cast<double>(worker.running) / worker.slots;
    table.add({{worker.id},
               {bar(share, kBarWidth, look.unicode), Color::yellow},
               {fmt::format("{}/{}", worker.running, worker.slots)},
               {format_count(worker.completed)},
               {format_count(worker.failed), worker.failed > 0 ? Color::red : Color::none},
               {format_age(worker.last_seen_at, now)},
               {worker.state, color_of_state(worker.state)},
               {worker.health, color_of_state(worker.health)}});
  }
  return table;
}

std::string totals_line(const TopSnapshot& snapshot) {
  std::uint64_t ready = 0, running = 0, scheduled = 0, dead = 0;
  for (const sdk::Queue& queue : snapshot.queues) {
    ready += queue.ready;
    running += queue.running;
    scheduled += queue.scheduled;
    dead += queue.dead;
  }
  return fmt::format("ready {}   running {}   scheduled {}   dead {}   workers {}   finished kept {}", format_count(ready),
                     format_count(running), format_count(scheduled), format_count(dead),
                     snapshot.workers.size() + snapshot.workers_more, format_count(snapshot.server.jobs_finished));
}

std::string spark_line(const char* what, double now, const std::vector<double>& values, const TopLook& look, Color color) {
  const std::string head = fmt::format("{:<9} {:>9}  ", what, format_rate(now));
  if (head.size() >= look.size.columns) return shortened(head, look.size.columns);
  return head + colored(sparkline(values, look.unicode), color, look.color);
}

// Half of the free rows for each table; what one does not use goes to the other.
struct Shares {
  std::size_t queues = 0;
  std::size_t workers = 0;
};
Shares share_rows(std::size_t free, std::size_t queues, std::size_t workers) {
  const std::size_t half = free / 2;
  Shares shares{std::min(queues, half), std::min(workers, half)};
  shares.queues = std::min(queues, free - shares.workers);
  shares.workers = std::min(workers, free - shares.queues);
  return shares;
}

void append_table(std::vector<std::string>& lines, const Table& table, std::size_t hidden, const TopLook& look) {
  std::vector<std::string> rows = table.lines({.color = look.color, .width_max = look.size.columns});
  if (hidden > 0) rows.back() = shortened(fmt::format("  and {} more", hidden + 1), look.size.columns);
  for (std::string& row : rows) lines.push_back(std::move(row));
  lines.emplace_back();
}

}  // namespace

void TopHistory::add(const TopSnapshot& snapshot) {
  Totals totals{.at = snapshot.at, .completed = 0, .enqueued = 0};
  for (const sdk::Queue& queue : snapshot.queues) {
    totals.completed += queue.completed_total;
    totals.enqueued += queue.enqueued_total;
  }
  // Totals start over when the server does; that interval has no rate.
  const bool comparable =
      last_ && totals.at > last_->at && totals.completed >= last_->completed && totals.enqueued >= last_->enqueued;
  if (comparable) {
    const double seconds = static_cast<double>((totals.at - last_->at).count()) / 1'000;
    completed_.push_back(static_cast<double>(totals.completed - last_->completed) / seconds);
    enqueued_.push_back(static_cast<double>(totals.enqueued - last_->enqueued) / seconds);
  }
  last_ = totals;
  while (completed_.size() > kKept) completed_.pop_front();
  while (enqueued_.size() > kKept) enqueued_.pop_front();
}

std::vector<double> TopHistory::completed(std::size_t newest) const { return newest_of(completed_, newest); }
std::vector<double> TopHistory::enqueued(std::size_t newest) const { return newest_of(enqueued_, newest); }

std::vector<std::string> render_top(const TopSnapshot& snapshot, const TopHistory& history, const TopLook& look) {
  const std::size_t columns = look.size.columns;
  std::vector<std::string> lines;
  const std::string title =
      fmt::format("muster top  {}  {}  up {}  {} {}  {}", look.address, snapshot.server.version,
                  format_age(snapshot.server.started_at, snapshot.at), snapshot.server.store_kind,
                  format_bytes(snapshot.server.store_bytes), sdk::format_instant(snapshot.at).substr(11, 8));
  lines.push_back(colored(shortened(printable(title), columns), Color::bold, look.color));
  if (!look.problem.empty())
    lines.push_back(colored(shortened(printable(look.problem), columns), Color::red, look.color));
  else if (!snapshot.server.writable)
    lines.push_back(colored(shortened(printable("not writable: " + snapshot.server.reason), columns), Color::red, look.color));
  else
    lines.push_back(shortened(totals_line(snapshot), columns));
  constexpr std::size_t kSparkHead = 21;
  const std::size_t room = columns > kSparkHead ? columns - kSparkHead : 0;
  lines.push_back(spark_line("completed", history.completed_now(), history.completed(room), look, Color::green));
  lines.push_back(spark_line("submitted", history.enqueued_now(), history.enqueued(room), look, Color::blue));
  lines.emplace_back();

  std::vector<sdk::Queue> queues = snapshot.queues;
  std::stable_sort(queues.begin(), queues.end(), [](const sdk::Queue& a, const sdk::Queue& b) {
    return std::tuple(a.ready, a.running, a.completed_per_second) > std::tuple(b.ready, b.running, b.completed_per_second);
  });
  std::vector<sdk::WorkerInfo> workers = snapshot.workers;
  std::stable_sort(workers.begin(), workers.end(),
                   [](const sdk::WorkerInfo& a, const sdk::WorkerInfo& b) { return a.running > b.running; });

  const std::size_t fixed = kHeadLines + 2 * kTableExtra;
  const Shares shares = share_rows(look.size.rows > fixed ? look.size.rows - fixed : 0, queues.size(), workers.size());
  const auto hidden = [](std::size_t all, std::size_t shown) { return shown == 0 ? 0 : all - shown; };
  append_table(lines, queue_rows(queues, shares.queues, look, snapshot.at), hidden(queues.size(), shares.queues), look);
  append_table(lines, worker_rows(workers, shares.workers, look, snapshot.at),
               hidden(workers.size(), shares.workers) + (shares.workers == 0 ? 0 : snapshot.workers_more), look);
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.size() > look.size.rows) lines.resize(look.size.rows);
  return lines;
}

}  // namespace muster::cli
