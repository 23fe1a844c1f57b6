// grpc.restate.*: a durable handler of two steps, ours beside Restate's. Restate's handler is a Node.js one, since that is the
// SDK its packages bring; ours is driven by the load itself, so its worker costs less. Both clients wait for the end of each run.
#include <array>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "bench/grpc/load.h"
#include "bench/grpc/measurements.h"
#include "bench/http_client.h"
#include "bench/peers.h"

namespace muster::bench::grpc_suite {
namespace {

constexpr double kRateGoal = 3;
constexpr double kTailGoal = 1;
constexpr int kRunSeconds = 120;

struct Theirs {
  double rate = 0;
  double p99_ms = 0;
};

// One run of the driver: a server, a service and a load, all ended with it.
Theirs restate(const Settings& settings, const std::string& folder, std::size_t outstanding) {
  ::setenv("MUSTER_BENCH_FOLDER", fresh_folder(settings, "restate").c_str(), 1);
  ::setenv("MUSTER_BENCH_OUTSTANDING", std::to_string(outstanding).c_str(), 1);
  ::setenv("MUSTER_BENCH_SECONDS", fmt::format("{}", settings.seconds()).c_str(), 1);
  FILE* pipe = ::popen(fmt::format("cd '{}' && timeout {} node restate_life.cjs", folder, kRunSeconds).c_str(), "r");
  if (pipe == nullptr) return {};
  std::array<char, 512> line{};
  const bool answered = std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr;
  if (::pclose(pipe) != 0 || !answered) return {};
  return {std::strtod(member(line.data(), "lives").c_str(), nullptr), std::strtod(member(line.data(), "p99").c_str(), nullptr)};
}

std::vector<Row> compare(const Settings& settings, std::size_t outstanding) {
  Row rate{fmt::format("grpc.restate.c{}", outstanding),       0, std::nullopt, Goal::at_least, kRateGoal, "runs/s",
           "Restate, one node, a Node.js handler of two steps"};
  Row tail{fmt::format("grpc.restate.c{}.p99", outstanding), 0, std::nullopt, Goal::at_most, kTailGoal, "ms", "whole runs, p99"};
  const Peers peers = install_peers(settings);
  const resp::ProcessPtr ours = start_ours(settings, "grpc-restate");
  std::vector<double> our_rates, our_tails, their_rates, their_tails;
  std::string trouble = peers.reason;
  for (int round = 0; trouble.empty() && round < settings.rounds(); ++round) {
    const Outcome outcome =
        run(fmt::format("127.0.0.1:{}", ours->port()), {.outstanding = outstanding, .steps = 2, .seconds = settings.seconds()});
    const Theirs theirs = restate(settings, peers.folder, outstanding);
    trouble = outcome.trouble;
    if (theirs.rate == 0) trouble = "the peer failed; its own words are above";
    our_rates.push_back(outcome.lives_per_second);
    our_tails.push_back(outcome.p99_ms);
    their_rates.push_back(theirs.rate);
    their_tails.push_back(theirs.p99_ms);
  }
  rate.measured = tail.measured = trouble.empty();
  if (!trouble.empty()) rate.note = tail.note = trouble;
  rate.ours = median(our_rates);
  rate.peer = median(their_rates);
  tail.ours = median(our_tails);
  tail.peer = median(their_tails);
  return {rate, tail};
}

}  // namespace

std::vector<Measurement> restate_measurements() {
  return {{{"grpc.restate.c50", "grpc.restate.c50.p99"}, [](const Settings& settings) { return compare(settings, 50); }}};
}

}  // namespace muster::bench::grpc_suite
