// A disk that forgets: files in memory that tell synced bytes from unsynced ones, fail on request, and die in the middle
// of a write.
//
// faulty_vfs.cc puts it under SQLite; the world decides when it dies and what survives. A dead disk refuses everything until
// revive(), which stands for the next start of the process: what was not synced is lost, kept, or torn, as chance says.
// Single-threaded, like the whole simulation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/random.h"

namespace muster::sim {

enum class Io : std::uint8_t { ok, short_read, failed, full };

// What a crash takes away.
enum class Loss : std::uint8_t {
  none,      // the process died, the machine went on: the page cache survives
  unsynced,  // everything since the last sync of each file
  torn,      // each unsynced sector survives, vanishes, or survives in part
};

struct DiskFaults {
  double sync_failure = 0;          // chance that one sync fails; what it should have written is then lost or kept, at random
  double read_failure = 0;          // chance that one read fails
  bool full = false;                // files do not grow
  std::optional<std::size_t> room;  // by so many bytes they may still grow, all together
};

class Disk {
 public:
  explicit Disk(Random random) : random_(random) {}

  // One file's bytes, and what would be left of them. The VFS keeps its locks and shared memory here too.
  struct Shared;
  struct Inode {
    struct Change {
      std::size_t offset = 0;
      std::string bytes;
      bool truncates = false;  // the file ends at offset
    };
    std::string now;
    std::string durable;
    std::vector<Change> unsynced;
    bool entry_durable = false;  // the directory names it even after a crash
    std::shared_ptr<Shared> shared;
  };
  using InodeRef = std::shared_ptr<Inode>;

  InodeRef open(const std::string& name, bool create);  // nullptr: missing and not created
  InodeRef open_unnamed() { return std::make_shared<Inode>(); }
  bool exists(const std::string& name) const { return files_.contains(name); }
  Io remove(const std::string& name);

  Io read(const Inode& inode, std::size_t offset, char* to, std::size_t size);
  Io write(Inode& inode, std::size_t offset, const char* from, std::size_t size);
  Io truncate(Inode& inode, std::size_t size);
  Io sync(Inode& inode);

  DiskFaults faults;
  // Dies in the middle of the n-th write, sync, truncation or removal from now; 0: not at all.
  void die_after(std::uint64_t operations) { operations_left_ = operations; }
  bool countdown_running() const { return operations_left_ != 0; }
  void kill() { dead_ = true; }
  bool dead() const { return dead_; }
  void revive(Loss loss);

  // Grows with each revival; handles of an earlier life are void.
  std::uint64_t life() const { return life_; }
  std::uint64_t injected() const { return injected_; }  // faults given so far
  std::uint64_t syncs() const { return syncs_; }        // asked for so far
  std::uint64_t random_word() { return random_.next(); }

  // The file as it is at the moment, for tests of the disk itself and for planting damage.
  std::string content(const std::string& name) const;

 private:
  bool dies_now();
  bool has_room(std::size_t growth) const;
  void lose(Inode& inode, Loss loss);
  void settle_sector(std::string& durable, std::size_t offset, const char* bytes, std::size_t size);

  Random random_;
  std::map<std::string, InodeRef> files_;
  std::uint64_t operations_left_ = 0;
  std::uint64_t life_ = 1;
  std::uint64_t injected_ = 0;
  std::uint64_t syncs_ = 0;
  bool dead_ = false;
};

}  // namespace muster::sim
