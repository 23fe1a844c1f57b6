// What is behind IoLoop: Asio's context and the queue of posted work. Private to net/: nothing outside this folder includes it,
// so nobody else pays for Asio's headers.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/incident.h"
#include "base/unique_function.h"
#include "net/io_loop.h"

namespace muster::net {

struct IoLoop::State {
  State(const Clock& with, Metrics* metrics)
      : clock(with),
        incidents(metrics != nullptr ? Incidents(*metrics, "wire") : Incidents("wire")),
        work(boost::asio::make_work_guard(io)) {}

  void run_posted();
  // What `call` throws ends here; then what it holds is let go of.
  void run_guarded(std::string_view what, UniqueFunction<void()>& call);
  // Nothing is taken from now on, and what waits is dropped. Before `io` goes: work may own timers and sockets of it.
  void drop_posted();
  void wait_for_signal();

  const Clock& clock;
  const Incidents incidents;
  std::mutex mutex;  // leaf; guards the two below
  std::vector<UniqueFunction<void()>> posted;
  bool ended = false;
  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work;
  std::optional<boost::asio::signal_set> signals;
  UniqueFunction<void(int)> on_signal;
  std::thread thread;
  std::atomic<std::thread::id> owner{};
};

}  // namespace muster::net
