// Opening the file: ownership, pragmas, migration, the check after an unclean end, and what a new file starts with.
#pragma once

#include <memory>

#include "store/sqlite/db.h"
#include "store/sqlite/owner_lock.h"
#include "store/sqlite/store.h"

namespace muster::store::sqlite {

struct Opened {
  std::unique_ptr<OwnerLock> lock;  // null with a named vfs
  std::unique_ptr<Connection> connection;
};
Result<Opened> open_file(const Options& options, const Clock& clock);
// A further connection for a reader.
Result<std::unique_ptr<Connection>> open_reader(const Options& options);
// Says in the file that it was closed in order; the next open then skips the check.
Status mark_clean(Connection& connection, bool clean);

}  // namespace muster::store::sqlite
