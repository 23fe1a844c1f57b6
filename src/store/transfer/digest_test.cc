#include "store/transfer/digest.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "store/transfer/memory_testing.h"

namespace muster::store::transfer {
namespace {

constexpr Instant kTakenAt = Instant(std::chrono::seconds(1'700'000'000));

Digest digest_of(Everything all) {
  MemorySource source(all);
  return transfer::digest_of(source);
}

TEST(Digest, CountsRecordsAndStates) {
  const Everything all = Sample(kTakenAt).all;
  const Digest digest = digest_of(all);
  for (const Kind kind : kKinds) EXPECT_EQ(digest.records(kind), all.counts()[index_of(kind)]) << to_string(kind);
  std::uint64_t jobs = 0;
  for (const JobState state : kJobStates) {
    EXPECT_GT(digest.jobs(state), 0u) << to_string(state);
    jobs += digest.jobs(state);
  }
  EXPECT_EQ(jobs, digest.records(Kind::jobs));
}

TEST(Digest, DoesNotDependOnTheOrderOfReading) {
  Everything all = Sample(kTakenAt).all;
  const Digest before = digest_of(all);
  std::reverse(all.jobs.begin(), all.jobs.end());
  std::reverse(all.workers.begin(), all.workers.end());
  std::reverse(all.keys.begin(), all.keys.end());
  EXPECT_EQ(digest_of(all), before);
}

struct Change {
  const char* name;
  std::function<void(Everything&)> make;
};

TEST(Digest, SeesEveryChange) {
  const std::vector<Change> changes = {
      {"description", [](Everything& all) { all.namespaces[0].description += "!"; }},
      {"display name", [](Everything& all) { all.namespaces[1].display_name += "!"; }},
      {"enabled namespace", [](Everything& all) { all.namespaces[1].enabled = true; }},
      {"update of a namespace", [](Everything& all) { all.namespaces[0].updated_at += Duration(1); }},
      {"settings", [](Everything& all) { all.queues[0].settings.paused = true; }},
      {"session", [](Everything& all) { all.workers[0].session = SessionId{99}; }},
      {"worker state", [](Everything& all) { all.workers[0].state = WorkerState::draining; }},
      {"last seen of one offline", [](Everything& all) { all.workers[1].last_seen_at += Duration(1); }},
      {"bond", [](Everything& all) { all.bonds[0].worker = WorkerId("w2"); }},
      {"key of a job", [](Everything& all) { all.jobs[0].key = 900; }},
      {"payload", [](Everything& all) { all.jobs[0].job.spec.payload.data[3] ^= 1; }},
      {"encoding", [](Everything& all) { all.jobs[0].job.spec.payload.encoding = Encoding::bytes; }},
      {"state", [](Everything& all) { all.jobs[0].job.state = JobState::scheduled; }},
      {"rank of a live job", [](Everything& all) { all.jobs[0].rank += 1; }},
      {"wish", [](Everything& all) { all.jobs[0].job.spec.affinity.sticky_key = "s"; }},
      {"fence", [](Everything& all) { all.jobs[13].job.fence = Fence{1}; }},
      {"lease", [](Everything& all) { all.jobs[13].granted = Duration(1); }},
      {"lease that is over", [](Everything& all) { all.jobs[13].granted.reset(); }},
      {"result that is empty", [](Everything& all) { all.jobs.back().job.result = Content{}; }},
      {"error", [](Everything& all) { all.jobs.back().job.error->message += "!"; }},
      {"attempt", [](Everything& all) { all.jobs[3].job.attempts[0].ended_at += Duration(1); }},
      {"progress", [](Everything& all) { all.jobs[3].job.progress->partial->data[0] ^= 1; }},
      {"idempotency key", [](Everything& all) { all.keys[0].job = 3; }},
      {"dependency", [](Everything& all) { all.dependencies[0].after = 3; }},
      {"text of a plan", [](Everything& all) { all.plans[0].spec.text += " "; }},
      {"needs of a plan", [](Everything& all) { all.plans[0].spec.needs = CapabilitySet(); }},
      {"use of a plan", [](Everything& all) { all.plans[1].last_used_at = kTakenAt; }},
      {"jobs of a plan", [](Everything& all) { all.plans[0].jobs += 1; }},
      {"end of an action", [](Everything& all) { all.actions[0].settled_at = kTakenAt; }},
      {"counts of an action", [](Everything& all) { all.actions[1].action.counts.dead += 1; }},
      {"jobs of an action", [](Everything& all) { all.actions[0].jobs[2] += 1; }},
      {"space of a key", [](Everything& all) { all.entries[0].space = KeySpace::internal; }},
      {"type of a key", [](Everything& all) { all.entries[5].type = KeyType::set; }},
      {"time of a key", [](Everything& all) { all.entries[0].expires_at = kTakenAt; }},
      {"value of a key", [](Everything& all) { all.entries[0].text[1] ^= 1; }},
      {"ends of a list", [](Everything& all) { all.entries[4].head -= 1; }},
      {"item", [](Everything& all) { all.items[0].value[0] ^= 1; }},
      {"place of an item", [](Everything& all) { all.items[1].position -= 1; }},
      {"field", [](Everything& all) { all.fields[1].value = "3"; }},
      {"score", [](Everything& all) { all.scores[0].score = 0.5; }},
      {"state of a step", [](Everything& all) { all.steps[0].step.state = StepState::failed; }},
      {"output of a step", [](Everything& all) { all.steps[0].step.output->data[1] ^= 1; }},
      {"policy of a step", [](Everything& all) { all.steps[0].step.policy.factor = 2; }},
      {"place of a step", [](Everything& all) { all.steps[0].place += 9; }},
      {"child of a step", [](Everything& all) { all.steps[3].step.child.reset(); }},
      {"end of a sleep", [](Everything& all) { *all.steps[4].step.until += Duration(1); }},
      {"awaited signal", [](Everything& all) { all.steps[5].step.signal = "denied"; }},
      {"worker of a step", [](Everything& all) { all.steps[0].step.worker = WorkerId("w2"); }},
      {"signal", [](Everything& all) { all.signals[1].data.data[0] ^= 1; }},
      {"place of a signal", [](Everything& all) { all.signals[1].place += 1; }},
      {"timing", [](Everything& all) { all.schedules[0].spec.timing.gap = GapRule::next; }},
      {"template", [](Everything& all) { all.schedules[0].spec.job.payload.data[0] ^= 1; }},
      {"template's run", [](Everything& all) { all.schedules[0].spec.job.run->version = "4"; }},
      {"enabled schedule", [](Everything& all) { all.schedules[1].spec.enabled = true; }},
      {"buffered fire", [](Everything& all) { all.schedules[0].buffered.reset(); }},
      {"revision", [](Everything& all) { all.schedules[0].revision += 1; }},
      {"number of tokens an agent may use", [](Everything& all) { all.agents[1].spec.max_tokens = 0; }},
      {"name of an agent", [](Everything& all) { all.agents[0].spec.name += "!"; }},
      {"budget of an agent", [](Everything& all) { all.agents[0].spec.budget.microdollars_per_day += 1; }},
      {"needs of a tool", [](Everything& all) { all.tools[0].spec.needs.push_back("x:y"); }},
      {"namespace of a tool", [](Everything& all) { all.tools[0].spec.ns = NamespaceName("third"); }},
      {"last number of a session", [](Everything& all) { all.sessions[0].last_message += 1; }},
      {"parent of a session", [](Everything& all) { all.sessions[1].session.parent.reset(); }},
      {"state of an agent's run", [](Everything& all) { all.agent_runs[0].state = AgentRunState::pending; }},
      {"parent of an agent's run",
       [](Everything& all) {
         all.agent_runs[1].parent = JobId{{1, 2}};
       }},
      {"answer of an agent's run", [](Everything& all) { all.agent_runs[1].response_text.reset(); }},
      {"batch of an iteration", [](Everything& all) { all.iterations[0].batch_status.reset(); }},
      {"job of an execution",
       [](Everything& all) {
         all.executions[0].execution.job = JobId{{1, 2}};
       }},
      {"approval of an execution", [](Everything& all) { all.executions[0].execution.approval = ApprovalState::denied; }},
      {"blocks of a message", [](Everything& all) { all.messages[0].message.blocks += " "; }},
      {"number of a message", [](Everything& all) { all.messages[0].message.number += 1; }},
      {"compaction that made a message", [](Everything& all) { all.messages[1].compaction.reset(); }},
      {"compaction that is undone", [](Everything& all) { all.compactions[0].restored = false; }},
      {"event of an archived message",
       [](Everything& all) {
         all.archive[0].event = {1, 2};
       }},
      {"day of spending", [](Everything& all) { all.spending[1].day += 1; }},
      {"spending", [](Everything& all) { all.spending[1].spent.microdollars += 1; }},
      {"bytes of a blob", [](Everything& all) { all.blobs[0].blob.data[0] ^= 1; }},
      {"session of a blob",
       [](Everything& all) {
         all.blobs[0].session = AgentSessionId{{1, 2}};
       }},
      {"missing job", [](Everything& all) { all.jobs.pop_back(); }},
      {"job twice", [](Everything& all) { all.jobs.push_back(all.jobs.back()); }},
  };
  const Digest before = digest_of(Sample(kTakenAt).all);
  for (const Change& change : changes) {
    Everything all = Sample(kTakenAt).all;
    change.make(all);
    EXPECT_FALSE(digest_of(all) == before) << change.name;
  }
}

TEST(Digest, LeavesOutWhatACopyGivesAnew) {
  const Digest before = digest_of(Sample(kTakenAt).all);
  Everything all = Sample(kTakenAt).all;
  all.workers[0].last_seen_at += Duration(1'000);   // a live worker is as good as seen
  all.jobs[13].job.lease_expires_at = kTakenAt;     // leases begin anew
  all.jobs.back().rank = 5;                         // a finished job stands in no order
  all.jobs[3].job.attempts[1].worker = WorkerId();  // nobody knows that worker any more
  all.steps[1].step.worker = WorkerId();            // nor in a step
  EXPECT_EQ(digest_of(all), before);
}

}  // namespace
}  // namespace muster::store::transfer
