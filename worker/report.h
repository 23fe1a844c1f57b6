// From an outcome to what the server is told: the final JOB.UPDATE, and outputs too big for it.
#pragma once

#include <cstddef>
#include <string>

#include "base/clock.h"
#include "worker/executor.h"

namespace muster::worker {

// A completed job's task_results become its result (at most 4 MiB); a failed one's are kept as a partial result (256 KiB).
// Outputs are cut evenly until they fit, and say so.
inline constexpr std::size_t kCompletedBytesMax = 3 * 1024 * 1024;
inline constexpr std::size_t kFailedBytesMax = 200 * 1024;
inline constexpr std::size_t kOutputKeyBytesMax = 10 * 1024 * 1024 - 64 * 1024;  // of job:<id>:stdout, within a 10 MiB message
inline constexpr std::size_t kErrorTextMax = 2 * 1024;

struct Report {
  std::string job_id;
  std::string update;  // JSON of JOB.UPDATE
  // Of all tasks in a row; set when the update holds less than that.
  bool has_outputs = false;
  std::string out;
  std::string err;

  friend bool operator==(const Report&, const Report&) = default;
};

Report make_report(const Job& job, const JobOutcome& outcome, const std::string& worker_id, Instant now);

// Text that is UTF-8, not longer than `max` bytes, cut between characters.
std::string cut_text(std::string_view text, std::size_t max);

}  // namespace muster::worker
