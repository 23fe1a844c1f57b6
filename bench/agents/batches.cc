// agents.batches: many batch runs at once. What counts is how many batches they make: each is polled and paid for by itself.
#include <fmt/format.h>

#include "bench/agents/measurements.h"
#include "bench/agents/stage.h"

namespace muster::bench::agents {
namespace {

constexpr std::size_t kRuns = 10'000;
constexpr double kBatchesMax = 10;

std::vector<Row> batches(const Settings& settings) {
  Stage stage(settings, "agents.batches", R"({"rules":[{"text":"done"}],"batches":{"polls_until_ended":2}})");
  Row row{"agents.batches", 0, std::nullopt, Goal::at_most, kBatchesMax, "batches", {}};
  const double began = seconds_now();
  std::size_t completed = 0;
  if (stage.trouble().empty()) completed = stage.completed(stage.start_runs(kRuns, R"(,"run_mode":"batch")"));
  const double took = seconds_now() - began;
  row.ours = static_cast<double>(stage.trouble().empty() ? stage.calls("/v1/messages/batches") : 0);
  row.note = fmt::format("{} runs started and finished in {:.1f} s, {:.1f} s of server time", completed, took,
                         stage.trouble().empty() ? stage.ours().cpu_seconds() : 0);
  row.measured = completed == kRuns;
  if (!stage.trouble().empty()) row.note = stage.trouble();
  return {row};
}

}  // namespace

std::vector<Measurement> batch_measurements() { return {{{"agents.batches"}, batches}}; }

}  // namespace muster::bench::agents
