#include "cli/job_wait.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace muster::cli {
namespace {

constexpr std::chrono::milliseconds kLookMin{20};
constexpr std::chrono::milliseconds kLookMax{500};
constexpr int kFailuresMax = 60;  // at kLookMax: half a minute of a server that is restarting

}  // namespace

sdk::Result<sdk::Job> wait_for_job(sdk::Client& client, const std::string& id, const std::function<void(const sdk::Job&)>& seen) {
  std::chrono::milliseconds wait = kLookMin;
  int failures = 0;
  for (bool known = false;;) {
    sdk::Result<sdk::Job> job = client.job(id);
    if (job.ok()) {
      failures = 0;
      known = true;
      seen(*job);
      if (sdk::is_finished(job->state)) return job;
    } else if (!job.error().transient() || !known || ++failures == kFailuresMax) {
      return job;
    }
    std::this_thread::sleep_for(wait);
    wait = std::min(kLookMax, wait * 3 / 2);
  }
}

}  // namespace muster::cli
