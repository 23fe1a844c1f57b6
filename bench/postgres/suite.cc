// The PostgreSQL suite in the order it runs. Rows that leave much behind come last.
#include "bench/postgres/measurements.h"

namespace muster::bench {

std::vector<Measurement> postgres_measurements() {
  std::vector<Measurement> all;
  for (auto part : {postgres::life_measurements(), postgres::peer_measurements(), postgres::http_measurements(),
                    postgres::latency_measurements(), postgres::worker_measurements(), postgres::size_measurements()})
    for (Measurement& measurement : part) all.push_back(std::move(measurement));
  return all;
}

}  // namespace muster::bench
