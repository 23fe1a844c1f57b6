// postgres.http: whole lives over HTTP against one and two nodes of the shipped program on one database. Client, nodes and
// PostgreSQL share the machine's cores, so the rates are end-to-end figures of this machine and have no goal of their own.
#include <fmt/format.h>

#include "bench/http_client.h"
#include "bench/http_load.h"
#include "bench/postgres/connection.h"
#include "bench/postgres/measurements.h"
#include "bench/rig.h"

namespace muster::bench::postgres {
namespace {

HttpLoad load_on(const Settings& settings, std::size_t nodes) {
  Connection(settings.url).run("DROP SCHEMA IF EXISTS muster CASCADE");
  std::vector<std::unique_ptr<ServerProcess>> servers;
  std::vector<int> ports;
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::string folder = fresh_folder(settings, fmt::format("node-{}", i));
    servers.push_back(
        std::make_unique<ServerProcess>(settings.server, folder, std::vector<std::string>{"--store", settings.url}));
    ports.push_back(servers.back()->port());
    if (ports.back() == 0)
      give_up("postgres.http", Status::unavailable(fmt::format("{} serve did not print its ready line", settings.server)));
  }
  return run_http_lives(ports, settings);
}

std::vector<Row> http(const Settings& settings) {
  const HttpLoad one = load_on(settings, 1);
  const HttpLoad two = load_on(settings, 2);
  return {
      Row{"postgres.http.n1", one.lives_per_second, std::nullopt, Goal::none, 0, "jobs/s",
          fmt::format("1 node, {} keep-alive connections, 3 requests a life, {} answers were errors", kHttpConnections, one.bad)},
      Row{"postgres.http.n2", two.lives_per_second, one.lives_per_second, Goal::none, 0, "jobs/s",
          fmt::format("2 nodes with half of the connections each, beside 1 node; {} answers were errors", two.bad)}};
}

}  // namespace

std::vector<Measurement> http_measurements() { return {{{"postgres.http.n1", "postgres.http.n2"}, http}}; }

}  // namespace muster::bench::postgres
