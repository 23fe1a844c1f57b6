// Who reads the output of jobs, and who waits for more of it. Part of engine/feedback.h.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/feedback.h"

namespace muster::engine {

// Any thread.
class Feedback::Readers : public std::enable_shared_from_this<Feedback::Readers> {
 public:
  Readers(store::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

  void read(OutputQuery query, Reply<JobOutput> reply);
  // Something about the job was written, or it ended.
  void changed(JobId job);
  bool any() const;
  Duration tick();
  void stop();

 private:
  struct Waiter {
    OutputQuery query;
    Ticks until{};
    Ticks looked_at{};
    std::uint64_t seen = 0;  // of Watched::changes when it looked
    JobOutput found;         // what it is told when its wait is over
    Reply<JobOutput> reply;
  };
  struct Watched {
    std::uint64_t changes = 0;
    std::size_t looking = 0;
    std::vector<Waiter> parked;
  };

  void look(Waiter waiter);
  void looked(Waiter waiter, Result<JobOutput> found);
  void look_each(std::vector<Waiter> waiters);

  store::Store& store_;
  const Clock& clock_;
  mutable std::mutex mutex_;  // leaf; guards everything below
  std::map<JobId, Watched> watched_;
  std::size_t waiting_ = 0;
  bool stopped_ = false;
};

}  // namespace muster::engine
