// `muster bench`: how fast whole lives of jobs (submit, claim, complete) go through a server, over HTTP as any client would.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/bench_load.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/terminal.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kJobsMax = 100'000'000;
constexpr std::uint32_t kConnectionsMax = 1'000;
constexpr std::uint32_t kPayloadMax = 4 * 1024 * 1024;
constexpr std::uint32_t kBatchMax = 1'000;

double millis(std::chrono::nanoseconds latency) { return std::chrono::duration<double, std::milli>(latency).count(); }

std::string latency_text(std::chrono::nanoseconds latency) {
  const double ms = millis(latency);
  return ms < 100 ? fmt::format("{:.2f} ms", ms) : fmt::format("{:.0f} ms", ms);
}

void show(Context& context, const BenchPlan& plan, const BenchReport& report) {
  const double rate = report.seconds > 0 ? static_cast<double>(report.completed) / report.seconds : 0;
  if (!context.wants_table()) {
    Json json{{"jobs", report.completed}, {"connections", plan.connections}, {"payload_bytes", plan.payload_bytes},
              {"batch", plan.batch},      {"seconds", report.seconds},       {"jobs_per_second", rate},
              {"phases", Json::object()}};
    for (const BenchPhase& phase : report.phases)
      json["phases"][phase.name] = Json{{"count", phase.latency.count()},
                                        {"p50_ms", millis(phase.latency.quantile(0.50))},
                                        {"p99_ms", millis(phase.latency.quantile(0.99))},
                                        {"mean_ms", millis(phase.latency.mean())},
                                        {"max_ms", millis(phase.latency.max())}};
    context.document(json.dump());
    return;
  }
  Table table({{"PHASE"},
               {"REQUESTS", Align::right},
               {"P50", Align::right},
               {"P99", Align::right},
               {"MEAN", Align::right},
               {"MAX", Align::right}});
  for (const BenchPhase& phase : report.phases)
    table.add({{phase.name},
               {std::to_string(phase.latency.count())},
               {latency_text(phase.latency.quantile(0.50))},
               {latency_text(phase.latency.quantile(0.99))},
               {latency_text(phase.latency.mean())},
               {latency_text(phase.latency.max())}});
  context.table(table);
  context.line("");
  context.line(fmt::format("{:.0f} jobs/s: {} whole lives in {:.2f} s over {} connections, payload {}, {} a request", rate,
                           report.completed, report.seconds, plan.connections, format_bytes(plan.payload_bytes),
                           plan.batch == 1 ? "1 job" : fmt::format("{} jobs", plan.batch)));
}

int bench(Context& context, BenchPlan plan) {
  const sdk::Result<sdk::ClientOptions> server = context.client_options();
  if (!server.ok()) return context.fail("run the benchmark", server.error());
  plan.ns = context.globals().ns;
  catch_interrupts();
  ProgressLine line;
  const auto begin = std::chrono::steady_clock::now();
  const sdk::Result<BenchReport> report = run_bench(*server, plan, [&](std::uint64_t completed) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    line.show_fraction("bench", static_cast<double>(completed) / static_cast<double>(plan.jobs),
                       fmt::format("{} of {}  {}", completed, plan.jobs,
                                   format_rate(static_cast<double>(completed) / std::max(seconds, 0.001))));
    return !interrupted();
  });
  line.clear();
  if (!report.ok()) return context.fail("run the benchmark", report.error());
  show(context, plan, *report);
  if (report->completed == plan.jobs) return to_int(Exit::ok);
  context.note(fmt::format("interrupted; jobs still waiting in queue {} were cancelled", report->queue));
  return to_int(Exit::failure);
}

}  // namespace

void add_bench_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(app, {.name = "bench",
                                        .summary = "load the server with whole lives of jobs and measure them",
                                        .example = "muster bench --jobs 50000 --connections 16 -o json"});
  auto plan = std::make_shared<BenchPlan>();
  command->add_option("--jobs", plan->jobs, "jobs to submit, claim and complete")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, kJobsMax));
  command->add_option("--connections", plan->connections, "clients at one time")
      ->capture_default_str()
      ->check(CLI::Range(1U, kConnectionsMax));
  command->add_option("--payload", plan->payload_bytes, "bytes of payload a job")
      ->capture_default_str()
      ->check(CLI::Range(0U, kPayloadMax));
  command->add_option("--batch", plan->batch, "jobs a request")->capture_default_str()->check(CLI::Range(1U, kBatchMax));
  command->callback([&context, plan] { context.chosen = [&context, plan] { return bench(context, *plan); }; });
}

}  // namespace muster::cli
