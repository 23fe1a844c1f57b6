// Packages of AstraFlow's workers: what a worker has, what operators want of it, and what happened on the way from one to the
// other. Plain values and the forms they are held to; engine/package_rules.h decides with them.
//
// A worker has packages, each in versions. A wish says what one worker, or every worker with some labels, shall have; where a
// worker differs from the wish that applies to it there is drift, and an operation on its way against it, or a failed one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "model/capability.h"
#include "model/ids.h"

namespace muster {

namespace limits {

inline constexpr std::size_t kPackageNameBytesMax = 128;
inline constexpr std::size_t kPackageVersionBytesMax = 64;
inline constexpr std::size_t kPackageUrlBytesMax = 2'048;
inline constexpr std::size_t kPackageMessageBytesMax = 1'024;

}  // namespace limits

enum class PackageOp : std::uint8_t { install, uninstall };
std::string_view to_string(PackageOp op);
std::optional<PackageOp> parse_package_op(std::string_view word);

// `requested` and `sent` are of operations, `installed` and `removed` of operations that succeeded and of workers that changed by
// themselves; a worker registers a package as `installed`, `missing` or `failed`.
enum class PackageStatus : std::uint8_t { requested, sent, installed, removed, missing, failed };
std::string_view to_string(PackageStatus status);
std::optional<PackageStatus> parse_package_status(std::string_view word);

struct WorkerPackage {
  std::string name;
  std::string version;
  PackageStatus status = PackageStatus::installed;
  friend bool operator==(const WorkerPackage&, const WorkerPackage&) = default;
};

// One target has one wish about a package; a later one takes its place.
struct PackageWish {
  PackageOp op = PackageOp::install;
  std::string name;
  std::string version;  // of an uninstall it may be empty: every version
  std::string url;      // where the worker finds it
  std::string sha256;   // of what is there, in lower case; empty: unknown
  WorkerId worker;      // set: this one alone
  Labels selector;      // else those with all of these; empty: every worker
  std::string by;       // the token's name
  Instant at{};         // tells one wish from another about the same
};

// Lower-case words and digits joined by . _ -
Status validate_package_name(std::string_view name);
// 1.2.3, with a suffix behind - or +
Status validate_package_version(std::string_view version);
// "1.10.0" is newer than "1.9.0": numbers are compared by value; a suffix behind - is older than none.
bool is_older_version(std::string_view a, std::string_view b);
// 64 hexadecimal digits.
Status validate_sha256(std::string_view digest);
// scheme:rest without blanks or control characters.
Status validate_package_url(std::string_view url);
// The form of a wish as a whole.
Status validate(const PackageWish& wish);

// "worker:w1", "labels:zone=a,rack=7" or "all": whom a wish is about.
std::string target_text(const PackageWish& wish);

// The one that is on its way at a worker, or failed, about one package.
struct PackageOperation {
  PackageOp op = PackageOp::install;
  std::string version;
  Instant wish{};                // PackageWish::at of the wish it is for
  bool failed = false;           // else it was sent
  std::uint32_t attempts = 0;    // sent so often
  std::optional<Instant> due{};  // sent: given up then; failed: tried again then; nothing: not again
  std::string message;           // why it failed
};

// A worker as the catalogue knows it.
struct PackageWorker {
  WorkerId id;
  std::string name;  // for people
  Labels labels;
  std::string unable;  // why it can carry out no order; empty: it can
  std::vector<WorkerPackage> packages;
  std::map<std::string, PackageOperation> operations;  // by package
  Instant at{};                                        // heard of
};

// What happened, for the history and for whoever watches.
struct PackageChange {
  NamespaceName ns{kDefaultNamespace};
  WorkerId worker;          // empty: a wish about many
  std::string worker_name;  // for people; whom a wish is about
  std::string package;
  std::string version;            // empty: every one
  std::optional<PackageOp> op{};  // empty: the worker changed by itself
  PackageStatus status = PackageStatus::requested;
  std::string message;
  std::string by;  // who asked for it; empty: nobody did
  Instant at{};
};

}  // namespace muster
