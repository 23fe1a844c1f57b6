#include "store/sqlite/db.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "store/codec/agent_texts.h"
#include "store/sqlite/statements.h"

namespace muster::store::sqlite {
namespace {

constexpr std::size_t kRewriteBytes = 64 * 1024;  // of the log at a time

int open_flags(OpenMode mode) {
  switch (mode) {
    case OpenMode::create: return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    case OpenMode::read_write: return SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    case OpenMode::read_only: return SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
  }
  unreachable();
}

// Every failure here happens before a commit is attempted, so nothing was written, unless the file itself is damaged.
// The writer turns a failed COMMIT into outcome_unknown on its own.
Status to_status(int code, std::string_view what, const char* text) {
  const std::string message = fmt::format("{}: {}", what, text);
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return Status::corrupt(message);
    case SQLITE_FULL: return Status::unavailable(message + "; free space on the disk, the store recovers by itself");
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT: return Status::internal(message);
    default: return Status::unavailable(message);
  }
}

// SQLite's own memory statistics take a process-wide lock at every allocation, and nobody reads them. Too late when somebody
// has used SQLite in this process before; then they stay on.
void configure_once() {
  static const int configured = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)configured;
}

// Null while there is none.
sqlite3_file* log_file(sqlite3* handle) {
  sqlite3_file* log = nullptr;
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  return log != nullptr && log->pMethods != nullptr ? log : nullptr;
}

// A savepoint changes no row, but what it undoes must be undone again.
bool is_about_savepoints(std::string_view sql) {
  return sql.starts_with("SAVEPOINT") || sql.starts_with("ROLLBACK TO") || sql.starts_with("RELEASE");
}

std::string_view text_of(sqlite3_value* value) {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

// json_contains(whole, part) in a statement. Called by C code, which no exception may reach.
void call_json_contains(sqlite3_context* context, int, sqlite3_value** values) noexcept {
  try {
    sqlite3_result_int(context, json_contains(text_of(values[0]), text_of(values[1])) ? 1 : 0);
  } catch (...) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const std::string& path, OpenMode mode, const std::string& vfs) {
  configure_once();
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, open_flags(mode), vfs.empty() ? nullptr : vfs.c_str());
  auto connection = std::unique_ptr<Connection>(new Connection(handle));
  if (code != SQLITE_OK) {
    const char* text = handle != nullptr ? sqlite3_errmsg(handle) : "out of memory";
    return to_status(code, fmt::format("cannot open {}", path), text);
  }
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_create_function_v2(handle, "json_contains", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nullptr,
                             call_json_contains, nullptr, nullptr, nullptr);
  return connection;
}

Connection::~Connection() { sqlite3_close_v2(handle_); }

Status Connection::exec(const char* sql) {
  char* text = nullptr;
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, &text);
  if (code == SQLITE_OK) return {};
  const Status status = to_status(code, "sqlite", text != nullptr ? text : sqlite3_errstr(code));
  sqlite3_free(text);
  return status;
}

Status Connection::sync_by_hand() {
  // In the place of the hook that checkpoints.
  const auto count_pages = [](void* pages, sqlite3*, const char*, int in_log) {
    *static_cast<int*>(pages) = in_log;
    return SQLITE_OK;
  };
  sqlite3_wal_hook(handle_, count_pages, &log_pages_);
  // The second opens the log, so that it can be synced.
  return exec("PRAGMA synchronous = NORMAL; PRAGMA schema_version");
}

Status Connection::sync_log() {
  sqlite3_file* const log = log_file(handle_);
  if (log == nullptr) return {};
  const int code = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY);
  return code == SQLITE_OK ? Status() : to_status(code, "syncing the log", sqlite3_errstr(code));
}

Status Connection::move_log() {
  const int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  return code == SQLITE_OK || code == SQLITE_BUSY ? Status() : last_error("moving the log into the file");
}

Status Connection::restart_log() {
  if (Status written = rewrite_log(); !written.ok()) return written;
  const int code = sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  return code == SQLITE_OK ? Status() : last_error("moving the log into the file");
}

// What a sync failed to write reads well and may still be lost, and the next sync knows nothing of it. A checkpoint trusts that
// sync: a crash in the middle of it would leave a file with pages from behind a hole in the log. Written again, all of the log is
// the next sync's business.
Status Connection::rewrite_log() {
  sqlite3_file* const log = log_file(handle_);
  if (log == nullptr) return {};
  sqlite3_int64 size = 0;
  int code = log->pMethods->xFileSize(log, &size);
  std::string part(kRewriteBytes, '\0');
  for (sqlite3_int64 at = 0; code == SQLITE_OK && at < size; at += static_cast<sqlite3_int64>(kRewriteBytes)) {
    const int length = static_cast<int>(std::min<sqlite3_int64>(size - at, static_cast<sqlite3_int64>(kRewriteBytes)));
    code = log->pMethods->xRead(log, part.data(), length, at);
    if (code == SQLITE_OK) code = log->pMethods->xWrite(log, part.data(), length, at);
  }
  return code == SQLITE_OK ? Status() : to_status(code, "writing the log again", sqlite3_errstr(code));
}

Result<std::string> Connection::query_text(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_, sql, -1, &statement, nullptr) != SQLITE_OK) return last_error("sqlite");
  const int code = sqlite3_step(statement);
  std::string out;
  if (code == SQLITE_ROW && sqlite3_column_text(statement, 0) != nullptr)
    out = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
  const Status status = code == SQLITE_ROW || code == SQLITE_DONE ? Status() : last_error("sqlite");
  sqlite3_finalize(statement);
  if (!status.ok()) return status;
  return out;
}

Status Connection::last_error(std::string_view what) const {
  return to_status(sqlite3_extended_errcode(handle_), what, sqlite3_errmsg(handle_));
}

std::int64_t Connection::changes() const { return sqlite3_changes64(handle_); }

bool Connection::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

Statement::Statement(Connection& connection, std::string_view name) : Statement(connection, name, statement_text(name)) {}

Statement::Statement(Connection& connection, std::string_view name, std::string_view sql)
    : connection_(connection), name_(name), sql_(sql), number_(connection.next_statement_number()) {
  const int code = sqlite3_prepare_v3(connection.handle(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &handle_, nullptr);
  if (code != SQLITE_OK) {
    connection_.set_fault(connection_.last_error(fmt::format("preparing {}", name)));
    return;
  }
  records_ = sqlite3_stmt_readonly(handle_) == 0 || is_about_savepoints(sql);
  if (records_) bound_.resize(static_cast<std::size_t>(sqlite3_bind_parameter_count(handle_)));
}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement& Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(handle_, index, value);
  note(index, {.kind = Bound::Kind::integer, .integer = value});
  return *this;
}

Statement& Statement::bind(int index, double value) {
  sqlite3_bind_double(handle_, index, value);
  note(index, {.kind = Bound::Kind::real, .real = value});
  return *this;
}

Statement& Statement::bind_text(int index, std::string_view value) {
  sqlite3_bind_text64(handle_, index, value.data(), value.size(), SQLITE_STATIC, SQLITE_UTF8);
  // SQLite takes a null pointer for NULL.
  note(index, {.kind = value.data() == nullptr ? Bound::Kind::null : Bound::Kind::text, .bytes = value});
  return *this;
}

Statement& Statement::bind_blob(int index, std::string_view value) {
  // A null pointer would bind NULL; an empty blob is a value.
  sqlite3_bind_blob64(handle_, index, value.empty() ? "" : value.data(), value.size(), SQLITE_STATIC);
  note(index, {.kind = Bound::Kind::blob, .bytes = value});
  return *this;
}

Statement& Statement::bind_null(int index) {
  sqlite3_bind_null(handle_, index);
  note(index, {});
  return *this;
}

bool Statement::step() {
  if (!connection_.fault().ok()) return false;
  if (!under_way_ && records_ && connection_.recording() != nullptr) connection_.recording()->add(number_, sql_, bound_);
  under_way_ = true;
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) connection_.set_fault(connection_.last_error(name_));
  return false;
}

void Statement::run() {
  step();
  reset();
}

void Statement::reset() {
  sqlite3_reset(handle_);
  under_way_ = false;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }
double Statement::real(int column) const { return sqlite3_column_double(handle_, column); }
std::string Statement::text(int column) const { return std::string(view(column)); }

std::string_view Statement::view(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  return data == nullptr ? std::string_view()
                         : std::string_view(data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
}

bool Statement::is_null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

}  // namespace muster::store::sqlite
