// What the contract suite needs of a store beyond the interface: its clock, and the ends of a process.
//
// Every store lists itself in stores_testing.cc under the names it is tested as; the cases know nothing but this header and
// store/store.h. A harness belongs to one case: its data is empty at first and gone at the end.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "store/store.h"

namespace muster::store::contract {

class Harness {
 public:
  virtual ~Harness() = default;

  virtual Store& store() = 0;  // another object after restart() or crash()
  virtual Instant now() const = 0;
  virtual void advance(Duration by) = 0;
  virtual void pause(Duration by) = 0;  // time passes in which the process is stopped

  virtual Status restart() = 0;  // closes cleanly and opens again on the same data
  virtual Status crash() = 0;    // abandons the store without closing it and opens what it left behind

  // Does queued work on the calling thread. False: there was none, or threads of the store's own do it.
  virtual bool pump() = 0;
  virtual bool threaded() const = 0;

  // Set before the first verb; stays in place over restart() and crash().
  virtual void listen(Listener* listener) = 0;

  // True when verbs are refused or answered with `outcome_unknown` at random: the client repeats them as documented.
  virtual bool faulty() const { return false; }

  // False: the store's data is backed up by other tools, and the verb says which.
  virtual bool has_backup() const { return true; }
  // True: other nodes may work on the same data.
  virtual bool has_nodes() const { return false; }
  virtual std::string scratch_path(std::string_view name) const = 0;  // a file of the case's own that does not exist
  // A harness on the same clock over a backup taken to `path`. It must not outlive this one.
  virtual Result<std::unique_ptr<Harness>> open_backup(const std::string& path) = 0;
};

using HarnessMaker = std::function<Result<std::unique_ptr<Harness>>()>;

struct StoreKind {
  std::string name;
  HarnessMaker make;
  friend std::ostream& operator<<(std::ostream& out, const StoreKind& kind) { return out << kind.name; }
};

// Every store there is, by the name its cases carry.
std::vector<StoreKind> stores();

// Puts a fault decorator in front of a store. seed 0: one that does nothing.
HarnessMaker behind_faults(HarnessMaker inner, std::uint64_t seed);

}  // namespace muster::store::contract
