// SQLite's view of a Disk: a VFS with file locks and shared memory inside the process, so that WAL mode and several
// connections work as they do on the operating system.
//
// The world registers one per run and names it in sqlite::Options::vfs. It reads no clock and no entropy of the
// machine: entropy comes from the disk, time stands still, so that a run depends on its seed alone.
#pragma once

#include <memory>
#include <string>

#include "tests/sim/disk.h"

namespace muster::sim {

class FaultyVfs {
 public:
  // Registers the VFS under `name`. The disk outlives it; every connection opened through it is closed before.
  FaultyVfs(std::string name, Disk& disk);
  ~FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  const std::string& name() const { return name_; }

 private:
  struct State;
  std::string name_;
  std::unique_ptr<State> state_;
};

}  // namespace muster::sim
