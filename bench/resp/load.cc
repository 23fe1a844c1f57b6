#include "bench/resp/load.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "bench/row.h"

namespace muster::bench::resp {
namespace {

struct Lane {
  int fd = -1;
  std::vector<Slot> slots;
  std::size_t phase = 0;
  std::size_t answered = 0;  // of the phase
  double asked_at = 0;
  std::string out;
  std::size_t sent = 0;
  std::string in;
  std::size_t parsed = 0;
  bool done = false;
};

class Run {
 public:
  Run(const Process& server, Wire& wire, const Load& load)
      : server_(server), wire_(wire), load_(load), lanes_(load.connections), seconds_of_(load.cycle.size()) {}
  ~Run() {
    for (const Lane& lane : lanes_)
      if (lane.fd >= 0) ::close(lane.fd);
    if (poll_ >= 0) ::close(poll_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Outcome measure() {
    poll_ = ::epoll_create1(EPOLL_CLOEXEC);
    for (Lane& lane : lanes_)
      if (!open(lane)) return {.seconds_of = {}, .trouble = "a connection was refused"};
    const double began = seconds_now();
    until_ = began + load_.seconds;
    for (Lane& lane : lanes_) {
      begin_phase(lane);
      flush(lane);
    }
    std::array<epoll_event, 512> ready{};
    while (active_ > 0 && trouble_.empty()) {
      const int count = ::epoll_wait(poll_, ready.data(), static_cast<int>(ready.size()), 10'000);
      if (count <= 0) trouble_ = "no reply for ten seconds";
      for (int i = 0; i < count && trouble_.empty(); ++i)
        serve(*static_cast<Lane*>(ready[static_cast<std::size_t>(i)].data.ptr), ready[static_cast<std::size_t>(i)].events);
    }
    const auto lives = static_cast<double>(lives_);
    return {lives / (seconds_now() - began), lives, std::move(seconds_of_), trouble_};
  }

 private:
  bool open(Lane& lane) {
    lane.fd = connect_to(server_.port());
    if (lane.fd < 0) return false;
    std::size_t most = 1;
    for (const Phase& phase : load_.cycle) most = std::max(most, phase.count);
    lane.slots.resize(most);
    for (Slot& slot : lane.slots) slot.number = numbered_++;
    if (const std::string hello = wire_.hello(); !hello.empty()) {
      if (::write(lane.fd, hello.data(), hello.size()) < 0) return false;
      std::array<char, 4096> reply{};
      if (::read(lane.fd, reply.data(), reply.size()) <= 0) return false;
    }
    ::fcntl(lane.fd, F_SETFL, O_NONBLOCK);
    epoll_event event{.events = EPOLLIN, .data = {.ptr = &lane}};
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, lane.fd, &event);
    ++active_;
    return true;
  }

  void begin_phase(Lane& lane) {
    const Phase& phase = load_.cycle[lane.phase];
    lane.answered = 0;
    lane.asked_at = seconds_now();
    lane.out.clear();
    lane.sent = 0;
    for (std::size_t i = 0; i < phase.count; ++i) wire_.request(phase.step, lane.slots[i], lane.out);
  }

  void flush(Lane& lane) {
    while (lane.sent < lane.out.size()) {
      const ssize_t wrote = ::write(lane.fd, lane.out.data() + lane.sent, lane.out.size() - lane.sent);
      if (wrote <= 0) break;
      lane.sent += static_cast<std::size_t>(wrote);
    }
    epoll_event event{.events = lane.sent < lane.out.size() ? std::uint32_t(EPOLLIN | EPOLLOUT) : std::uint32_t(EPOLLIN),
                      .data = {.ptr = &lane}};
    if (lane.sent < lane.out.size() || waiting_out_) ::epoll_ctl(poll_, EPOLL_CTL_MOD, lane.fd, &event);
    waiting_out_ = waiting_out_ || lane.sent < lane.out.size();
  }

  void serve(Lane& lane, std::uint32_t events) {
    if ((events & EPOLLOUT) != 0) flush(lane);
    if ((events & ~std::uint32_t(EPOLLOUT)) == 0) return;
    std::array<char, 64 * 1024> part{};
    const ssize_t got = ::read(lane.fd, part.data(), part.size());
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      trouble_ = "the server closed a connection";
      return;
    }
    lane.in.append(part.data(), static_cast<std::size_t>(got));
    while (!lane.done && trouble_.empty()) {
      const Phase& phase = load_.cycle[lane.phase];
      const std::string_view rest = std::string_view(lane.in).substr(lane.parsed);
      const std::size_t end = wire_.end_of(phase.step, rest);
      if (end == 0) break;
      if (!wire_.reply(phase.step, rest.substr(0, end), lane.slots[lane.answered]))
        trouble_ = fmt::format("step {}: {}", phase.step, rest.substr(0, std::min<std::size_t>(end, 120)));
      lane.parsed += end;
      if (++lane.answered == phase.count) next_phase(lane);
    }
    if (lane.parsed == lane.in.size()) {
      lane.in.clear();
      lane.parsed = 0;
    }
  }

  void next_phase(Lane& lane) {
    seconds_of_[lane.phase].push_back(seconds_now() - lane.asked_at);
    if (++lane.phase == load_.cycle.size()) {
      lane.phase = 0;
      lives_ += load_.lives_per_cycle;
      if (seconds_now() >= until_) {
        lane.done = true;
        --active_;
        return;
      }
    }
    begin_phase(lane);
    flush(lane);
  }

  const Process& server_;
  Wire& wire_;
  const Load& load_;
  std::vector<Lane> lanes_;
  std::vector<std::vector<double>> seconds_of_;
  int poll_ = -1;
  std::size_t active_ = 0;
  std::size_t lives_ = 0;
  std::size_t numbered_ = 0;
  bool waiting_out_ = false;  // some connection ever waited for room to write
  double until_ = 0;
  std::string trouble_;
};

std::size_t line_end(std::string_view in, std::size_t at) {
  const std::size_t end = in.find("\r\n", at);
  return end == std::string_view::npos ? 0 : end + 2;
}

}  // namespace

std::size_t resp_end(std::string_view in, std::size_t at) {
  const std::size_t line = line_end(in, at);
  if (line == 0) return 0;
  long number = 0;
  std::from_chars(in.data() + at + 1, in.data() + line - 2, number);
  if (in[at] == '$') {
    if (number < 0) return line;
    const std::size_t end = line + static_cast<std::size_t>(number) + 2;
    return end <= in.size() ? end : 0;
  }
  if (in[at] != '*') return line;
  std::size_t end = line;
  for (long i = 0; i < number && end != 0; ++i) end = end < in.size() ? resp_end(in, end) : 0;
  return end;
}

void resp_command(std::string& out, const std::vector<std::string_view>& words) {
  fmt::format_to(std::back_inserter(out), "*{}\r\n", words.size());
  for (const std::string_view word : words) fmt::format_to(std::back_inserter(out), "${}\r\n{}\r\n", word.size(), word);
}

Outcome run(const Process& server, Wire& wire, const Load& load) { return Run(server, wire, load).measure(); }

}  // namespace muster::bench::resp
