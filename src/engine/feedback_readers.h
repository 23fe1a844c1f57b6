// Who reads the output of jobs, and who waits for more of it. Part of engine/feedback.h.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/feedback.h"

namespace muster::engine {

// What has been written about a job, behind all that was there, so that nobody has to read it who waits for it.
struct OutputNews {
  std::uint64_t behind = 0;  // number of the newest chunk before
  OutputHead head;
  std::vector<store::KeyPair> blocks;  // by their fields
};

// Any thread.
class Feedback::Readers : public std::enable_shared_from_this<Feedback::Readers> {
 public:
  Readers(store::Store& store, const Clock& clock) : store_(store), clock_(clock) {}

  void read(OutputQuery query, Reply<JobOutput> reply);
  // Something about the job was written, or it ended. `news`: all of it, when nothing that was there is gone, and the job runs.
  void changed(JobId job, const OutputNews* news = nullptr);
  bool waits_for(JobId job) const;
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

  static bool take_news(Waiter& waiter, const OutputNews& news);
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
