// Writes recordings to the redo files, as many at once as have come together, while the writer runs the next groups.
//
// What waits when a write has ended is written next without asking anybody: the disk is never idle while somebody waits for it.
// Numbers of records are its own; groups are named by the caller's order of them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/status.h"
#include "base/unique_function.h"
#include "store/sqlite/redo/redo_files.h"

namespace muster::store::sqlite {

class RedoWriter {
 public:
  // How far it has come. After a failure nothing is written until restart().
  struct Progress {
    std::uint64_t written = 0;  // up to this group
    std::uint64_t tried = 0;    // and what became of the ones behind it, up to this one, is said by `failure`
    Status failure;
    std::size_t writes = 0;  // since the last look
    double seconds = 0;      // that they took
  };

  RedoWriter(RedoFiles& files, const Clock& clock) : files_(files), clock_(clock) {}
  ~RedoWriter() { stop_thread(); }

  // A thread begins and does the writes from here on; `ended` is called on it after each.
  void start_thread(UniqueFunction<void()> ended);
  // What is under way ends first; what waits is left to begin() and write().
  void stop_thread();
  bool has_thread() const { return thread_.joinable(); }

  // Groups are numbered from 1, one behind the other.
  void add(std::uint64_t group, std::string_view recorded, bool synced);
  // For the thread: something was added.
  void wake();
  // What waits becomes the write that is under way, unless there is one. False: there is none, or nothing waits, or all has
  // failed.
  bool begin();
  // Does the write that begin() has begun.
  void write();
  bool under_way();
  // Blocks while a write is under way.
  void wait();
  Progress progress();
  // Since when the write that is under way takes.
  std::optional<Ticks> busy_since();

  // --- REQUIRES: nothing is under way ---
  // The number of the last record, whether it could be written or not.
  std::uint64_t newest() const { return newest_; }
  void start_behind(std::uint64_t newest) { newest_ = newest; }
  RedoFiles& files() { return files_; }
  // The database has everything: the files start over, what waits is dropped, and a failure is forgotten.
  void restart();

 private:
  void run();
  bool begin_locked();

  RedoFiles& files_;
  const Clock& clock_;
  std::uint64_t newest_ = 0;
  std::string record_;  // of the write that is under way
  bool record_synced_ = false;
  std::uint64_t record_group_ = 0;

  std::mutex mutex_;               // leaf; guards what follows
  std::condition_variable to_do_;  // for the thread
  std::condition_variable ended_write_;
  std::string waiting_;  // a record, but for its header
  bool waiting_synced_ = false;
  std::uint64_t waiting_group_ = 0;
  std::optional<Ticks> began_;  // the write that is under way
  bool closing_ = false;
  Progress progress_;
  UniqueFunction<void()> ended_;
  std::thread thread_;
};

}  // namespace muster::store::sqlite
