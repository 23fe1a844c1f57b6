// Packages of AstraFlow's workers: what they have, what they shall have, what happened.
//
// Fields are named as on the wire; absent ones are empty or std::nullopt. `document` is the object exactly as the server sent it,
// so that a program can show fields this version does not know.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/time.h"

namespace muster::sdk {

struct PackageSummary {
  std::string name, description, latest_version;
  std::vector<std::string> versions;  // oldest first
  std::uint64_t workers = 0, wishes = 0, drift = 0;
  std::string document;
};

struct PackageQuery {
  std::string ns, worker, cursor;
  std::optional<std::uint32_t> limit;
};

struct PackagePage {
  std::vector<PackageSummary> packages;  // by name
  std::string next;
};

struct PackageVersion {
  std::string version, manifest_problem;
  std::vector<std::string> nodes;
  std::uint64_t installed = 0, missing = 0, failed = 0;  // workers
  std::optional<Instant> seen_at;
};

// What workers shall have.
struct PackageWish {
  std::string ns, op, name, version, url, sha256, worker, by;
  std::map<std::string, std::string> selector;
  std::optional<Instant> at;
  std::uint64_t workers = 0, drift = 0;  // in the answer to an install or uninstall
  bool forgotten = false;
  std::string document;
};

struct PackageOperation {
  std::string op, version, message;
  bool failed = false;
  std::uint32_t attempts = 0;
  std::optional<Instant> due_at;
};

struct PackageHas {
  std::string version, status;
};

// One worker and the package.
struct PackageAt {
  std::string worker, worker_name, wanted, wanted_version;
  std::vector<PackageHas> has;
  bool drift = false;
  std::optional<PackageOperation> operation;
  std::optional<Instant> seen_at;
};

struct Package {
  std::string ns, name, description, latest_version, manifest_version;
  std::vector<PackageVersion> versions;
  std::vector<PackageWish> wishes;
  std::vector<PackageAt> workers;
  std::uint64_t workers_total = 0, drift = 0;
  std::string manifest;  // JSON
  std::string document;
};

// One of worker, selector and all is said.
struct PackageInstall {
  std::string ns, name, version, worker;
  std::map<std::string, std::string> selector;
  bool all = false;
  std::string url, file, sha256;
};

struct PackageUninstall {
  std::string ns, name, version, worker;
  std::map<std::string, std::string> selector;
  bool all = false;
  bool forget = false;  // only drops what was wanted
};

struct PackageEventQuery {
  std::string ns, package, worker;
  std::optional<std::uint32_t> limit;
};

struct PackageEvent {
  std::optional<Instant> at;
  std::string ns, worker, worker_name, package, version, op, status, message, by;
  std::string document;
};

}  // namespace muster::sdk
