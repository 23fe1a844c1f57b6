// Numbered, forward-only migrations of the schema, one transaction a step, under a lock that lasts as long as the step.
//
// The first node of a new version migrates while nodes of the version before still work on the schema. So a step may add: a
// table, a column with a default or without NOT NULL, an index, a function, a wider CHECK. It may not take away, rename or narrow
// what the version before reads or writes; that is left to a step of the version after next, when nobody uses it any more. A step
// must not take long while it holds locks on the tables of jobs: it gives up after kStepLockWait, and nothing has changed.
//
// Everything here runs on a connection before start_pipeline(). The lock is the transaction's own, so a pooler in between does no
// harm.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "store/postgres/wire/connection.h"

namespace muster::store::postgres {

// Rows of the table `meta` that the first step makes.
inline constexpr const char* kMetaVersion = "schema_version";
inline constexpr const char* kMetaSalt = "salt";  // of job ids; a positive 63-bit number
inline constexpr const char* kMetaDirectoryVersion = "directory_version";

// The newest version this program knows.
std::uint32_t newest_version();
// 0: there is no schema yet. invalid_argument: a bad name, or a schema that is not ours.
Result<std::uint32_t> schema_version(Connection& connection, const std::string& schema);
// Brings the schema to the newest version. Costs one question when it is there already, and needs no more than the right to read
// then. invalid_argument: no waiting mends it (the schema is newer than this program, a right is missing, the name cannot be
// one).
// `target`: no further than this version, for tests of what earlier programs left; 0: to the newest.
Status migrate(Connection& connection, const std::string& schema, std::uint32_t target = 0);

}  // namespace muster::store::postgres
