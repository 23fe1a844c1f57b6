// What is behind IoLoop: the epoll descriptor, its rounds, timers and the queue of posted work. Private to net/.
//
// A round of the loop: wait, tell whoever became ready (it reads once), go on with those that had more to read, fire timers, run
// what was posted, and last of all let those write who have something to say. So whatever a round makes for one connection leaves
// in one system call, and a connection that never stops sending is read once a round like any other. What the steps of a round
// hand to other threads wakes those once a step (base/wake.h).
//
// Descriptors are watched at the edge: they are registered once, and the kernel tells of each change once. Nothing is re-armed;
// whoever was told remembers it until a read or a write falls short.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/incident.h"
#include "base/unique_function.h"
#include "base/wake.h"
#include "net/io_loop.h"
#include "net/signal_pipe.h"
#include "net/timer_heap.h"

namespace muster::net {

inline constexpr std::size_t kRoundEventsMax = 256;       // taken from the kernel at once; the rest wait for the next round
inline constexpr std::size_t kReadBytesMax = 64 * 1024;   // of one connection in a round
inline constexpr std::size_t kPlainBytesMax = 96 * 1024;  // what they can decrypt to, with a record that was begun before
inline constexpr std::size_t kRoundBatchesMax = 2;        // of posted work: an answer, and the turn it asks for

// A descriptor that a loop watches. Called on the loop's thread, and not any more once it is unwatched.
class Watched {
 public:
  virtual ~Watched() = default;
  virtual void ready(std::uint32_t events) = 0;  // of epoll: EPOLLIN, EPOLLOUT, EPOLLRDHUP, …
  virtual void go_on() {}                        // in the round after IoLoop::State::go_on_later()
  virtual void round_ends() {}                   // once after IoLoop::State::at_round_end()

 private:
  friend struct IoLoop::State;
  bool goes_on_ = false;
  bool at_end_ = false;
};

// The loop while it waits for the kernel.
class LoopSleeper final : public Sleeper {
 public:
  LoopSleeper();
  void wake() override;

  // Waits or is about to, with nothing posted: who posts wakes it. Set under the mutex of the posts.
  std::atomic<bool> asleep{false};
  const Fd event;  // an eventfd at the edge: each write wakes the loop, and nobody has to read it
};

struct IoLoop::State {
  State(const Clock& with, Metrics* metrics);

  void run();
  void stop();

  // False: the kernel has no room for another one.
  bool watch(int descriptor, Watched& who);
  void unwatch(int descriptor, Watched& who);
  void go_on_later(Watched& who);
  void at_round_end(Watched& who);

  // What `call` throws ends here; then what it holds is let go of.
  void run_guarded(std::string_view what, UniqueFunction<void()>& call);
  // Nothing is taken from now on, and what waits is dropped. Before anything else goes: work may own timers and sockets.
  void drop_posted();

  const Clock& clock;
  const Incidents incidents;
  std::mutex mutex;  // leaf; guards the two below
  std::vector<UniqueFunction<void()>> posted;
  bool ended = false;
  const std::shared_ptr<LoopSleeper> sleeper = std::make_shared<LoopSleeper>();  // shared with those about to wake it
  std::atomic<bool> stopping{false};
  TimerHeap timers;
  const RealClock timer_clock;
  std::thread thread;
  std::atomic<std::thread::id> owner{};
  // Shared by all connections, since each uses them only while it is called.
  std::array<char, kReadBytesMax> incoming;
  std::array<char, kPlainBytesMax> plain;

  // Tells `on_signal` of what came through the pipe.
  struct Signals final : Watched {
    Signals(State& with, const std::vector<int>& signals, UniqueFunction<void(int)> call)
        : state(with), pipe(signals), on_signal(std::move(call)) {}
    void ready(std::uint32_t events) override;
    State& state;
    SignalPipe pipe;
    UniqueFunction<void(int)> on_signal;
  };
  std::optional<Signals> signals;

 private:
  void round();
  int sleep_ms();
  void tell_ready(std::size_t count);
  void fire_timers();
  void run_posted();
  // Calls `what` on each of `list`, which is empty afterwards but for those that came in meanwhile.
  void call_each(std::vector<Watched*>& list, bool Watched::*flag, void (Watched::*what)());
  template <class Call>
  void guarded(std::string_view what, Call call);

  Fd epoll_;
  std::array<epoll_event, kRoundEventsMax> events_{};
  std::vector<UniqueFunction<void()>> batch_;
  std::vector<Watched*> go_on_;
  std::vector<Watched*> at_end_;
  std::vector<Watched*> called_;
};

}  // namespace muster::net
