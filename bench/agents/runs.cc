// agents.streams, agents.burst: a thousand runs at once, each of two streamed calls with two tools between them, beside a bare
// libcurl loop that makes the same calls. Streams of the first row are paced like a model's; those of the second come at once, so
// that it shows what a run costs and not what it waits for.
#include <algorithm>
#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "bench/agents/measurements.h"
#include "bench/agents/stage.h"
#include "bench/agents/transfers.h"
#include "bench/resp/measurements.h"

namespace muster::bench::agents {
namespace {

constexpr std::size_t kRuns = 1'000;
constexpr std::size_t kWarmUp = 50;
constexpr double kMemoryMax = 64;  // kB a stream
constexpr double kSecondsMax = 120;
constexpr auto kSampleEvery = std::chrono::milliseconds(50);

std::string script(int token_ms) {
  return fmt::format(
      R"({{"rules":[
        {{"match":{{"tool_result":"*"}},"text":"{0}","token_bytes":4,"token_ms":{1}}},
        {{"blocks":[{{"type":"text","text":"{0}"}},{{"type":"tool_use","id":"t1","name":"look","input":{{"n":1}}}},
                    {{"type":"tool_use","id":"t2","name":"note","input":{{"n":2}}}}],"token_bytes":4,"token_ms":{1}}}]}})",
      std::string(80, 'w'), token_ms);
}

// What the server sends, but for its ids.
constexpr std::string_view kTools =
    R"("tools":[{"name":"look","description":"a tool","input_schema":{"type":"object"}},{"name":"note","description":"a tool","input_schema":{"type":"object"}}])";

std::string first_body() {
  return fmt::format(
      R"({{"model":"bench","max_tokens":4096,"stream":true,{},"messages":[{{"role":"user","content":[{{"type":"text","text":"run"}}]}}]}})",
      kTools);
}

std::string second_body() {
  return fmt::format(
      R"({{"model":"bench","max_tokens":4096,"stream":true,{},"messages":[{{"role":"user","content":[{{"type":"text","text":"run"}}]}},)"
      R"({{"role":"assistant","content":[{{"type":"text","text":"{}"}},{{"type":"tool_use","id":"t1","name":"look","input":{{"n":1}}}},{{"type":"tool_use","id":"t2","name":"note","input":{{"n":2}}}}]}},)"
      R"({{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t1","content":"seen"}},{{"type":"tool_result","tool_use_id":"t2","content":"seen"}}]}}]}})",
      kTools, std::string(80, 'w'));
}

// Seconds, or nothing when a call failed.
std::optional<double> bare_round(const std::string& url) {
  Transfers transfers(kRuns);
  const std::string first = first_body();
  const std::string second = second_body();
  std::size_t failed = 0;
  const double began = seconds_now();
  for (std::size_t i = 0; i < kRuns; ++i)
    transfers.start({url + "/v1/messages", first, [](std::string_view) { return true; },
                     [&](bool ok) {
                       if (!ok) ++failed;
                       transfers.start({url + "/v1/messages", second, [](std::string_view) { return true; },
                                        [&failed](bool answered) { failed += answered ? 0 : 1; }});
                     }});
  const bool all = transfers.run(kSecondsMax);
  if (!all || failed > 0) return std::nullopt;
  return seconds_now() - began;
}

class PeakMemory {
 public:
  explicit PeakMemory(int pid)
      : thread_([this, pid] {
          while (!stop_) {
            peak_ = std::max(peak_, resident_bytes(pid));
            std::this_thread::sleep_for(kSampleEvery);
          }
        }) {}
  double stop() {
    stop_ = true;
    thread_.join();
    return peak_;
  }

 private:
  std::atomic<bool> stop_{false};
  double peak_ = 0;
  std::thread thread_;
};

struct Aim {
  std::string_view name;
  int token_ms = 0;
  Goal kind = Goal::none;
  double goal = 0;
};

std::vector<Row> thousand(const Settings& settings, const Aim& aim) {
  resp::raise_file_limit();
  Stage stage(settings, aim.name, script(aim.token_ms));
  Row row{std::string(aim.name), 0, 0.0, aim.kind, aim.goal, "runs/s", {}};
  std::vector<double> ours;
  std::vector<double> bare;
  std::vector<double> server_ms;  // of processor time a run
  double before = 0;
  double peak = 0;
  std::string trouble = stage.trouble();
  if (trouble.empty()) {
    const Toolbox tools(stage.ours().port());
    stage.completed(stage.start_runs(kWarmUp));
    before = resident_bytes(stage.ours().pid());
    for (int round = 0; round < settings.rounds() && trouble.empty(); ++round) {
      const double cpu = stage.ours().cpu_seconds();
      PeakMemory memory(stage.ours().pid());
      const double began = seconds_now();
      const std::size_t completed = stage.completed(stage.start_runs(kRuns));
      ours.push_back(static_cast<double>(kRuns) / (seconds_now() - began));
      const double most = memory.stop();
      if (round == 0) peak = most;
      server_ms.push_back((stage.ours().cpu_seconds() - cpu) * 1e3 / static_cast<double>(kRuns));
      if (completed != kRuns) trouble = fmt::format("{} of {} runs completed; {}", completed, kRuns, stage.trouble());
      const auto other = bare_round(stage.api_url());
      if (!other) trouble = "a call of the bare loop failed";
      bare.push_back(static_cast<double>(kRuns) / other.value_or(1));
    }
  }
  if (!trouble.empty()) {
    row.measured = false;
    row.note = trouble;
    return {row};
  }
  row.ours = median(ours);
  row.peer = median(bare);
  row.note = fmt::format(
      "{} at once, two calls and two tools each, {} ms a token, against libcurl alone; {:.2f} ms of server time a run", kRuns,
      aim.token_ms, median(server_ms));
  std::vector<Row> rows{row};
  if (aim.token_ms > 0)
    rows.push_back({"agents.memory", (peak - before) / kRuns / 1024, std::nullopt, Goal::at_most, kMemoryMax, "kB/stream",
                    "resident memory of the server at its most beside before the first thousand"});
  return rows;
}

Measurement measurement(const Aim& aim) {
  std::vector<std::string_view> names{aim.name};
  if (aim.token_ms > 0) names.push_back("agents.memory");
  return {names, [aim](const Settings& settings) { return thousand(settings, aim); }};
}

}  // namespace

std::vector<Measurement> run_measurements() {
  return {measurement({.name = "agents.streams", .token_ms = 100, .kind = Goal::at_least, .goal = 0.6}),
          measurement({.name = "agents.burst"})};
}

}  // namespace muster::bench::agents

namespace muster::bench {

std::vector<Measurement> agent_measurements() {
  std::vector<Measurement> all;
  for (auto part : {agents::run_measurements(), agents::batch_measurements(), agents::first_token_measurements()})
    for (Measurement& measurement : part) all.push_back(std::move(measurement));
  return all;
}

}  // namespace muster::bench
