// What a long queue and a long history do to the rate: 1,000,000 waiting jobs against none, 10 million finished ones against
// none. Full and empty take turns on schemas of their own, in the same database.
#include <fmt/format.h>

#include "bench/postgres/connection.h"
#include "bench/postgres/measurements.h"
#include "bench/postgres/open.h"
#include "bench/postgres/sql.h"

namespace muster::bench::postgres {
namespace {

constexpr std::size_t kCallers = 64;
constexpr std::size_t kWaiting = 1'000'000;
constexpr std::size_t kFinished = 10'000'000;
constexpr std::size_t kFinishedQuick = 1'000'000;
constexpr std::size_t kDrainedPerSecond = 60'000;  // more than a round can take

// The autovacuum that follows a large load would run through the rounds.
void settle(const Settings& settings, std::string_view table) {
  Connection connection(settings.url);
  connection.run(fmt::format("VACUUM (ANALYZE) {}", table));
  connection.checkpoint();
}

std::vector<Row> waiting(const Settings& settings) {
  Rig full(store_in(settings.url, "bench_full"));
  full.register_workers(kCallers);
  full.set_claims(Claims::any_queue);
  full.fill(kWaiting);
  Rig empty(store_in(settings.url, "bench_empty"));
  empty.register_workers(kCallers);
  empty.set_claims(Claims::any_queue);
  settle(settings, "bench_full.waiting");
  std::vector<double> ours, peer;
  for (int round = 0; round < settings.rounds(); ++round) {
    ours.push_back(full.run(kCallers, settings.seconds()).lives_per_second);
    peer.push_back(empty.run(kCallers, settings.seconds()).lives_per_second);
  }
  return {Row{"postgres.backlog.1m", median(ours), median(peer), Goal::at_least, 0.6, "jobs/s",
              fmt::format("{} callers with 1,000,000 jobs waiting; the same on an empty queue", kCallers)}};
}

std::vector<Row> history(const Settings& settings) {
  const std::size_t finished = settings.quick ? kFinishedQuick : kFinished;
  Rig full(store_in(settings.url, "bench_old"));
  full.register_workers(kCallers);
  full.set_claims(Claims::any_queue);
  Connection prepare(settings.url);
  prepare.run(filled_in("history_days.sql", {{"schema", "bench_old"}}));
  prepare.run(filled_in("history_fill.sql", {{"schema", "bench_old"}, {"rows", std::to_string(finished)}}));
  Rig empty(store_in(settings.url, "bench_young"));
  empty.register_workers(kCallers);
  empty.set_claims(Claims::any_queue);
  prepare.run(filled_in("history_days.sql", {{"schema", "bench_young"}}));
  settle(settings, "bench_old.history");
  std::vector<double> ours, peer;
  const auto jobs = static_cast<std::size_t>(static_cast<double>(kDrainedPerSecond) * (settings.seconds() + 0.2));
  const auto drain = [&](Rig& rig, std::size_t left) {
    rig.fill(jobs - left);
    const Rig::Load load = rig.run(kCallers, settings.seconds(), Verbs::drain);
    return std::pair(load.lives_per_second, jobs - load.lives);
  };
  std::size_t full_left = 0, empty_left = 0;
  for (int round = 0; round < settings.rounds(); ++round) {
    double rate = 0;
    std::tie(rate, full_left) = drain(full, full_left);
    ours.push_back(rate);
    std::tie(rate, empty_left) = drain(empty, empty_left);
    peer.push_back(rate);
  }
  return {Row{"postgres.history.10m", median(ours), median(peer), Goal::at_least, 0.9, "jobs/s",
              fmt::format("claim and complete, {} callers, {} finished jobs in history{}; the same with none", kCallers, finished,
                          settings.quick ? " (10,000,000 without --quick)" : "")}};
}

}  // namespace

std::vector<Measurement> size_measurements() { return {{{"postgres.backlog.1m"}, waiting}, {{"postgres.history.10m"}, history}}; }

}  // namespace muster::bench::postgres
