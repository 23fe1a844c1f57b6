// A consistent copy of the database while work goes on.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "store/verbs.h"

namespace muster::store::sqlite {

// Blocks until the copy is complete and synced; call from a thread that may. already_exists: `to` is there.
Result<BackupReport> backup_file(const std::string& from, const std::string& to, const std::string& vfs, const Clock& clock);

}  // namespace muster::store::sqlite
