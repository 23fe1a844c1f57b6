// grpc.*: workflow lives over gRPC beside an empty server that gets the same calls, and two-step durable handlers beside Restate.
// Client and servers share the machine's cores; the sides of a ratio take turns.
#include <fmt/format.h>

#include "bench/grpc/load.h"
#include "bench/grpc/measurements.h"
#include "bench/resp/servers.h"

namespace muster::bench::grpc_suite {
namespace {

using resp::ProcessPtr;

// The packaged client takes about 48 µs of a call's time itself: at 1.0 our durable call costs what an empty one costs there.
constexpr double kAloneGoal = 0.75;
constexpr double kManyGoal = 1.0;
constexpr double kCallTimeGoal = 1.0;
constexpr double kP99Goal = 2.0;
constexpr std::size_t kComparedOutstanding = 50;  // where processor time and p99 are compared, too

struct Side {
  ProcessPtr server;
  std::vector<double> rates;
  std::vector<double> p99;
  std::vector<double> call_us;  // processor time of the server
  std::string trouble;

  void run(const Load& load) {
    if (server->port() == 0) trouble = "did not start";
    if (!trouble.empty()) return;
    const double before = server->cpu_seconds();
    const Outcome outcome = grpc_suite::run(fmt::format("127.0.0.1:{}", server->port()), load);
    const double calls = static_cast<double>(outcome.lives * (3 + 2 * load.steps));
    if (calls > 0) call_us.push_back((server->cpu_seconds() - before) * 1e6 / calls);
    trouble = outcome.trouble;
    rates.push_back(outcome.lives_per_second);
    p99.push_back(outcome.p99_ms);
  }
};

std::vector<Row> lives(const Settings& settings, std::string_view name, std::size_t outstanding, std::size_t steps) {
  Side ours{.server = start_ours(settings, fmt::format("grpc-{}-{}", outstanding, steps))};
  Side echo{.server = resp::start_program({"/proc/self/exe", "grpc-echo"}, "grpc")};
  const Load load{.outstanding = outstanding, .steps = steps, .seconds = settings.seconds()};
  for (int round = 0; round < settings.rounds(); ++round) {
    ours.run(load);
    echo.run(load);
  }
  Row row{std::string(name),
          median(ours.rates),
          median(echo.rates),
          Goal::at_least,
          outstanding == 1 ? kAloneGoal : kManyGoal,
          "runs/s",
          fmt::format("{} calls a life against an empty server; p99 {:.2f} ms beside {:.2f}", 3 + 2 * steps, median(ours.p99),
                      median(echo.p99))};
  std::vector<Row> rows{row};
  if (outstanding == kComparedOutstanding) {
    rows.push_back({fmt::format("{}.cpu", name), median(ours.call_us), median(echo.call_us), Goal::at_most, kCallTimeGoal, "us",
                    "processor time of the server a call, beside the empty server's"});
    rows.push_back({fmt::format("{}.p99", name), median(ours.p99), median(echo.p99), Goal::at_most, kP99Goal, "ms",
                    "of whole lives, beside the empty server's"});
  }
  for (const Side* side : {&ours, &echo}) {
    if (side->trouble.empty()) continue;
    for (Row& each : rows) {
      each.measured = false;
      each.note = side->trouble;
    }
  }
  return rows;
}

Measurement measurement(std::string_view name, std::size_t outstanding, std::size_t steps) {
  return {{name}, [=](const Settings& settings) { return lives(settings, name, outstanding, steps); }};
}

}  // namespace

ProcessPtr start_ours(const Settings& settings, const std::string& folder) {
  return resp::start_program({settings.server, "serve", "--data-dir", fresh_folder(settings, folder), "--resp", "off", "--http",
                              "127.0.0.1:0", "--grpc", "127.0.0.1:0"},
                             "grpc");
}

}  // namespace muster::bench::grpc_suite

namespace muster::bench {

std::vector<Measurement> grpc_measurements() {
  using grpc_suite::measurement;
  std::vector<Measurement> all{measurement("grpc.life.c1", 1, 0),     measurement("grpc.life.c50", 50, 0),
                               measurement("grpc.life.c500", 500, 0), measurement("grpc.steps2.c1", 1, 2),
                               measurement("grpc.steps2.c50", 50, 2), measurement("grpc.steps2.c500", 500, 2)};
  for (auto part : {grpc_suite::restate_measurements(), grpc_suite::timer_measurements(), grpc_suite::wire_measurements()})
    for (Measurement& one : part) all.push_back(std::move(one));
  return all;
}

}  // namespace muster::bench
