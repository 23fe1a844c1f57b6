// Packages as rows.
#include "cli/packages.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace muster::cli {
namespace {

std::string package_rows(const Table& table) { return fmt::format("{}", fmt::join(table.lines({}), "\n")); }

TEST(PackageTables, ShowWhoDiffersAndWhy) {
  sdk::Package package;
  package.workers.push_back(
      {.worker = "w1",
       .worker_name = "one",
       .wanted = "install",
       .wanted_version = "1.1.0",
       .has = {{"1.0.0", "installed"}},
       .drift = true,
       .operation =
           sdk::PackageOperation{
               .op = "install", .version = "1.1.0", .message = "disk full", .failed = true, .attempts = 2, .due_at = {}},
       .seen_at = {}});
  package.workers.push_back({.worker = "w2",
                             .worker_name = "two",
                             .wanted = "",
                             .wanted_version = "",
                             .has = {{"1.0.0", "missing"}},
                             .drift = false,
                             .operation = {},
                             .seen_at = {}});
  EXPECT_EQ(package_rows(package_workers_table(package)),
            "WORKER  NAME  HAS              WANTED  DRIFT  OPERATION\n"
            "w1      one   1.0.0            1.1.0   yes    failed: disk full\n"
            "w2      two   1.0.0 (missing)  -       no");
}

TEST(PackageTables, ShowWhatHappened) {
  sdk::PackageEvent event;
  event.at = sdk::Instant(std::chrono::seconds(10));
  event.package = "demo";
  event.op = "uninstall";
  event.status = "removed";
  event.worker_name = "one";
  event.by = "ops";
  EXPECT_EQ(package_rows(package_events_table(std::span(&event, 1), sdk::Instant(std::chrono::seconds(70)))),
            "  AGE  PACKAGE  VERSION  OP         STATUS   WORKER  BY   MESSAGE\n"
            "1m00s  demo     every    uninstall  removed  one     ops");
}

}  // namespace
}  // namespace muster::cli
