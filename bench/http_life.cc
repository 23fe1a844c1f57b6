// http.life and memory.connection.bytes: the shipped program over loopback. Client and server share the machine's cores, so the
// rate is an end-to-end figure of this machine; it has no goal of its own.
#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include "bench/http_client.h"
#include "bench/rig.h"
#include "bench/row.h"

namespace muster::bench {
namespace {

constexpr std::size_t kConnections = 50;
constexpr std::size_t kIdle = 2'000;
constexpr const char* kWorker = "bench";

Status start_failed(const Settings& settings) {
  return Status::unavailable(fmt::format("{} serve did not print its ready line", settings.server));
}

// One connection's place in the life of its current job.
struct Life {
  enum class Step : std::uint8_t { submit, claim, complete } step = Step::submit;
};

std::vector<Row> life(const Settings& settings) {
  const ServerProcess server(settings.server, fresh_folder(settings, "http"));
  if (server.port() == 0) give_up("http.life", start_failed(settings));
  const int control = connect_loopback(server.port());
  const std::string registered =
      ask(control,
          request_text("POST", "/api/v1/workers",
                       fmt::format(R"({{"id":"{}","slots":10000,"heartbeat_ms":600000,"dead_after_ms":1800000}})", kWorker)));
  if (member(registered, "session").empty()) give_up("http.life", Status::internal("registration failed: " + registered));

  std::vector<Connection> connections(kConnections);
  std::vector<Life> lives(kConnections);
  for (std::size_t i = 0; i < kConnections; ++i) {
    connections[i].index = i;
    connections[i].socket = connect_loopback(server.port());
  }
  const std::string submit = request_text(
      "POST", "/api/v1/jobs", fmt::format(R"({{"type":"bench","payload":"{}"}})", std::string(kPayloadBytes - 2, 'p')));
  const std::string claim =
      request_text("POST", "/api/v1/jobs/claim", fmt::format(R"({{"worker":"{}","limit":1,"wait_ms":5000}})", kWorker));
  std::vector<double> rates;
  std::size_t bad = 0;
  for (int round = 0; round < settings.rounds(); ++round) {
    std::size_t done = 0;
    const double began = seconds_now();
    const double until = began + settings.seconds();
    for (Life& l : lives) l.step = Life::Step::submit;
    drive(connections, [&](Connection& connection, const Answer& answer) -> std::string {
      Life& state = lives[connection.index];
      if (answer.status >= 300) ++bad;
      switch (state.step) {
        case Life::Step::submit:
          if (answer.status != 0) ++done;
          if (seconds_now() >= until || bad > 0) return {};
          state.step = Life::Step::claim;
          return submit;
        case Life::Step::claim: state.step = Life::Step::complete; return claim;
        case Life::Step::complete: {
          const std::string id = member(answer.body, "id");
          if (id.empty()) return claim;
          state.step = Life::Step::submit;
          return request_text("POST", fmt::format("/api/v1/jobs/{}/complete", id),
                              fmt::format(R"({{"fence":{}}})", member(answer.body, "fence")));
        }
      }
      return {};
    });
    rates.push_back(static_cast<double>(done) / (seconds_now() - began));
  }
  for (const Connection& connection : connections) ::close(connection.socket);
  ::close(control);
  return {Row{"http.life", median(rates), std::nullopt, Goal::none, 0, "jobs/s",
              fmt::format("{} keep-alive connections, 3 requests a life, {} answers were errors", kConnections, bad)}};
}

std::vector<Row> idle(const Settings& settings) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);  // inherited by the server
  const ServerProcess server(settings.server, fresh_folder(settings, "idle"));
  if (server.port() == 0) give_up("memory.connection.bytes", start_failed(settings));
  const std::string request = request_text("GET", "/healthz", "");
  std::vector<int> sockets;
  const auto open = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const int fd = connect_loopback(server.port());
      if (fd < 0 || ask(fd, request).empty())
        give_up("memory.connection.bytes", Status::exhausted(fmt::format("connection {} was refused", sockets.size())));
      sockets.push_back(fd);
    }
  };
  open(kIdle / 10);  // what the first connections allocate once
  const double before = resident_bytes(server.pid());
  open(kIdle);
  const double after = resident_bytes(server.pid());
  for (const int fd : sockets) ::close(fd);
  return {Row{"memory.connection.bytes", (after - before) / static_cast<double>(kIdle), std::nullopt, Goal::at_most, 20'000,
              "bytes",
              fmt::format("resident memory per idle keep-alive connection, {} of them, one request each before", kIdle)}};
}

}  // namespace

std::vector<Measurement> http_measurements() { return {{{"http.life"}, life}, {{"memory.connection.bytes"}, idle}}; }

}  // namespace muster::bench
