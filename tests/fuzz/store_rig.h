// A store on a disk in memory, for fuzzers of what stands above it.
#pragma once

#include <memory>

#include "base/check.h"
#include "base/metrics.h"
#include "store/sqlite/store.h"
#include "tests/sim/faulty_vfs.h"

namespace muster::fuzz {

struct StoreRig {
  StoreRig() {
    store::sqlite::Options options;
    options.path = "/fuzz/muster.db";
    options.vfs = vfs.name();
    options.threading = store::sqlite::Threading::manual;
    options.seed = 1;
    auto opened = store::sqlite::SqliteStore::open(options, clock, metrics);
    check(opened.ok(), "the store opens");
    db = std::move(opened).value();
  }

  sim::Disk disk{sim::Random(1)};
  sim::FaultyVfs vfs{"fuzz", disk};
  ManualClock clock;
  Metrics metrics;
  std::unique_ptr<store::sqlite::SqliteStore> db;
};

}  // namespace muster::fuzz
