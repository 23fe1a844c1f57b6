// http.life and memory.connection.bytes: the shipped program over loopback, beside an empty Beast server that makes the same
// exchanges. Client and servers share the machine's cores.
#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include "bench/http_client.h"
#include "bench/http_load.h"
#include "bench/resp/servers.h"
#include "bench/rig.h"
#include "bench/row.h"

namespace muster::bench {
namespace {

constexpr std::size_t kIdle = 2'000;

Status start_failed(const Settings& settings) {
  return Status::unavailable(fmt::format("{} serve did not print its ready line", settings.server));
}

std::vector<Row> life(const Settings& settings) {
  const ServerProcess server(settings.server, fresh_folder(settings, "http"));
  if (server.port() == 0) give_up("http.life", start_failed(settings));
  const resp::ProcessPtr bare = resp::start_program({"/proc/self/exe", "http-bare"}, "http");
  if (bare->port() == 0) give_up("http.life", Status::unavailable("the bare server did not start"));
  std::vector<double> ours;
  std::vector<double> peer;
  std::size_t bad = 0;
  for (int round = 0; round < settings.rounds() && bad == 0; ++round) {
    const HttpLoad load = run_http_round({server.port()}, settings.seconds());
    const HttpLoad empty = run_http_round({bare->port()}, settings.seconds());
    ours.push_back(load.lives_per_second);
    peer.push_back(empty.lives_per_second);
    bad = load.bad + empty.bad;
  }
  return {Row{"http.life", median(ours), median(peer), Goal::at_least, 0.6, "jobs/s",
              fmt::format("an empty Beast server; {} keep-alive connections, 3 requests a life, {} answers were errors",
                          kHttpConnections, bad)}};
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
