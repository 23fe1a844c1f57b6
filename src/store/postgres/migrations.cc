#include "store/postgres/migrations.h"

#include <algorithm>
#include <charconv>
#include <random>

#include <fmt/format.h>

#include "base/uuid.h"
#include "store/postgres/postgres_migrations.h"
#include "store/refusals.h"
#include "store/transfer/copy.h"

namespace muster::store::postgres {
namespace {

constexpr Duration kTurnWait{600'000};        // for another node that migrates
constexpr Duration kStepLockWait{30'000};     // for the tables a step changes
constexpr std::uint32_t kAgentpgVersion = 8;  // makes the views of AgentPG's tables
constexpr std::size_t kSchemaBytesMax = 48;   // its notification channels are longer by a word, and 63 is PostgreSQL's bound

std::uint32_t version_of(std::string_view file_name) {
  std::uint32_t version = 0;
  std::from_chars(file_name.data(), file_name.data() + file_name.size(), version);
  return version;
}

// Such a name may stand between quotes of either kind.
Status check_name(const std::string& schema) {
  const bool plain = std::all_of(schema.begin(), schema.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (schema.empty() || schema.size() > kSchemaBytesMax || !plain || schema.starts_with("pg_"))
    return Status::invalid_argument(
        fmt::format("schema '{}' cannot be used; a name is 1 to {} letters, digits, '_' or '-', and does not begin with pg_",
                    schema, kSchemaBytesMax));
  return {};
}

std::string literal(const std::string& text) { return fmt::format("'{}'", text); }  // of a checked name

Result<bool> yes(Connection& connection, const std::string& question) {
  const auto rows = connection.query(question);
  if (!rows.ok()) return rows.status();
  return rows->size() == 1 && rows->integer(0, 0) != 0;
}

Result<bool> schema_exists(Connection& connection, const std::string& schema) {
  return yes(connection, fmt::format("SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = {})", literal(schema)));
}

// Asked before anything is tried: the server's own refusal comes late and in its own language.
Status check_rights(Connection& connection, const std::string& schema, bool exists) {
  const auto may = yes(
      connection,
      exists ? fmt::format("SELECT has_schema_privilege({0}, 'USAGE') AND has_schema_privilege({0}, 'CREATE')", literal(schema))
             : "SELECT has_database_privilege(current_database(), 'CREATE')");
  if (!may.ok()) return may.status();
  if (*may) return {};
  return Status::invalid_argument(
      fmt::format("the role of --store may not make {} '{}'; run `muster migrate up` as a role that may (docs/cluster.md, Roles)",
                  exists ? "tables in schema" : "schema", schema));
}

// The views for AgentPG's programs have a schema of their own, which may have been made for us.
Status check_agentpg_rights(Connection& connection, const std::string& schema) {
  const std::string views = agentpg_schema(schema);
  const auto exists = schema_exists(connection, views);
  if (!exists.ok()) return exists.status();
  return check_rights(connection, views, *exists);
}

std::uint64_t random_salt() { return (random_seed() >> 1) | 1; }

std::string first_rows(const std::string& schema) {
  return fmt::format("INSERT INTO {}.meta (name, value) VALUES ('{}', '{}'), ('{}', '1');\n", quoted(schema), kMetaSalt,
                     random_salt(), kMetaDirectoryVersion);
}

std::string step_text(const embedded::File& file, const std::string& schema) {
  const std::uint32_t version = version_of(file.name);
  return fmt::format(
      "SET LOCAL lock_timeout = {};\n{}\n{}"
      "INSERT INTO {}.meta (name, value) VALUES ('{}', '{}') ON CONFLICT (name) DO UPDATE SET value = excluded.value;",
      kStepLockWait.count(), with_schema(file.text, schema), version == 1 ? first_rows(schema) : std::string(), quoted(schema),
      kMetaVersion, version);
}

// Inside the step's transaction, when it is our turn.
Status run_step(Connection& connection, const std::string& schema, const embedded::File& file) {
  const auto version = schema_version(connection, schema);
  if (!version.ok()) return version.status();
  if (*version >= version_of(file.name)) return {};  // somebody else was here before
  const auto exists = schema_exists(connection, schema);
  if (!exists.ok()) return exists.status();
  if (!*exists)
    if (const Status made = connection.script(fmt::format("CREATE SCHEMA {}", quoted(schema))); !made.ok()) return made;
  return connection.script(step_text(file, schema));
}

Status take_turn(Connection& connection, const std::string& schema) {
  return connection.script(
      fmt::format("BEGIN; SET LOCAL client_min_messages = warning; SET LOCAL statement_timeout = {}; "
                  "SELECT pg_advisory_xact_lock(hashtextextended('muster migrate ' || {}, 0))",
                  kTurnWait.count(), literal(schema)));
}

Status one_step(Connection& connection, const std::string& schema, const embedded::File& file) {
  Status status = take_turn(connection, schema);
  if (status.ok()) status = run_step(connection, schema, file);
  if (status.ok()) status = connection.script("COMMIT");
  // The first error says what happened; a rollback that fails on top of it adds nothing.
  if (!status.ok() && connection.alive()) (void)connection.script("ROLLBACK").ok();
  return status.annotate(fmt::format("migration {} of schema {}", file.name, schema));
}

Result<std::unique_ptr<Connection>> connect(const Options& options) {
  ConnectOptions wanted;
  wanted.url = options.url;
  wanted.application = "muster-migrate";
  wanted.schema = options.schema;
  wanted.connect_timeout = options.connect_timeout;
  wanted.statement_timeout = options.statement_timeout;
  wanted.preparing = options.preparing;
  return Connection::open(wanted);
}

}  // namespace

std::uint32_t newest_version() {
  std::uint32_t newest = 0;
  for (const auto& file : embedded::postgres_migrations()) newest = std::max(newest, version_of(file.name));
  return newest;
}

Result<std::uint32_t> schema_version(Connection& connection, const std::string& schema) {
  if (const Status named = check_name(schema); !named.ok()) return named;
  // The catalogue answers everybody; asking for a table by name needs rights on its schema.
  const auto tables = connection.query(
      fmt::format("SELECT count(*), count(*) FILTER (WHERE c.relname = 'meta') FROM pg_class c JOIN pg_namespace n ON n.oid = "
                  "c.relnamespace WHERE n.nspname = {} AND c.relkind IN ('r', 'p')",
                  literal(schema)));
  if (!tables.ok()) return tables.status();
  if (tables->size() != 1 || tables->integer(0, 0) == 0) return 0;
  const Status foreign = Status::invalid_argument(
      fmt::format("schema '{}' holds tables of another program; name another schema, or another database", schema));
  if (tables->integer(0, 1) == 0) return foreign;
  const auto may = yes(connection, fmt::format("SELECT CASE WHEN has_schema_privilege({}, 'USAGE') THEN "
                                               "has_table_privilege('{}.meta', 'SELECT') ELSE false END",
                                               literal(schema), quoted(schema)));
  if (!may.ok()) return may.status();
  if (!*may)
    return Status::invalid_argument(
        fmt::format("the role of --store may not read schema '{}'; grant it its rights (docs/cluster.md, Roles)", schema));
  const auto rows =
      connection.query(fmt::format("SELECT value::integer FROM {}.meta WHERE name = '{}'", quoted(schema), kMetaVersion));
  if (!rows.ok()) return rows.status();
  if (rows->size() != 1) return foreign;
  return static_cast<std::uint32_t>(rows->integer(0, 0));
}

Status migrate(Connection& connection, const std::string& schema, std::uint32_t target) {
  const auto version = schema_version(connection, schema);
  if (!version.ok()) return version.status();
  if (*version == newest_version()) return {};
  if (*version == transfer::kVersionHalfCopied) return refusal::half_a_copy();
  if (*version > newest_version())
    return Status::invalid_argument(
        fmt::format("schema '{}' has version {}, this program knows up to {}; use a newer muster, or name another schema", schema,
                    *version, newest_version()));
  const auto exists = schema_exists(connection, schema);
  if (!exists.ok()) return exists.status();
  if (const Status allowed = check_rights(connection, schema, *exists); !allowed.ok()) return allowed;
  if (target == 0 || target >= kAgentpgVersion)
    if (const Status allowed = check_agentpg_rights(connection, schema); !allowed.ok()) return allowed;
  for (const auto& file : embedded::postgres_migrations()) {
    if (version_of(file.name) <= *version || (target != 0 && version_of(file.name) > target)) continue;
    if (const Status status = one_step(connection, schema, file); !status.ok()) return status;
  }
  return {};
}

Result<SchemaStatus> schema_status(const Options& options) {
  auto connection = connect(options);
  if (!connection.ok()) return connection.status();
  const auto version = schema_version(**connection, options.schema);
  if (!version.ok()) return version.status();
  return SchemaStatus{*version, newest_version()};
}

Status migrate(const Options& options) {
  auto connection = connect(options);
  if (!connection.ok()) return connection.status();
  return migrate(**connection, options.schema);
}

}  // namespace muster::store::postgres
