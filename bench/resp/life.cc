// resp.life.*: whole job lives over the wire, beside what people use for that today and beside the bare network. Client and
// servers share the machine's cores; the sides of a ratio take turns on the same machine, each on a server of its own that is
// idle while the others are measured.
#include <unistd.h>

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>

#include "bench/http_client.h"
#include "bench/resp/measurements.h"
#include "bench/resp/servers.h"
#include "bench/resp/wires.h"

namespace muster::bench::resp {
namespace {

// One system under load, with its rate in every round.
struct Side {
  std::string name;
  ProcessPtr server;
  WirePtr wire;
  Load load;
  std::vector<double> rates;
  std::vector<double> server_seconds;  // of processor time, a life
  std::vector<double> pop_p99;         // of the second phase, in seconds
  std::vector<double> commit_seconds;  // the mean of a round; of ours only
  std::string trouble;
};

std::vector<Phase> life_cycle(std::size_t steps, std::size_t depth) {
  std::vector<Phase> cycle;
  for (std::size_t step = 0; step < steps; ++step) cycle.push_back({.step = step, .count = depth});
  return cycle;
}

std::vector<Phase> action_cycle(std::size_t depth) {
  std::vector<Phase> cycle{{.step = 0, .count = 1}};
  for (std::size_t done = 0; done < kActionInputs; done += depth) {
    const std::size_t count = std::min(depth, kActionInputs - done);
    cycle.push_back({.step = 1, .count = count});
    cycle.push_back({.step = 2, .count = count});
  }
  return cycle;
}

// What a server of ours has committed so far.
struct Commits {
  double count = 0;
  double seconds = 0;
};

double figure(std::string_view metrics, std::string_view name) {
  const std::size_t at = metrics.find(fmt::format("\n{} ", name));
  return at == std::string_view::npos ? 0 : std::strtod(metrics.data() + at + 2 + name.size(), nullptr);
}

Commits commits_of(const Process& server) {
  if (server.http_port() == 0) return {};
  const int socket = connect_loopback(server.http_port());
  const std::string metrics = bench::ask(socket, request_text("GET", "/metrics", ""));
  ::close(socket);
  return {figure(metrics, "muster_store_commit_duration_seconds_count"),
          figure(metrics, "muster_store_commit_duration_seconds_sum")};
}

class Contest {
 public:
  Contest(const Settings& settings, std::size_t connections, std::size_t depth)
      : settings_(settings), connections_(connections), depth_(depth) {}

  void add(std::string name, ProcessPtr server, WirePtr wire, std::size_t steps = 3) {
    Load load{.connections = connections_,
              .cycle = name == "actions" ? action_cycle(depth_) : life_cycle(steps, depth_),
              .lives_per_cycle = name == "actions" ? kActionInputs : depth_,
              .seconds = settings_.seconds()};
    sides_.push_back({.name = std::move(name), .server = std::move(server), .wire = std::move(wire), .load = std::move(load)});
  }

  void run() {
    for (int round = 0; round < settings_.rounds(); ++round)
      for (Side& side : sides_) {
        if (!side.trouble.empty() || side.server->port() == 0) continue;
        const double cpu = side.server->cpu_seconds();
        const Commits before = commits_of(*side.server);
        const Outcome outcome = resp::run(*side.server, *side.wire, side.load);
        side.trouble = outcome.trouble;
        if (!outcome.trouble.empty()) continue;
        side.rates.push_back(outcome.lives_per_second);
        side.server_seconds.push_back((side.server->cpu_seconds() - cpu) / outcome.lives);
        if (outcome.seconds_of.size() > 1) side.pop_p99.push_back(percentile(outcome.seconds_of[1], 0.99));
        const Commits after = commits_of(*side.server);
        if (after.count > before.count)
          side.commit_seconds.push_back((after.seconds - before.seconds) / (after.count - before.count));
      }
  }

  const Side& side(std::string_view name) const {
    static const Side kAbsent{};
    const auto found = std::find_if(sides_.begin(), sides_.end(), [name](const Side& side) { return side.name == name; });
    return found == sides_.end() ? kAbsent : *found;
  }

  // Processor time of the servers, and how long a pop that finds a job waits, in commits.
  std::vector<Row> cost_rows() const {
    const Side& ours = side("muster");
    const Side& redis = side("everysec");
    const auto name = [this](const char* suffix) { return fmt::format("resp.life.c{}.p{}.{}", connections_, depth_, suffix); };
    const Goal goal = connections_ == 50 && depth_ == 1 ? Goal::at_most : Goal::none;
    Row cpu{name("cpu"),
            median(ours.server_seconds) * 1e6,
            median(redis.server_seconds) * 1e6,
            goal,
            1.3,
            "µs",
            "processor time of the server a life, beside Redis everysec's"};
    cpu.measured = !ours.server_seconds.empty() && !redis.server_seconds.empty();
    Row pop{name("pop.p99"),
            median(ours.pop_p99) * 1e6,
            median(ours.commit_seconds) * 1e6,
            goal,
            0.5,
            "µs",
            "p99 of a BRPOP that finds a job, beside the mean commit"};
    pop.measured = !ours.pop_p99.empty() && !ours.commit_seconds.empty();
    return {cpu, pop};
  }

  struct Aim {
    std::string suffix;
    std::string ours;
    std::string peer;
    Goal kind = Goal::none;
    double goal = 0;
    std::string note;
  };
  Row row(const Aim& aim) const {
    const Side& ours = side(aim.ours);
    const Side& peer = side(aim.peer);
    Row out{fmt::format("resp.life.c{}.p{}.{}", connections_, depth_, aim.suffix),
            median(ours.rates),
            median(peer.rates),
            aim.kind,
            aim.goal,
            "jobs/s",
            aim.note};
    for (const Side* side : {&ours, &peer}) {
      if (!side->rates.empty()) continue;
      out.measured = false;
      out.note = fmt::format("{}: {}", side == &ours ? aim.ours : aim.peer,
                             side->trouble.empty() ? "not installed or did not start" : side->trouble);
    }
    return out;
  }

 private:
  const Settings& settings_;
  std::size_t connections_;
  std::size_t depth_;
  std::vector<Side> sides_;
};

std::vector<Row> contest(const Settings& settings, std::size_t connections, std::size_t depth) {
  Contest contest(settings, connections, depth);
  const auto ours = [&](const char* name) { return start_muster(settings.server, fresh_folder(settings, name)); };
  ProcessPtr lives = ours("resp-lives");
  ProcessPtr actions = ours("resp-actions");
  submit_plan(*actions);
  WirePtr lives_wire = muster_life(lives->key());
  WirePtr actions_wire = muster_actions(actions->key());
  contest.add("muster", std::move(lives), std::move(lives_wire));
  contest.add("actions", std::move(actions), std::move(actions_wire));
  if (is_installed("redis-check-rdb")) {
    contest.add("everysec", start_redis(fresh_folder(settings, "redis-everysec"), "everysec"), redis_reliable());
    contest.add("always", start_redis(fresh_folder(settings, "redis-always"), "always"), redis_reliable());
    contest.add("lossy", start_redis(fresh_folder(settings, "redis-lossy"), "everysec"), redis_lossy(), 2);
  }
  if (is_installed("beanstalkd")) {
    contest.add("f50", start_beanstalkd(fresh_folder(settings, "beanstalkd-f50"), 50), beanstalk_life());
    contest.add("f0", start_beanstalkd(fresh_folder(settings, "beanstalkd-f0"), 0), beanstalk_life());
  }
  contest.add("network", start_echo(), echo_life());
  contest.run();

  const bool main_row = connections == 50;
  const bool single = depth == 1;
  const Goal goal = main_row ? Goal::at_least : Goal::none;
  std::vector<Row> rows;
  rows.push_back(contest.row({"everysec", "muster", "everysec", goal, single ? 0.7 : 1.3,
                              "Redis, LPUSH BLMOVE LREM, synced every second; ours syncs every commit"}));
  rows.push_back(contest.row({"always", "muster", "always", goal, single ? 1.4 : 2.0, "the same, every write synced"}));
  rows.push_back(contest.row({"lossy", "muster", "lossy", Goal::none, 0, "Redis, LPUSH BRPOP: what is popped can be lost"}));
  rows.push_back(contest.row({"beanstalkd.f0", "muster", "f0", main_row && single ? Goal::at_least : Goal::none, 10,
                              "beanstalkd -b -f0: every write synced"}));
  rows.push_back(contest.row({"beanstalkd.f50", "muster", "f50", Goal::none, 0, "beanstalkd -b -f50"}));
  rows.push_back(contest.row({"network", "muster", "network", main_row && single ? Goal::at_least : Goal::none, 0.5,
                              "three lines there and back, nothing done"}));
  for (Row& row : contest.cost_rows()) rows.push_back(std::move(row));
  rows.push_back(contest.row({"actions", "actions", "everysec", Goal::none, 0, "ACTION.SUBMIT of 100 inputs instead of LPUSH"}));
  return rows;
}

Measurement measurement(std::string_view name, std::size_t connections, std::size_t depth) {
  return {{name}, [connections, depth](const Settings& settings) { return contest(settings, connections, depth); }};
}

}  // namespace

std::vector<Measurement> life_measurements() {
  return {measurement("resp.life.c50.p1", 50, 1), measurement("resp.life.c50.p16", 50, 16), measurement("resp.life.c1.p1", 1, 1),
          measurement("resp.life.c500.p1", 500, 1), measurement("resp.life.c500.p16", 500, 16)};
}

}  // namespace muster::bench::resp
