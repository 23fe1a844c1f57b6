// web.first_view.bytes: what the overview's files and first answers weigh over the wire, compressed as a browser asks for them.
// web.readers.100.cpu: what a hundred open pages cost the server while a thousand things happen a second, beside the same things
// with nobody looking.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "bench/http_client.h"
#include "bench/rig.h"
#include "bench/web/measurements.h"
#include "bench/ws/measurements.h"

namespace muster::bench::web {
namespace {

constexpr std::size_t kReaders = 100;
constexpr std::size_t kEventsPerTurn = 100;  // half of them jobs that come, half of them the same jobs cancelled
constexpr auto kTurn = std::chrono::milliseconds(100);
constexpr std::string_view kReaderPath = "/events?kinds=job,queue,worker&coalesce_ms=250";

// What a page asks besides its files, in its first moment.
constexpr std::array<std::string_view, 12> kFirstQuestions{"/api/v1/whoami",
                                                           "/api/v1/namespaces",
                                                           "/api/v1/queues",
                                                           "/api/v1/workers?limit=1000",
                                                           "/api/v1/cluster",
                                                           "/api/v1/server",
                                                           "/api/v1/lanes",
                                                           "/api/v1/agents?limit=1",
                                                           "/api/v1/packages?limit=1",
                                                           "/api/v1/server/config",
                                                           "/api/v1/metrics/history?span=hour",
                                                           "/healthz"};

std::string compressed(std::string_view path) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n\r\n", path);
}

// Head and body as they come; empty when the connection broke.
std::string whole_answer(int socket, const std::string& request) {
  if (::write(socket, request.data(), request.size()) != static_cast<ssize_t>(request.size())) return {};
  std::string answer;
  std::array<char, 64 * 1024> bytes;
  std::size_t wanted = std::string::npos;
  while (answer.size() < wanted) {
    const ssize_t count = ::read(socket, bytes.data(), bytes.size());
    if (count <= 0) return {};
    answer.append(bytes.data(), static_cast<std::size_t>(count));
    const std::size_t head = answer.find("\r\n\r\n");
    if (head == std::string::npos) continue;
    const std::size_t length = answer.find("Content-Length: ");
    wanted = head + 4 + (length < head ? std::stoul(answer.substr(length + 16)) : 0);
  }
  return answer;
}

// Names of files below /assets/ that stand in a text.
void add_assets(std::string_view text, std::set<std::string>& out) {
  constexpr std::string_view kRoot = "/assets/";
  for (std::size_t at = text.find(kRoot); at != std::string_view::npos; at = text.find(kRoot, at + 1))
    out.insert(std::string(text.substr(at, text.find_first_of("\"'", at) - at)));
}

Row first_view(const resp::Process& server) {
  const int socket = connect_loopback(server.port());
  const std::string page = ask(socket, request_text("GET", "/", ""));
  std::set<std::string> paths{"/"};
  add_assets(page, paths);
  paths.insert(kFirstQuestions.begin(), kFirstQuestions.end());
  double bytes = 0;
  for (const std::string& path : paths) {
    const std::string answer = whole_answer(socket, compressed(path));
    if (!answer.starts_with("HTTP/1.1 200 ")) give_up("web.first_view", Status::unavailable("no good answer to " + path));
    bytes += static_cast<double>(answer.size());
  }
  ::close(socket);
  return {"web.first_view.bytes",
          bytes,
          std::nullopt,
          Goal::at_most,
          120'000,
          "bytes",
          fmt::format("{} answers, heads included: the page, the files it names, its first questions; charts come later",
                      paths.size())};
}

// Takes what comes and looks at none of it.
class Readers {
 public:
  Readers(int port, std::size_t count) {
    const std::string request = fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", kReaderPath);
    for (std::size_t i = 0; i < count; ++i) {
      sockets_.push_back({.fd = connect_loopback(port), .events = POLLIN, .revents = 0});
      if (::write(sockets_.back().fd, request.data(), request.size()) < 0)
        give_up("web.readers", Status::unavailable("a stream was refused"));
    }
    thread_ = std::thread([this] { read(); });
  }
  ~Readers() {
    stopped_ = true;
    thread_.join();
    for (const pollfd& socket : sockets_) ::close(socket.fd);
  }
  double bytes() const { return static_cast<double>(bytes_); }

 private:
  void read() {
    std::array<char, 64 * 1024> bytes;
    while (!stopped_) {
      if (::poll(sockets_.data(), sockets_.size(), 50) <= 0) continue;
      for (pollfd& socket : sockets_)
        if ((socket.revents & POLLIN) != 0)
          if (const ssize_t count = ::read(socket.fd, bytes.data(), bytes.size()); count > 0)
            bytes_ += static_cast<std::size_t>(count);
    }
  }

  std::vector<pollfd> sockets_;
  std::atomic<std::size_t> bytes_{0};
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

std::string ids_of(std::string_view answer) {
  std::string out;
  for (std::size_t at = answer.find("\"id\":\""); at != std::string_view::npos; at = answer.find("\"id\":\"", at + 1)) {
    const std::size_t from = at + 6;
    out += fmt::format("{}\"{}\"", out.empty() ? "" : ",", answer.substr(from, answer.find('"', from) - from));
  }
  return out;
}

// The server's processor time as a share of a core while the events happen. Nobody claims: what is measured is the telling.
double busy_share(const resp::Process& server, double seconds) {
  const int socket = connect_loopback(server.port());
  std::string jobs;
  for (std::size_t i = 0; i < kEventsPerTurn / 2; ++i) jobs += fmt::format("{}{{\"type\":\"t{}\"}}", i == 0 ? "" : ",", i % 4);
  const std::string submit = request_text("POST", "/api/v1/jobs/bulk", fmt::format("{{\"jobs\":[{}]}}", jobs));
  const double began = seconds_now();
  const double cpu = server.cpu_seconds();
  auto turn = std::chrono::steady_clock::now();
  while (seconds_now() - began < seconds) {
    const std::string ids = ids_of(ask(socket, submit));
    if (ask(socket, request_text("POST", "/api/v1/jobs/cancel", fmt::format("{{\"ids\":[{}]}}", ids))).empty())
      give_up("web.readers", Status::unavailable("the server broke the connection"));
    std::this_thread::sleep_until(turn += kTurn);
  }
  const double share = (server.cpu_seconds() - cpu) / (seconds_now() - began);
  ::close(socket);
  return share;
}

Row readers(const Settings& settings, const resp::Process& server) {
  const double seconds = settings.quick ? 5 : 20;
  busy_share(server, 1);  // what the first ones allocate
  const double alone = busy_share(server, seconds);
  const Readers looking(server.port(), kReaders);
  busy_share(server, 1);
  const double before = looking.bytes();
  const double watched = busy_share(server, seconds);
  return {"web.readers.100.cpu",
          (watched - alone) * 100,
          std::nullopt,
          Goal::at_most,
          10,
          "% of a core",
          fmt::format("{} streams with coalesce_ms=250 at {} events/s, {:.0f} kB/s told; the server took {:.1f} % without them",
                      kReaders, kEventsPerTurn * 10, (looking.bytes() - before) / seconds / 1'000, alone * 100)};
}

std::vector<Row> all(const Settings& settings) {
  const resp::ProcessPtr server = ws::start_ours(settings, "web");
  return {first_view(*server), readers(settings, *server)};
}

}  // namespace

std::vector<Measurement> measurements() { return {{{"web.first_view.bytes", "web.readers.100.cpu"}, all}}; }

}  // namespace muster::bench::web
