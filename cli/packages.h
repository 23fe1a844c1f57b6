// Tables of the package commands, apart from them so that a test can look at them.
#pragma once

#include <span>

#include "cli/table.h"
#include "sdk/cpp/client.h"

namespace muster::cli {

Table packages_table(std::span<const sdk::PackageSummary> packages);
Table package_versions_table(const sdk::Package& package, sdk::Instant now);
// Who has it or shall have it, and what is on its way.
Table package_workers_table(const sdk::Package& package);
Table package_wishes_table(std::span<const sdk::PackageWish> wishes, sdk::Instant now);
Table package_events_table(std::span<const sdk::PackageEvent> events, sdk::Instant now);

}  // namespace muster::cli
