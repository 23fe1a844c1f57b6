// Runs as the commands and fronts see them: validated calls about steps, ends by wires that cannot name a lease, and waiting for
// a run to finish.
//
// When a child finishes, the run that may wait for it is woken. As with claims, that only makes it faster: a parent also looks
// for itself every kChildLookEvery.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/reply.h"
#include "engine/jobs.h"
#include "engine/options.h"
#include "store/store.h"

namespace muster::engine {

enum class RunTicket : std::uint64_t {};

class Runs {
 public:
  Runs(store::Store& store, Jobs& jobs, const Clock& clock, const Options& options);
  ~Runs();

  // Names and sizes are checked, each call by itself; what is refused never reaches the store.
  void steps(std::vector<store::StepCall> calls, Reply<store::Each<store::StepAnswer>> reply);
  void step(store::StepCall call, Reply<store::StepAnswer> reply);
  void list_steps(store::StepQuery query, Reply<store::StepPage> reply);
  void signal(store::Signal signal, Reply<store::Signalled> reply);

  // Ends under the fence, or, where the wire has none, under whatever lease is current. conflict: the run is not running; the
  // message names its state.
  void complete(store::RunRef run, Content output, Reply<store::Settled> reply);
  // Final: a run that fails is not tried again as a whole.
  void fail(store::RunRef run, JobError error, Reply<store::Settled> reply);
  // At once, whoever holds it, and its unfinished children with it. conflict: already finished.
  void cancel(JobId run, std::string reason, Reply<store::Cancelled> reply);
  void terminate(JobId run, std::string reason, Reply<store::Cancelled> reply);
  // A new run like this finished one, from its beginning, under these names. One that gets an external id of its own is the only
  // unfinished run of that name. conflict: it is not finished.
  struct NewNames {
    std::string external_id;
    std::string correlation;  // empty: that of the finished one
  };
  void start_again(JobId run, NewNames names, Reply<store::Enqueued> reply);

  // Replies when the run is finished, or with the run as it is when `wait` is over. not_found: no such job. exhausted:
  // parked_max.
  RunTicket await_end(JobId run, Duration wait, Reply<Job> reply);
  // The caller went away; its reply is not called any more.
  void cancel_wait(RunTicket ticket);

  // From the store's listener.
  void committed(const store::Committed& commit);
  // Answers those whose wait is over and looks for those that are due; returns how long until the next of either.
  Duration tick();
  // Answers everybody with the run as it is. Idempotent.
  void stop();

 private:
  class Watch;
  std::shared_ptr<Watch> watch_;  // shared with replies that are still on their way when this goes
  store::Store& store_;
  Jobs& jobs_;
};

}  // namespace muster::engine
