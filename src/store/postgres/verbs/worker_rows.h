// Rows of workers, as the verbs about workers read, lock and write them.
//
// What changes with every beat (last seen, counts, stats) stands in `beats` while a worker lives and in `workers` once it is
// offline; a WorkerRow has both joined. Locks are taken in the order workers, beats, jobs, so gates come before all of this.
#pragma once

#include <charconv>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/postgres/moves.h"
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

// (namespace, worker) and what else, for the statements that look workers up by name.
inline Table name_table(std::initializer_list<Type> further = {}) {
  std::vector<Type> types{Type::int4, Type::text};
  types.insert(types.end(), further);
  return Table(std::move(types));
}

// What this node counted of its workers since the last time, on its way into `beats`.

using WorkerDeltas = std::vector<Directory::WorkerDelta>;

// Takes the counts and notes their statement as one more of the exchange that follows. Empty: nothing was noted.
WorkerDeltas note_worker_counts(Tx& tx);
// With that statement's answer. Counts of rows that somebody held stay for the next time and are taken out of `deltas`; those of
// workers without a row are of nobody any more.
void settle_worker_counts(Tx& tx, WorkerDeltas& deltas, const Rows& held);

// Writes the counts at once, and gives them back at the end of the verb when its transaction is known to be undone: it failed, or
// names must be made first. For verbs that go on to move jobs; write_worker_counts() is for the others.
class WrittenCounts {
 public:
  explicit WrittenCounts(Tx& tx);
  ~WrittenCounts();
  WrittenCounts(const WrittenCounts&) = delete;
  WrittenCounts& operator=(const WrittenCounts&) = delete;

 private:
  Tx& tx_;
  WorkerDeltas deltas_;
};

// Pairs of numbers in one text column, as beat_note gives them: "12:90 13:91".

inline std::vector<std::pair<std::int64_t, std::int64_t>> lease_pairs(std::string_view text) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::pair<std::int64_t, std::int64_t> pair;
    const auto first = std::from_chars(at, end, pair.first);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != ':') return pairs;
    const auto second = std::from_chars(first.ptr + 1, end, pair.second);
    if (second.ec != std::errc()) return pairs;
    pairs.push_back(pair);
    at = second.ptr;
    if (at != end) ++at;  // the space between
  }
  return pairs;
}

// How a worker leaves: what it runs is lost or handed back, what was held for it is anybody's again, its row says offline.
//
// Used by unregister and by the sweeps that bury silent workers and end drains; register_workers uses its first half, since a new
// session begins where another one ends.

// Gates first, as far as these workers' bonds and jobs need them, then the rows.
std::map<WorkerKey, WorkerRow> lock_leaving(Tx& tx, const std::vector<WorkerKey>& keys);

struct Departure {
  WorkerRow* row = nullptr;
  std::optional<JobError> lost;  // what its jobs are told; empty: they are handed back without cost
  bool only_over = false;        // leases that are not over stay until they are
};

// The leases of these workers end. REQUIRES: locked rows.
void end_leases(Tx& tx, const std::vector<Departure>& departures);
// And the workers are offline for this cause. REQUIRES: locked rows of live workers.
void take_offline(Tx& tx, const std::vector<Departure>& departures, const char* cause);

}  // namespace muster::store::postgres
