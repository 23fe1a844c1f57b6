// What is to be done about the packages of one worker, as pure rules over its row, the wishes and `now`.
//
//   wish ≠ registered  ─►  send  ─►  a registration agrees: done
//                            ▲  └──►  the worker says it failed, or time is over: failed ─┐
//                            └────────── after a pause that doubles, a few times ◄────────┘
//
// Success is only what a worker registers. Called by Packages whenever a worker registers, a wish changes or time has passed;
// called again with the same facts it asks for nothing new.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "model/package.h"

namespace muster::engine {

struct PackageTiming {
  Duration answer{30'000};         // from sending an order to a registration that agrees with it
  Duration retry_first{60'000};    // after the first failure; doubles
  Duration retry_last{3'600'000};  // at most
  std::uint32_t attempts = 5;      // then only a worker that starts over is tried again, and not sooner than retry_last
};

// For the worker.
struct PackageOrder {
  PackageOp op = PackageOp::install;
  std::string name;
  std::string version;
  std::string url;
  std::string sha256;
};

struct PackageRound {
  std::vector<PackageOrder> orders;
  std::vector<PackageChange> changes;  // ns is not filled in
  std::optional<Instant> next;         // when there may be more to do
  bool drift = false;                  // the worker is not as it shall be
};

// Of all wishes about a package the worker's own counts, else the newest that its labels match. By package.
std::vector<const PackageWish*> wishes_for(const PackageWorker& worker, std::span<const PackageWish> wishes);
bool matches(const PackageWorker& worker, const PackageWish& wish);
// The worker is as the wish says.
bool is_met(const PackageWorker& worker, const PackageWish& wish);

// How the worker stands to whoever speaks with it.
struct PackageContact {
  bool afresh = false;  // it has just registered as a process that knows of no order
  bool away = false;    // it cannot be sent anything now; what was sent may still have failed
};
PackageRound advance(PackageWorker& worker, std::span<const PackageWish> wishes, const PackageTiming& timing, Instant now,
                     PackageContact contact);

// The worker says that it could not: its operation about the package, if any is on its way, has failed.
void fail_operation(PackageWorker& worker, std::string_view package, std::string message, const PackageTiming& timing,
                    Instant now);

// What a registration changed, as the worker's own doing.
std::vector<PackageChange> differences(const PackageWorker& worker, std::span<const WorkerPackage> before, Instant now);

}  // namespace muster::engine
