// What this node counted of its workers since the last time, on its way into `beats`.
#pragma once

#include <vector>

#include "store/postgres/tx.h"

namespace muster::store::postgres {

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

}  // namespace muster::store::postgres
