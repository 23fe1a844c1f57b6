// The load of `muster bench`: connections that each submit, claim and complete, over and over, until the jobs are done.
//
// Every connection is a registered worker of a queue made for this run, so that nothing else on the server is touched. Who
// submits a job need not be who claims it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "cli/latency.h"
#include "sdk/cpp/client.h"

namespace muster::cli {

struct BenchPlan {
  std::string ns;
  std::uint64_t jobs = 10'000;
  std::uint32_t connections = 8;
  std::uint32_t payload_bytes = 64;
  std::uint32_t batch = 1;  // jobs a request
};

struct BenchPhase {
  const char* name = "";
  LatencyHistogram latency;
};

struct BenchReport {
  std::array<BenchPhase, 4> phases{BenchPhase{"submit", {}}, BenchPhase{"claim", {}}, BenchPhase{"complete", {}},
                                   BenchPhase{"life", {}}};
  std::uint64_t completed = 0;
  double seconds = 0;
  std::string queue;
};

// `progress` is called on the calling thread, a few times a second, with the number of completed jobs; false ends the run early.
sdk::Result<BenchReport> run_bench(const sdk::ClientOptions& server, const BenchPlan& plan,
                                   const std::function<bool(std::uint64_t)>& progress);

}  // namespace muster::cli
