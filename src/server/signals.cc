#include "server/signals.h"

#include <unistd.h>

#include <cerrno>

#include "base/check.h"
#include "base/log.h"

namespace muster::server {
namespace {

constexpr Duration kWatchStep{50};
constexpr int kStoppedAtOnce = 1;

}  // namespace

Signals::Signals() {
  sigemptyset(&set_);
  sigaddset(&set_, SIGTERM);
  sigaddset(&set_, SIGINT);
  sigaddset(&set_, SIGHUP);
  check(pthread_sigmask(SIG_BLOCK, &set_, nullptr) == 0, "signals can be blocked");
  // A peer that closes its socket is an answer of write(), not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
}

Signal Signals::next(Duration wait) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
  timespec timeout{};
  timeout.tv_sec = seconds.count();
  timeout.tv_nsec = std::chrono::nanoseconds(wait - seconds).count();
  switch (sigtimedwait(&set_, nullptr, &timeout)) {
    case SIGTERM:
    case SIGINT: return Signal::stop;
    case SIGHUP: return Signal::reload;
    default: return Signal::none;  // the time is over, or another signal's handler ran
  }
}

SecondSignalWatch::SecondSignalWatch(const Signals& signals)
    : thread_([&signals](const std::stop_token& ended) {
        while (!ended.stop_requested()) {
          if (signals.next(kWatchStep) != Signal::stop) continue;
          log::warn("stopped at once by a second signal");
          ::_exit(kStoppedAtOnce);
        }
      }) {}

}  // namespace muster::server
