#include "server/migrate_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/clock.h"
#include "server/command_flags.h"
#include "server/running.h"
#include "server/wiring.h"
#include "store/postgres/store.h"
#include "store/sqlite/store.h"

namespace muster::server {
namespace {

struct MigrateFlags {
  SettingFlags settings;
  CLI::App* status = nullptr;
  CLI::App* up = nullptr;
};

// Of either store.
struct Schema {
  std::uint32_t version = 0;
  std::uint32_t newest = 0;
};

template <class Status>
Result<Schema> as_schema(const Result<Status>& status) {
  if (!status.ok()) return status.status();
  return Schema{.version = status->version, .newest = status->newest};
}

Result<Schema> schema_of(const Config& config) {
  return config.on_postgres() ? as_schema(store::postgres::schema_status(postgres_options(config)))
                              : as_schema(store::sqlite::schema_status(config.database_path()));
}

std::string_view verdict(const Schema& schema) {
  if (schema.version == 0) return "empty: `muster serve` or `muster migrate up` creates it";
  if (schema.version < schema.newest) return "behind: `muster serve` or `muster migrate up` brings it up";
  if (schema.version > schema.newest) return "newer than this program: use a newer muster";
  return "current";
}

int show_status(const Config& config, bool json) {
  const auto schema = schema_of(config);
  if (!schema.ok()) {
    report_start_failure(schema.status());
    return kExitFailure;
  }
  if (json)
    fmt::print("{{\"version\":{},\"newest\":{},\"current\":{}}}\n", schema->version, schema->newest,
               schema->version == schema->newest);
  else
    fmt::print("version {} of {}: {}\n", schema->version, schema->newest, verdict(*schema));
  return kExitOk;
}

// Opening migrates; closing again leaves a file that the next server starts from at once.
Status migrate_file(const Config& config) {
  if (Status status = prepare_data_dir(config); !status.ok()) return status;
  const RealClock clock;
  Metrics metrics;
  auto store = store::sqlite::SqliteStore::open(sqlite_options(config), clock, metrics);
  return store.ok() ? (*store)->close() : store.status();
}

int migrate_up(const Config& config, bool json) {
  const Status status = config.on_postgres() ? store::postgres::migrate(postgres_options(config)) : migrate_file(config);
  if (!status.ok()) {
    report_start_failure(status);
    return kExitFailure;
  }
  return show_status(config, json);
}

int run_migrate(const MigrateFlags& flags, const Surroundings& surroundings) {
  const LoadedConfig loaded = flags.settings.load();
  if (!loaded.problems.empty()) return report(loaded.problems);
  const bool json = surroundings.wants_json();
  return flags.up->parsed() ? migrate_up(loaded.config, json) : show_status(loaded.config, json);
}

}  // namespace

Command migrate_command(const Surroundings& surroundings) {
  auto flags = std::make_shared<MigrateFlags>();  // shared by the two closures
  return {.name = "migrate",
          .summary = "Show or bring up the schema of the database",
          .describe =
              [flags](CLI::App& app) {
                flags->settings.describe(app);
                flags->status =
                    app.add_subcommand("status", "Show the version of the database and of this program")->fallthrough();
                flags->up =
                    app.add_subcommand("up", "Bring the database up to this program; a SQLite file must have no running server")
                        ->fallthrough();
                app.require_subcommand(1);
                app.footer(
                    "Example:\n  muster migrate status --data-dir /var/lib/muster\n  muster migrate up --store "
                    "postgres://muster_owner@db/muster");
              },
          .run = [flags, surroundings] { return run_migrate(*flags, surroundings); }};
}

}  // namespace muster::server
