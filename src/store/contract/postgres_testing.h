// The harness of the clustered store, apart from the suite, which knows no database.
#pragma once

#include <string>

#include "store/contract/harness.h"

namespace muster::store::contract {

// Where the servers of the tests are: tools/scratch_postgres.py and ./dev set both. Without them there is nothing to test.
inline constexpr const char* kPostgresVariable = "MUSTER_TEST_POSTGRES";               // the server itself
inline constexpr const char* kPostgresPooledVariable = "MUSTER_TEST_POSTGRES_POOLED";  // a pooler in transaction mode before it

struct PostgresUrls {
  std::string url;     // for verbs
  std::string direct;  // the server itself: for the connection that listens, and for the harness
};

HarnessMaker postgres_store(PostgresUrls urls);

}  // namespace muster::store::contract
