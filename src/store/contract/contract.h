// The fixture of every contract case: one empty store, a client, and short words for the usual givens.
//
// A helper that cannot do its part throws, which ends the case as failed; only the suite's own code is in between.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/contract/client.h"
#include "store/contract/harness.h"

namespace muster {

// How gtest prints the values the cases compare.
void PrintTo(JobState state, std::ostream* out);
void PrintTo(JobEvent event, std::ostream* out);
void PrintTo(WorkerState state, std::ostream* out);
void PrintTo(Code code, std::ostream* out);
void PrintTo(const JobId& id, std::ostream* out);

}  // namespace muster

namespace muster::store::contract {

using namespace std::chrono_literals;

inline constexpr std::size_t kSweepLimit = 10'000;

// The value, or the end of the case.
template <class T>
T must(Result<T> result, int line = __builtin_LINE()) {
  if (!result.ok()) throw std::runtime_error(fmt::format("line {}: {}", line, result.status().text()));
  return std::move(result).value();
}
inline void must(const Status& status, int line = __builtin_LINE()) {
  if (!status.ok()) throw std::runtime_error(fmt::format("line {}: {}", line, status.text()));
}

JobSpec a_job();  // type `work`, all else by default
template <class Tweak>
JobSpec a_job(Tweak tweak) {
  JobSpec spec = a_job();
  tweak(spec);
  return spec;
}
WorkerSpec a_worker(std::string id);  // ten slots, all else by default
template <class Tweak>
WorkerSpec a_worker(std::string id, Tweak tweak) {
  WorkerSpec spec = a_worker(std::move(id));
  tweak(spec);
  return spec;
}
// A run of type `work`, and a worker that may take it is any of the above: it needs nothing.
JobSpec a_run();
template <class Tweak>
JobSpec a_run(Tweak tweak) {
  JobSpec spec = a_run();
  tweak(spec);
  return spec;
}
inline RunRef run_of(const Grant& grant) { return {grant.id, grant.fence}; }
inline Content json_of(std::string text) { return {std::move(text), Encoding::json}; }
inline LeaseRef lease_of(const Grant& grant) { return {grant.id, grant.fence}; }
std::vector<JobId> ids_of(const std::vector<Grant>& grants);
std::vector<JobId> ids_of(const std::vector<Job>& jobs);
inline const NamespaceName kDefault{kDefaultNamespace};
inline const QueueName kQueue{kDefaultQueue};

class StoreContract : public ::testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override;
  void TearDown() override;

  Harness& harness() { return *harness_; }
  Client& client() { return *client_; }
  Instant now() const { return harness_->now(); }
  void advance(Duration by) { harness_->advance(by); }
  void pause(Duration by) { harness_->pause(by); }
  void restart() { must(harness_->restart()); }
  void crash() { must(harness_->crash()); }

  JobId add(JobSpec spec = a_job(), int line = __builtin_LINE());
  template <class Tweak>
  requires std::is_invocable_v<Tweak, JobSpec&> JobId add(Tweak tweak, int line = __builtin_LINE()) {
    return add(a_job(tweak), line);
  }
  std::vector<JobId> add_many(std::size_t count, JobSpec spec = a_job(), int line = __builtin_LINE());

  Registered join(WorkerSpec spec = a_worker("w1"), int line = __builtin_LINE());
  Registered join(std::string id, int line = __builtin_LINE()) { return join(a_worker(std::move(id)), line); }

  static ClaimRequest claim_of(std::string worker, std::size_t limit = 1);
  ClaimReply claim(std::string worker, std::size_t limit = 1, int line = __builtin_LINE());
  std::vector<Grant> take(std::string worker, std::size_t limit, int line = __builtin_LINE());
  Grant take_one(std::string worker = "w1", int line = __builtin_LINE());  // exactly one is there to take
  bool idle(std::string worker = "w1", int line = __builtin_LINE()) { return take(std::move(worker), 1, line).empty(); }

  Result<Settled> complete(const Grant& grant) { return client().complete({lease_of(grant), std::nullopt}); }
  Result<Settled> fail(const Grant& grant, std::string kind = "boom");
  Result<Settled> fail_for_good(const Grant& grant, std::string kind = "boom");  // dead at once
  Result<Settled> snooze(const Grant& grant, Duration delay) { return client().snooze({lease_of(grant), delay}); }
  Result<Settled> release(const Grant& grant) { return client().release({lease_of(grant), "not now"}); }
  Result<Renewed> renew(const Grant& grant) { return client().renew({lease_of(grant), std::nullopt}); }
  Result<Cancelled> cancel(JobId id, std::string reason = "no longer wanted") { return client().cancel({id, std::move(reason)}); }
  Result<BeatReply> beat(std::string worker = "w1", std::vector<LeaseRef> held = {});
  Result<Worker> drain(std::string worker, Duration deadline, std::string reason = "upgrade");
  Result<Worker> drain_by_load(std::string worker, std::string reason = "memory 93 %");
  Result<Worker> resume(std::string worker, DrainOrigin origin = DrainOrigin::asked);
  Result<Worker> unregister(std::string worker);

  Job job(JobId id, int line = __builtin_LINE()) { return must(client().get_job(id), line); }
  JobState state(JobId id, int line = __builtin_LINE()) { return job(id, line).state; }
  Worker worker(std::string id = "w1", int line = __builtin_LINE());
  QueueStats queue(std::string name = kDefaultQueue, int line = __builtin_LINE());
  std::vector<Job> list_all(JobQuery query, int line = __builtin_LINE());  // all pages
  // Changes the default queue.
  template <class Tweak>
  QueueStats limit_queue(Tweak tweak, int line = __builtin_LINE()) {
    QueueChange change;
    change.queue = kQueue;
    tweak(change);
    return must(client().change_queue(change), line);
  }

  // --- runs; each names the lease of the grant ---
  StepAnswer step(StepCall call, int line = __builtin_LINE()) { return must(client().run_step(std::move(call)), line); }
  StepAnswer begin(const Grant& run, std::string name, int line = __builtin_LINE());
  StepAnswer complete_step(const Grant& run, std::string name, std::string output, int line = __builtin_LINE());
  StepAnswer fail_step(const Grant& run, std::string name, int line = __builtin_LINE());  // retryable
  StepAnswer sleep(const Grant& run, std::string name, Duration length, int line = __builtin_LINE());
  StepAnswer await_signal(const Grant& run, std::string name, std::string signal, std::optional<Duration> wait = std::nullopt,
                          int line = __builtin_LINE());
  StepAnswer await_child(const Grant& run, std::string name, JobId child, int line = __builtin_LINE());
  bool send(JobId run, std::string signal, std::string data = "{}", int line = __builtin_LINE());  // true: taken at once
  std::vector<Step> steps_of(JobId run, int line = __builtin_LINE());                              // all pages, oldest first
  Grant take_run(int line = __builtin_LINE());  // adds a run and claims it through w1, which must have joined

  // Repeats the pass until nothing is left for it; says how many rows moved, as far as the answers told.
  std::size_t sweep(SweepVerb verb, int line = __builtin_LINE());
  // As above, and the number is as expected, or less where an answer was lost.
  void sweep_moves(SweepVerb verb, std::size_t moved, int line = __builtin_LINE());
  JobId make_dead(JobSpec spec = a_job(), std::string kind = "boom");  // through worker w1, which must have joined
  JobId make_completed(JobSpec spec = a_job());

 private:
  std::unique_ptr<Harness> harness_;
  std::unique_ptr<Client> client_;
};

std::string store_name(const ::testing::TestParamInfo<StoreKind>& info);

}  // namespace muster::store::contract
