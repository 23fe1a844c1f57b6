// Packages as they are kept: the JSON of each record, and where it stands in the internal keyspace of its namespace.
//
//   packages              hash  NAME@VERSION → PackageRecord
//   packages:manifest:…   text  the manifest of NAME@VERSION
//   packages:workers      hash  worker → PackageWorker
//   packages:wishes       hash  package and target → PackageWish
//   packages:events       list  PackageChange, the newest first
//
// Reading answers nullopt for what is no such record: a newer version may have written it, and one bad row hides no others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "model/package.h"

namespace muster::engine {

inline constexpr const char* kPackagesKey = "packages";
inline constexpr const char* kPackageWorkersKey = "packages:workers";
inline constexpr const char* kPackageWishesKey = "packages:wishes";
inline constexpr const char* kPackageEventsKey = "packages:events";
std::string manifest_key(std::string_view name, std::string_view version);
std::string version_field(std::string_view name, std::string_view version);  // NAME@VERSION
std::string wish_field(const PackageWish& wish);

// One version of a package, as some worker registered it.
struct PackageRecord {
  std::string name;
  std::string version;
  std::string description;
  std::vector<std::string> nodes;    // types
  std::string problem;               // what is wrong with its manifest, which is then not kept
  std::uint64_t manifest_bytes = 0;  // 0: none is kept
  std::uint64_t manifest_hash = 0;   // tells another text under the same version
  Instant seen_at{};                 // first
};

std::string to_text(const PackageRecord& record);
std::string to_text(const PackageWorker& worker);
std::string to_text(const PackageWish& wish);
std::string to_text(const PackageChange& change);

std::optional<PackageRecord> read_package_record(std::string_view text);
std::optional<PackageWorker> read_package_worker(std::string_view text);
std::optional<PackageWish> read_package_wish(std::string_view text);
std::optional<PackageChange> read_package_change(std::string_view text);

}  // namespace muster::engine
