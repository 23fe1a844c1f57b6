// Rows of workers, as the verbs about workers read, lock and write them.
//
// What changes with every beat (last seen, counts, stats) stands in `beats` while a worker lives and in `workers` once it is
// offline; a WorkerRow has both joined. Locks are taken in the order workers, beats, jobs, so gates come before all of this.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/postgres/tx.h"

namespace muster::store::postgres {

struct WorkerRow {
  WorkerKey key = 0;
  NamespaceKey ns = 0;
  std::int64_t revision = 0;
  bool heard = false;    // it has a row in `beats`
  bool renewed = false;  // write_workers() gives it a new session
  Worker worker;

  bool live() const { return worker.state != WorkerState::offline; }
};

// Reads the columns of worker_lock; the directory knows the namespaces' names.
class WorkerReader {
 public:
  explicit WorkerReader(Tx& tx);
  WorkerRow read(const Rows& rows, std::size_t row) const;
  // The columns of worker_read: beats and running jobs come along.
  WorkerRow read_whole(const Rows& rows, std::size_t row) const;
  const NamespaceName& name_of(NamespaceKey ns) const;

 private:
  std::map<NamespaceKey, NamespaceName> names_;
};

// Those that exist, with what their beats and running jobs say; nobody claims for them until the commit.
std::map<WorkerKey, WorkerRow> lock_workers(Tx& tx, const std::vector<WorkerKey>& keys);
// Writes them whole, under a new revision, and fills in session and revision. Asks only when `answer` is wanted.
enum class Answer : bool { no, yes };
void write_workers(Tx& tx, const std::vector<WorkerRow*>& rows, Answer answer);
// This node's cache learns the row.
void remember_worker(Tx& tx, const WorkerRow& row);
void tell_worker(Tx& tx, const Worker& worker, std::optional<WorkerState> from, std::string cause);

struct WorkerName {
  NamespaceName ns;
  WorkerId id;
};
// Their keys, in the same order, or why not: not_found for the namespace or the worker. Waits for nobody.
std::vector<Result<WorkerKey>> look_up(Tx& tx, const std::vector<WorkerName>& names);

// Names of workers in a namespace, for the statements that look them up.
struct NameColumns {
  Column ns{Type::int4};
  Column name{Type::text};
  void add(NamespaceKey in, const WorkerId& id) {
    ns.add(std::int64_t{in});
    name.add(std::string_view(id.text()));
  }
  std::size_t size() const { return ns.size(); }
  Params params() { return std::move(Params().array(std::move(ns)).array(std::move(name))); }
};

}  // namespace muster::store::postgres
