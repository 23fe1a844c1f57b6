// Reading without the writer: lists and searches on connections of their own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/incident.h"
#include "base/status.h"
#include "base/unique_function.h"
#include "store/codec/id_codec.h"
#include "store/keyspace/sliced_batch.h"
#include "store/plans.h"
#include "store/runs.h"
#include "store/sqlite/agent_reads.h"
#include "store/sqlite/db.h"
#include "store/sqlite/keys/rows.h"
#include "store/verbs.h"

namespace muster::store::sqlite {

// Lists of plans and actions on a reader's connection: counting the jobs of a page of actions may take long.

// Not thread-safe: one per thread.
class PlanLists {
 public:
  explicit PlanLists(Connection& connection);

  // A page ends early with the plan that passes limits::kPageBytesMax of texts.
  Result<PlanPage> list_plans(const PlanQuery& query);
  Result<ActionPage> list_actions(const ActionListQuery& query);

 private:
  Result<std::int64_t> namespace_row(const NamespaceName& ns);
  template <class Page>
  Result<Page> judged(Page page);

  Connection& db_;
  Statement namespace_;
  Statement plan_count_;
  Statement plan_list_;
  Statement action_count_;
  Statement newest_;
  Statement oldest_;
  Statement outcomes_;
};

// Lists and searches on a connection of their own: a reader sees the last commit and never holds up the writer.

// Not thread-safe: one per thread.
class Reader {
 public:
  Reader(Connection& connection, IdCodec ids);

  Result<JobPage> list(const JobQuery& query, Instant now);
  // By (namespace, queue, type, state).
  Result<std::vector<JobCount>> count(const JobFilter& filter, Instant now);
  // Keys of matching jobs, oldest first, within one scan bound. `more`: there may be others.
  struct Found {
    std::vector<JobKey> keys;
    bool more = false;
  };
  Result<Found> find(const JobFilter& filter, std::size_t limit, Instant now);
  PlanLists& plans() { return plans_; }
  AgentReads& agents() { return agents_; }
  // Commands that only read, all from one state of the database.
  Result<keyspace::Part> read_keys(const KeyBatch& batch, const keyspace::Run& what);

 private:
  Status must_exist(const NamespaceName& ns);
  void bind_filter(Statement& st, const JobFilter& filter, const std::string& labels, Instant now);
  Job read(Statement& st, bool with_payload, Instant now);

  Connection& db_;
  IdCodec ids_;
  Statement newest_;
  Statement oldest_;
  Statement bounds_;
  Statement content_;
  Statement namespace_;
  Statement counts_;
  KeyStatements keys_;
  PlanLists plans_;
  AgentReads agents_;
};

// Threads that answer lists, searches and backups, each with a connection of its own, fed by one bounded queue.

class ReaderPool {
 public:
  // Gets a Reader, or nullptr when the pool is closed: then the task must refuse.
  using Task = UniqueFunction<void(Reader*)>;
  static constexpr std::size_t kTasksMax = 10'000;

  ReaderPool(std::vector<std::unique_ptr<Connection>> connections, IdCodec ids, Incidents incidents);
  ~ReaderPool();

  // False: the queue is full; the task was not taken.
  bool post(Task& task);
  // Finishes what is under way and refuses what waits, then ends. Idempotent.
  void close();

 private:
  void run(Connection& connection, IdCodec ids);

  std::vector<std::unique_ptr<Connection>> connections_;
  const Incidents incidents_;
  std::mutex mutex_;  // leaf; guards the two below
  std::deque<Task> tasks_;
  bool closing_ = false;
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
};

}  // namespace muster::store::sqlite
