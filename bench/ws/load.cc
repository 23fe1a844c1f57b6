#include "bench/ws/load.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include <fmt/format.h>

#include "bench/resp/servers.h"
#include "bench/row.h"

namespace muster::bench::ws {
namespace {

constexpr double kJoinSeconds = 60;
constexpr std::size_t kJoiningMax = 200;  // at a time: a listener's queue is short

double own_cpu() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

Workers::Workers(int port) : port_(port), poll_(::epoll_create1(EPOLL_CLOEXEC)) {}

Workers::~Workers() {
  for (const auto& worker : workers_)
    if (worker->fd >= 0) ::close(worker->fd);
  if (poll_ >= 0) ::close(poll_);
}

bool Workers::open(Worker& worker, std::size_t number, std::size_t max_parallel) {
  worker.instance = instance_id(number);
  worker.max_parallel = max_parallel;
  worker.fd = resp::connect_to(port_);
  if (worker.fd < 0) return false;
  ::fcntl(worker.fd, F_SETFL, O_NONBLOCK);
  epoll_event event{.events = EPOLLIN, .data = {.ptr = &worker}};
  ::epoll_ctl(poll_, EPOLL_CTL_ADD, worker.fd, &event);
  worker.out = upgrade_text();
  flush(worker);
  return true;
}

void Workers::join(std::size_t count, std::size_t max_parallel) {
  const double until = seconds_now() + kJoinSeconds;
  const std::size_t all = workers_.size() + count;
  while (ready_ < all && trouble_.empty()) {
    while (workers_.size() < all && workers_.size() - ready_ < kJoiningMax) {
      workers_.push_back(std::make_unique<Worker>());
      if (!open(*workers_.back(), workers_.size(), max_parallel)) {
        trouble_ = fmt::format("connection {} was refused", workers_.size());
        return;
      }
    }
    serve_once(1'000);
    if (seconds_now() > until) trouble_ = fmt::format("{} of {} workers joined in {} s", ready_, all, kJoinSeconds);
  }
}

bool Workers::serve_once(int wait_ms) {
  std::array<epoll_event, 512> ready{};
  const int count = ::epoll_wait(poll_, ready.data(), static_cast<int>(ready.size()), wait_ms);
  for (int i = 0; i < count && trouble_.empty(); ++i)
    serve(*static_cast<Worker*>(ready[static_cast<std::size_t>(i)].data.ptr), ready[static_cast<std::size_t>(i)].events);
  return count > 0;
}

void Workers::serve(Worker& worker, std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) flush(worker);
  if ((events & ~std::uint32_t(EPOLLOUT)) == 0) return;
  std::array<char, 64 * 1024> part;
  const ssize_t got = ::read(worker.fd, part.data(), part.size());
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) {
    trouble_ = fmt::format("the server closed connection {}", worker.instance);
    return;
  }
  // What is whole is read where it is; only the rest of a frame is kept.
  std::string_view in(part.data(), static_cast<std::size_t>(got));
  if (!worker.in.empty()) in = worker.in.append(in);
  if (worker.stage == Stage::upgrading) {
    const std::size_t end = in.find("\r\n\r\n");
    if (end != std::string_view::npos && !in.starts_with("HTTP/1.1 101")) trouble_ = in.substr(0, in.find('\r'));
    if (end != std::string_view::npos) {
      in.remove_prefix(end + 4);
      worker.stage = Stage::handshaking;
      say(worker, handshake(worker.instance));
    }
  }
  while (worker.stage != Stage::upgrading && trouble_.empty()) {
    const ServerFrame frame = first_frame(in);
    if (frame.bytes == 0) break;
    if (frame.opcode == kText) heard(worker, frame.payload);
    if (frame.opcode == kClose)
      trouble_ = fmt::format("closed: {}", frame.payload.substr(std::min<std::size_t>(2, frame.payload.size())));
    if (frame.opcode == kPing) {
      append_client_frame(worker.out, kPong, frame.payload);
      flush(worker);
    }
    in.remove_prefix(frame.bytes);
  }
  worker.in = std::string(in);
}

void Workers::heard(Worker& worker, std::string_view text) {
  constexpr std::string_view kDispatch = R"({"type":"biz.exec.dispatch")";
  constexpr std::string_view kAck = R"({"type":"control.ack")";
  constexpr std::string_view kAccept = R"({"type":"control.session.accept")";
  if (text.starts_with(kDispatch)) return dispatched(worker, text);
  if (worker.stage == Stage::ready && text.starts_with(kAck)) {
    ++done_;
  } else if (worker.stage == Stage::handshaking && text.starts_with(kAck)) {
    worker.stage = Stage::registering;
    say(worker, registration(worker.instance, worker.max_parallel));
  } else if (worker.stage == Stage::registering && text.starts_with(kAccept)) {
    worker.stage = Stage::ready;
    ++ready_;
  } else if (!text.starts_with(kAck)) {
    trouble_ = text.substr(0, 200);
  }
}

void Workers::dispatched(Worker& worker, std::string_view text) {
  Dispatch dispatch;
  if (!read_dispatch(text, dispatch)) {
    trouble_ = fmt::format("a dispatch that nobody can read: {}", text.substr(0, 200));
    return;
  }
  const bool fresh = dispatch.number > worker.seen;
  worker.seen = std::max(worker.seen, dispatch.number);
  text_.clear();
  dispatch_ack(text_, worker.instance, worker.counter++, dispatch);
  say(worker, text_);
  if (!fresh) return;
  if (running_) return answer(worker, dispatch);
  worker.kept.push_back(std::move(dispatch));
}

void Workers::answer(Worker& worker, const Dispatch& dispatch) {
  text_.clear();
  result(text_, worker.instance, worker.counter++, ++worker.sent, dispatch);
  say(worker, text_);
}

void Workers::beat(Worker& worker) {
  text_.clear();
  heartbeat(text_, worker.instance, worker.counter++);
  say(worker, text_);
}

void Workers::say(Worker& worker, std::string_view text) {
  append_client_frame(worker.out, kText, text);
  flush(worker);
}

void Workers::flush(Worker& worker) {
  const ssize_t wrote = ::send(worker.fd, worker.out.data(), worker.out.size(), MSG_NOSIGNAL);
  if (wrote > 0) worker.out.erase(0, static_cast<std::size_t>(wrote));
  const bool waits = !worker.out.empty();
  if (waits == worker.waits) return;
  worker.waits = waits;
  epoll_event event{.events = waits ? std::uint32_t(EPOLLIN | EPOLLOUT) : std::uint32_t(EPOLLIN), .data = {.ptr = &worker}};
  ::epoll_ctl(poll_, EPOLL_CTL_MOD, worker.fd, &event);
}

Outcome Workers::run(double seconds) {
  for (const auto& worker : workers_) beat(*worker);
  running_ = true;
  const std::uint64_t before = done_;
  const double cpu = own_cpu();
  const double began = seconds_now();
  for (const auto& worker : workers_)
    for (const Dispatch& dispatch : std::exchange(worker->kept, {})) answer(*worker, dispatch);
  while (seconds_now() - began < seconds && trouble_.empty())
    if (!serve_once(2'000)) trouble_ = "no frame for two seconds";
  const double took = seconds_now() - began;
  const auto tasks = static_cast<double>(done_ - before);
  const double own = own_cpu() - cpu;
  running_ = false;
  // Acks of the last results come, and dispatches behind them; both are answered so that the server is quiet afterwards.
  while (trouble_.empty() && serve_once(200)) {
  }
  return {.tasks_per_second = tasks / took, .tasks = tasks, .own_cpu_seconds = own, .seconds = took};
}

Outcome Workers::beat(double seconds, double every) {
  const double cpu = own_cpu();
  const double began = seconds_now();
  const double pause = every / static_cast<double>(workers_.size());
  std::size_t beats = 0;
  for (; seconds_now() - began < seconds && trouble_.empty(); ++beats) {
    beat(*workers_[beats % workers_.size()]);
    for (double ahead = 1; ahead > 0 && trouble_.empty();) {
      ahead = began + static_cast<double>(beats + 1) * pause - seconds_now();
      if (ahead > 0) serve_once(std::max(1, static_cast<int>(ahead * 1e3)));
    }
  }
  const double took = seconds_now() - began;
  return {.tasks_per_second = static_cast<double>(beats) / took,
          .tasks = static_cast<double>(beats),
          .own_cpu_seconds = own_cpu() - cpu,
          .seconds = took};
}

}  // namespace muster::bench::ws
