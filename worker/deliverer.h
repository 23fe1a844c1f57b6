// Brings finished results from the spool to the server, oldest first, one after another, however long that takes.
//
// A result leaves the spool when the server has taken it, or has said that the job is not this worker's any more. One thread runs
// run(); everything else may be called from any.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <string>

#include "worker/control.h"
#include "worker/pause.h"
#include "worker/spool.h"

namespace muster::worker {

inline constexpr std::size_t kDeliveriesMax = 5;  // tries of a result that the server refuses for a reason of its own

class Deliverer {
 public:
  // Holds what the spool holds.
  Deliverer(Spool& spool, Control& control, Pause& pause);

  // Keeps the result, then delivers it. The error is the spool's: the result is not kept.
  Status add(const Report& report);

  void begin();  // the server knows this worker now: what waits may go
  void run();    // until stop()
  void stop();   // leaves the rest in the spool
  bool empty() const;
  std::size_t waiting() const;
  bool has(const std::string& job_id) const;  // a result of it waits

 private:
  enum class Step : std::uint8_t { done, again };
  struct Entry {
    std::string name;
    std::string job_id;  // empty: not read yet
    std::size_t tries = 0;
  };

  Step deliver(Entry& entry);
  Step refused(Entry& entry, const Report& report, const std::string& error);
  void send_outputs(const Report& report);

  Spool& spool_;
  Control& control_;
  Pause& pause_;
  mutable std::mutex mutex_;  // leaf; guards what follows
  std::condition_variable changed_;
  std::deque<Entry> entries_;  // the front one is under way
  bool begun_ = false;
  bool stopping_ = false;
};

}  // namespace muster::worker
