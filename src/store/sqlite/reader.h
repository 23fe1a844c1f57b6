// Lists and searches on a connection of their own: a reader sees the last commit and never holds up the writer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/codec/id_codec.h"
#include "store/keyspace/sliced_batch.h"
#include "store/runs.h"
#include "store/sqlite/db.h"
#include "store/sqlite/keys/statements.h"
#include "store/sqlite/plan_lists.h"
#include "store/verbs.h"

namespace muster::store::sqlite {

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
};

}  // namespace muster::store::sqlite
