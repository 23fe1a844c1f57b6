// What `muster doctor` says about the database: each function looks at one thing and changes nothing.
#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "store/postgres/migrations.h"
#include "store/postgres/store.h"
#include "store/postgres/wire/connection.h"

namespace muster::store::postgres {
namespace {

using Grade = Finding::Grade;

constexpr Duration kSkewWarning{1'000};
constexpr Duration kSkewBad{10'000};
constexpr Duration kNotifyWait{2'000};
constexpr std::int64_t kOldTransactionWarning = 5 * 60;  // seconds
constexpr std::int64_t kOldTransactionBad = 60 * 60;
constexpr std::int64_t kDeadRowsMin = 100'000;   // fewer are no bloat whatever their share
constexpr std::int64_t kConnectionsBesides = 2;  // of a node: the listener and the notifier
constexpr std::int64_t kNodesExpected = 3;       // there should be room for that many

// The examination under way.
struct Patient {
  const Options& options;
  Connection& connection;
  std::vector<Finding> findings;
  bool schema_known = false;  // whether there is one could be found out
  bool has_schema = false;

  void say(Grade grade, std::string name, std::string text, std::string advice = {}) {
    findings.push_back({grade, std::move(name), std::move(text), std::move(advice)});
  }
  void good(std::string name, std::string text) { say(Grade::good, std::move(name), std::move(text)); }
  // The answer, which has a row; a question that fails is a finding of its own.
  std::optional<Rows> ask(const char* name, const std::string& question) {
    auto rows = connection.query(with_schema(question, options.schema));
    if (!rows.ok()) {
      say(Grade::warning, name, fmt::format("could not be looked at: {}", rows.status().message()),
          "give the role the right to look, or ask the database's operator");
      return std::nullopt;
    }
    if (rows->size() == 0) return std::nullopt;
    return std::move(*rows);
  }
};

ConnectOptions connect_options(const Options& options, const std::string& url) {
  ConnectOptions out;
  out.url = url;
  out.application = "muster-doctor";
  out.schema = options.schema;
  out.connect_timeout = options.connect_timeout;
  out.statement_timeout = options.statement_timeout;
  out.preparing = options.preparing;
  return out;
}

const std::string& listen_url(const Options& options) { return options.listen_url.empty() ? options.url : options.listen_url; }

void server(Patient& patient) {
  const auto rows = patient.ask("server",
                                "SELECT current_setting('server_version'), current_setting('server_encoding'), "
                                "current_database()::text, current_user::text");
  if (!rows) return;
  patient.good("server version", fmt::format("PostgreSQL {}", rows->view(0, 0)));
  patient.good("write access", fmt::format("role {} on database {}, not a standby", rows->view(0, 3), rows->view(0, 2)));
  if (rows->view(0, 1) == "UTF8") return;
  patient.say(Grade::bad, "encoding", fmt::format("the database stores text as {}", rows->view(0, 1)),
              "make a database with ENCODING 'UTF8' and name it in --store");
}

void pooler(Patient& patient) {
  const Options& options = patient.options;
  if (!patient.connection.through_pooler()) return patient.good("pooler", "none in between");
  if (options.preparing == Preparing::always)
    return patient.say(Grade::bad, "pooler", "a pooler is in between, and statements are to be prepared behind it",
                       "set [postgres] preparing = \"auto\"");
  if (options.listen_url.empty())
    return patient.say(Grade::warning, "pooler", "a pooler is in between, and notifications do not pass it",
                       "name the server itself in [postgres] listen_url; until then nodes poll");
  patient.good("pooler", "in between; the listener goes past it");
}

void schema(Patient& patient) {
  const std::string& name = patient.options.schema;
  const auto version = schema_version(patient.connection, name);
  if (!version.ok())
    return patient.say(Grade::bad, "schema", version.status().message(), "name another schema, or grant the role its rights");
  patient.schema_known = true;
  patient.has_schema = *version > 0;
  if (*version == 0)
    return patient.good("schema", fmt::format("{} does not exist; `muster migrate up` or the first node makes it", name));
  if (*version > newest_version())
    return patient.say(Grade::bad, "schema",
                       fmt::format("{} has version {}, this program knows {}", name, *version, newest_version()),
                       "use the newer muster that made it");
  if (*version < newest_version())
    return patient.say(Grade::warning, "schema", fmt::format("{} has version {} of {}", name, *version, newest_version()),
                       "run `muster migrate up`; the next start does it too");
  patient.good("schema", fmt::format("{} has version {}, the newest", name, *version));
}

void rights_to_make(Patient& patient) {
  const auto rows = patient.ask("rights", "SELECT has_database_privilege(current_database(), 'CREATE')");
  if (!rows) return;
  if (rows->integer(0, 0) != 0) return patient.good("rights", "may make the schema");
  patient.say(Grade::bad, "rights", "the role may not make a schema",
              "run `muster migrate up` as a role that may (docs/cluster.md, Roles)");
}

void rights(Patient& patient) {
  if (!patient.has_schema) return rights_to_make(patient);
  const auto rows = patient.ask("rights", R"(
    SELECT coalesce(string_agg(c.relname::text, ', ' ORDER BY c.relname) FILTER (WHERE CASE c.relkind
             WHEN 'S' THEN NOT has_sequence_privilege(c.oid, 'USAGE') OR NOT has_sequence_privilege(c.oid, 'SELECT')
             WHEN 'v' THEN NOT has_table_privilege(c.oid, 'SELECT')
             ELSE NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
                       AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')) END), '')::text,
           bool_and(pg_has_role(c.relowner, 'USAGE')) FILTER (WHERE c.relname = 'history')
    FROM pg_class c
    WHERE c.relnamespace = '{schema}'::regnamespace AND c.relkind IN ('r', 'p', 'S', 'v'))");
  if (!rows) return;
  if (!rows->view(0, 0).empty())
    return patient.say(Grade::bad, "rights", fmt::format("the role may not use {}", rows->view(0, 0)),
                       "grant the role its rights (docs/cluster.md, Roles)");
  if (rows->integer(0, 1) == 0)
    return patient.say(Grade::warning, "rights", "the role may read and write, but does not own `history`",
                       "let it own the tables: else old jobs are deleted one by one instead of by the day");
  patient.good("rights", "may read and write everything, and owns `history`");
}

void durability(Patient& patient) {
  const auto rows = patient.ask("durability",
                                "SELECT current_setting('fsync'), current_setting('full_page_writes'), "
                                "current_setting('synchronous_commit')");
  if (!rows) return;
  if (rows->view(0, 0) != "on")
    return patient.say(Grade::bad, "durability", "fsync is off: a crash of the server's machine may damage the database",
                       "set fsync = on and reload the server");
  if (rows->view(0, 1) != "on")
    return patient.say(Grade::warning, "durability", "full_page_writes is off: a torn page after a crash cannot be mended",
                       "set full_page_writes = on unless the file system rules torn pages out");
  if (rows->view(0, 2) == "off")
    return patient.say(Grade::warning, "durability",
                       "synchronous_commit is off: the last acknowledged jobs may be lost in a crash",
                       "set synchronous_commit = on for the database or the role");
  patient.good("durability", fmt::format("fsync and full_page_writes on, synchronous_commit {}", rows->view(0, 2)));
}

void connections(Patient& patient) {
  const auto rows = patient.ask("connections", R"(
    SELECT current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint,
           (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
           (SELECT rolconnlimit::bigint FROM pg_roles WHERE rolname = current_user))");
  if (!rows) return;
  const std::int64_t per_node = static_cast<std::int64_t>(patient.options.connections) + kConnectionsBesides;
  const std::int64_t role_limit = rows->integer(0, 2);
  const std::int64_t most = role_limit >= 0 ? std::min(role_limit, rows->integer(0, 0)) : rows->integer(0, 0);
  const std::string text = fmt::format("{} of {} in use; a node takes {}", rows->integer(0, 1), most, per_node);
  if (most < kNodesExpected * per_node)
    return patient.say(Grade::warning, "connections", text,
                       "raise max_connections (or the role's limit): nodes × connections + room for people");
  if (most - rows->integer(0, 1) < per_node)
    return patient.say(Grade::warning, "connections", text,
                       "close idle sessions, raise max_connections, or put a pooler in between");
  patient.good("connections", text);
}

void clock_skew(Patient& patient) {
  const RealClock clock;
  const Instant before = clock.now();
  const auto rows = patient.ask("clock skew", "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint");
  const Instant after = clock.now();
  if (!rows) return;
  // What the round trip took is not skew.
  const Instant theirs = from_ms(rows->integer(0, 0));
  const Duration skew = theirs < before ? theirs - before : theirs > after ? theirs - after : Duration(0);
  const std::string text = fmt::format("the database's clock is {} ms {} this machine's", std::abs(skew.count()),
                                       skew.count() < 0 ? "behind" : "ahead of");
  const Grade grade = std::chrono::abs(skew) > kSkewBad       ? Grade::bad
                      : std::chrono::abs(skew) > kSkewWarning ? Grade::warning
                                                              : Grade::good;
  if (grade == Grade::good) return patient.good("clock skew", text);
  patient.say(
      grade, "clock skew", text,
      "let both machines follow one time source: leases are judged by the database's clock, and clients see times of both");
}

void notifications(Patient& patient) {
  auto listener = Connection::open(connect_options(patient.options, listen_url(patient.options)));
  if (!listener.ok())
    return patient.say(Grade::bad, "notifications", fmt::format("listen_url: {}", listener.status().message()),
                       "correct [postgres] listen_url; until then nodes poll");
  // A LISTEN through a pooler would stay behind on a connection of somebody else.
  if ((*listener)->through_pooler())
    return patient.say(Grade::warning, "notifications", "not delivered through a pooler: nodes poll instead",
                       "name the server itself in [postgres] listen_url");
  const std::string channel = patient.options.schema + "_doctor";
  Status status = (*listener)->script(fmt::format("LISTEN {}", postgres::quoted(channel)));
  if (status.ok()) status = patient.connection.script(fmt::format("SELECT pg_notify('{}', 'ping')", channel));
  if (!status.ok())
    return patient.say(Grade::warning, "notifications", status.message(), "nodes poll until notifications arrive");
  const RealClock clock;
  const Ticks started = clock.elapsed();
  while ((*listener)->take_notifications().empty()) {
    const Duration passed = std::chrono::duration_cast<Duration>(clock.elapsed() - started);
    if (passed >= kNotifyWait || !(*listener)->wait_for_notifications(-1, kNotifyWait - passed))
      return patient.say(Grade::warning, "notifications",
                         fmt::format("none arrived within {} ms: nodes poll instead", kNotifyWait.count()),
                         "let listen_url and url name the same database, and listen_url go past any pooler");
  }
  const auto took = std::chrono::duration_cast<Duration>(clock.elapsed() - started);
  patient.good("notifications", fmt::format("delivered within {} ms", took.count() + 1));
}

void vacuum(Patient& patient) {
  const auto rows = patient.ask("vacuum", R"(
    SELECT current_setting('autovacuum'), c.relname::text, s.n_live_tup, s.n_dead_tup, c.reloptions::text LIKE '%autovacuum_enabled=false%',
           coalesce(floor(extract(epoch FROM now() - greatest(s.last_autovacuum, s.last_vacuum))), -1)::bigint
    FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
    WHERE c.relnamespace = '{schema}'::regnamespace AND c.relname IN ('waiting', 'running', 'beats')
    ORDER BY s.n_dead_tup DESC)");
  if (!rows) return;
  bool off = rows->view(0, 0) != "on";
  for (std::size_t i = 0; i < rows->size(); ++i) off = off || rows->integer(i, 4) != 0;
  if (off)
    return patient.say(Grade::bad, "vacuum", "autovacuum is off: claims become slower with every job",
                       "set autovacuum = on and reload the server");
  const std::int64_t live = rows->integer(0, 2);
  const std::int64_t dead = rows->integer(0, 3);
  const std::int64_t age = rows->integer(0, 5);
  const std::string text = fmt::format("{} has {} live and {} dead rows, {}", rows->view(0, 1), live, dead,
                                       age < 0 ? "and was never vacuumed" : fmt::format("vacuumed {} s ago", age));
  if (dead > std::max(kDeadRowsMin, live))
    return patient.say(Grade::warning, "vacuum", text,
                       "look for old transactions (below), and give autovacuum more workers or a smaller autovacuum_naptime");
  patient.good("vacuum", text);
}

void old_transactions(Patient& patient) {
  const auto rows = patient.ask("oldest transaction", R"(
    SELECT coalesce(max(seconds), 0)::bigint, coalesce((array_agg(who ORDER BY seconds DESC))[1], '')::text
    FROM (
      SELECT extract(epoch FROM clock_timestamp() - xact_start) AS seconds,
             'process ' || pid || CASE WHEN application_name <> '' THEN ' (' || application_name || ')' ELSE '' END AS who
      FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
      UNION ALL
      SELECT extract(epoch FROM clock_timestamp() - prepared), 'prepared transaction ' || gid FROM pg_prepared_xacts
    ) AS open)");
  if (!rows) return;
  const std::int64_t seconds = rows->integer(0, 0);
  if (seconds < kOldTransactionWarning)
    return patient.good("oldest transaction", fmt::format("{} s, of those this role may see", seconds));
  patient.say(seconds < kOldTransactionBad ? Grade::warning : Grade::bad, "oldest transaction",
              fmt::format("{} has one open for {} s: no dead row younger than it can be cleaned up", rows->view(0, 1), seconds),
              "end it, and set idle_in_transaction_session_timeout");
}

void partitions(Patient& patient) {
  const auto rows = patient.ask("history", R"(
    SELECT count(*), (SELECT EXISTS (SELECT 1 FROM {schema}.history_rest)), (SELECT EXISTS (SELECT 1 FROM {schema}.nodes))
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = '{schema}.history'::regclass AND c.relname <> 'history_rest')");
  if (!rows) return;
  const std::int64_t days = rows->integer(0, 0);
  if (days == 0 && rows->integer(0, 2) != 0 && rows->integer(0, 1) != 0)
    return patient.say(Grade::warning, "history", "finished jobs are kept in one table, not by the day",
                       "let the role of the nodes own the tables, so that the leader can make partitions");
  patient.good("history", fmt::format("{} days in partitions of their own{}", days,
                                      rows->integer(0, 1) != 0 ? ", and jobs that finished outside of them" : ""));
}

}  // namespace

std::vector<Finding> examine(const Options& options) {
  const std::string where = without_secrets(options.url);
  auto connection = Connection::open(connect_options(options, options.url));
  if (!connection.ok())
    return {{Grade::bad, "connection", fmt::format("{}: {}", where, connection.status().message()),
             connection.code() == Code::invalid_argument
                 ? "correct --store, or what it names on the server"
                 : "start the server, or mend the way to it; nodes connect by themselves then"}};
  Patient patient{options, **connection, {}};
  patient.good("connection", where);
  server(patient);
  pooler(patient);
  schema(patient);
  if (patient.schema_known) rights(patient);
  durability(patient);
  connections(patient);
  clock_skew(patient);
  notifications(patient);
  if (patient.has_schema) vacuum(patient);
  old_transactions(patient);
  if (patient.has_schema) partitions(patient);
  return std::move(patient.findings);
}

namespace {

// A connection URL as people may see it.

constexpr const char* kUnreadable = "postgres://(unreadable)";
constexpr const char* kRedacted = "(redacted)";

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  std::size_t from = 0;
  for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', from)) {
    out.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  out.push_back(text.substr(from));
  return out;
}

// host=a,b port=1,2 as a:1,b:2. One port stands for all hosts.
std::string hosts_with_ports(const std::string& hosts, const std::string& ports) {
  const std::vector<std::string> host = split(hosts);
  const std::vector<std::string> port = split(ports);
  std::string out;
  for (std::size_t i = 0; i < host.size(); ++i) {
    const std::string& own = port.size() == 1 ? port.front() : i < port.size() ? port[i] : std::string();
    if (i > 0) out += ',';
    out += host[i].find(':') == std::string::npos ? host[i] : "[" + host[i] + "]";
    if (!own.empty()) out += ":" + own;
  }
  return out;
}

}  // namespace

// Read as libpq reads it, and put together anew from what is no secret: what cannot be read is not shown at all, since a password
// with a stray character in it is the usual reason.
std::string without_secrets(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(PQconninfoParse(url.c_str(), nullptr),
                                                                             PQconninfoFree);
  if (options == nullptr) return kUnreadable;
  std::map<std::string, std::string> plain;
  std::string rest;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string name = option->keyword;
    const bool secret = option->dispchar[0] == '*';
    if (name == "user" || name == "host" || name == "hostaddr" || name == "port" || name == "dbname") {
      plain[name] = option->val;
    } else if (name != "password") {
      rest += fmt::format("{}{}={}", rest.empty() ? "?" : "&", name, secret ? kRedacted : option->val);
    }
  }
  const std::string& host = plain["host"].empty() ? plain["hostaddr"] : plain["host"];
  const std::string user = plain["user"].empty() ? "" : plain["user"] + "@";
  const std::string database = plain["dbname"].empty() ? "" : "/" + plain["dbname"];
  return fmt::format("postgres://{}{}{}{}", user, hosts_with_ports(host, plain["port"]), database, rest);
}

}  // namespace muster::store::postgres
