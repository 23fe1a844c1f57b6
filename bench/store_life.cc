// store.sqlite.full.life: whole lives through the store, against the bare loop in groups of the size the store reached.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/bare_loop.h"
#include "bench/rig.h"
#include "bench/row.h"

namespace muster::bench {
namespace {

constexpr std::size_t kBacklog = 10'000;
constexpr double kGoal = 0.7;

std::vector<Row> life(const Settings& settings, std::size_t callers, const std::string& name, Goal kind) {
  Rig rig(sqlite_in(fresh_folder(settings, "life")));
  rig.register_workers();
  rig.fill(kBacklog);
  BareLoop bare(fresh_folder(settings, "bare"), kBacklog);
  BareLoop same_rows(fresh_folder(settings, "bare-same-rows"), kBacklog, Rows::of_the_store);
  std::vector<double> ours, peer, same, groups;
  for (int round = 0; round < settings.rounds(); ++round) {
    const std::uint64_t commits_before = rig.info().commits;
    const Rig::Load load = rig.run(callers, settings.seconds());
    const auto commits_done = static_cast<double>(rig.info().commits - commits_before);
    groups.push_back(static_cast<double>(load.lives) / std::max(1.0, commits_done));
    const auto group = static_cast<std::size_t>(std::max(1.0, std::round(groups.back())));
    ours.push_back(load.lives_per_second);
    const Commits commits = callers == 1 ? Commits::one_each : Commits::mixed;
    peer.push_back(bare.lives_per_second(group, commits, settings.seconds()));
    same.push_back(same_rows.lives_per_second(group, commits, settings.seconds()));
  }
  return {Row{name, median(ours), median(peer), kind, kGoal, "jobs/s",
              fmt::format("{} callers; bare SQLite loop, lean rows, {:.1f} lives per commit", callers, median(groups))},
          Row{name + ".rows", median(ours), median(same), Goal::none, 0, "jobs/s",
              "the same, the bare loop writing the store's own rows with its own statements"}};
}

}  // namespace

std::vector<Measurement> store_measurements() {
  const auto row = [](std::size_t callers, std::string_view name, Goal kind) {
    return Measurement{{name}, [=](const Settings& settings) { return life(settings, callers, std::string(name), kind); }};
  };
  return {row(64, "store.sqlite.full.life", Goal::at_least), row(256, "store.sqlite.full.life.c256", Goal::at_least),
          row(1024, "store.sqlite.full.life.c1024", Goal::at_least), row(1, "store.sqlite.full.life.c1", Goal::none)};
}

}  // namespace muster::bench
