#include "server/settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>

#include "base/ascii.h"
#include "store/postgres/store.h"

namespace muster::server {
namespace {

constexpr std::int64_t kSecond = 1'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kKiB = 1'024;
constexpr std::int64_t kMiB = 1'024 * kKiB;

constexpr Setting heartbeat(std::string_view key, std::string_view fallback, std::string_view help) {
  return {.section = "heartbeat",
          .key = key,
          .type = SettingType::duration,
          .fallback = fallback,
          .min = kSecond,
          .max = 30 * kMinute,
          .help = help};
}

struct Range {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

constexpr Setting postgres_time(std::string_view key, std::string_view fallback, Range range, std::string_view help) {
  return {.section = "postgres",
          .key = key,
          .type = SettingType::duration,
          .fallback = fallback,
          .min = range.min,
          .max = range.max,
          .help = help};
}

constexpr Setting agents_number(SettingType type, std::string_view key, std::string_view fallback, Range range,
                                std::string_view help) {
  return {.section = "agents", .key = key, .type = type, .fallback = fallback, .min = range.min, .max = range.max, .help = help};
}
constexpr Setting agents_text(SettingType type, std::string_view key, std::string_view fallback, std::string_view help) {
  return {.section = "agents", .key = key, .type = type, .fallback = fallback, .help = help};
}

constexpr Setting resp_switch(std::string_view key, std::string_view help, std::string_view fallback = "false") {
  return {.section = "resp", .key = key, .type = SettingType::boolean, .fallback = fallback, .help = help};
}

constexpr Setting resp_number(SettingType type, std::string_view key, std::string_view fallback, Range range,
                              std::string_view help) {
  return {.section = "resp", .key = key, .type = type, .fallback = fallback, .min = range.min, .max = range.max, .help = help};
}
constexpr Setting resp_count(std::string_view key, std::string_view fallback, Range range, std::string_view help) {
  return resp_number(SettingType::count, key, fallback, range, help);
}
constexpr Setting resp_bytes(std::string_view key, std::string_view fallback, Range range, std::string_view help) {
  return resp_number(SettingType::bytes, key, fallback, range, help);
}
constexpr Setting resp_time(std::string_view key, std::string_view fallback, Range range, std::string_view help) {
  return resp_number(SettingType::duration, key, fallback, range, help);
}

constexpr Setting grpc_number(SettingType type, std::string_view key, std::string_view fallback, Range range,
                              std::string_view help) {
  return {.section = "grpc", .key = key, .type = type, .fallback = fallback, .min = range.min, .max = range.max, .help = help};
}

constexpr Setting ws_number(SettingType type, std::string_view key, std::string_view fallback, Range range,
                            std::string_view help) {
  return {.section = "ws", .key = key, .type = type, .fallback = fallback, .min = range.min, .max = range.max, .help = help};
}

constexpr Setting load_number(std::string_view key, std::string_view fallback, Range range, std::string_view help) {
  return {.section = "load",
          .key = key,
          .type = SettingType::count,
          .fallback = fallback,
          .min = range.min,
          .max = range.max,
          .help = help};
}

constexpr std::array kSettings{
    Setting{.section = "server",
            .key = "data_dir",
            .type = SettingType::path,
            .fallback = "",
            .flag = "--data-dir",
            .help = "folder of the database and the key file; default $XDG_DATA_HOME/muster, else ~/.local/share/muster"},
    Setting{.section = "server",
            .key = "store",
            .type = SettingType::database,
            .fallback = "",
            .flag = "--store",
            .help = "sqlite:PATH or postgres://[USER@]HOST[:PORT]/DATABASE; default sqlite:<data-dir>/muster.db"},
    Setting{.section = "server",
            .key = "durability",
            .type = SettingType::choice,
            .fallback = "full",
            .choices = "full|normal",
            .flag = "--durability",
            .help = "of SQLite: full syncs every commit; normal may lose the last ones when the machine stops"},
    Setting{.section = "server",
            .key = "insecure",
            .type = SettingType::boolean,
            .fallback = "false",
            .flag = "--insecure",
            .help = "allow a listener beyond loopback without TLS and authentication"},
    Setting{.section = "server",
            .key = "backup_dir",
            .type = SettingType::path,
            .fallback = "",
            .help = "folder that backups are written into; default <data-dir>/backups"},
    Setting{.section = "server",
            .key = "stop_grace",
            .type = SettingType::duration,
            .fallback = "10s",
            .min = 0,
            .max = 10 * kMinute,
            .reloadable = true,
            .help = "how long requests in flight may take after SIGTERM"},

    Setting{.section = "postgres",
            .key = "schema",
            .type = SettingType::text,
            .fallback = "muster",
            .help = "schema of the tables; nodes of one cluster share it"},
    Setting{.section = "postgres",
            .key = "node",
            .type = SettingType::text,
            .flag = "--node",
            .help = "this node's name, unique among the living; empty: host, process and chance"},
    Setting{.section = "postgres",
            .key = "address",
            .type = SettingType::text,
            .help = "where people reach this node, for `muster cluster status`; empty: the HTTP listener's"},
    Setting{
        .section = "postgres",
        .key = "listen_url",
        .type = SettingType::database,
        .help = "postgres://… of the server itself for the one connection that listens, when the store's URL leads to a pooler"},
    Setting{
        .section = "postgres",
        .key = "connections",
        .type = SettingType::count,
        .fallback = "3",
        .min = static_cast<std::int64_t>(store::postgres::kConnectionsMin),
        .max = static_cast<std::int64_t>(store::postgres::kConnectionsMax),
        .help = "connections for verbs; two for notifications come on top, and one for long reads of keys while there are any"},
    Setting{
        .section = "postgres",
        .key = "preparing",
        .type = SettingType::choice,
        .fallback = "auto",
        .choices = "auto|always|never",
        .help = "whether statements are prepared once a connection; never behind a pooler in transaction mode, auto finds out"},
    postgres_time("connect_timeout", "5s", {.min = 100, .max = kMinute}, "how long one attempt to connect may take"),
    postgres_time("statement_timeout", "10s", {.min = 100, .max = 10 * kMinute},
                  "how long one round trip may take; then the connection is given up"),
    postgres_time("leader_ttl", "30s", {.min = kSecond, .max = 10 * kMinute},
                  "how long a leader that fell silent still leads; it refreshes at half"),
    postgres_time("node_beat_every", "5s", {.min = 100, .max = kMinute}, "how often a node says that it lives"),
    postgres_time("poll_every", "1s", {.min = 50, .max = kMinute},
                  "how often a node looks for other nodes' work while notifications do not arrive"),
    postgres_time("poll_every_listening", "30s", {.min = 50, .max = 10 * kMinute}, "the same while they do"),

    Setting{.section = "listen",
            .key = "http",
            .type = SettingType::listen,
            .fallback = "127.0.0.1:8080",
            .flag = "--http",
            .help = "HTTP address, or off; port 0 picks a free one"},
    Setting{.section = "listen",
            .key = "resp",
            .type = SettingType::listeners,
            .fallback = "127.0.0.1:6380",
            .flag = "--resp",
            .help = "RESP addresses: HOST:PORT and unix:/PATH, separated by commas, or off; port 0 picks a free one"},
    Setting{.section = "listen",
            .key = "grpc",
            .type = SettingType::listen,
            .fallback = "127.0.0.1:50051",
            .flag = "--grpc",
            .help = "gRPC address, or off; port 0 picks a free one"},
    Setting{.section = "listen",
            .key = "all",
            .type = SettingType::listen,
            .fallback = "off",
            .flag = "--listen",
            .help = "one address for HTTP, WebSocket, gRPC and gRPC-Web, told apart by their first bytes, or off; port 0 picks a "
                    "free one"},

    Setting{.section = "http",
            .key = "cors_origins",
            .type = SettingType::list,
            .help = "origins of browser pages that may call, beside the server's own; * is any, only together with tokens"},
    Setting{.section = "http",
            .key = "host_names",
            .type = SettingType::list,
            .help = "names accepted in Host on a listener without authentication, beside loopback names"},

    resp_switch("auth_optional", "commands before AUTH are the operator's; on loopback and Unix sockets only"),
    resp_switch("pop_answers_pair", "BRPOP of one key answers key and element, as Redis does, not the element alone", "true"),
    resp_switch("pop_moves_document", "BRPOPLPUSH out of a queue answers the job's JSON, not its id"),
    resp_switch("ranges_with_scores", "ZRANGE and ZRANGEBYSCORE always answer scores"),
    resp_switch("empty_inputs_run_once", "ACTION.SUBMIT without inputs makes one job with {}"),
    resp_switch("plans_overwrite", "PLAN.SUBMIT of another text under a known id replaces the plan"),
    resp_switch("jobs_are_tasks", "an action makes a job of every task of every input"),
    resp_switch("failures_retry", "a job that a worker reports as failed is tried again by its policy"),
    resp_switch("flush_allowed", "FLUSHDB and FLUSHALL delete keys"),
    resp_time("job_timeout", "1h", {.min = kSecond, .max = 30 * kDay},
              "how long a job may run before it is taken from its worker"),
    resp_count("job_attempts", "3", {.min = 1, .max = 1'000}, "attempts of a job"),
    resp_count("job_rescues", "3", {.min = 0, .max = 1'000}, "how often a job that was lost with its worker is tried again"),
    resp_time("output_kept", "7d", {.min = kMinute, .max = 3'650 * kDay}, "how long stdout and stderr of jobs stay"),
    resp_bytes("message_bytes_max", "10MiB", {.min = 4 * kKiB, .max = 512 * kMiB},
               "largest command; a larger one is answered Message too large and closed"),
    resp_bytes("value_bytes_max", "10MiB", {.min = kKiB, .max = 512 * kMiB}, "largest argument of a command; the same answer"),
    resp_bytes("output_bytes_max", "64MiB", {.min = kMiB, .max = 4'096 * kMiB},
               "bytes that a connection has not read; closed beyond"),
    resp_count("connections_max", "20000", {.min = 1, .max = 1'000'000}, "open connections; one more is told so and closed"),
    resp_count("connections_per_address_max", "20000", {.min = 1, .max = 1'000'000}, "the same from one address"),
    resp_count("pipeline_max", "10000", {.min = 1, .max = 1'000'000},
               "unanswered commands of one connection; it is read on later"),
    resp_time("idle", "0ms", {.min = 0, .max = 30 * kDay},
              "silence after which an authenticated connection is closed; 0ms: never"),
    resp_time("unauthenticated_idle", "1m", {.min = kSecond, .max = kDay}, "the same before AUTH"),
    resp_time("authenticate_within", "2m", {.min = kSecond, .max = kDay},
              "from its beginning until a connection must have authenticated, whatever it sends; then it is closed"),
    resp_time("frame_read", "1m", {.min = kSecond, .max = kDay},
              "from the first byte of a command to its last; then its connection is told so and closed"),
    resp_bytes("channel_bytes_max", "4MiB", {.min = kKiB, .max = 1'024 * kMiB},
               "names of one connection's subscriptions, 256 bytes more for each; further ones are refused"),
    resp_bytes("channel_bytes_in_all_max", "64MiB", {.min = kKiB, .max = 16'384 * kMiB}, "the same of all connections"),
    resp_count("auth_failures_max", "5", {.min = 1, .max = 10'000},
               "wrong keys and tokens from one address, on any wire, before answers to it are delayed; a quiet minute forgets"),
    resp_time("auth_delay_max", "1m", {.min = 0, .max = kHour}, "the longest such delay"),
    resp_count("plan_submits_per_minute", "0", {.min = 0, .max = 1'000'000'000}, "PLAN.SUBMIT in a minute; 0: no limit"),
    resp_count("action_submits_per_minute", "0", {.min = 0, .max = 1'000'000'000}, "ACTION.SUBMIT in a minute; 0: no limit"),
    resp_count("job_gets_per_minute", "0", {.min = 0, .max = 1'000'000'000}, "JOB.GET in a minute; 0: no limit"),
    resp_count("heartbeats_per_minute", "0", {.min = 0, .max = 1'000'000'000}, "heartbeats by PING in a minute; 0: no limit"),
    resp_count("workers_max", "0", {.min = 0, .max = 1'000'000}, "workers that PING may register; 0: no limit of its own"),
    resp_count("action_inputs_max", "100", {.min = 1, .max = 10'000}, "inputs of one ACTION.SUBMIT"),

    grpc_number(SettingType::duration, "poll_wait", "1m", {.min = 100, .max = kMinute},
                "how long an empty poll is held; below the 65 s after which clients give up"),
    grpc_number(SettingType::duration, "refused_poll_hold", "1s", {.min = 0, .max = kMinute},
                "how late a poll that is refused is answered, since some clients poll again at once"),
    grpc_number(SettingType::duration, "run_lease", "0ms", {.min = 0, .max = kHour},
                "how long a run is leased to a client that stops beating when it stops; 0ms: twice heartbeat.grpc_dead_after"),
    grpc_number(SettingType::duration, "run_lease_per_beat", "0ms", {.min = 0, .max = kHour},
                "what each of its beats adds to that; 0ms: one and a half times heartbeat.grpc_dead_after"),
    grpc_number(SettingType::duration, "run_lease_max", "0ms", {.min = 0, .max = kDay},
                "how far ahead such a lease may end, which is how long its runs wait after a crash; 0ms: ten times "
                "heartbeat.grpc_dead_after"),
    Setting{.section = "grpc",
            .key = "steps_retry",
            .type = SettingType::boolean,
            .fallback = "true",
            .help = "older dialect: a step that failed is tried again though its client then fails the run"},
    Setting{.section = "grpc",
            .key = "plain_errors",
            .type = SettingType::boolean,
            .fallback = "false",
            .help = "older dialect: errors of runs and steps as plain text, for the oldest clients"},
    grpc_number(SettingType::bytes, "message_bytes_max", "4MiB", {.min = 64 * kKiB, .max = 512 * kMiB},
                "largest request; a larger one is answered RESOURCE_EXHAUSTED"),
    grpc_number(SettingType::bytes, "payload_bytes_max", "2MiB", {.min = kKiB, .max = 256 * kMiB},
                "largest input, output or step data; a larger one is answered INVALID_ARGUMENT"),
    grpc_number(SettingType::count, "calls_max", "50000", {.min = 1, .max = 10'000'000},
                "open calls; one more is answered RESOURCE_EXHAUSTED"),
    grpc_number(SettingType::count, "watches_max", "1000", {.min = 1, .max = 1'000'000},
                "open streams of Health/Watch, which needs no token; one more is answered RESOURCE_EXHAUSTED"),
    grpc_number(SettingType::count, "watches_per_address_max", "100", {.min = 1, .max = 1'000'000}, "the same from one address"),
    grpc_number(SettingType::count, "streams_per_connection_max", "10000", {.min = 1, .max = 1'000'000},
                "open calls of one connection; its client holds further ones back"),
    grpc_number(SettingType::duration, "keepalive", "0ms", {.min = 0, .max = kDay},
                "how often quiet clients are pinged; 0ms: never"),
    grpc_number(SettingType::duration, "keepalive_accepted", "10s", {.min = 0, .max = kDay},
                "how often quiet clients may ping; those that do it more often are disconnected"),
    Setting{.section = "grpc",
            .key = "web_origins",
            .type = SettingType::list,
            .help = "the same for gRPC-Web: origins of browser pages that may call, beside the server's own"},

    Setting{.section = "ws",
            .key = "enabled",
            .type = SettingType::boolean,
            .fallback = "true",
            .help = "AstraFlow workers may connect to /ws/worker of the HTTP listener"},
    Setting{.section = "ws",
            .key = "session_secret",
            .type = SettingType::text,
            .secret = true,
            .help = "signs the sessions of these workers, the same on every node; default: made from the operator's key"},
    ws_number(SettingType::duration, "session_life", "1h", {.min = kMinute, .max = 30 * kDay},
              "how long a worker that lost its connection may resume its session"),
    ws_number(SettingType::count, "sockets_max", "10000", {.min = 1, .max = 1'000'000},
              "open sockets; one more is refused with 503"),
    ws_number(SettingType::duration, "dispatch_ack", "5s", {.min = 100, .max = kHour},
              "older protocol: how long a worker may take to acknowledge a task before it is given to another"),
    Setting{.section = "ws",
            .key = "strict_results",
            .type = SettingType::boolean,
            .fallback = "false",
            .help = "older protocol: refuse a result that comes before those of earlier tasks of its run"},

    Setting{.section = "packages",
            .key = "folder",
            .type = SettingType::path,
            .fallback = "",
            .help = "archives of packages as NAME/VERSION/FILE, served at /packages/; default <data-dir>/packages"},
    Setting{.section = "packages",
            .key = "url",
            .type = SettingType::text,
            .fallback = "",
            .help = "where workers find that folder, such as https://muster.example/packages; default: file:// of the folder"},
    Setting{.section = "packages",
            .key = "archive_bytes_max",
            .type = SettingType::bytes,
            .fallback = "64MiB",
            .min = 1,
            .max = 1'024 * kMiB,
            .help = "bytes of one archive; a larger one is neither served nor installed"},
    Setting{.section = "packages",
            .key = "timeout",
            .type = SettingType::duration,
            .fallback = "30s",
            .min = kSecond,
            .max = kDay,
            .help = "how long a worker may take to register what it was told to install; then the operation has failed"},

    agents_text(SettingType::boolean, "enabled", "true", "this server keeps agents and, with a key or a base_url, runs them"),
    Setting{.section = "agents",
            .key = "api_key",
            .type = SettingType::text,
            .secret = true,
            .help = "key of the model's API; ANTHROPIC_API_KEY is read too"},
    agents_text(SettingType::path, "api_key_file", "", "file that holds the key; it comes before api_key"),
    agents_text(SettingType::text, "base_url", "", "where the model's API is; default https://api.anthropic.com"),
    agents_text(SettingType::text, "version", "2023-06-01", "anthropic-version of every call"),
    agents_text(SettingType::list, "betas", "", "names for anthropic-beta of every call"),
    agents_text(SettingType::text, "proxy", "", "HTTP proxy of these calls; the environment's is not looked at"),
    agents_text(SettingType::path, "ca_file", "", "certificates that the API's must chain to; default: the system's"),
    agents_text(SettingType::path, "record_file", "", "cassette to which every exchange with the model's API is appended"),
    agents_text(SettingType::path, "replay_file", "", "cassette that answers instead of the model's API; no key is needed"),
    agents_number(SettingType::count, "streams_max", "1000", {.min = 1, .max = 50'000},
                  "answers that are streamed at a time; further runs wait"),
    agents_number(SettingType::duration, "batch_window", "1s", {.min = 0, .max = kMinute},
                  "how long a batch waits for more runs before it is sent"),
    agents_number(SettingType::count, "batch_requests_max", "10000", {.min = 1, .max = 50'000}, "requests of one batch"),
    agents_number(SettingType::bytes, "batch_bytes_max", "128MiB", {.min = kMiB, .max = 200 * kMiB}, "bytes of one batch"),
    agents_number(SettingType::duration, "poll_interval", "30s", {.min = kSecond, .max = kHour},
                  "how often a batch is looked at"),
    agents_number(SettingType::count, "tokens_per_minute", "0", {.min = 0, .max = 1'000'000'000},
                  "tokens that calls of this node may take in a minute; more wait. 0: no limit"),
    agents_text(
        SettingType::list, "prices", "",
        "MODEL=INPUT/OUTPUT or MODEL=INPUT/OUTPUT/CACHE_WRITE/CACHE_READ in dollars for a million tokens, by the beginning "
        "of the model's name"),
    agents_text(SettingType::list, "budgets", "",
                "NAMESPACE=TOKENS/MICRODOLLARS of a day, 0: no limit; * for the namespaces that are not named"),
    agents_text(SettingType::boolean, "compaction", "false", "sessions are compacted after a run when they need it"),
    agents_number(SettingType::count, "compaction_window", "200000", {.min = 1'000, .max = 10'000'000},
                  "tokens that the model takes"),
    agents_number(SettingType::count, "compaction_trigger_pct", "85", {.min = 1, .max = 100},
                  "share of the window from which a session needs compaction"),
    agents_number(SettingType::count, "compaction_target", "80000", {.min = 0, .max = 10'000'000},
                  "tokens at which pruned tool outputs are enough and nothing is summarised"),
    agents_number(SettingType::count, "compaction_protected", "40000", {.min = 0, .max = 10'000'000},
                  "tokens of the newest messages, which stay"),
    agents_number(SettingType::count, "compaction_keep_last", "10", {.min = 0, .max = 10'000},
                  "messages before those, which stay too"),
    agents_text(SettingType::text, "compaction_model", "claude-3-5-haiku-20241022", "model that writes summaries"),

    Setting{.section = "scheduler",
            .key = "interval",
            .type = SettingType::duration,
            .fallback = "5s",
            .min = 100,
            .max = kHour,
            .help = "how often schedules are looked at, at the latest"},
    Setting{.section = "scheduler",
            .key = "batch",
            .type = SettingType::count,
            .fallback = "100",
            .min = 1,
            .max = 10'000,
            .help = "due schedules of one pass"},
    Setting{.section = "scheduler",
            .key = "fires_max",
            .type = SettingType::count,
            .fallback = "1000",
            .min = 1,
            .max = 100'000,
            .help = "fires of one pass"},

    Setting{.section = "tls",
            .key = "cert",
            .type = SettingType::path,
            .flag = "--tls-cert",
            .help = "certificate chain, PEM; SIGHUP reads the file again"},
    Setting{.section = "tls",
            .key = "key",
            .type = SettingType::path,
            .flag = "--tls-key",
            .help = "private key, PEM; SIGHUP reads the file again"},
    Setting{.section = "tls",
            .key = "client_ca",
            .type = SettingType::path,
            .flag = "--tls-client-ca",
            .help = "certificates that client certificates must chain to; empty: clients need none"},

    Setting{.section = "auth",
            .key = "session_key",
            .type = SettingType::hex_key,
            .secret = true,
            .reloadable = true,
            .help = "the operator key, 64 hex digits; none: generated once into <data-dir>/session.key"},

    Setting{.section = "log",
            .key = "level",
            .type = SettingType::choice,
            .fallback = "info",
            .choices = "debug|info|warn|error",
            .reloadable = true,
            .flag = "--log-level",
            .help = "lines below this level are not written"},

    Setting{.section = "limits",
            .key = "body_bytes_max",
            .type = SettingType::bytes,
            .fallback = "8MiB",
            .min = kKiB,
            .max = 1'024 * kMiB,
            .help = "largest request body; a larger one is answered 413"},
    Setting{.section = "limits",
            .key = "header_bytes_max",
            .type = SettingType::bytes,
            .fallback = "16KiB",
            .min = kKiB,
            .max = kMiB,
            .help = "largest request header; a larger one is answered 431"},
    Setting{.section = "limits",
            .key = "connections_max",
            .type = SettingType::count,
            .fallback = "10000",
            .min = 1,
            .max = 1'000'000,
            .help = "open connections; one more is answered 503 and closed"},
    Setting{.section = "limits",
            .key = "connection_bytes",
            .type = SettingType::bytes,
            .fallback = "32MiB",
            .min = kMiB,
            .max = 16'384 * kMiB,
            .help = "of one RESP or HTTP connection, read and not answered or answered and not taken; above it is read on later"},
    Setting{.section = "limits",
            .key = "node_bytes",
            .type = SettingType::bytes,
            .fallback = "512MiB",
            .min = 16 * kMiB,
            .max = 1'024 * 1'024 * kMiB,
            .help = "the same of all of them; above it those with more than 64 KiB are read on one at a time"},
    Setting{.section = "limits",
            .key = "events_kept",
            .type = SettingType::count,
            .fallback = "65536",
            .min = 16,
            .max = 10'000'000,
            .help = "events a reader can go back; beyond them it is told of a gap"},
    Setting{.section = "limits",
            .key = "parked_claims_max",
            .type = SettingType::count,
            .fallback = "100000",
            .min = 1,
            .max = 1'000'000,
            .help = "claims that wait; one more is answered exhausted"},
    Setting{.section = "limits",
            .key = "writes_pending_max",
            .type = SettingType::count,
            .fallback = "200000",
            .min = 1,
            .max = 10'000'000,
            .help = "store verbs that wait for the writer; one more is answered exhausted"},

    Setting{.section = "retention",
            .key = "completed_kept",
            .type = SettingType::duration,
            .fallback = "7d",
            .min = 0,
            .max = 3'650 * kDay,
            .help = "how long completed and cancelled jobs stay"},
    Setting{.section = "retention",
            .key = "dead_kept",
            .type = SettingType::duration,
            .fallback = "30d",
            .min = 0,
            .max = 3'650 * kDay,
            .help = "how long dead jobs stay"},
    Setting{.section = "retention",
            .key = "finished_count_max",
            .type = SettingType::count,
            .fallback = "1000000",
            .min = 0,
            .max = 1'000'000'000,
            .help = "finished jobs kept; the oldest go first"},
    Setting{.section = "retention",
            .key = "offline_workers_kept",
            .type = SettingType::duration,
            .fallback = "7d",
            .min = kMinute,
            .max = 3'650 * kDay,
            .help = "how long the rows of workers that are gone stay"},

    Setting{.section = "audit",
            .key = "kept",
            .type = SettingType::duration,
            .fallback = "90d",
            .min = kMinute,
            .max = 3'650 * kDay,
            .help = "how long audit rows stay, unless there are too many of them"},

    heartbeat("http_interval", "10s", "how often HTTP workers must be heard"),
    heartbeat("http_dead_after", "30s", "silence after which an HTTP worker is dead"),
    heartbeat("resp_interval", "30s", "how often RESP workers must be heard"),
    heartbeat("resp_dead_after", "90s", "silence after which a RESP worker is dead"),
    heartbeat("grpc_interval", "10s", "how often gRPC workers must be heard"),
    heartbeat("grpc_dead_after", "30s", "silence after which a gRPC worker is dead"),
    heartbeat("ws_interval", "35s", "how often WebSocket workers must be heard"),
    heartbeat("ws_dead_after", "110s", "silence after which a WebSocket worker is dead"),
    heartbeat("agent_interval", "15s", "how often agents must be heard"),
    heartbeat("agent_dead_after", "1m", "silence after which an agent is dead"),

    load_number("mem_pct", "90", {0, 100}, "percentage of memory in a heartbeat from which on a worker drains; 0: never"),
    load_number("disk_pct", "95", {0, 100}, "the same for the disk"),
    load_number("margin_pct", "5", {0, 99}, "a worker works again when both are below by more than this"),
    load_number("calm_beats", "3", {1, 1'000}, "for so many heartbeats in a row"),
};

constexpr std::size_t kSuggestionDistanceMax = 3;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0u);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row[b.size()];
}

}  // namespace

std::span<const Setting> settings() { return kSettings; }

const Setting* find_setting(std::string_view section, std::string_view key) {
  const auto at = std::find_if(kSettings.begin(), kSettings.end(),
                               [&](const Setting& setting) { return setting.section == section && setting.key == key; });
  return at == kSettings.end() ? nullptr : &*at;
}

std::string environment_name(const Setting& setting) {
  return upper("MUSTER_" + std::string(setting.section) + "_" + std::string(setting.key));
}

std::string full_name(const Setting& setting) { return std::string(setting.section) + "." + std::string(setting.key); }

std::vector<std::string_view> section_names() {
  std::vector<std::string_view> names;
  for (const Setting& setting : kSettings)
    if (names.empty() || names.back() != setting.section) names.push_back(setting.section);
  names.push_back("workers");
  return names;
}

std::string_view closest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = std::min(kSuggestionDistanceMax, word.size() / 2) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace muster::server
