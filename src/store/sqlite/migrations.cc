#include "store/sqlite/migrations.h"

#include <charconv>
#include <string>

#include <fmt/format.h>

#include "store/refusals.h"
#include "store/sqlite/migrations_text.h"
#include "store/transfer/copy.h"

namespace muster::store::sqlite {
namespace {

// Marks the file as ours, so that another program's database is refused instead of migrated.
constexpr const char* kSetApplicationId = "PRAGMA application_id = 1299538804";  // "Must"
constexpr const char* kApplicationId = "1299538804";

std::uint32_t version_of(std::string_view file_name) {
  std::uint32_t version = 0;
  std::from_chars(file_name.data(), file_name.data() + file_name.size(), version);
  return version;
}

Status run_one(Connection& connection, const embedded::File& file) {
  const std::uint32_t version = version_of(file.name);
  const std::string script =
      fmt::format("BEGIN IMMEDIATE;\n{}\nPRAGMA user_version = {};\n{};\nCOMMIT;", file.text, version, kSetApplicationId);
  const Status status = connection.exec(script.c_str());
  if (!status.ok() && connection.in_transaction()) {
    // The original error says what happened; a failing rollback on top of it adds nothing.
    if (const Status undone = connection.exec("ROLLBACK"); !undone.ok()) return status;
  }
  return status.annotate(fmt::format("migration {}", file.name));
}

}  // namespace

std::uint32_t newest_version() {
  std::uint32_t newest = 0;
  for (const auto& file : embedded::migrations_text()) newest = std::max(newest, version_of(file.name));
  return newest;
}

Result<std::uint32_t> file_version(Connection& connection) {
  const auto text = connection.query_text("PRAGMA user_version");
  if (!text.ok()) return text.status();
  const auto application = connection.query_text("PRAGMA application_id");
  if (!application.ok()) return application.status();
  const auto version = static_cast<std::uint32_t>(std::strtoul(text->c_str(), nullptr, 10));
  const auto tables = connection.query_text("SELECT COUNT(*) FROM sqlite_schema");
  if (!tables.ok()) return tables.status();
  if (*application != kApplicationId && *tables != "0")
    return Status::invalid_argument("the file is a database of another program; name another file with --store sqlite:PATH");
  return version;
}

Status migrate(Connection& connection, std::uint32_t target) {
  const auto version = file_version(connection);
  if (!version.ok()) return version.status();
  const std::uint32_t newest = newest_version();
  if (*version == transfer::kVersionHalfCopied) return refusal::half_a_copy();
  if (*version > newest)
    return Status::invalid_argument(
        fmt::format("the file has schema version {}, this program knows up to {}; use a newer muster", *version, newest));
  for (const auto& file : embedded::migrations_text()) {
    const std::uint32_t number = version_of(file.name);
    if (number <= *version || (target != 0 && number > target)) continue;
    if (const Status status = run_one(connection, file); !status.ok()) return status;
  }
  return {};
}

}  // namespace muster::store::sqlite
