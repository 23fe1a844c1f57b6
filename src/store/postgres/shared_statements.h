// Statements that several files of this folder run.
#pragma once

#include "store/postgres/statements.h"

namespace muster::store::postgres {

inline const Sql kDirectoryBump{"directory_bump"};  // what nodes remember of names is old from now on
inline const Sql kRunsEnded{"runs_ended"};
inline const Sql kWorkerLook{"worker_look"};

}  // namespace muster::store::postgres
