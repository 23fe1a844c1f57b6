// Thin over libpq: text parameters, every error ends the program with the server's message.
#include "bench/postgres/connection.h"

#include <libpq-fe.h>

#include <array>
#include <cctype>
#include <cstdlib>

#include <fmt/format.h>

namespace muster::bench::postgres {
namespace {

constexpr const char* kDatabase = "muster_bench";
constexpr std::size_t kValuesMax = 8;

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// The same server and user, our database, no password.
std::string url_of_own_database(const std::string& server_url) {
  char* error = nullptr;
  PQconninfoOption* options = PQconninfoParse(server_url.c_str(), &error);
  if (options == nullptr) {
    fmt::print(stderr, "bench: the PostgreSQL URL cannot be read\n");
    std::_Exit(2);
  }
  std::string url = fmt::format("postgres:///{}", kDatabase);
  char mark = '?';
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    const std::string_view name = option->keyword;
    if (option->val == nullptr || name == "dbname") continue;
    if (name == "password") {
      ::setenv("PGPASSWORD", option->val, 1);
      continue;
    }
    url += fmt::format("{}{}={}", mark, name, percent_encoded(option->val));
    mark = '&';
  }
  PQconninfoFree(options);
  return url;
}

}  // namespace

Connection::Connection(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
  if (PQstatus(connection_) != CONNECTION_OK) fail("connect");
  run("SET client_min_messages = error");
}

Connection::~Connection() { PQfinish(connection_); }

void Connection::fail(std::string_view what) const {
  fmt::print(stderr, "bench: postgres: {}: {}\n", what, PQerrorMessage(connection_));
  std::_Exit(1);
}

void Connection::run(std::string_view sql) { (void)value(sql); }

void Connection::checkpoint() { PQclear(PQexec(connection_, "CHECKPOINT")); }

std::string Connection::value(std::string_view sql) {
  PGresult* result = PQexec(connection_, std::string(sql).c_str());
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(sql);
  std::string found;
  if (PQntuples(result) > 0 && PQnfields(result) > 0) found = PQgetvalue(result, 0, 0);
  PQclear(result);
  return found;
}

void Connection::prepare(const char* name, std::string_view sql) {
  PGresult* result = PQprepare(connection_, name, std::string(sql).c_str(), 0, nullptr);
  if (PQresultStatus(result) != PGRES_COMMAND_OK) fail(name);
  PQclear(result);
}

std::vector<std::string> Connection::execute(const char* name, std::initializer_list<std::string_view> values) {
  std::array<const char*, kValuesMax> texts{};
  std::size_t count = 0;
  for (const std::string_view value : values) texts.at(count++) = value.data();
  PGresult* result = PQexecPrepared(connection_, name, static_cast<int>(count), texts.data(), nullptr, nullptr, 0);
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(name);
  std::vector<std::string> found;
  if (status == PGRES_TUPLES_OK) {
    found.reserve(static_cast<std::size_t>(PQntuples(result)));
    for (int row = 0; row < PQntuples(result); ++row) found.emplace_back(PQgetvalue(result, row, 0));
  }
  PQclear(result);
  return found;
}

int Connection::server_pid() const { return PQbackendPID(connection_); }

OwnDatabase::OwnDatabase(const std::string& server_url) : server_url_(server_url), url_(url_of_own_database(server_url)) {
  Connection server(server_url_);
  server.run(fmt::format("DROP DATABASE IF EXISTS {} WITH (FORCE)", kDatabase));
  server.run(fmt::format("CREATE DATABASE {}", kDatabase));
}

OwnDatabase::~OwnDatabase() { Connection(server_url_).run(fmt::format("DROP DATABASE IF EXISTS {} WITH (FORCE)", kDatabase)); }

}  // namespace muster::bench::postgres
