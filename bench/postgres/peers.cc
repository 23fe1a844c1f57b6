// postgres.graphile, postgres.pgboss: our store beside other queues on the same PostgreSQL, in turns. They are Node.js packages
// (bench/peers.h); without npm or its packages the rows say so.
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "bench/http_client.h"
#include "bench/peers.h"
#include "bench/postgres/connection.h"
#include "bench/postgres/measurements.h"
#include "bench/postgres/open.h"
#include "bench/rig.h"

namespace muster::bench::postgres {
namespace {

constexpr std::size_t kCallers = 512;
constexpr std::size_t kBacklog = 10'000;
constexpr std::size_t kJobs = 50'000;
constexpr std::size_t kJobsQuick = 20'000;
constexpr int kRunSeconds = 120;
// The JSON around it makes the payload as long as ours.
constexpr std::size_t kBodyBytes = kPayloadBytes - std::string_view(R"({"body":""})").size();

struct Peer {
  std::string_view row;
  std::string_view command;
  double goal;
  std::string_view what;
};

constexpr std::array<Peer, 3> kPeers{{
    {"postgres.graphile", "graphile_life.cjs", 3, "graphile-worker 0.18, 24 at once, local queue of 500, batched"},
    {"postgres.pgboss", "pgboss_life.cjs pg-boss-10", 5, "pg-boss 10.4, batches of 1000, 2 loops"},
    {"postgres.pgboss.newest", "pgboss_life.cjs pg-boss", 5, "pg-boss 12.35, batches of 1000, 2 loops"},
}};

// Lives per second of one run; 0 when it failed, which its output on stderr explains.
double lives_of(const Peer& peer, const std::string& folder, std::size_t jobs) {
  ::setenv("MUSTER_BENCH_JOBS", std::to_string(jobs).c_str(), 1);
  const std::string command = fmt::format("cd '{}' && timeout {} node {}", folder, kRunSeconds, peer.command);
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return 0;
  std::array<char, 512> line{};
  const bool answered = std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr;
  if (::pclose(pipe) != 0 || !answered) return 0;
  return std::strtod(member(line.data(), "lives").c_str(), nullptr);
}

std::vector<Row> rows_without_peers(const std::string& reason) {
  std::vector<Row> rows;
  for (const Peer& peer : kPeers) {
    Row row{std::string(peer.row), 0, std::nullopt, Goal::none, 0, "jobs/s", reason};
    row.measured = false;
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> peers(const Settings& settings) {
  const Peers installed = install_peers(settings);
  if (installed.folder.empty()) return rows_without_peers(installed.reason);
  ::setenv("MUSTER_BENCH_URL", settings.url.c_str(), 1);
  ::setenv("MUSTER_BENCH_PAYLOAD", std::to_string(kBodyBytes).c_str(), 1);
  Rig rig(store_in(settings.url, "bench_ours"));
  rig.register_workers(kCallers);
  rig.set_claims(Claims::any_queue);
  rig.fill(kBacklog);
  std::vector<double> ours;
  std::array<std::vector<double>, kPeers.size()> theirs;
  for (int round = 0; round < settings.rounds(); ++round) {
    ours.push_back(rig.run(kCallers, settings.seconds()).lives_per_second);
    for (std::size_t i = 0; i < kPeers.size(); ++i)
      if (round == 0 || theirs[i][0] > 0)
        theirs[i].push_back(lives_of(kPeers[i], installed.folder, settings.quick ? kJobsQuick : kJobs));
  }
  std::vector<Row> rows;
  for (std::size_t i = 0; i < kPeers.size(); ++i) {
    rows.push_back(Row{std::string(kPeers[i].row), median(ours), median(theirs[i]), Goal::at_least, kPeers[i].goal, "jobs/s",
                       fmt::format("{} callers of our store; {}", kCallers, kPeers[i].what)});
    rows.back().measured = median(theirs[i]) > 0;
    if (!rows.back().measured) rows.back().note = "the peer failed; its own words are above";
  }
  return rows;
}

}  // namespace

std::vector<Measurement> peer_measurements() {
  return {{{"postgres.graphile", "postgres.pgboss", "postgres.pgboss.newest"}, peers}};
}

}  // namespace muster::bench::postgres
