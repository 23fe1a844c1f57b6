// Packages of AstraFlow's workers: the catalogue that their registrations make, what operators want of them, and what became of
// it.
//
// Everything is kept in the internal keyspace (package_records.h), so it outlives workers and servers and is the same on every
// node. What is to be done about one worker is decided by package_rules.h whenever the node that speaks with it asks
// (reconcile); nobody else sends anything. Any thread; replies come on a store thread or before the call returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/reply.h"
#include "base/unique_function.h"
#include "engine/events.h"
#include "engine/options.h"
#include "engine/package_records.h"
#include "engine/package_rules.h"
#include "model/limits.h"
#include "model/package.h"
#include "store/store.h"

namespace muster::engine {

inline constexpr std::size_t kPackageVersionsMax = 1'000;                   // of a namespace
inline constexpr std::size_t kPackageManifestBytesMax = 256 * 1024;         // of one manifest
inline constexpr std::size_t kPackageManifestsBytesMax = 32 * 1024 * 1024;  // of all manifests of a namespace
inline constexpr std::size_t kPackageWorkersMax = 10'000;                   // of a namespace
inline constexpr std::size_t kPackagesOfWorkerMax = 256;                    // of one registration
inline constexpr std::size_t kPackageNodesMax = 256;                        // types of one manifest
inline constexpr std::size_t kPackageWishesMax = 1'000;                     // of a namespace
inline constexpr std::size_t kPackageEventsMax = 1'000;                     // kept of a namespace

// A manifest as a worker registered it.
struct PackageManifest {
  std::string name;
  std::string version;
  std::string text;  // JSON; empty when there is a problem
  std::string description;
  std::vector<std::string> nodes;  // types
  std::string problem;             // what is wrong with it
};

// What the wire that speaks with a worker knows of it.
struct PackageReport {
  NamespaceName ns{kDefaultNamespace};
  WorkerId worker;
  std::string worker_name;
  Labels labels;
  std::string unable;  // why it can carry out no order; empty: it can
  PackageContact contact;
  std::optional<std::vector<WorkerPackage>> packages;  // what it registered; empty: as before
  std::vector<PackageManifest> manifests;
};

struct PackageInstructions {
  std::vector<PackageOrder> orders;  // to be sent now
  std::optional<Instant> look_at;    // ask again then
  bool drift = false;
};

// What a worker said about one of its packages.
struct PackageNotice {
  NamespaceName ns{kDefaultNamespace};
  WorkerId worker;
  std::string worker_name;
  std::string name;
  std::string version;
  PackageStatus status = PackageStatus::failed;  // installed or failed
  std::string message;
};
struct PackageNoticed {
  std::optional<PackageOp> op{};  // that it was about; empty: nobody had asked
};

struct PackageWished {
  NamespaceName ns;
  PackageWish wish;
  std::uint64_t workers = 0;  // known ones that it is about
  std::uint64_t drift = 0;    // of these, those that are not so yet
  bool forgotten = false;     // the wish is gone, and workers keep what they have
};

struct PackageQuery {
  NamespaceName ns{kDefaultNamespace};
  WorkerId worker;  // set: only what this one has or shall have
  std::size_t limit = limits::kPageDefault;
  std::string cursor;
};

struct PackageSummary {
  std::string name;
  std::string description;            // of the latest version
  std::string latest;                 // version; empty: none was ever registered
  std::vector<std::string> versions;  // oldest first
  std::uint64_t workers = 0;          // that have some version installed
  std::uint64_t wishes = 0;
  std::uint64_t drift = 0;  // workers that differ from what they shall have
};

struct PackagePage {
  std::vector<PackageSummary> packages;  // by name
  std::string next;
};

struct PackageGet {
  NamespaceName ns{kDefaultNamespace};
  std::string name;
  std::string version;  // of the manifest; empty: the latest
};

struct PackageVersion {
  std::string version;
  std::vector<std::string> nodes;
  std::string problem;
  Instant seen_at{};
  std::uint64_t installed = 0;  // workers, by what they say of it
  std::uint64_t missing = 0;
  std::uint64_t failed = 0;
};

// One worker and one package.
struct PackageAt {
  WorkerId worker;
  std::string worker_name;
  std::vector<WorkerPackage> has;  // versions of the package
  std::optional<PackageOp> wanted;
  std::string wanted_version;
  bool drift = false;
  std::optional<PackageOperation> operation;
  Instant seen_at{};
};

struct PackageView {
  NamespaceName ns;
  std::string name;
  std::string description;
  std::string latest;
  std::vector<PackageVersion> versions;  // oldest first
  std::string manifest_version;
  std::string manifest;  // JSON; empty: none is kept
  std::vector<PackageWish> wishes;
  std::vector<PackageAt> workers;   // the first kPageMax that have it or shall have it
  std::uint64_t workers_total = 0;  // all of these
  std::uint64_t drift = 0;          // of all
};

struct PackageEventQuery {
  NamespaceName ns{kDefaultNamespace};
  std::string package;  // empty: all
  WorkerId worker;
  std::size_t limit = limits::kPageDefault;
};

struct PackageEvents {
  std::vector<PackageChange> events;  // newest first
};

class Packages {
 public:
  // All of them outlive every reply.
  Packages(store::Store& store, Events& events, const Clock& clock, Metrics& metrics, const Options& options);

  // Takes down what a worker has and says what it is to do. exhausted: there are too many workers.
  void reconcile(PackageReport report, Reply<PackageInstructions> reply);
  void note(PackageNotice notice, Reply<PackageNoticed> reply);

  // not_found: it names a worker that never registered here. exhausted: kPackageWishesMax.
  void wish(NamespaceName ns, PackageWish wish, Reply<PackageWished> reply);
  // Target and package of `wish` say which. not_found: there is none.
  void forget(NamespaceName ns, PackageWish wish, Reply<PackageWished> reply);
  // Changes whenever a wish does, wherever that happens.
  void wishes_version(NamespaceName ns, Reply<std::string> reply);

  void list(PackageQuery query, Reply<PackagePage> reply);
  void get(PackageGet query, Reply<PackageView> reply);
  void events(PackageEventQuery query, Reply<PackageEvents> reply);

 private:
  struct Reconciling;
  struct Survey;

  using Answers = std::vector<store::KeyAnswer>;
  void run(const NamespaceName& ns, std::vector<store::KeyCommand> commands, Reply<Answers> reply);
  void reconcile_with(std::shared_ptr<Reconciling> work);
  void admit(std::shared_ptr<Reconciling> work);
  void decide(std::shared_ptr<Reconciling> work);
  void write(std::shared_ptr<Reconciling> work);
  // Every worker's row, in the order of their names; then `done`.
  void walk(NamespaceName ns, std::string after, UniqueFunction<void(PackageWorker)> see, Reply<PackageNoticed> done);
  void publish(const NamespaceName& ns, std::vector<PackageChange> changes);

  store::Store& store_;
  Events& events_;
  const Clock& clock_;
  Metrics& metrics_;
  const PackageTiming timing_;
};

}  // namespace muster::engine
