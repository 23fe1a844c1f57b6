// The simulation program: runs seeds, and prints for a failing one the line that replays it.
//
//   muster_sim                    the fixed set that ./dev test runs
//   muster_sim --seed N           one seed; with --trace every line of it
//   muster_sim --seeds A..B       a range
//   muster_sim --soak             growing seeds until stopped
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "base/log.h"
#include "tests/sim/client.h"
#include "tests/sim/worker.h"
#include "tests/sim/world.h"

namespace muster::sim {
namespace {

struct Arguments {
  std::uint64_t first = 1;
  std::uint64_t last = 400;
  std::uint64_t steps = 1'500;
  double time_limit = 0;  // seconds; 0: none
  bool trace = false;
  bool soak = false;
};

// Seeds that are run twice, to see that the same seed gives the same trace.
constexpr std::uint64_t kRepeatEvery = 40;
constexpr std::uint64_t kAuditEvery = 100;
constexpr std::uint64_t kPeaceStepsMax = 400'000;
constexpr Duration kWiresEmptyAfter{60'000};
constexpr std::size_t kAble = 4;  // two namespaces, two zones

char current_seed_line[64];
extern "C" void on_abort(int) {
  // A check of our own failed, or a sanitizer did: the seed is what the reader needs.
  (void)!::write(STDOUT_FILENO, current_seed_line, std::strlen(current_seed_line));
}

struct Outcome {
  bool ok = false;
  std::uint64_t hash = 0;
  Shadow::Tally tally;
};

void print_failure(World& world) {
  std::printf("%sviolated: %s\n", current_seed_line, world.shadow().violation()->c_str());
  for (const std::string& line : world.trace().last()) std::printf("  %s\n", line.c_str());
}

Outcome run_seed(std::uint64_t seed, const Arguments& arguments) {
  std::snprintf(current_seed_line, sizeof current_seed_line, "./dev sim %llu\n", static_cast<unsigned long long>(seed));
  World world(seed, arguments.trace);
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<std::unique_ptr<SimWorker>> workers;
  world.start();
  create_namespaces(world);
  for (std::size_t i = 0; i < world.plan().clients; ++i) clients.push_back(std::make_unique<Client>(world, i));
  for (std::size_t i = 0; i < world.plan().workers; ++i)
    workers.push_back(std::make_unique<SimWorker>(world, make_worker(world.random(), i, false), false));
  for (auto& client : clients) client->start();
  for (auto& worker : workers) worker->start();
  const auto sound = [&world] { return !world.shadow().violation(); };
  for (std::uint64_t step = 1; step <= arguments.steps && sound(); ++step) {
    if (!world.step()) break;
    if (step % kAuditEvery == 0 && sound()) world.audit(20);
  }
  world.make_peace();
  for (auto& worker : workers) worker->retire();
  // What is still on the wires arrives first, or a pause from before would outlive the one who lifts it.
  world.timeline().after(kWiresEmptyAfter, [&world] { lift_limits(world); });
  for (std::size_t i = 0; i < kAble; ++i) {
    workers.push_back(std::make_unique<SimWorker>(world, make_worker(world.random(), i, true), true));
    workers.back()->start();
  }
  for (std::uint64_t step = 0; step < kPeaceStepsMax && sound(); ++step) {
    if (step % kAuditEvery == 0 && world.shadow().unfinished().empty() && world.engine() != nullptr) break;
    if (!world.step()) break;
  }
  if (sound()) world.audit(0);
  if (sound()) {
    const std::vector<JobId> left = world.shadow().unfinished();
    for (std::size_t i = 0; i < left.size() && i < 5; ++i) world.explain(left[i]);
    world.shadow().finished_run();
  }
  if (!sound()) print_failure(world);
  return {sound(), world.trace().hash(), world.shadow().tally()};
}

bool number(std::string_view text, std::uint64_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

std::optional<Arguments> parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto value = [&]() -> std::string_view { return ++i < argc ? argv[i] : ""; };
    std::uint64_t seconds = 0;
    if (name == "--trace") {
      arguments.trace = true;
    } else if (name == "--soak") {
      arguments.soak = true;
    } else if (number(name, arguments.first)) {  // ./dev sim SEED
      arguments.last = arguments.first;
    } else if (name == "--seed") {
      if (!number(value(), arguments.first)) return std::nullopt;
      arguments.last = arguments.first;
    } else if (name == "--seeds") {
      const std::string_view range = value();
      const std::size_t dots = range.find("..");
      if (dots == std::string_view::npos || !number(range.substr(0, dots), arguments.first) ||
          !number(range.substr(dots + 2), arguments.last))
        return std::nullopt;
    } else if (name == "--steps") {
      if (!number(value(), arguments.steps)) return std::nullopt;
    } else if (name == "--time-limit") {
      if (!number(value(), seconds)) return std::nullopt;
      arguments.time_limit = static_cast<double>(seconds);
    } else {
      return std::nullopt;
    }
  }
  return arguments;
}

int run(const Arguments& arguments) {
  const RealClock clock;
  const Ticks began = clock.elapsed();
  const auto seconds = [&] { return std::chrono::duration<double>(clock.elapsed() - began).count(); };
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  Shadow::Tally total;
  for (std::uint64_t seed = arguments.first; arguments.soak || seed <= arguments.last; ++seed) {
    if (arguments.time_limit > 0 && seconds() > arguments.time_limit) break;
    const Outcome outcome = run_seed(seed, arguments);
    ++done;
    if (!outcome.ok) ++failed;
    if (outcome.ok && (seed % kRepeatEvery == 0 || arguments.first == arguments.last) &&
        run_seed(seed, {.steps = arguments.steps}).hash != outcome.hash) {
      ++failed;
      std::printf("%sviolated: determinism: two runs of one seed differ\n", current_seed_line);
    }
    total.acknowledged += outcome.tally.acknowledged;
    total.granted += outcome.tally.granted;
    total.completed += outcome.tally.completed;
    total.dead += outcome.tally.dead;
    total.cancelled += outcome.tally.cancelled;
    total.rescued += outcome.tally.rescued;
    total.crashes += outcome.tally.crashes;
    if (arguments.first == arguments.last)
      std::printf("seed %llu trace hash %016llx\n", static_cast<unsigned long long>(seed),
                  static_cast<unsigned long long>(outcome.hash));
    if (arguments.soak && done % 100 == 0)
      std::printf("%llu seeds, %llu failed, %.0f s\n", static_cast<unsigned long long>(done),
                  static_cast<unsigned long long>(failed), seconds());
    std::fflush(stdout);
  }
  std::printf(
      "%llu seeds in %.1f s: %llu failed; %llu crashes, %llu jobs acknowledged, %llu grants, %llu completed, %llu dead, %llu "
      "cancelled, %llu rescues\n",
      static_cast<unsigned long long>(done), seconds(), static_cast<unsigned long long>(failed),
      static_cast<unsigned long long>(total.crashes), static_cast<unsigned long long>(total.acknowledged),
      static_cast<unsigned long long>(total.granted), static_cast<unsigned long long>(total.completed),
      static_cast<unsigned long long>(total.dead), static_cast<unsigned long long>(total.cancelled),
      static_cast<unsigned long long>(total.rescued));
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace muster::sim

int main(int argc, char** argv) {
  const auto arguments = muster::sim::parse(argc, argv);
  if (!arguments) {
    std::fprintf(stderr,
                 "usage: muster_sim [SEED | --seed N | --seeds A..B | --soak] [--steps N] [--time-limit SECONDS] [--trace]\n");
    return 2;
  }
  std::signal(SIGABRT, muster::sim::on_abort);
  muster::log::set_level(muster::log::Level::error);
  return muster::sim::run(*arguments);
}
