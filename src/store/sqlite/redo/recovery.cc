#include "store/sqlite/redo/recovery.h"

#include <charconv>

#include <fmt/format.h>

#include "base/log.h"

namespace muster::store::sqlite {

Result<std::uint64_t> meta_number(Connection& connection, const char* name) {
  const auto text = connection.query_text(fmt::format("SELECT value FROM meta WHERE name = '{}'", name).c_str());
  if (!text.ok()) return text.status();
  std::uint64_t value = 0;
  std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

Status recover(Connection& connection, RedoFiles& redo, const std::string& path) {
  const auto database = meta_number(connection, kRedoDatabase);
  if (!database.ok()) return database.status();
  const auto done = meta_number(connection, kRedoDone);
  if (!done.ok()) return done.status();
  const auto groups = redo.read(*database);
  if (!groups.ok()) return groups.status();
  std::string recorded;  // played as one: a group names statements that one before it has spelled out
  std::uint64_t newest = *done;
  for (const RedoFile::Group& group : *groups) {
    if (group.number <= *done) continue;
    if (group.number != newest + 1)
      return Status::corrupt(
          fmt::format("group {} is missing before group {} of {}; if the database is a copy that was put here, remove {} and {}",
                      newest + 1, group.number, path, redo_path(path, 0), redo_path(path, 1)));
    recorded += group.recorded;
    newest = group.number;
  }
  if (newest == *done) return {};

  log::info("playing what was acknowledged and is not in the rows", {{"path", path}, {"groups", std::to_string(newest - *done)}});
  if (Status begun = connection.exec("BEGIN IMMEDIATE"); !begun.ok()) return begun;
  Status status = play(connection, recorded);
  if (status.ok())
    status =
        connection.exec(fmt::format("INSERT OR REPLACE INTO meta (name, value) VALUES ('{}', {})", kRedoDone, newest).c_str());
  if (status.ok()) status = connection.exec("COMMIT");
  connection.clear_fault();
  if (!status.ok() && connection.in_transaction()) (void)connection.exec("ROLLBACK").ok();
  return status;
}

}  // namespace muster::store::sqlite
