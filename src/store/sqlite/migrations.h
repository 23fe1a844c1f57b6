// Numbered, forward-only migrations of the file, run in one transaction each.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "store/sqlite/db.h"

namespace muster::store::sqlite {

// The newest version this program knows.
std::uint32_t newest_version();
Result<std::uint32_t> file_version(Connection& connection);
// Brings the file to `target`, or to the newest version when it is 0. invalid_argument: the file is newer than this program.
Status migrate(Connection& connection, std::uint32_t target = 0);

}  // namespace muster::store::sqlite
