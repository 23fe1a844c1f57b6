// Wake-ups of other threads, one each a round.
//
// Threads hand over whole rounds: the I/O loop the requests that arrived together, a store the answers of a commit. Who does it
// holds a WakeRound meanwhile. The first thing handed over then wakes nobody: a thread that woke for it would find it alone, do
// it, sleep, and be woken again for the next. When the round ends each sleeper is woken once and finds everything.
//
// A round that helps goes one step further: when it ends, its thread does the short work of those asked for by itself, where they
// let it. What takes longer to hand over than to do is then not handed over.
#pragma once

#include <condition_variable>
#include <memory>

namespace muster {

// A thread that sleeps until there is something for it. Shared with the rounds that are about to wake it, which may end after
// whatever the thread belonged to.
class Sleeper {
 public:
  virtual ~Sleeper() = default;
  virtual void wake() = 0;  // from any thread
  // Does on this thread what there is to do, if that takes no longer than waking somebody. False: wake() is needed.
  virtual bool work_here() { return false; }
};

// One of the threads that wait for `some`.
class WaitingSleeper final : public Sleeper {
 public:
  void wake() override { some.notify_one(); }
  std::condition_variable some;
};

// A thread whose rounds help, as others see it.
class Helper {
 public:
  virtual ~Helper() = default;
  // From any thread: a round of that thread asks for it soon.
  virtual void come_by(std::shared_ptr<Sleeper> who) = 0;
};

// At once, or when the round that this thread is in ends.
void wake(const std::shared_ptr<Sleeper>& who);

// Whether this thread is in one, so that a wake-up it asks for may come later.
bool in_wake_round();

// Those asked for so far, at once: for whoever has to wait for another thread inside a round.
void wake_all_asked();

// Of the thread that makes it. One inside another is a part of it.
class WakeRound {
 public:
  enum class Helps { no, yes };
  explicit WakeRound(Helps helps = Helps::no);
  ~WakeRound();
  WakeRound(const WakeRound&) = delete;
  WakeRound& operator=(const WakeRound&) = delete;

 private:
  const Helps helps_;
};

}  // namespace muster
