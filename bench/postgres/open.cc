#include "bench/postgres/open.h"

#include <fmt/format.h>

#include "bench/postgres/connection.h"
#include "store/postgres/store.h"

namespace muster::bench::postgres {

OpenStore store_in(const std::string& url, const std::string& schema) {
  return [url, schema](const Clock&, Metrics& metrics) -> std::unique_ptr<store::Store> {
    Connection(url).run(fmt::format("DROP SCHEMA IF EXISTS {} CASCADE", schema));
    store::postgres::Options options;
    options.url = url;
    options.schema = schema;
    options.connections = kConnections;
    auto opened = store::postgres::PostgresStore::open(std::move(options), metrics);
    if (!opened.ok()) give_up("open", opened.status());
    return std::move(opened).value();
  };
}

}  // namespace muster::bench::postgres
