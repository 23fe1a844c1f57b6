// The worker as a whole: who runs on which thread, and in what order it ends.
//
//   puller thread     takes jobs and hands them to slots
//   slot threads      run plans, spool results
//   deliverer thread  brings results to the server
//   beater thread     heartbeats, and asks whether running jobs are still ours
//   verifier thread   answers challenges
//   caller            signals
//
// Ending: no more pops; running jobs finish and their results are delivered, within the time given; then WORKER.UNREGISTER. A
// second signal, or the end of that time: running tools are killed and the worker leaves at once; the server gives their jobs to
// others.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/bounded_queue.h"
#include "base/clock.h"
#include "worker/control.h"
#include "worker/deliverer.h"
#include "worker/executor.h"
#include "worker/pause.h"
#include "worker/puller.h"
#include "worker/registration.h"
#include "worker/slots.h"
#include "worker/spool.h"
#include "worker/stats.h"

namespace muster::worker {

inline constexpr Duration kHeartbeatDefault{30'000};
inline constexpr Duration kSettleGrace{
    10'000};  // for results that cannot be delivered, once nothing runs any more: they stay in the spool
inline constexpr std::size_t kChallengesMax = 16;  // waiting; one more is dropped, and asked again

struct AgentOptions {
  sdk::resp::ClientOptions client;  // user and protocol are chosen per connection
  Identity identity;
  std::vector<std::string> queues{"ready"};
  Duration heartbeat{0};  // 0: what the server asks for
  Duration shutdown_timeout{300'000};
  bool once = false;
  bool adopts = true;
};

class Agent {
 public:
  Agent(AgentOptions options, const Executor& executor, Spool& spool, const Clock& clock);
  ~Agent();

  // `stop_asked` waits at most that long for SIGTERM or SIGINT. Returns the exit code. Call once.
  int run(const std::function<bool(Duration)>& stop_asked);

 private:
  struct Told {
    std::string update;  // JSON
    Ticks at{};
  };

  void work(const Job& job, Cancel& cancel);
  // Whether the server took the verdict.
  bool answer(const Verification& challenge, const Cancel& cancel);
  // False: the server said that the job is not ours.
  bool tell(const std::string& job_id, const std::string& update);
  void progress(const std::string& job_id, std::uint32_t number, std::size_t total);
  Duration interval();
  // Says again what was last said about jobs that run for long, to hear whether they are still ours.
  void ask_after_jobs();
  bool registered();
  void beat_refused(const std::string& error);
  void beat_forever();
  void verify_forever();
  bool settled() const { return slots_->idle() && deliverer_.empty(); }
  bool slot_free(Duration wait);
  int wind_down(const std::function<bool(Duration)>& stop_asked, const std::atomic<bool>& pulling);
  void leave();

  AgentOptions options_;
  const Executor& executor_;
  Spool& spool_;
  const Clock& clock_;
  Ticks started_at_;
  Counters counters_;
  StoppablePause pull_pause_;
  StoppablePause beat_pause_;
  StoppablePause deliver_pause_;
  Control control_;
  Deliverer deliverer_;
  BoundedQueue<Verification> challenges_{kChallengesMax};
  Cancel leaving_;                      // ends a verification under way
  std::atomic<bool> abandoned_{false};  // no job is started any more
  std::atomic<bool> caught_up_{false};  // what an earlier process left in the spool is delivered
  std::unique_ptr<Slots> slots_;
  std::unique_ptr<Puller> puller_;
  std::mutex mutex_;                      // leaf; guards what follows
  std::map<std::string, Told> progress_;  // of running jobs

  Duration interval_ = kHeartbeatDefault;
  bool registered_ = false;
};

}  // namespace muster::worker
