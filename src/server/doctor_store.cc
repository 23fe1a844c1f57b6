#include <fmt/format.h>

#include <future>

#include "server/doctor.h"
#include "server/wiring.h"
#include "store/sqlite/store.h"

namespace muster::server {
namespace {

Finding wrong(Grade grade, const Status& status, std::string remedy) {
  return {.name = "store", .grade = grade, .text = status.message(), .remedy = std::move(remedy)};
}

Finding judge(const Status& status, const std::string& path) {
  switch (status.code()) {
    case Code::conflict: return good("store", fmt::format("{} is owned by a running process", path));
    case Code::corrupt: return wrong(Grade::fail, status, "restore a backup; docs/operations.md, \"Corrupt file\"");
    case Code::invalid_argument: return wrong(Grade::fail, status, "use the newer muster that wrote the file");
    case Code::unavailable: return wrong(Grade::fail, status, "make the file and its folder writable for this user");
    case Code::ok:
    case Code::unauthenticated:
    case Code::permission_denied:
    case Code::not_found:
    case Code::already_exists:
    case Code::lease_lost:
    case Code::exhausted:
    case Code::outcome_unknown:
    case Code::internal: break;
  }
  return wrong(Grade::fail, status, "start `muster serve` with --log-level debug and look at its log");
}

}  // namespace

std::vector<Finding> check_store(const Config& config, const Clock& clock) {
  if (config.on_postgres()) return check_postgres(config);
  const std::string path = config.database_path();
  const auto schema = store::sqlite::schema_status(path);
  if (!schema.ok()) return {judge(schema.status(), path)};
  if (schema->version == 0) return {good("store", fmt::format("{} does not exist or is empty; `muster serve` makes it", path))};
  if (schema->version > schema->newest)
    return {{.name = "store",
             .grade = Grade::fail,
             .text = fmt::format("{} has schema {}, this program knows {}", path, schema->version, schema->newest),
             .remedy = "use the newer muster that wrote the file"}};
  // Opening an older file would migrate it, which is not a doctor's to decide.
  if (schema->version < schema->newest)
    return {
        good("store", fmt::format("{} has schema {} of {}; the next start migrates it", path, schema->version, schema->newest))};
  Metrics metrics;
  auto store = store::sqlite::SqliteStore::open(sqlite_options(config), clock, metrics);
  if (!store.ok()) return {judge(store.status(), path)};
  std::promise<Result<store::StoreInfo>> answer;
  (*store)->info([&answer](Result<store::StoreInfo> info) { answer.set_value(std::move(info)); });
  const Result<store::StoreInfo> info = answer.get_future().get();
  if (const Status closed = (*store)->close(); !closed.ok()) return {judge(closed, path)};
  if (!info.ok()) return {judge(info.status(), path)};
  return {good("store", fmt::format("{}: schema {}, {} bytes, {} jobs live, {} finished", path, info->schema_version, info->bytes,
                                    info->jobs_live, info->jobs_finished))};
}

}  // namespace muster::server
