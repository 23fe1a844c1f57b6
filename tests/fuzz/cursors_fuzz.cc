// Cursors come back from clients: any text is a page or invalid_argument. The store runs on a disk in memory.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/fuzz/store_rig.h"

using namespace muster;

namespace {

struct Rig : fuzz::StoreRig {
  Rig() {
    std::vector<JobSpec> jobs(20);
    for (JobSpec& job : jobs) job.type = JobType("t");
    db->enqueue(std::move(jobs), [](Result<std::vector<store::Enqueued>> result) { check(result.ok(), "jobs are accepted"); });
    db->pump();
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Rig rig;
  const std::string cursor(reinterpret_cast<const char*>(data), size);
  store::JobQuery jobs;
  jobs.limit = 3;
  jobs.cursor = cursor;
  store::WorkerQuery workers;
  workers.cursor = cursor;
  int answers = 0;
  const auto judge = [&answers](const Status& status) {
    ++answers;
    check(status.ok() || status.code() == Code::invalid_argument, "a bad cursor is invalid_argument");
  };
  rig.db->list_jobs(jobs, [&](Result<store::JobPage> page) { judge(page.status()); });
  rig.db->list_workers(workers, [&](Result<store::WorkerPage> page) { judge(page.status()); });
  rig.db->pump();
  check(answers == 2, "every list is answered");
  return 0;
}
