// A store on a file, as most tests open it: the same seed each time, and commits that are not synced.
#pragma once

#include <memory>
#include <string>

#include "base/check.h"
#include "store/sqlite/store.h"

namespace muster::store::sqlite {

inline std::unique_ptr<SqliteStore> open_for_test(std::string path, const Clock& clock, Metrics& metrics,
                                                  Threading threading = Threading::own) {
  auto opened = SqliteStore::open({.path = std::move(path), .durability = Durability::normal, .threading = threading, .seed = 1},
                                  clock, metrics);
  check(opened.ok(), opened.status().text());
  return std::move(opened).value();
}

// Everything that waits, where nobody else does it. False: there was nothing.
inline bool pump(SqliteStore& store) {
  bool did = false;
  while (store.pump()) did = true;
  return did;
}

}  // namespace muster::store::sqlite
