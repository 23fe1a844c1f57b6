// The PostgreSQL suite in the order it runs, each part on an emptied database.
#include "bench/postgres/connection.h"
#include "bench/postgres/measurements.h"
#include "bench/postgres/sql.h"

namespace muster::bench {
namespace {

void empty_database(const Settings& settings) {
  postgres::Connection connection(settings.url);
  connection.run(postgres::sql_text("reset.sql"));
  connection.checkpoint();
}

}  // namespace

std::vector<Measurement> postgres_measurements() {
  std::vector<Measurement> all;
  for (auto part : {postgres::life_measurements(), postgres::peer_measurements(), postgres::http_measurements(),
                    postgres::latency_measurements(), postgres::worker_measurements(), postgres::size_measurements()})
    for (Measurement& measurement : part)
      all.push_back({measurement.names, [run = std::move(measurement.run)](const Settings& settings) {
                       empty_database(settings);
                       return run(settings);
                     }});
  return all;
}

}  // namespace muster::bench
