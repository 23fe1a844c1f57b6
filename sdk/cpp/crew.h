// Threads that run what is posted, made when they are needed and not before. Used for the handlers of a worker and for the steps
// that coroutines run side by side.
//
// Threads are detached and keep what they use alive by themselves: a handler that never returns cannot hold up the end of the
// worker.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace muster::sdk {

class Crew {
 public:
  explicit Crew(std::size_t threads_max);
  ~Crew();  // as close()
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Runs it on a thread of its own when one is free or may be made, else when one becomes free. Must not throw. After close() it
  // runs nothing and says so.
  bool post(std::function<void()> work);
  // Threads end when they have nothing left to do.
  void close();

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the threads
};

}  // namespace muster::sdk
