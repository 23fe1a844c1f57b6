// The audit book: who did what, when, to what, and what came of it. command/door.h adds to it, audit.list reads it.
//
// Nobody waits for a row: rows are collected in memory and written in blocks (audit_rows.h) by tick(), kAuditDelay after the
// first of them at the latest. A process that is killed loses those; stop() writes them. While the store refuses they are kept
// and tried again, up to kAuditPendingMax; what comes then is dropped and counted. Blocks go when they are too old or too many
// have come since, a slice at a time.
//
// The book lies in the internal keyspace of the default namespace, whatever its rows are about: deleting a namespace deletes
// nothing of it. Every node of a cluster writes and prunes the same one. Thread-safe.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/reply.h"
#include "engine/audit_rows.h"
#include "engine/options.h"
#include "store/store.h"

namespace muster::engine {

inline constexpr Duration kAuditDelay{100};
inline constexpr std::size_t kAuditPendingMax = 20'000;                 // rows in memory
inline constexpr std::size_t kAuditPendingBytesMax = 16 * 1024 * 1024;  // of these
inline constexpr std::size_t kAuditBlockRowsMax = 500;
inline constexpr std::size_t kAuditBlockBytesMax = 128 * 1024;
inline constexpr Duration kAuditRetryAfter{1'000};  // a refusal of the store
inline constexpr Duration kAuditPruneEvery{60'000};
inline constexpr std::size_t kAuditPruneBlocksMax = 64;  // blocks of a shelf that one pass removes

class Audit {
 public:
  // store, clock and metrics outlive it.
  Audit(store::Store& store, const Clock& clock, Metrics& metrics, const Options& options);
  ~Audit();

  // The row's id and time are given here.
  void add(AuditRow row, AuditShelf shelf);
  // What was added here before is in it. invalid_argument: the limit, or a cursor that is none of ours.
  void list(AuditQuery query, Reply<AuditPage> reply);

  // Writes and prunes what is due, and returns how long until the next may be.
  Duration tick();
  // Hands everything to the store, which answers it before it closes. What is added later is written at once. Idempotent.
  void stop();

 private:
  class Book;
  std::shared_ptr<Book> book_;  // shared with replies that are still on their way when this goes
};

}  // namespace muster::engine
