// postgres.claim.latency: from the call that submits a job to the answer of a claim that was parked for it, against one commit.
#include "bench/arrival.h"
#include "bench/postgres/coalesced_loop.h"
#include "bench/postgres/measurements.h"
#include "bench/postgres/open.h"

namespace muster::bench::postgres {
namespace {

std::vector<Row> latency(const Settings& settings) {
  Rig rig(store_in(settings.url, "bench_latency"));
  rig.register_workers();
  CoalescedLoop bare(settings.url, "bench_latency_bare", Rows::lean, 1, 0);
  const Arrivals found = measure_arrivals(rig, settings.quick ? 500 : 3'000, [&bare] { return bare.commit_one(); });
  const double enqueue = median(found.enqueues);
  return {Row{"postgres.claim.latency.p50", median(found.arrivals), enqueue, Goal::at_most, 1.5, "us",
              "one enqueue on the idle store, p50"},
          Row{"postgres.claim.latency.p99", percentile(found.arrivals, 0.99), enqueue, Goal::at_most, 10, "us",
              "one enqueue on the idle store, p50"},
          Row{"postgres.claim.latency.bare", enqueue, median(found.commits), Goal::none, 0, "us",
              "ours: one enqueue; peer: one row committed by bare libpq"}};
}

}  // namespace

std::vector<Measurement> latency_measurements() {
  return {{{"postgres.claim.latency.p50", "postgres.claim.latency.p99", "postgres.claim.latency.bare"}, latency}};
}

}  // namespace muster::bench::postgres
