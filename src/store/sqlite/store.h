// The embedded store: one SQLite file, one writer thread, group commit, and the hot order in memory.
//
// Rows by integer key are the truth. Everything that orders work (ready heads per lane, due times, leases, limits) is an index in
// memory that the writer thread owns and rebuilds from the rows at open and after a failed commit. All mutations
// that arrive while a commit is in flight go into the next one. See hot/README.md for the picture, redo/redo_file.h for how a
// group becomes durable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/listening.h"
#include "base/metrics.h"
#include "base/status.h"
#include "store/store.h"

namespace muster {
class Helper;
}

namespace muster::store::sqlite {

enum class Durability : std::uint8_t {
  full,    // every commit is synced before its replies leave
  normal,  // commits survive a crash of the process, not of the machine
};

enum class Threading : std::uint8_t {
  own,     // a writer thread and reader threads
  manual,  // no threads: verbs queue up until pump(); for the simulation
};

inline constexpr std::size_t kLanesMax = 200'000;  // distinct ones that live jobs have at one time

// Of the redo files (redo/redo_files.h): no more has to be played at a start, but for groups of unusual size.
inline constexpr std::size_t kRedoBytesDefault = 8 << 20;

struct Options {
  std::string path;
  Durability durability = Durability::full;
  Threading threading = Threading::own;
  std::string vfs;                    // empty: the operating system; tests name a faulty one
  std::size_t pending_max = 200'000;  // verbs waiting for the writer; one more is answered `exhausted`
  std::size_t lanes_max = kLanesMax;  // of live jobs; one more is answered `exhausted`
  std::size_t readers = 2;            // connections for lists and searches
  std::size_t redo_bytes = kRedoBytesDefault;
  std::uint64_t seed = 0;   // of backoff jitter; 0: from the operating system
  bool overlapped = false;  // Threading::manual: a group is written behind the next one, as with threads under load
  bool helped = false;      // Threading::manual: groups are run as a thread that helps runs them, where it may
  // What silence is judged by; outlives the store. Null: all time counts.
  const ListeningClock* listening = nullptr;
};

// What `muster migrate status` shows.
struct SchemaStatus {
  std::uint32_t version = 0;  // of the file; 0: empty or missing
  std::uint32_t newest = 0;   // of this program
};
Result<SchemaStatus> schema_status(const std::string& path);

class SqliteStore : public Store {
 public:
  // Creates the file (0600) if it is missing, migrates it, checks it after an unclean end, and rebuilds the index.
  // conflict: another process owns the file. corrupt: the file is damaged. unavailable: it cannot be opened or
  // written. invalid_argument: its schema is newer than this program.
  static Result<std::unique_ptr<SqliteStore>> open(Options options, const Clock& clock, Metrics& metrics);

  // Threading::manual only: does everything queued so far as one group. False when there was nothing to do, and nothing to be
  // written.
  virtual bool pump() = 0;

  // Threading::own only: a thread that runs short groups of verbs by itself at the ends of its rounds (op_queue.h), which also
  // answer there. Null before that thread ends.
  virtual void set_helper(std::shared_ptr<Helper> helper) = 0;
};

}  // namespace muster::store::sqlite
