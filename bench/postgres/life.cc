// postgres.life: whole lives through the store, against the bare coalesced loop with as many callers on as many connections.
//
// Every caller is a worker of its own and all may serve everything, as a fleet of equal workers does. Two more rows tell what
// other fleets cost: callers that share one worker, and callers that each name one of eight queues. How much log a life writes is
// counted beside.
#include <cstdlib>

#include <fmt/format.h>

#include "bench/postgres/coalesced_loop.h"
#include "bench/postgres/connection.h"
#include "bench/postgres/measurements.h"
#include "bench/postgres/open.h"
#include "bench/rig.h"

namespace muster::bench::postgres {
namespace {

constexpr std::size_t kBacklog = 10'000;
constexpr double kGoal = 0.6;
constexpr double kLogGoal = 1.6;

// Bytes of PostgreSQL's log so far, whoever wrote them.
double log_bytes(Connection& connection) {
  return std::strtod(connection.value("SELECT pg_current_wal_insert_lsn() - '0/0'").c_str(), nullptr);
}

std::vector<Row> life(const Settings& settings, std::size_t callers, const std::string& name) {
  Rig rig(store_in(settings.url, "bench_life"));
  rig.register_workers(callers);
  rig.set_claims(Claims::any_queue);
  rig.fill(kBacklog);
  CoalescedLoop lean(settings.url, "bench_lean", Rows::lean, kConnections, kBacklog);
  { const Rig tables(store_in(settings.url, "bench_same")); }  // for its schema
  CoalescedLoop same(settings.url, "bench_same", Rows::of_the_store, kConnections, kBacklog);
  const std::size_t group = callers / kConnections;
  Connection log(settings.url);
  std::vector<double> ours, peer, same_rows, our_log, peer_log;
  for (int round = 0; round < settings.rounds(); ++round) {
    double before = log_bytes(log);
    const Rig::Load load = rig.run(callers, settings.seconds());
    ours.push_back(load.lives_per_second);
    our_log.push_back((log_bytes(log) - before) / static_cast<double>(load.lives));
    before = log_bytes(log);
    peer.push_back(lean.lives_per_second(group, settings.seconds()));
    peer_log.push_back((log_bytes(log) - before) / (peer.back() * settings.seconds()));
    same_rows.push_back(same.lives_per_second(group, settings.seconds()));
  }
  return {
      Row{name, median(ours), median(peer), Goal::at_least, kGoal, "jobs/s",
          fmt::format("{} callers; bare libpq loop, lean rows, groups of {} on {} connections", callers, group, kConnections)},
      Row{name + ".rows", median(ours), median(same_rows), Goal::none, 0, "jobs/s",
          "the same, the bare loop on the store's own tables, history included"},
      Row{name + ".log", median(our_log), median(peer_log), Goal::at_most, kLogGoal, "bytes",
          "log a life, pages that are logged whole after a checkpoint included; bare libpq loop, lean rows"}};
}

// Other fleets beside the one of the goal.
std::vector<Row> fleets(const Settings& settings) {
  constexpr std::size_t kCallers = 64;
  const auto rig_of = [&](const char* schema, std::size_t workers, Claims claims) {
    auto rig = std::make_unique<Rig>(store_in(settings.url, schema));
    rig->register_workers(workers);
    rig->set_claims(claims);
    rig->fill(kBacklog);
    return rig;
  };
  const auto equal = rig_of("bench_equal", kCallers, Claims::any_queue);
  const auto shared = rig_of("bench_shared", 1, Claims::any_queue);
  const auto apart = rig_of("bench_apart", kCallers, Claims::own_queue);
  std::vector<double> base, one, queues;
  for (int round = 0; round < settings.rounds(); ++round) {
    base.push_back(equal->run(kCallers, settings.seconds()).lives_per_second);
    one.push_back(shared->run(kCallers, settings.seconds()).lives_per_second);
    queues.push_back(apart->run(kCallers, settings.seconds()).lives_per_second);
  }
  return {Row{"postgres.life.shared", median(one), median(base), Goal::none, 0, "jobs/s",
              fmt::format("{} callers claim as one worker; beside: each as its own", kCallers)},
          Row{"postgres.life.queues", median(queues), median(base), Goal::none, 0, "jobs/s",
              fmt::format("{} callers each claim from one of {} queues; beside: from any", kCallers, kQueues)}};
}

}  // namespace

std::vector<Measurement> life_measurements() {
  const auto row = [](std::size_t callers, std::string_view name) {
    return Measurement{{name}, [=](const Settings& settings) { return life(settings, callers, std::string(name)); }};
  };
  return {
      row(64, "postgres.life.c64"), row(512, "postgres.life.c512"), {{"postgres.life.shared", "postgres.life.queues"}, fleets}};
}

}  // namespace muster::bench::postgres
