// Who wants to be called when: one timer for all sockets and workers of the front. On the loop's thread.
//
// Time is that of Core::steady(), which a test moves by hand, so the timer looks every kLookEvery at the latest.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "base/clock.h"
#include "base/unique_function.h"
#include "net/io_loop.h"

namespace muster::ws {

class Deadlines {
 public:
  explicit Deadlines(net::IoLoop& loop) : loop_(loop), timer_(loop) {}

  // One wait of one owner, who lives as long as it does.
  class Entry {
   public:
    Entry(Deadlines& deadlines, std::function<void()> due) : deadlines_(deadlines), due_(std::move(due)) {}
    ~Entry() { set(std::nullopt); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    // Replaces an earlier wait. The call comes once, and may set the next wait.
    void set(std::optional<Instant> at);
    // For a wait that moves with every frame: an earlier one is left where it is, and its call, which then finds nothing to do,
    // says when the next one is due.
    void wake_by(std::optional<Instant> at) {
      if (!place_ || (at && *at < (*place_)->first)) set(at);
    }

   private:
    friend class Deadlines;
    Deadlines& deadlines_;
    std::function<void()> due_;
    std::optional<std::multimap<Instant, Entry*>::iterator> place_;
  };

  // What is due is done now. The timer calls it.
  void look();
  Instant steady() const { return Instant(std::chrono::duration_cast<Duration>(loop_.clock().elapsed())); }

 private:
  void arm();

  net::IoLoop& loop_;
  net::Timer timer_;
  bool armed_ = false;
  std::multimap<Instant, Entry*> waiting_;
};

}  // namespace muster::ws
