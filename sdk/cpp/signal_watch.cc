#include "sdk/cpp/signal_watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <utility>

namespace muster::sdk {
namespace {

constexpr std::size_t kWatchesMax = 64;  // workers of one process; one more gets no signals

// Where the handler writes to, each one more than its descriptor; 0: free. Atomics, because a handler may do little else.
constinit std::array<std::atomic<int>, kWatchesMax> places{};

std::mutex& installing() {
  static std::mutex mutex;
  return mutex;
}
int watches = 0;  // guarded by installing()
struct sigaction before_int;
struct sigaction before_term;

void tell(int fd) {
  const std::uint64_t one = 1;
  // A full counter means that plenty of signals wait already.
  if (::write(fd, &one, sizeof one) < 0) return;
}

void handle(int) {
  const int saved = errno;
  for (auto& place : places)
    if (const int fd = place.load(std::memory_order_acquire) - 1; fd >= 0) tell(fd);
  errno = saved;
}

void enter(int fd) {
  const std::lock_guard lock(installing());
  for (auto& place : places) {
    int free = 0;
    if (place.compare_exchange_strong(free, fd + 1)) break;
  }
  if (watches++ > 0) return;
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &before_int);
  ::sigaction(SIGTERM, &action, &before_term);
}

void leave(int fd) {
  const std::lock_guard lock(installing());
  for (auto& place : places) {
    int mine = fd + 1;
    if (place.compare_exchange_strong(mine, 0)) break;
  }
  if (--watches > 0) return;
  ::sigaction(SIGINT, &before_int, nullptr);
  ::sigaction(SIGTERM, &before_term, nullptr);
}

void watch(int event, int stop, const std::function<void(int)>& then) {
  int seen = 0;
  for (;;) {
    std::array<pollfd, 2> fds{pollfd{event, POLLIN, 0}, pollfd{stop, POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if ((fds[1].revents & POLLIN) != 0) return;
    std::uint64_t count = 0;
    if (::read(event, &count, sizeof count) != sizeof count) continue;
    for (; count > 0; --count) then(++seen);
  }
}

}  // namespace

SignalWatch::SignalWatch(std::function<void(int)> then)
    : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_ < 0 || stop_ < 0) return;
  enter(event_);
  thread_ = std::thread([this, then = std::move(then)] { watch(event_, stop_, then); });
}

SignalWatch::~SignalWatch() {
  if (thread_.joinable()) {
    leave(event_);
    tell(stop_);
    thread_.join();
  }
  if (event_ >= 0) ::close(event_);
  if (stop_ >= 0) ::close(stop_);
}

}  // namespace muster::sdk
