#include "net/signal_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>

#include "base/check.h"

namespace muster::net {
namespace {

std::atomic<int> g_signal_pipe{-1};  // where the handler writes
static_assert(std::atomic<int>::is_always_lock_free);

void tell(int signal) {
  const int error = errno;  // belongs to whatever was interrupted
  const auto number = static_cast<std::uint8_t>(signal);
  // A pipe full of signals that nobody has taken loses one more, which would say nothing new.
  [[maybe_unused]] const ssize_t written = ::write(g_signal_pipe.load(std::memory_order_relaxed), &number, sizeof number);
  errno = error;
}

}  // namespace

SignalPipe::SignalPipe(const std::vector<int>& signals) {
  std::array<int, 2> ends{};
  check(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC) == 0, "there is a pipe for signals");
  out_ = Fd(ends[0]);
  in_ = Fd(ends[1]);
  check(g_signal_pipe.exchange(in_.get()) < 0, "signals of a process are asked for by one loop at a time");
  for (const int signal : signals) {
    struct sigaction action {};
    struct sigaction before {};
    action.sa_handler = tell;
    action.sa_flags = SA_RESTART;
    if (::sigaction(signal, &action, &before) == 0) before_.emplace_back(signal, before);
  }
}

SignalPipe::~SignalPipe() {
  for (const auto& [signal, action] : before_) ::sigaction(signal, &action, nullptr);
  g_signal_pipe.store(-1);
}

int SignalPipe::take() {
  std::uint8_t number = 0;
  return ::read(out_.get(), &number, sizeof number) == 1 ? number : 0;
}

}  // namespace muster::net
