// http.life and memory.connection.bytes: the shipped program over loopback. Client and server share the machine's cores, so the
// rate is an end-to-end figure of this machine; it has no goal of its own.
#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include "bench/http_client.h"
#include "bench/http_load.h"
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
  const HttpLoad load = run_http_lives({server.port()}, settings);
  return {Row{"http.life", load.lives_per_second, std::nullopt, Goal::none, 0, "jobs/s",
              fmt::format("{} keep-alive connections, 3 requests a life, {} answers were errors", kHttpConnections, load.bad)}};
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
