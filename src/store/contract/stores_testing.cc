// The list of stores. One line here makes a store pass, or fail, every case of the suite.
#include <cstdlib>

#include "store/contract/embedded_testing.h"
#include "store/contract/harness.h"
#include "store/contract/postgres_testing.h"

namespace muster::store::contract {
namespace {

constexpr std::uint64_t kTransparent = 0;
constexpr std::uint64_t kFaultSeed = 20'240'601;

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

std::vector<StoreKind> stores() {
  const HarnessMaker threaded = embedded_store(sqlite::Threading::own);
  std::vector<StoreKind> kinds{
      {"sqlite", threaded},
      {"sqlite_manual", embedded_store(sqlite::Threading::manual)},
      {"sqlite_faults_transparent", behind_faults(threaded, kTransparent)},
      {"sqlite_faults", behind_faults(threaded, kFaultSeed)},
  };
  const std::string direct = from_environment(kPostgresVariable);
  const std::string pooled = from_environment(kPostgresPooledVariable);
  if (!direct.empty()) {
    const HarnessMaker cluster = postgres_store({.url = direct, .direct = direct});
    kinds.push_back({"postgres", cluster});
    kinds.push_back({"postgres_faults", behind_faults(cluster, kFaultSeed)});
  }
  if (!direct.empty() && !pooled.empty()) kinds.push_back({"postgres_pooled", postgres_store({.url = pooled, .direct = direct})});
  return kinds;
}

}  // namespace muster::store::contract
