// How the whole stands: live workers and queues, as several commands and views tell them. Failures of the store are answered
// here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_function.h"
#include "fronts/resp/call.h"
#include "model/queue.h"
#include "model/worker.h"

namespace muster::resp::plans {

// Heard lately, and no front's own.
bool is_listed(const Worker& worker, Instant now);
void with_live_workers(const CallRef& call, UniqueFunction<void(std::vector<Worker>)> then);
// Its tools joined by commas; empty for one that did not say.
std::string tools_text(const WorkerSpec& spec);

void with_queues(const CallRef& call, UniqueFunction<void(std::vector<QueueStats>)> then);

struct QueueTotals {
  std::uint64_t ready = 0;
  std::uint64_t scheduled = 0;
  std::uint64_t running = 0;
  std::uint64_t completed = 0;  // since this process started
  std::uint64_t dead = 0;       // since this process started
};
QueueTotals totals_of(const std::vector<QueueStats>& queues);
std::uint64_t ready_in(const std::vector<QueueStats>& queues, std::string_view queue);

}  // namespace muster::resp::plans
