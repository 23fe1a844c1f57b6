// resp.ping, resp.get, resp.set: single commands beside Redis, 50 connections without pipelining and 16 deep.
#include <fmt/format.h>

#include "bench/resp/measurements.h"
#include "bench/resp/wires.h"

namespace muster::bench::resp {
namespace {

constexpr std::size_t kConnections = 50;

struct Command {
  Plain what = Plain::ping;
  std::string_view name;
  double goal = 0;  // 0: none
};

double rate(const Process& server, Plain what, std::size_t depth, double seconds, std::string& trouble) {
  const WirePtr wire = plain(what, server.key());
  const Outcome outcome =
      run(server, *wire,
          {.connections = kConnections, .cycle = {{.step = 0, .count = depth}}, .lives_per_cycle = depth, .seconds = seconds});
  if (!outcome.trouble.empty()) trouble = outcome.trouble;
  return outcome.lives_per_second;
}

std::vector<Row> single_commands(const Settings& settings) {
  const ProcessPtr ours = start_muster(settings.server, fresh_folder(settings, "resp-plain"));
  const ProcessPtr redis = start_redis(fresh_folder(settings, "redis-plain"), "everysec");
  std::vector<Row> rows;
  std::string trouble;
  for (const Command& command :
       {Command{Plain::set, "set", 0}, Command{Plain::ping, "ping", 0.8}, Command{Plain::get, "get", 0.8}})
    for (const std::size_t depth : {1u, 16u}) {
      std::vector<double> mine, theirs;
      for (int round = 0; round < settings.rounds(); ++round) {
        mine.push_back(rate(*ours, command.what, depth, settings.seconds(), trouble));
        theirs.push_back(rate(*redis, command.what, depth, settings.seconds(), trouble));
      }
      const bool aimed = command.goal > 0 && depth == 1;
      rows.push_back({fmt::format("resp.{}.c{}.p{}", command.name, kConnections, depth), median(mine), median(theirs),
                      aimed ? Goal::at_least : Goal::none, command.goal, "commands/s",
                      command.what == Plain::set ? "Redis syncs every second, ours every commit" : "Redis"});
      rows.back().measured = trouble.empty() && ours->port() != 0 && redis->port() != 0;
      if (!rows.back().measured) rows.back().note = trouble.empty() ? "a server did not start" : trouble;
    }
  return rows;
}

}  // namespace

std::vector<Measurement> plain_measurements() { return {{{"resp.ping", "resp.get", "resp.set"}, single_commands}}; }

}  // namespace muster::bench::resp
