// `muster top`: the live view of queues, workers and throughput. Without a terminal, or with --output json, one snapshot.
#include "cli/top.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <tuple>

#include "cli/commands.h"
#include "cli/figures.h"
#include "cli/format.h"
#include "cli/jobs.h"
#include "cli/workers.h"

namespace muster::cli {
namespace {

constexpr std::size_t kTopBarWidth = 10;
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
               {bar(share, kTopBarWidth, look.unicode), Color::cyan},
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
               {bar(share, kTopBarWidth, look.unicode), Color::yellow},
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

constexpr std::uint32_t kWorkersShown = 200;

constexpr std::size_t kFigureColumns = 70;  // of a row besides its line over time
constexpr std::size_t kFigureLineMin = 10;
constexpr std::size_t kFigureLineMax = 120;

struct TopArguments {
  std::optional<sdk::Duration> interval;
  std::string span;  // of the history; empty: the present is shown
  bool one_namespace = false;
};

sdk::Result<TopSnapshot> take_snapshot(sdk::Client& client, const std::string& ns) {
  TopSnapshot snapshot;
  sdk::Result<sdk::ServerInfo> server = client.server();
  if (!server.ok()) return server.error();
  sdk::Result<std::vector<sdk::Queue>> queues = client.queues(ns);
  if (!queues.ok()) return queues.error();
  // Live workers only: the offline ones are history.
  for (const char* state : {"online", "draining"}) {
    sdk::WorkerQuery query{
        .ns = ns, .state = state, .capability = {}, .label = {}, .queue = {}, .limit = kWorkersShown, .cursor = {}};
    sdk::Result<sdk::WorkerPage> page = client.workers(query);
    if (!page.ok()) return page.error();
    std::move(page->workers.begin(), page->workers.end(), std::back_inserter(snapshot.workers));
  }
  if (server->workers > snapshot.workers.size() && snapshot.workers.size() >= kWorkersShown)
    snapshot.workers_more = server->workers - snapshot.workers.size();
  snapshot.server = std::move(*server);
  snapshot.queues = std::move(*queues);
  snapshot.at = now();
  return snapshot;
}

int show_top_once(Context& context, sdk::Client& client, const std::string& ns) {
  const sdk::Result<TopSnapshot> snapshot = take_snapshot(client, ns);
  if (!snapshot.ok()) return context.fail("look at the server", snapshot.error());
  if (context.wants_table()) {
    context.table(queues_table(snapshot->queues, snapshot->at));
    context.line("");
    context.table(workers_table(snapshot->workers, snapshot->at));
    return to_int(Exit::ok);
  }
  nlohmann::ordered_json json{{"server", nlohmann::ordered_json::parse(snapshot->server.document, nullptr, false)},
                              {"queues", nlohmann::ordered_json::array()},
                              {"workers", nlohmann::ordered_json::array()}};
  for (const sdk::Queue& queue : snapshot->queues)
    json["queues"].push_back(nlohmann::ordered_json::parse(queue.document, nullptr, false));
  for (const sdk::WorkerInfo& worker : snapshot->workers)
    json["workers"].push_back(nlohmann::ordered_json::parse(worker.document, nullptr, false));
  context.document(json.dump());
  return to_int(Exit::ok);
}

// What the refreshing thread leaves for the drawing one.
struct ShownTop {
  std::mutex mutex;
  TopSnapshot snapshot;
  TopHistory history;
  std::string problem;
};

int show_history(Context& context, const std::string& span) {
  const auto figures = context.ask([&](sdk::Client& client) { return client.figures({.span = span, .since = {}}); });
  return context.show("read the server's history", figures, [&](const sdk::HistoryFigures& found) {
    const std::size_t columns = stdout_is_terminal() ? terminal_size().columns : 0;
    const std::size_t room = columns > kFigureColumns ? columns - kFigureColumns : kFigureLineMin;
    context.table(figures_table(found, {.width = std::min(room, kFigureLineMax), .unicode = terminal_is_unicode()}));
    context.note(found.points == 0 ? "nothing is recorded yet"
                                   : fmt::format("{} points of {} since {}", found.points, format_duration(found.step),
                                                 sdk::format_instant(found.from.value_or(sdk::Instant{}))));
  });
}

int show_top(Context& context, const TopArguments& arguments) {
  if (!arguments.span.empty()) return show_history(context, arguments.span);
  const auto opened = context.client();
  if (!opened.ok()) return context.fail("look at the server", opened.error());
  sdk::Client& client = **opened;
  const std::string ns = context.scope(!arguments.one_namespace);
  if (!stdout_is_terminal() || !stdin_is_terminal() || !context.wants_table()) return show_top_once(context, client, ns);

  ShownTop shown;
  sdk::Result<TopSnapshot> first = take_snapshot(client, ns);
  if (!first.ok()) return context.fail("look at the server", first.error());
  shown.snapshot = *first;
  shown.history.add(*first);
  LiveView view;
  if (arguments.interval) view.interval = *arguments.interval;
  view.refresh = [&] {
    sdk::Result<TopSnapshot> snapshot = take_snapshot(client, ns);
    const std::lock_guard lock(shown.mutex);
    shown.problem = snapshot.ok() ? "" : snapshot.error().text();
    if (snapshot.ok()) {
      shown.history.add(*snapshot);
      shown.snapshot = std::move(*snapshot);
    }
    return true;
  };
  view.draw = [&](TerminalSize size) {
    const std::lock_guard lock(shown.mutex);
    return render_top(shown.snapshot, shown.history,
                      {.size = size,
                       .color = context.globals().color,
                       .unicode = terminal_is_unicode(),
                       .address = context.globals().server,
                       .problem = shown.problem});
  };
  view.interrupt = [&client] { client.interrupt(); };
  run_live(view);
  return to_int(Exit::ok);
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

void add_top_command(CLI::App& app, Context& context) {
  auto [command, arguments] = add_command(app, context,
                                          {.name = "top",
                                           .summary = "live view of queues, workers and throughput; q quits",
                                           .example = "muster top --interval 500ms"},
                                          show_top);
  add_duration(command, {.name = "--interval", .help = "time between two looks (1s)"}, arguments.interval);
  command.add_option("--history", arguments.span, "instead: what the server remembers of the last hour or day")
      ->type_name("hour|day")
      ->check(CLI::IsMember({"hour", "day"}));
  command.add_flag("--one-namespace", arguments.one_namespace, "only the namespace of --namespace");
}

}  // namespace muster::cli
