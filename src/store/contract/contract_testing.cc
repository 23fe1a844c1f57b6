#include "store/contract/contract.h"

#include <ostream>

namespace muster {

void PrintTo(JobState state, std::ostream* out) { *out << to_string(state); }
void PrintTo(JobEvent event, std::ostream* out) { *out << to_string(event); }
void PrintTo(WorkerState state, std::ostream* out) { *out << to_string(state); }
void PrintTo(Code code, std::ostream* out) { *out << to_string(code); }
void PrintTo(const JobId& id, std::ostream* out) { *out << id.text(); }

}  // namespace muster

namespace muster::store::contract {

JobSpec a_job() {
  JobSpec spec;
  spec.type = JobType("work");
  spec.payload = {R"({"n":1})", Encoding::json};
  spec.retry.jitter = 0;  // so that cases can name instants
  return spec;
}

JobSpec a_run() {
  JobSpec spec = a_job();
  spec.run = RunSpec();
  return spec;
}

WorkerSpec a_worker(std::string id) {
  constexpr std::uint32_t kSlots = 10;
  WorkerSpec spec;
  spec.id = WorkerId(std::move(id));
  spec.slots = kSlots;
  return spec;
}

std::vector<JobId> ids_of(const std::vector<Grant>& grants) {
  std::vector<JobId> ids;
  for (const Grant& grant : grants) ids.push_back(grant.id);
  return ids;
}

std::vector<JobId> ids_of(const std::vector<Job>& jobs) {
  std::vector<JobId> ids;
  for (const Job& job : jobs) ids.push_back(job.id);
  return ids;
}

void StoreContract::SetUp() {
  harness_ = must(GetParam().make());
  client_ = std::make_unique<Client>(*harness_);
}

void StoreContract::TearDown() {
  if (harness_ == nullptr) return;
  EXPECT_TRUE(harness_->store().close().ok());  // from here on no listener of the case is called
}

JobId StoreContract::add(JobSpec spec, int line) { return must(client().enqueue({std::move(spec)}), line).at(0).id; }

std::vector<JobId> StoreContract::add_many(std::size_t count, JobSpec spec, int line) {
  std::vector<JobId> ids;
  for (const Enqueued& one : must(client().enqueue(std::vector<JobSpec>(count, spec)), line)) ids.push_back(one.id);
  return ids;
}

Registered StoreContract::join(WorkerSpec spec, int line) { return must(client().register_worker(std::move(spec)), line); }

ClaimRequest StoreContract::claim_of(std::string worker, std::size_t limit) {
  ClaimRequest request;
  request.ns = kDefault;
  request.worker = WorkerId(std::move(worker));
  request.limit = limit;
  return request;
}

ClaimReply StoreContract::claim(std::string worker, std::size_t limit, int line) {
  return must(client().claim(claim_of(std::move(worker), limit)), line);
}

std::vector<Grant> StoreContract::take(std::string worker, std::size_t limit, int line) {
  return claim(std::move(worker), limit, line).grants;
}

Grant StoreContract::take_one(std::string worker, int line) {
  const std::vector<Grant> grants = take(std::move(worker), 1, line);
  if (grants.size() != 1) throw std::runtime_error(fmt::format("line {}: {} grants instead of one", line, grants.size()));
  return grants.front();
}

Result<Settled> StoreContract::fail(const Grant& grant, std::string kind) {
  return client().fail({lease_of(grant), {std::move(kind), "it broke"}, true, std::nullopt});
}

Result<Settled> StoreContract::fail_for_good(const Grant& grant, std::string kind) {
  return client().fail({lease_of(grant), {std::move(kind), "it broke"}, false, std::nullopt});
}

Result<BeatReply> StoreContract::beat(std::string id, std::vector<LeaseRef> held) {
  Beat beat;
  beat.ns = kDefault;
  beat.worker = WorkerId(std::move(id));
  beat.held = std::move(held);
  return client().heartbeat(std::move(beat));
}

Result<Worker> StoreContract::drain(std::string id, Duration deadline, std::string reason) {
  return client().drain({kDefault, WorkerId(std::move(id)), deadline, std::move(reason), DrainOrigin::asked});
}

Result<Worker> StoreContract::drain_by_load(std::string id, std::string reason) {
  return client().drain({kDefault, WorkerId(std::move(id)), 0s, std::move(reason), DrainOrigin::load});
}

Result<Worker> StoreContract::resume(std::string id, DrainOrigin origin) {
  return client().resume({kDefault, WorkerId(std::move(id)), origin});
}

Result<Worker> StoreContract::unregister(std::string id) {
  return client().unregister({kDefault, WorkerId(std::move(id)), std::nullopt});
}

Worker StoreContract::worker(std::string id, int line) {
  return must(client().get_worker(kDefault, WorkerId(std::move(id))), line);
}

QueueStats StoreContract::queue(std::string name, int line) {
  for (QueueStats& stats : must(client().list_queues(kDefault), line))
    if (stats.queue.text() == name) return std::move(stats);
  throw std::runtime_error(fmt::format("line {}: no queue {}", line, name));
}

std::vector<Job> StoreContract::list_all(JobQuery query, int line) {
  constexpr int kPagesMax = 10'000;
  std::vector<Job> jobs;
  for (int page = 0; page < kPagesMax; ++page) {
    JobPage found = must(client().list_jobs(query), line);
    if (found.jobs.size() > query.limit) throw std::runtime_error(fmt::format("line {}: a page over its limit", line));
    for (Job& one : found.jobs) jobs.push_back(std::move(one));
    if (found.next.empty()) return jobs;
    query.cursor = found.next;
  }
  throw std::runtime_error(fmt::format("line {}: a listing without an end", line));
}

StepAnswer StoreContract::begin(const Grant& run, std::string name, int line) {
  return step(step::Begin{.run = run_of(run), .step = std::move(name)}, line);
}

StepAnswer StoreContract::complete_step(const Grant& run, std::string name, std::string output, int line) {
  return step(step::Complete{.run = run_of(run), .step = std::move(name), .output = json_of(std::move(output))}, line);
}

StepAnswer StoreContract::fail_step(const Grant& run, std::string name, int line) {
  return step(step::Fail{.run = run_of(run), .step = std::move(name), .error = {"boom", "it broke"}}, line);
}

StepAnswer StoreContract::sleep(const Grant& run, std::string name, Duration length, int line) {
  return step(step::Sleep{.run = run_of(run), .step = std::move(name), .length = length}, line);
}

StepAnswer StoreContract::await_signal(const Grant& run, std::string name, std::string signal, std::optional<Duration> wait,
                                       int line) {
  return step(step::AwaitSignal{.run = run_of(run), .step = std::move(name), .signal = std::move(signal), .wait = wait}, line);
}

StepAnswer StoreContract::await_child(const Grant& run, std::string name, JobId child, int line) {
  return step(step::AwaitChild{.run = run_of(run), .step = std::move(name), .child = child}, line);
}

bool StoreContract::send(JobId run, std::string signal, std::string data, int line) {
  return must(client().signal_run({run, std::move(signal), json_of(std::move(data))}), line).taken;
}

std::vector<Step> StoreContract::steps_of(JobId run, int line) {
  std::vector<Step> steps;
  StepQuery query{.run = run, .limit = limits::kPageMax};
  while (true) {
    StepPage page = must(client().list_steps(query), line);
    for (Step& one : page.steps) steps.push_back(std::move(one));
    if (page.next.empty()) return steps;
    query.cursor = page.next;
  }
}

Grant StoreContract::take_run(int line) {
  const JobId id = add(a_run(), line);
  const Grant grant = take_one("w1", line);
  if (grant.id != id) throw std::runtime_error(fmt::format("line {}: another job was waiting", line));
  return grant;
}

std::size_t StoreContract::sweep(SweepVerb verb, int line) {
  constexpr int kPassesMax = 1'000;
  std::size_t moved = 0;
  for (int pass = 0; pass < kPassesMax; ++pass) {
    const SweepReport report = must(client().sweep(verb, kSweepLimit), line);
    moved += report.moved;
    if (!report.more) return moved;
  }
  throw std::runtime_error(fmt::format("line {}: a sweep without an end", line));
}

void StoreContract::sweep_moves(SweepVerb verb, std::size_t expected, int line) {
  const std::size_t moved = sweep(verb, line);
  if (client().in_doubt())
    EXPECT_LE(moved, expected) << "line " << line;
  else
    EXPECT_EQ(moved, expected) << "line " << line;
}

JobId StoreContract::make_dead(JobSpec spec, std::string kind) {
  const JobId id = add(std::move(spec));
  const Grant grant = take_one("w1");
  if (grant.id != id) throw std::runtime_error("another job was waiting");
  must(fail_for_good(grant, std::move(kind)));
  return id;
}

JobId StoreContract::make_completed(JobSpec spec) {
  const JobId id = add(std::move(spec));
  const Grant grant = take_one("w1");
  if (grant.id != id) throw std::runtime_error("another job was waiting");
  must(complete(grant));
  return id;
}

std::string store_name(const ::testing::TestParamInfo<StoreKind>& info) { return info.param.name; }

}  // namespace muster::store::contract
