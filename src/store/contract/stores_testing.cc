// The list of stores. One line here makes a store pass, or fail, every case of the suite.
#include "store/contract/embedded_testing.h"
#include "store/contract/harness.h"

namespace muster::store::contract {

std::vector<StoreKind> stores() {
  constexpr std::uint64_t kTransparent = 0;
  constexpr std::uint64_t kFaultSeed = 20'240'601;
  const HarnessMaker threaded = embedded_store(sqlite::Threading::own);
  return {
      {"sqlite", threaded},
      {"sqlite_manual", embedded_store(sqlite::Threading::manual)},
      {"sqlite_faults_transparent", behind_faults(threaded, kTransparent)},
      {"sqlite_faults", behind_faults(threaded, kFaultSeed)},
  };
}

}  // namespace muster::store::contract
