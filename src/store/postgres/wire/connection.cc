#include "store/postgres/wire/connection.h"

#include <poll.h>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "base/check.h"

namespace muster::store::postgres {

void Rows::Clear::operator()(pg_result* result) const { PQclear(result); }

Rows::Rows(pg_result* result) : result_(result) {}

std::size_t Rows::size() const { return result_ ? static_cast<std::size_t>(PQntuples(result_.get())) : 0; }

std::size_t Rows::affected() const { return result_ ? std::strtoull(PQcmdTuples(result_.get()), nullptr, 10) : 0; }

bool Rows::null(std::size_t row, int column) const { return PQgetisnull(result_.get(), static_cast<int>(row), column) != 0; }

std::int64_t Rows::integer(std::size_t row, int column) const {
  const std::string_view bytes = view(row, column);
  if (bytes.empty()) return 0;
  // The sign is in the first byte.
  std::int64_t value = static_cast<signed char>(bytes.front());
  for (std::size_t i = 1; i < bytes.size(); ++i) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::optional<std::int64_t> Rows::maybe(std::size_t row, int column) const {
  if (null(row, column)) return std::nullopt;
  return integer(row, column);
}

double Rows::real(std::size_t row, int column) const { return std::bit_cast<double>(integer(row, column)); }

std::string_view Rows::view(std::size_t row, int column) const {
  const int at = static_cast<int>(row);
  return {PQgetvalue(result_.get(), at, column), static_cast<std::size_t>(PQgetlength(result_.get(), at, column))};
}

namespace {

constexpr int kServerVersionMin = 140'000;
constexpr int kBinary = 1;
constexpr int kLastWordsMax = 4;  // reads until the end of a connection that was closed must show

Ticks ticks_now() { return RealClock().elapsed(); }

// libpq writes for terminals, in several lines; logs and answers have one.
std::string trimmed(const char* text) {
  std::string out;
  bool broke = false;
  for (const char c : std::string_view(text == nullptr ? "" : text)) {
    if (c == '\n' || c == '\t' || (c == ' ' && broke)) {
      broke = true;
      continue;
    }
    if (broke && !out.empty()) out += "; ";
    broke = false;
    out.push_back(c);
  }
  return out;
}

bool mentions(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    if (text.find(part) != std::string::npos) return true;
  return false;
}

// Before there is a session libpq has no SQLSTATE to give, only words.
Status connect_failure(const std::string& message) {
  if (mentions(message, {"password authentication failed", "no password supplied", "pg_hba.conf", "authentication failed"}))
    return Status::invalid_argument(fmt::format(
        "PostgreSQL refused the login: {}; check user and password of --store (PGPASSFILE keeps them off the command line)",
        message));
  if (message.find("does not exist") != std::string::npos)
    return Status::invalid_argument(fmt::format("{}; create it, or correct --store", message));
  if (message.find("invalid connection option") != std::string::npos || message.find("invalid URI") != std::string::npos ||
      message.find("missing \"=\"") != std::string::npos || message.find("invalid port") != std::string::npos ||
      message.find("invalid integer value") != std::string::npos)
    return Status::invalid_argument(fmt::format("--store cannot be read: {}", message));
  return Status::unavailable(fmt::format("PostgreSQL cannot be reached: {}", message));
}

}  // namespace

bool Trouble::passing() const {
  // Serialization, deadlock, lock not available; a statement the pooler's other connection does not know; a plan that must be
  // made anew.
  return state == "40001" || state == "40P01" || state == "55P03" || state == "26000" || state == "0A000";
}

Status Trouble::status() const {
  if (fate == Fate::unknown) return Status::outcome_unknown(fmt::format("the database did not answer: {}", message));
  if (state == "25006")
    return Status::unavailable(fmt::format(
        "the database is read-only: {}; name the primary, or add target_session_attrs=read-write to --store", message));
  if (state == "42501")
    return Status::unavailable(fmt::format("{}; grant the role of --store its rights (docs/cluster.md, Roles)", message));
  if (state == "53100") return Status::unavailable(fmt::format("the disk of the database is full: {}", message));
  if (state == "42P01" || state == "3F000" || state == "42883")
    return Status::unavailable(fmt::format("{}; the schema is missing or damaged, run `muster migrate up`", message));
  return Status::unavailable(fmt::format("the database refused: {}", message));
}

Result<std::unique_ptr<Connection>> Connection::open(const ConnectOptions& options) {
  std::unique_ptr<Connection> connection(new Connection(options));
  if (Status status = connection->connect(); !status.ok()) return status;
  if (Status status = connection->check_server(); !status.ok()) return status;
  return connection;
}

Connection::~Connection() {
  if (conn_ != nullptr) PQfinish(conn_);
}

Ticks Connection::deadline_from_now() const { return ticks_now() + options_.statement_timeout; }

Status Connection::connect() {
  // libpq's own words about a URL it cannot read may quote a piece of the password.
  if (PQconninfoOption* parsed = PQconninfoParse(options_.url.c_str(), nullptr))
    PQconninfoFree(parsed);
  else
    return Status::invalid_argument(
        "--store cannot be read as a PostgreSQL URL; write special characters in a user name or password as %XX");
  const std::string timeout = std::to_string(std::max<std::int64_t>(2, options_.connect_timeout.count() / 1'000));
  const std::string user_timeout = std::to_string(options_.statement_timeout.count());
  // What the URL itself says wins over what comes before it in the list.
  const std::array<const char*, 9> names{"connect_timeout",
                                         "application_name",
                                         "client_encoding",
                                         "keepalives_idle",
                                         "keepalives_interval",
                                         "keepalives_count",
                                         "tcp_user_timeout",
                                         "dbname",
                                         nullptr};
  const std::array<const char*, 9> values{timeout.c_str(),      options_.application.c_str(), "UTF8", "5", "2", "3",
                                          user_timeout.c_str(), options_.url.c_str(),         nullptr};
  conn_ = PQconnectStartParams(names.data(), values.data(), 1);
  if (conn_ == nullptr) return Status::unavailable("libpq is out of memory");
  // What matters comes as an answer; notices would go to stderr as they are.
  PQsetNoticeProcessor(
      conn_, [](void*, const char*) {}, nullptr);
  const Ticks deadline = ticks_now() + options_.connect_timeout;
  PostgresPollingStatusType wants = PGRES_POLLING_WRITING;
  while (PQstatus(conn_) != CONNECTION_BAD && wants != PGRES_POLLING_OK && wants != PGRES_POLLING_FAILED) {
    if (!wait_socket(wants == PGRES_POLLING_WRITING, deadline))
      return Status::unavailable(
          fmt::format("PostgreSQL cannot be reached: no answer within {} ms", options_.connect_timeout.count()));
    wants = PQconnectPoll(conn_);
  }
  if (PQstatus(conn_) != CONNECTION_OK) return connect_failure(trimmed(PQerrorMessage(conn_)));
  alive_ = true;
  return {};
}

Status Connection::check_server() {
  if (PQserverVersion(conn_) < kServerVersionMin)
    return Status::invalid_argument(
        fmt::format("PostgreSQL {} is too old; 14 or newer is needed", trimmed(PQparameterStatus(conn_, "server_version"))));
  PGresult* result = PQexec(conn_, "SELECT pg_backend_pid(), pg_is_in_recovery(), current_setting('transaction_read_only')");
  const Rows rows(result);
  if (PQresultStatus(result) != PGRES_TUPLES_OK)
    return Status::unavailable(fmt::format("PostgreSQL does not answer: {}", trimmed(PQerrorMessage(conn_))));
  through_pooler_ = rows.text(0, 0) != std::to_string(PQbackendPID(conn_));
  if (rows.view(0, 1) == "t" || rows.view(0, 2) == "on")
    return Status::unavailable(
        "the database is read-only (a standby, or default_transaction_read_only); name the primary, or add "
        "target_session_attrs=read-write to --store");
  if (!prepares()) return {};
  // A session of our own may be set up; behind a pooler nothing of this would hold. Plans are made once, when tables may still be
  // empty, and must be those for full ones: by index, a row at a time.
  return script(
      fmt::format("SET statement_timeout = {}; SET idle_in_transaction_session_timeout = {}; SET jit = off; "
                  "SET plan_cache_mode = force_generic_plan; SET client_min_messages = warning; SET enable_seqscan = off; "
                  "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_bitmapscan = off",
                  options_.statement_timeout.count(), options_.statement_timeout.count()));
}

bool Connection::prepares() const {
  return options_.preparing == Preparing::always || (options_.preparing == Preparing::automatic && !through_pooler_);
}

Status Connection::start_pipeline() {
  if (PQenterPipelineMode(conn_) != 1 || PQsetnonblocking(conn_, 1) != 0) return Status::internal("libpq refused pipeline mode");
  if (!prepares()) return {};
  for (const StatementText& statement : statements(options_.schema))
    if (PQsendPrepare(conn_, statement.name.c_str(), statement.text.c_str(), 0, nullptr) != 1)
      return Status::unavailable(trimmed(PQerrorMessage(conn_)));
  if (PQpipelineSync(conn_) != 1) return Status::unavailable(trimmed(PQerrorMessage(conn_)));
  std::vector<Rows> rows;
  trouble_ = {};
  if (!receive(statements(options_.schema).size(), rows, deadline_from_now()) || !trouble_.message.empty())
    return Status(trouble_.status().code(), fmt::format("preparing the statements: {}", trouble_.status().message()));
  prepared_ = true;
  return {};
}

Status Connection::script(const std::string& text) {
  const Rows rows(PQexec(conn_, text.c_str()));
  const std::string message = trimmed(PQerrorMessage(conn_));
  if (message.empty()) return {};
  if (PQstatus(conn_) != CONNECTION_OK) alive_ = false;
  return Status::unavailable(message);
}

Result<Rows> Connection::query(const std::string& text) {
  PGresult* result = PQexecParams(conn_, text.c_str(), 0, nullptr, nullptr, nullptr, nullptr, kBinary);
  Rows rows(result);
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return rows;
  if (PQstatus(conn_) != CONNECTION_OK) alive_ = false;
  Trouble trouble;
  trouble.message = trimmed(PQerrorMessage(conn_));
  if (const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE)) trouble.state = state;
  return trouble.status();
}

void Connection::call(Sql statement, Params params) { calls_.push_back({statement.index(), {}, std::move(params)}); }

void Connection::call_text(std::string text, Params params) { calls_.push_back({kText, std::move(text), std::move(params)}); }

bool Connection::send(const Call& call) {
  std::vector<const char*> values;
  std::vector<int> lengths;
  const std::vector<int> formats(call.params.size(), kBinary);
  for (std::size_t i = 0; i < call.params.size(); ++i) {
    const auto& value = call.params.at(i);
    values.push_back(value ? value->data() : nullptr);
    lengths.push_back(value ? static_cast<int>(value->size()) : 0);
  }
  const int count = static_cast<int>(call.params.size());
  if (call.statement != kText && prepared_)
    return PQsendQueryPrepared(conn_, statements(options_.schema)[call.statement].name.c_str(), count, values.data(),
                               lengths.data(), formats.data(), kBinary) == 1;
  const std::string& text = call.statement == kText ? call.text : statements(options_.schema)[call.statement].text;
  return PQsendQueryParams(conn_, text.c_str(), count, nullptr, values.data(), lengths.data(), formats.data(), kBinary) == 1;
}

Result<std::vector<Rows>> Connection::exchange() {
  std::vector<Call> calls;
  calls.swap(calls_);
  trouble_ = {};
  if (!alive_) {
    trouble_ = {Fate::not_sent, {}, "the connection is closed"};
    return trouble_.status();
  }
  for (const Call& call : calls) {
    if (send(call)) continue;
    // Part of it may have left; without the sync nothing of it can be committed.
    broke(Fate::not_sent, trimmed(PQerrorMessage(conn_)));
    return trouble_.status();
  }
  if (PQpipelineSync(conn_) != 1) {
    broke(Fate::unknown, trimmed(PQerrorMessage(conn_)));
    return trouble_.status();
  }
  std::vector<Rows> rows;
  rows.reserve(calls.size());
  if (!receive(calls.size(), rows, deadline_from_now())) return trouble_.status();
  if (!trouble_.message.empty()) return trouble_.status();
  return rows;
}

bool Connection::receive(std::size_t expected, std::vector<Rows>& rows, Ticks deadline) {
  if (!flush(deadline)) return false;
  std::size_t ended = 0;
  while (true) {
    while (PQisBusy(conn_) != 0) {
      if (!wait_socket(false, deadline)) {
        broke(Fate::unknown, fmt::format("no answer within {} ms", options_.statement_timeout.count()));
        return false;
      }
      if (PQconsumeInput(conn_) != 1) {
        broke(Fate::unknown, trimmed(PQerrorMessage(conn_)));
        return false;
      }
    }
    PGresult* result = PQgetResult(conn_);
    if (result == nullptr) {  // the end of one statement
      if (++ended > expected + 1) {
        broke(Fate::unknown, "the connection ended inside an answer");
        return false;
      }
      continue;
    }
    Rows owned(result);
    switch (PQresultStatus(result)) {
      case PGRES_PIPELINE_SYNC: return true;
      case PGRES_TUPLES_OK:
      case PGRES_COMMAND_OK: rows.push_back(std::move(owned)); break;
      case PGRES_PIPELINE_ABORTED: break;  // the statement before it failed
      default: {
        if (!trouble_.message.empty()) break;
        const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        const char* words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
        trouble_ = {Fate::refused, state != nullptr ? state : "",
                    trimmed(words != nullptr ? words : PQresultErrorMessage(result))};
        if (PQstatus(conn_) != CONNECTION_OK) {
          // The server says goodbye before it says what became of the commit: an error it named itself was no commit.
          broke(state != nullptr && state[0] != '0' ? Fate::refused : Fate::unknown, trouble_.message);
          return false;
        }
      }
    }
  }
}

bool Connection::flush(Ticks deadline) {
  while (true) {
    const int left = PQflush(conn_);
    if (left == 0) return true;
    if (left < 0 || !wait_socket(true, deadline)) {
      broke(Fate::unknown, trimmed(PQerrorMessage(conn_)));
      return false;
    }
    // The server may be unable to read on until we read its answers.
    if (PQconsumeInput(conn_) != 1) {
      broke(Fate::unknown, trimmed(PQerrorMessage(conn_)));
      return false;
    }
  }
}

// When writing, also wakes for input: a peer that does not read until it is read must not wait for us for ever.
bool Connection::wait_socket(bool for_writing, Ticks deadline) {
  while (true) {
    const Ticks left = deadline - ticks_now();
    if (left.count() <= 0) return false;
    pollfd entry{PQsocket(conn_), static_cast<short>(for_writing ? (POLLOUT | POLLIN) : POLLIN), 0};
    if (entry.fd < 0) return false;
    const int timeout = static_cast<int>(std::chrono::ceil<Duration>(left).count());
    const int ready = ::poll(&entry, 1, timeout);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

void Connection::broke(Fate fate, std::string message) {
  alive_ = false;
  if (message.empty()) message = "the connection was lost";
  trouble_ = {fate, trouble_.state, std::move(message)};
}

bool Connection::still_there() {
  // A server that ends says a last word before it closes; the end is behind it.
  for (int looks = 0; alive_ && looks < kLastWordsMax; ++looks) {
    pollfd entry{PQsocket(conn_), POLLIN, 0};
    if (::poll(&entry, 1, 0) <= 0) break;
    if (PQconsumeInput(conn_) != 1) broke(Fate::not_sent, trimmed(PQerrorMessage(conn_)));
  }
  return alive_;
}

bool Connection::in_transaction() const {
  const PGTransactionStatusType status = PQtransactionStatus(conn_);
  return status == PQTRANS_INTRANS || status == PQTRANS_INERROR || status == PQTRANS_ACTIVE;
}

int Connection::backend() const { return PQbackendPID(conn_); }

bool Connection::wait_for_notifications(int wake, Duration longest) {
  std::array<pollfd, 2> entries{pollfd{PQsocket(conn_), POLLIN, 0}, pollfd{wake, POLLIN, 0}};
  if (::poll(entries.data(), entries.size(), static_cast<int>(longest.count())) > 0 && (entries[0].revents & POLLIN) == 0 &&
      entries[0].revents != 0)
    alive_ = false;
  if (PQconsumeInput(conn_) != 1) alive_ = false;
  return alive_;
}

std::vector<Connection::Notification> Connection::take_notifications() {
  std::vector<Notification> out;
  while (PGnotify* notify = PQnotifies(conn_)) {
    out.push_back({notify->relname, notify->extra, notify->be_pid});
    PQfreemem(notify);
  }
  return out;
}

}  // namespace muster::store::postgres
