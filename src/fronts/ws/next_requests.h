// Middleware: a task that asks for the next one of its chain and waits for its result (AstraFlow's next requests).
//
// The task's document carries what comes after it (`chain`). Each request makes a job of the first of these, with the rest in its
// own chain, and the answer is what became of that job. A job, not a frame: any worker of the tenant may take it, wherever it is
// connected. One per worker session. On the loop's thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "command/jobs.h"
#include "fronts/ws/channel.h"
#include "fronts/ws/deadlines.h"
#include "model/job.h"
#include "session/codes.h"

namespace muster::ws {

class WorkerSession;

inline constexpr std::size_t kNextRequestsMax = 1'024;  // under way for one worker

// The task that asks.
struct NextAsker {
  LeaseRef lease;
  QueueName queue;
  std::int32_t priority = 0;
  const json::Tree& next;  // the document of what comes after it; null: nothing does
};

class NextRequests {
 public:
  explicit NextRequests(WorkerSession& session);
  ~NextRequests();

  // `asker` is nullptr when the worker runs no such task.
  void asked(const session::Envelope& frame, const NextAsker* asker);
  // A job ended, perhaps one that is waited for.
  void ended(const JobId& job);
  // The task that asked is over: its requests are answered, and what they began is cancelled.
  void asker_over(const LeaseRef& lease);

 private:
  struct Pending {
    LeaseRef asker;
    json::Tree names;  // the four names that the answer repeats
    std::optional<JobId> job;
    std::optional<Instant> deadline;
    bool looking = false;  // the job is being read
  };
  using Place = std::map<std::string, Pending>::iterator;  // by request id

  void begin(const std::string& id, JobSpec spec);
  void look(const std::string& id);
  void looked(const std::string& id, const Job& job);
  void answer(Place place, json::Tree outcome);
  void refuse(const json::Tree& names, const session::ErrorCode& code);
  void cancel(const std::optional<JobId>& job, std::string why);
  void tick();
  void arm();

  WorkerSession& session_;
  std::map<std::string, Pending> pending_;
  Deadlines::Entry poll_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // shared with answers that are on their way
};

}  // namespace muster::ws
