// Workers and queues as people read them; shared by their commands and by `top`.
#pragma once

#include <span>
#include <vector>

#include "cli/table.h"
#include "sdk/cpp/types.h"

namespace muster::cli {

Table workers_table(std::span<const sdk::WorkerInfo> workers, sdk::Instant now);
Table worker_details(const sdk::WorkerInfo& worker, sdk::Instant now);
Table queues_table(std::span<const sdk::Queue> queues, sdk::Instant now);
Table lanes_table(std::span<const sdk::Lane> lanes, sdk::Instant now);

}  // namespace muster::cli
