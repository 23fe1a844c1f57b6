// ws.life.*: dispatch, acknowledgement and result over many sockets, beside a bare Beast server that exchanges the same frames.
// One thread drives all workers of both sides; it shares the cores with the server it drives. The tasks wait in the queue before
// they are measured: what a submission costs is other rows' business.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "bench/http_client.h"
#include "bench/resp/measurements.h"
#include "bench/rig.h"
#include "bench/ws/load.h"
#include "bench/ws/measurements.h"

namespace muster::bench::ws {
namespace {

using resp::ProcessPtr;

constexpr std::size_t kBulk = 5'000;
constexpr double kFirstRate = 45'000;  // tasks a second that the first round may need

// One server with its workers, and what was seen in each round.
struct Side {
  ProcessPtr server;
  std::optional<Workers> workers;
  std::vector<double> rates;
  std::vector<double> server_us;  // of processor time a task
  std::vector<double> server_cores;
  std::vector<double> load_cores;
  std::string trouble;

  void join(std::size_t sockets, std::size_t depth) {
    if (server->port() == 0) trouble = "a server did not start";
    if (!trouble.empty()) return;
    workers.emplace(server->port());
    workers->join(sockets, depth);
    trouble = workers->trouble();
  }

  void run(double seconds) {
    if (!trouble.empty()) return;
    const double cpu = server->cpu_seconds();
    const Outcome outcome = workers->run(seconds);
    const double used = server->cpu_seconds() - cpu;
    trouble = workers->trouble();
    rates.push_back(outcome.tasks_per_second);
    server_us.push_back(used * 1e6 / std::max(1.0, outcome.tasks));
    server_cores.push_back(used / outcome.seconds);
    load_cores.push_back(outcome.own_cpu_seconds / outcome.seconds);
  }
};

// Keeps more tasks waiting than a round can take.
class Backlog {
 public:
  explicit Backlog(int port) : socket_(connect_loopback(port)) {}
  ~Backlog() {
    if (socket_ >= 0) ::close(socket_);
  }
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;

  void need(double tasks) {
    while (waiting_ < tasks) {
      std::string body = R"({"jobs":[)";
      for (std::size_t i = 0; i < kBulk; ++i)
        body += fmt::format(R"({}{{"type":"demo.echo","needs":["node:demo.echo"],"payload":{{"m":"hi"}}}})", i > 0 ? "," : "");
      const std::string answer = ask(socket_, request_text("POST", "/api/v1/jobs/bulk", body + "]}"));
      if (answer.find("\"state\":\"ready\"") == std::string::npos) give_up("ws.life", Status::internal(answer.substr(0, 300)));
      waiting_ += kBulk;
    }
  }
  void took(double tasks) { waiting_ -= tasks; }

 private:
  int socket_;
  double waiting_ = 0;
};

struct Aim {
  std::string_view name;
  std::size_t sockets = 1;
  std::size_t depth = 1;  // tasks a worker has at a time
  Goal kind = Goal::none;
  double goal = 0;
};

Row cpu_row(const Aim& aim, const Side& ours, const Side& bare) {
  return {fmt::format("{}.cpu", aim.name),
          median(ours.server_us),
          median(bare.server_us),
          Goal::none,
          0,
          "us/task",
          fmt::format("processor time of the server a task; {:.2f} cores beside {:.2f}; the load took {:.2f} and {:.2f}",
                      median(ours.server_cores), median(bare.server_cores), median(ours.load_cores), median(bare.load_cores))};
}

std::vector<Row> lives(const Settings& settings, const Aim& aim) {
  resp::raise_file_limit();
  Side ours{.server = start_ours(settings, std::string(aim.name))};
  Side bare{.server = resp::start_program({"/proc/self/exe", "ws-bare", std::to_string(aim.depth)}, "ws")};
  Backlog backlog(ours.server->port());
  ours.join(aim.sockets, aim.depth);
  bare.join(aim.sockets, aim.depth);
  const double seconds = settings.seconds();
  for (int round = 0; round < settings.rounds(); ++round) {
    const double fastest = ours.rates.empty() ? kFirstRate : *std::max_element(ours.rates.begin(), ours.rates.end());
    backlog.need(fastest * 1.3 * seconds + static_cast<double>(2 * aim.sockets * aim.depth));
    ours.run(seconds);
    if (!ours.rates.empty()) backlog.took(ours.rates.back() * seconds);
    bare.run(seconds);
  }
  Row row{std::string(aim.name),
          median(ours.rates),
          median(bare.rates),
          aim.kind,
          aim.goal,
          "tasks/s",
          fmt::format("{} sockets, {} task{} each, against a Beast server that exchanges the same frames; every commit synced",
                      aim.sockets, aim.depth, aim.depth == 1 ? "" : "s")};
  for (const Side* side : {&ours, &bare}) {
    if (side->trouble.empty()) continue;
    row.measured = false;
    row.note = side->trouble;
    return {row};
  }
  std::vector<Row> rows{row, cpu_row(aim, ours, bare)};
  if (aim.sockets == 50 && aim.depth == 1) {
    const double added = window_nanoseconds(settings);
    rows.push_back(
        {"ws.window", added / 10 / median(ours.server_us), std::nullopt, Goal::at_most, 10, "% of server",
         fmt::format("{:.2f} us a task for windows on against off, in this process, of the server's time at 50 sockets",
                     added / 1e3)});
  }
  return rows;
}

Measurement measurement(const Aim& aim) {
  std::vector<std::string_view> names{aim.name};
  if (aim.sockets == 50 && aim.depth == 1) names.push_back("ws.window");
  return {names, [aim](const Settings& settings) { return lives(settings, aim); }};
}

}  // namespace

ProcessPtr start_ours(const Settings& settings, const std::string& folder) {
  // One connection more than sockets: the one that submits.
  ::setenv("MUSTER_LIMITS_CONNECTIONS_MAX", "12000", 1);
  ProcessPtr process = resp::start_program({settings.server, "serve", "--data-dir", fresh_folder(settings, folder), "--resp",
                                            "off", "--http", "127.0.0.1:0", "--grpc", "off"},
                                           "http");
  ::unsetenv("MUSTER_LIMITS_CONNECTIONS_MAX");
  return process;
}

std::vector<Measurement> life_measurements() {
  return {measurement({.name = "ws.life.c1", .sockets = 1}),
          measurement({.name = "ws.life.c50", .sockets = 50, .kind = Goal::at_least, .goal = 0.5}),
          measurement({.name = "ws.life.c1000", .sockets = 1'000, .kind = Goal::at_least, .goal = 0.6}),
          measurement({.name = "ws.life.c50.p8", .sockets = 50, .depth = 8})};
}

}  // namespace muster::bench::ws

namespace muster::bench {

std::vector<Measurement> ws_measurements() {
  std::vector<Measurement> all;
  for (auto part : {ws::life_measurements(), ws::idle_measurements()})
    for (Measurement& measurement : part) all.push_back(std::move(measurement));
  return all;
}

}  // namespace muster::bench
