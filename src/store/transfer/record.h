// What moves from one store to another, as neither of them writes it: names instead of rows of names, the model's values instead
// of columns.
//
// A job keeps its integer key, and the salt goes along, so its public id stays what it was. A key of the keyspace keeps its
// number, by which what is in it refers to it. What a store works out of its jobs (lanes, the order, held keys, what waits for
// what is full) is no record: whoever takes jobs in works it out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "model/job.h"
#include "model/plan.h"
#include "model/queue.h"
#include "model/rank.h"
#include "model/schedule.h"
#include "model/worker.h"
#include "store/codec/agent_columns.h"
#include "store/codec/id_codec.h"
#include "store/keys.h"

namespace muster::store::transfer {

// In the order in which they move: what is named comes before what names it.
enum class Kind : std::uint8_t {
  namespaces,
  queues,
  workers,
  bonds,
  jobs,
  keys,
  dependencies,
  plans,
  actions,
  entries,
  items,
  fields,
  scores,
  steps,
  signals,
  schedules,
  agents,
  tools,
  sessions,
  agent_runs,
  iterations,
  executions,
  messages,
  compactions,
  archive,
  spending,
  blobs
};
inline constexpr std::array kKinds{
    Kind::namespaces, Kind::queues,    Kind::workers,     Kind::bonds,   Kind::jobs,     Kind::keys,       Kind::dependencies,
    Kind::plans,      Kind::actions,   Kind::entries,     Kind::items,   Kind::fields,   Kind::scores,     Kind::steps,
    Kind::signals,    Kind::schedules, Kind::agents,      Kind::tools,   Kind::sessions, Kind::agent_runs, Kind::iterations,
    Kind::executions, Kind::messages,  Kind::compactions, Kind::archive, Kind::spending, Kind::blobs};
std::string_view to_string(Kind kind);

// What job ids, fences and sessions come from. Numbers below `next` may have been given out.
struct Numbers {
  std::uint64_t salt = 0;
  JobKey next_job_key = 1;
  std::int64_t next_fence = 1;
};

struct QueueRecord {
  NamespaceName ns;
  QueueName name;
  QueueSettings settings;
};

// A sticky key and the worker it belongs to.
struct BondRecord {
  NamespaceName ns;
  QueueName queue;
  std::string key;
  WorkerId worker;
};

// Of `job` everything but id, lease_expires_at and dependencies_pending, which follow from the rest. Its state is as written: a
// scheduled job whose time has come may still say so.
struct JobRecord {
  JobKey key = 0;
  Job job;
  Rank rank = 0;  // of a live job
  JobEvent event = JobEvent::enqueued;
  std::optional<Duration> granted;  // of a running job: the length of its lease; empty: the lease is over
  std::string cancel_reason;        // of a running job that was asked to end
};

// An idempotency key and the job it stands for.
struct KeyRecord {
  NamespaceName ns;
  std::string key;
  JobKey job = 0;
};

// `job` waits for `after`, which is not finished.
struct DependencyRecord {
  JobKey job = 0;
  JobKey after = 0;
};

// Of `action` the counts are those it keeps itself: all of them once it is settled, until then those of forgotten jobs.
struct ActionRecord {
  Action action;
  std::optional<Instant> settled_at;
  std::vector<JobKey> jobs;  // in the order of its inputs
};

// A key of the keyspace without what is in it, but for a text.
struct EntryRecord {
  std::int64_t number = 0;
  NamespaceName ns;
  KeySpace space = KeySpace::clients;
  std::string name;
  KeyType type = KeyType::text;
  std::optional<Instant> expires_at;
  std::int64_t count = 0;
  std::int64_t head = 0;
  std::int64_t tail = -1;
  std::string text;
};

// What is in a list, a hash or set, and a sorted set. `entry`: the number of its key.
struct ItemRecord {
  std::int64_t entry = 0;
  std::int64_t position = 0;
  std::string value;
};
struct FieldRecord {
  std::int64_t entry = 0;
  std::string name;
  std::string value;
};
struct ScoreRecord {
  std::int64_t entry = 0;
  std::string member;
  double score = 0;
};

// One attempt at a step of a run. Of `step` everything but id and run, which follow from the rest. The name of a worker that is
// gone may be missing.
struct StepRecord {
  NamespaceName ns;  // of its run
  JobKey run = 0;
  std::int64_t place = 0;  // 1 for the first attempt of the run at any step, and so on without gaps
  muster::Step step;
};

// A signal that nobody has taken yet.
struct SignalRecord {
  JobKey run = 0;
  std::int64_t place = 0;  // those of a run are taken in this order; gaps are fine
  std::string name;
  Content data;
};

struct ExecutionRecord {
  NamespaceName ns;  // of its run
  ToolExecution execution;
};

// A message that a compaction took away.
struct ArchiveRecord {
  Uuid event;
  MessageRow row;
};

// What a session has spent, or an agent or a namespace on one day. See the column lists of codec/agent_columns.h.
struct SpendingRecord {
  NamespaceName ns;
  SpendingScope scope = SpendingScope::session;
  std::string name;      // the id of a session or an agent
  std::int64_t day = 0;  // since 1970; 0 of a session
  Spending spent;
};

struct BlobRecord {
  AgentSessionId session;
  Blob blob;
};

// The n-th alternative is Kind n. Schedules, agents and what belongs to them are read in the order in which they were made.
using Records =
    std::variant<std::vector<NamespaceInfo>, std::vector<QueueRecord>, std::vector<Worker>, std::vector<BondRecord>,
                 std::vector<JobRecord>, std::vector<KeyRecord>, std::vector<DependencyRecord>, std::vector<Plan>,
                 std::vector<ActionRecord>, std::vector<EntryRecord>, std::vector<ItemRecord>, std::vector<FieldRecord>,
                 std::vector<ScoreRecord>, std::vector<StepRecord>, std::vector<SignalRecord>, std::vector<Schedule>,
                 std::vector<Agent>, std::vector<Tool>, std::vector<SessionRow>, std::vector<AgentRun>, std::vector<Iteration>,
                 std::vector<ExecutionRecord>, std::vector<MessageRow>, std::vector<CompactionEvent>, std::vector<ArchiveRecord>,
                 std::vector<SpendingRecord>, std::vector<BlobRecord>>;
static_assert(std::variant_size_v<Records> == kKinds.size());
inline Kind kind_of(const Records& records) { return static_cast<Kind>(records.index()); }
inline std::size_t size_of(const Records& records) {
  return std::visit([](const auto& list) { return list.size(); }, records);
}

// Behind which record of a kind reading goes on, in the order of the store that is read. Means nothing to others.
struct Position {
  std::int64_t first = 0;
  std::string second;
  friend bool operator==(const Position&, const Position&) = default;
};

struct Batch {
  Records records;  // none: the end
  Position last;
};

// Bytes of contents in one batch; the record that passes it is the last of its batch.
inline constexpr std::size_t kCopyBatchBytesMax = 16 * 1024 * 1024;

using Counts = std::array<std::uint64_t, kKinds.size()>;  // by Kind
inline std::size_t index_of(Kind kind) { return static_cast<std::size_t>(kind); }

}  // namespace muster::store::transfer
