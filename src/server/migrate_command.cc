#include "server/migrate_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/clock.h"
#include "server/command_flags.h"
#include "server/running.h"
#include "server/wiring.h"

namespace muster::server {
namespace {

struct MigrateFlags {
  SettingFlags settings;
  CLI::App* status = nullptr;
  CLI::App* up = nullptr;
};

std::string_view verdict(const store::sqlite::SchemaStatus& schema) {
  if (schema.version == 0) return "empty: `muster serve` or `muster migrate up` creates it";
  if (schema.version < schema.newest) return "behind: `muster serve` or `muster migrate up` brings it up";
  if (schema.version > schema.newest) return "newer than this program: use a newer muster";
  return "current";
}

int show_status(const Config& config, bool json) {
  const auto schema = store::sqlite::schema_status(config.database_path());
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
int migrate_up(const Config& config) {
  if (const Status status = prepare_data_dir(config); !status.ok()) {
    report_start_failure(status);
    return kExitFailure;
  }
  const RealClock clock;
  Metrics metrics;
  auto store = store::sqlite::SqliteStore::open(store_options(config), clock, metrics);
  const Status status = store.ok() ? (*store)->close() : store.status();
  if (!status.ok()) {
    report_start_failure(status);
    return kExitFailure;
  }
  return show_status(config, false);
}

int run_migrate(const MigrateFlags& flags, const Surroundings& surroundings) {
  const LoadedConfig loaded = flags.settings.load();
  if (!loaded.problems.empty()) return report(loaded.problems);
  return flags.up->parsed() ? migrate_up(loaded.config) : show_status(loaded.config, surroundings.wants_json());
}

}  // namespace

Command migrate_command(const Surroundings& surroundings) {
  auto flags = std::make_shared<MigrateFlags>();  // shared by the two closures
  return {.name = "migrate",
          .summary = "Show or bring up the schema of the database",
          .describe =
              [flags](CLI::App& app) {
                flags->settings.describe(app);
                flags->status = app.add_subcommand("status", "Show the version of the file and of this program")->fallthrough();
                flags->up =
                    app.add_subcommand("up", "Bring the file up to this program; the server must be stopped")->fallthrough();
                app.require_subcommand(1);
                app.footer("Example:\n  muster migrate status --data-dir /var/lib/muster");
              },
          .run = [flags, surroundings] { return run_migrate(*flags, surroundings); }};
}

}  // namespace muster::server
