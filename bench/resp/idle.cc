// resp.idle.bytes and resp.heartbeats.10k: what connections cost that do nothing, and registered workers that only live.
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "bench/resp/load.h"
#include "bench/resp/measurements.h"
#include "bench/rig.h"

namespace muster::bench::resp {
namespace {

constexpr std::size_t kIdle = 2'000;
constexpr std::size_t kWorkers = 10'000;
constexpr double kBeatEvery = 30.0;  // seconds, as the server hands it out

std::vector<Row> idle_bytes(const Settings& settings) {
  raise_file_limit();
  const ProcessPtr server = start_muster(settings.server, fresh_folder(settings, "resp-idle"));
  std::vector<int> sockets;
  const auto open = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      sockets.push_back(connect_as_operator(*server));
      if (sockets.back() < 0) give_up("resp.idle.bytes", Status::exhausted(fmt::format("connection {} was refused", i)));
    }
  };
  open(kIdle / 10);  // what the first connections allocate once
  const double before = resident_bytes(server->pid());
  open(kIdle);
  const double after = resident_bytes(server->pid());
  for (const int fd : sockets) ::close(fd);
  return {{"resp.idle.bytes", (after - before) / static_cast<double>(kIdle), std::nullopt, Goal::at_most, 20'000, "bytes",
           fmt::format("resident memory per idle authenticated connection, {} of them", kIdle)}};
}

std::string registration(std::size_t number) {
  return fmt::format(R"({{"worker_id":"w-{}","hostname":"h","agw_version":"0.1.0","capabilities":{{"tools":["sort","uniq"]}}}})",
                     number);
}

std::vector<Row> heartbeats(const Settings& settings) {
  raise_file_limit();
  const ProcessPtr server = start_muster(settings.server, fresh_folder(settings, "resp-beats"));
  std::vector<int> sockets;
  for (std::size_t i = 0; i < kWorkers; ++i) {
    sockets.push_back(connect_as_operator(*server));
    const std::string answer = ask(sockets.back(), {"WORKER.REGISTER", registration(i)});
    if (!answer.starts_with("+OK")) give_up("resp.heartbeats.10k", Status::internal(answer));
  }
  const double seconds = settings.quick ? 10 : 30;
  const double began = seconds_now();
  const double cpu = server->cpu_seconds();
  const double pause = kBeatEvery / static_cast<double>(kWorkers);
  for (std::size_t i = 0; seconds_now() - began < seconds; ++i) {
    const std::string answer =
        ask(sockets[i % kWorkers], {"WORKER.HEARTBEAT", fmt::format("w-{}", i % kWorkers), R"({"active_jobs":0})"});
    if (answer != "+OK\r\n") give_up("resp.heartbeats.10k", Status::internal(answer));
    const double next = began + static_cast<double>(i + 1) * pause;
    if (const double ahead = next - seconds_now(); ahead > 0) std::this_thread::sleep_for(std::chrono::duration<double>(ahead));
  }
  const double share = (server->cpu_seconds() - cpu) / (seconds_now() - began);
  for (const int fd : sockets) ::close(fd);
  return {{"resp.heartbeats.10k", share * 100, std::nullopt, Goal::at_most, 10, "% of a core",
           "10,000 registered workers on connections of their own, each heard every 30 s; the server's processor time"}};
}

}  // namespace

std::string ask(int socket, const std::vector<std::string_view>& words) {
  std::string out;
  resp_command(out, words);
  if (socket < 0 || ::write(socket, out.data(), out.size()) != static_cast<ssize_t>(out.size())) return {};
  std::string in;
  std::array<char, 4096> part{};
  while (in.empty() || resp_end(in) == 0) {
    const ssize_t got = ::read(socket, part.data(), part.size());
    if (got <= 0) return {};
    in.append(part.data(), static_cast<std::size_t>(got));
  }
  return in;
}

int connect_as_operator(const Process& server) {
  const int fd = connect_to(server.port());
  if (ask(fd, {"AUTH", server.key()}) == "+OK\r\n") return fd;
  if (fd >= 0) ::close(fd);
  return -1;
}

void submit_plan(const Process& server) {
  const int fd = connect_as_operator(server);
  ask(fd, {"PLAN.SUBMIT", R"({"plan_id":"bench","tasks":[{"task_number":1,"command":"true","args":[]}]})"});
  if (fd >= 0) ::close(fd);
}

void raise_file_limit() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

std::vector<Measurement> idle_measurements() {
  return {{{"resp.idle.bytes"}, idle_bytes}, {{"resp.heartbeats.10k"}, heartbeats}};
}

}  // namespace muster::bench::resp

namespace muster::bench {

std::vector<Measurement> resp_measurements() {
  std::vector<Measurement> all;
  for (auto part : {resp::life_measurements(), resp::calls_measurements(), resp::plain_measurements(), resp::idle_measurements()})
    for (Measurement& measurement : part) all.push_back(std::move(measurement));
  return all;
}

}  // namespace muster::bench
