// Rows and redo files together, before the store begins: what was acknowledged and is not in the rows yet is played.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "store/sqlite/db.h"
#include "store/sqlite/redo/redo_files.h"

namespace muster::store::sqlite {

// Names in the table `meta`.
inline constexpr const char* kClean = "clean";                 // 1: closed in order
inline constexpr const char* kRedoDatabase = "redo_database";  // the number that tells this database from others
inline constexpr const char* kRedoDone = "redo_done";          // the last group that the rows have

// A number of `meta`; 0: it has none of that name.
Result<std::uint64_t> meta_number(Connection& connection, const char* name);

// Plays the groups behind the last that the rows have, in one transaction. Files that belong to another database are left alone.
// corrupt: groups are missing. REQUIRES: the table `meta` is there, no transaction is open.
Status recover(Connection& connection, RedoFiles& redo, const std::string& path);

}  // namespace muster::store::sqlite
