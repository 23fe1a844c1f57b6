// claim.latency: from the call that submits a job to the answer of a claim that was parked for it, against one commit.
#include "bench/arrival.h"
#include "bench/bare_loop.h"
#include "bench/row.h"

namespace muster::bench {
namespace {

std::vector<Row> latency(const Settings& settings) {
  Rig rig(sqlite_in(fresh_folder(settings, "latency")));
  rig.register_workers();
  BareLoop bare(fresh_folder(settings, "latency-bare"), 0);
  const Arrivals found = measure_arrivals(rig, settings.quick ? 2'000 : 10'000, [&bare] { return bare.commit_one(); });
  const double enqueue = median(found.enqueues);
  return {
      Row{"claim.latency.p50", median(found.arrivals), enqueue, Goal::at_most, 1.5, "us", "one enqueue on the idle store, p50"},
      Row{"claim.latency.p99", percentile(found.arrivals, 0.99), enqueue, Goal::at_most, 10, "us",
          "one enqueue on the idle store, p50"},
      Row{"claim.latency.bare", enqueue, median(found.commits), Goal::none, 0, "us",
          "ours: one enqueue; peer: one row committed by bare SQLite"}};
}

}  // namespace

std::vector<Measurement> latency_measurements() {
  return {{{"claim.latency.p50", "claim.latency.p99", "claim.latency.bare"}, latency}};
}

}  // namespace muster::bench
