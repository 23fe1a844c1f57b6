#include "server/wiring.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "base/temp_folder_testing.h"
#include "server/version.h"
#include "store/sqlite/store.h"

namespace muster::server {
namespace {

Config config_with(std::map<std::string, std::string> flags) {
  LoadedConfig loaded = load_config({.file = "", .environment = {{"HOME", "/h"}}, .flags = std::move(flags)});
  EXPECT_TRUE(loaded.problems.empty());
  return loaded.config;
}

TEST(Wiring, AGrpcWorkerThatDiesAfterTwoBeatsIsToldToBeatMoreOften) {
  LoadedConfig loaded = load_config(
      {.file = "",
       .environment = {{"HOME", "/h"}, {"MUSTER_HEARTBEAT_GRPC_INTERVAL", "10s"}, {"MUSTER_HEARTBEAT_GRPC_DEAD_AFTER", "20s"}},
       .flags = {}});
  ASSERT_TRUE(loaded.problems.empty());
  EXPECT_EQ(grpc_options(loaded.config, "key").compat_flags.heartbeat_every, Duration(6'000));
}

TEST(Wiring, LoadAndCertificatesGoWhereTheyAreUsed) {
  TempFolder folder;
  LoadedConfig loaded = load_config({.file = folder.write("muster.toml",
                                                          "[load]\nmem_pct = 80\n[load.namespaces]\nacme = { disk_pct = 60 }\n"
                                                          "[auth.tokens]\na = { role = \"worker\", certificate_sha256 = \"" +
                                                              std::string(64, 'a') + "\", namespaces = [\"acme\"] }\n"),
                                     .environment = {{"HOME", "/h"}},
                                     .flags = {}});
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  const engine::Options engine = engine_options(loaded.config);
  EXPECT_EQ(engine.load.mem_pct, 80u);
  ASSERT_TRUE(engine.load_by_namespace.contains("acme"));
  EXPECT_EQ(engine.load_by_namespace.at("acme"), (engine::LoadLimits{.mem_pct = 80, .disk_pct = 60}));
  const ws::WsOptions ws = ws_options(loaded.config, "key");
  ASSERT_EQ(ws.auth.certificates.size(), 1u);
  EXPECT_EQ(ws.auth.certificates[0].namespaces, std::vector{NamespaceName("acme")});
  EXPECT_TRUE(ws.auth.required) << "who may come is configured";
  EXPECT_EQ(all_tokens(loaded.config, "key").size(), 1u) << "no wire takes a fingerprint for a token";
}

TEST(Wiring, WhereGrpcIsServedItsBoundsOfStreamsReachEveryListener) {
  const http::HttpOptions alone = http_options(config_with({{"listen.grpc", "off"}}), "key");
  EXPECT_FALSE(alone.other_streams.has_value());
  const http::HttpOptions joined =
      http_options(config_with({{"listen.grpc", "127.0.0.1:0"}, {"grpc.streams_per_connection_max", "5000"}}), "key");
  ASSERT_TRUE(joined.other_streams.has_value());
  EXPECT_EQ(joined.other_streams->streams_max, 5'000u);
}

TEST(Wiring, TheDefaultsOfTheTableAreTheDefaultsOfTheParts) {
  const Config config = config_with({});
  const engine::Options engine_default;
  const engine::Options engine = engine_options(config);
  for (std::size_t i = 0; i < engine.policies.size(); ++i) {
    EXPECT_EQ(engine.policies[i].interval, engine_default.policies[i].interval) << i;
    EXPECT_EQ(engine.policies[i].dead_after, engine_default.policies[i].dead_after) << i;
  }
  EXPECT_EQ(engine.retention.completed_kept, engine_default.retention.completed_kept);
  EXPECT_EQ(engine.retention.dead_kept, engine_default.retention.dead_kept);
  EXPECT_EQ(engine.retention.finished_count_max, engine_default.retention.finished_count_max);
  EXPECT_EQ(engine.offline_kept, engine_default.offline_kept);
  EXPECT_EQ(engine.events_kept, engine_default.events_kept);
  EXPECT_EQ(engine.parked_max, engine_default.parked_max);
  EXPECT_EQ(engine.load, engine_default.load);
  const http::HttpOptions http_default;
  const http::HttpOptions http = http_options(config, "key");
  EXPECT_EQ(http.address, http_default.address);
  EXPECT_EQ(http.port, http_default.port);
  EXPECT_EQ(http.limits.body_bytes_max, http_default.limits.body_bytes_max);
  EXPECT_EQ(http.limits.header_bytes_max, http_default.limits.header_bytes_max);
  EXPECT_EQ(http.limits.connections_max, http_default.limits.connections_max);
  EXPECT_EQ(http.rpc_origins, http_default.rpc_origins);
  EXPECT_EQ(engine.scheduler_every, engine_default.scheduler_every);
  EXPECT_EQ(engine.scheduler_batch, engine_default.scheduler_batch);
  EXPECT_EQ(engine.scheduler_fires_max, engine_default.scheduler_fires_max);
  const rpc::GrpcOptions grpc_default;
  const rpc::GrpcOptions grpc = grpc_options(config, "key");
  EXPECT_EQ(grpc.address, grpc_default.address);
  EXPECT_EQ(grpc.port, grpc_default.port);
  EXPECT_FALSE(grpc.auth_required);
  EXPECT_EQ(grpc.limits.message_bytes_max, grpc_default.limits.message_bytes_max);
  EXPECT_EQ(grpc.limits.payload_bytes_max, grpc_default.limits.payload_bytes_max);
  EXPECT_EQ(grpc.limits.calls_max, grpc_default.limits.calls_max);
  EXPECT_EQ(grpc.limits.keepalive, grpc_default.limits.keepalive);
  EXPECT_EQ(grpc.limits.keepalive_accepted, grpc_default.limits.keepalive_accepted);
  EXPECT_EQ(grpc.compat_flags.poll_wait, grpc_default.compat_flags.poll_wait);
  EXPECT_EQ(grpc.compat_flags.refused_poll_hold, grpc_default.compat_flags.refused_poll_hold);
  EXPECT_EQ(grpc.compat_flags.steps_retry, grpc_default.compat_flags.steps_retry);
  EXPECT_EQ(grpc.compat_flags.plain_errors, grpc_default.compat_flags.plain_errors);
  EXPECT_EQ(grpc.compat_flags.heartbeat_every, grpc_default.compat_flags.heartbeat_every);
  EXPECT_EQ(grpc.compat_flags.dead_after, grpc_default.compat_flags.dead_after);
  EXPECT_EQ(grpc.compat_flags.run_lease, grpc_default.compat_flags.run_lease);
  EXPECT_EQ(grpc.compat_flags.run_lease_per_beat, grpc_default.compat_flags.run_lease_per_beat);
  EXPECT_EQ(grpc.compat_flags.run_lease_max, grpc_default.compat_flags.run_lease_max);
  const resp::RespOptions resp_default;
  const resp::RespOptions resp = resp_options(config, "key");
  ASSERT_EQ(resp.addresses.size(), 1u);
  EXPECT_EQ(resp.addresses[0].host, "127.0.0.1");
  EXPECT_EQ(resp.addresses[0].port, 6380);
  EXPECT_EQ(resp.job_timeout, resp_default.job_timeout);
  EXPECT_EQ(resp.job_attempts, resp_default.job_attempts);
  EXPECT_EQ(resp.job_rescues, resp_default.job_rescues);
  EXPECT_EQ(resp.output_kept, resp_default.output_kept);
  EXPECT_EQ(resp.limits.message_bytes_max, resp_default.limits.message_bytes_max);
  EXPECT_EQ(resp.limits.value_bytes_max, resp_default.limits.value_bytes_max);
  EXPECT_EQ(resp.limits.output_bytes_max, resp_default.limits.output_bytes_max);
  EXPECT_EQ(resp.limits.connections_max, resp_default.limits.connections_max);
  EXPECT_EQ(resp.limits.connections_per_address_max, resp_default.limits.connections_per_address_max);
  EXPECT_EQ(resp.limits.pipeline_max, resp_default.limits.pipeline_max);
  EXPECT_EQ(resp.limits.idle, resp_default.limits.idle);
  EXPECT_EQ(resp.limits.unauthenticated_idle, resp_default.limits.unauthenticated_idle);
  EXPECT_EQ(brake_options(config).failures_max, auth::BrakeOptions().failures_max);
  EXPECT_EQ(brake_options(config).delay_max, auth::BrakeOptions().delay_max);
  EXPECT_EQ(resp.limits.plan_submits_per_minute, resp_default.limits.plan_submits_per_minute);
  EXPECT_EQ(resp.limits.action_submits_per_minute, resp_default.limits.action_submits_per_minute);
  EXPECT_EQ(resp.limits.job_gets_per_minute, resp_default.limits.job_gets_per_minute);
  EXPECT_EQ(resp.limits.heartbeats_per_minute, resp_default.limits.heartbeats_per_minute);
  EXPECT_EQ(resp.limits.workers_max, resp_default.limits.workers_max);
  EXPECT_EQ(resp.limits.action_inputs_max, resp_default.limits.action_inputs_max);
  EXPECT_EQ(engine.claim_poll_every, engine_default.claim_poll_every);
  EXPECT_EQ(sqlite_options(config).pending_max, store::sqlite::Options().pending_max);
  EXPECT_EQ(sqlite_options(config).durability, store::sqlite::Durability::full);
  const store::postgres::Options postgres_default;
  const store::postgres::Options postgres = postgres_options(config_with({{"server.store", "postgres://db/x"}}));
  EXPECT_EQ(postgres.schema, postgres_default.schema);
  EXPECT_EQ(postgres.node, postgres_default.node);
  EXPECT_EQ(postgres.listen_url, postgres_default.listen_url);
  EXPECT_EQ(postgres.connections, postgres_default.connections);
  EXPECT_EQ(postgres.preparing, postgres_default.preparing);
  EXPECT_EQ(postgres.connect_timeout, postgres_default.connect_timeout);
  EXPECT_EQ(postgres.statement_timeout, postgres_default.statement_timeout);
  EXPECT_EQ(postgres.leader_ttl, postgres_default.leader_ttl);
  EXPECT_EQ(postgres.node_beat_every, postgres_default.node_beat_every);
  EXPECT_EQ(postgres.poll_every, postgres_default.poll_every);
  EXPECT_EQ(postgres.poll_every_listening, postgres_default.poll_every_listening);
  EXPECT_EQ(postgres.pending_max, postgres_default.pending_max);
}

TEST(Wiring, PostgresSettingsReachTheStore) {
  const std::map<std::string, std::string> environment{{"HOME", "/h"},
                                                       {"MUSTER_SERVER_STORE", "postgres://u:p@pool:6432/jobs"},
                                                       {"MUSTER_POSTGRES_LISTEN_URL", "postgres://u:p@db/jobs"},
                                                       {"MUSTER_POSTGRES_SCHEMA", "other"},
                                                       {"MUSTER_POSTGRES_ADDRESS", "muster.example:80"},
                                                       {"MUSTER_POSTGRES_CONNECTIONS", "4"},
                                                       {"MUSTER_POSTGRES_PREPARING", "never"},
                                                       {"MUSTER_POSTGRES_CONNECT_TIMEOUT", "1s"},
                                                       {"MUSTER_POSTGRES_STATEMENT_TIMEOUT", "2s"},
                                                       {"MUSTER_POSTGRES_LEADER_TTL", "3s"},
                                                       {"MUSTER_POSTGRES_NODE_BEAT_EVERY", "4s"},
                                                       {"MUSTER_POSTGRES_POLL_EVERY", "500ms"},
                                                       {"MUSTER_POSTGRES_POLL_EVERY_LISTENING", "6s"},
                                                       {"MUSTER_LIMITS_WRITES_PENDING_MAX", "7"}};
  const LoadedConfig loaded = load_config({.file = "", .environment = environment, .flags = {{"postgres.node", "a"}}});
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  const store::postgres::Options options = postgres_options(loaded.config);
  EXPECT_EQ(options.url, "postgres://u:p@pool:6432/jobs");
  EXPECT_EQ(options.listen_url, "postgres://u:p@db/jobs");
  EXPECT_EQ(options.schema, "other");
  EXPECT_EQ(options.node, "a");
  EXPECT_EQ(options.address, "muster.example:80");
  EXPECT_EQ(options.version, kVersion);
  EXPECT_EQ(options.connections, 4u);
  EXPECT_EQ(options.preparing, store::postgres::Preparing::never);
  EXPECT_EQ(options.connect_timeout, Duration(1'000));
  EXPECT_EQ(options.statement_timeout, Duration(2'000));
  EXPECT_EQ(options.leader_ttl, Duration(3'000));
  EXPECT_EQ(options.node_beat_every, Duration(4'000));
  EXPECT_EQ(options.poll_every, Duration(500));
  EXPECT_EQ(options.poll_every_listening, Duration(6'000));
  EXPECT_EQ(options.pending_max, 7u);
  EXPECT_EQ(engine_options(loaded.config).claim_poll_every, Duration(500));
  EXPECT_EQ(node_name(loaded.config), "a");
}

TEST(Wiring, ANodesAddressIsTheOnePeopleCanUse) {
  const auto address = [](std::map<std::string, std::string> flags) {
    flags.emplace("server.store", "postgres://db/x");
    flags.emplace("server.insecure", "true");
    return postgres_options(config_with(std::move(flags))).address;
  };
  EXPECT_EQ(address({{"listen.http", "10.0.0.1:8080"}}), "10.0.0.1:8080");
  EXPECT_EQ(address({{"listen.http", "off"}, {"listen.all", "10.0.0.1:9090"}}), "10.0.0.1:9090");
  EXPECT_EQ(address({{"listen.http", "off"}}), "");
  EXPECT_EQ(address({{"listen.http", "127.0.0.1:0"}}), "");
  for (const char* everywhere : {"0.0.0.0:8080", "[::]:8080"}) {
    const std::string text = address({{"listen.http", everywhere}});
    EXPECT_TRUE(text.ends_with(":8080")) << text;
    EXPECT_NE(text, everywhere);
    EXPECT_EQ(text, node_name(config_with({})) + ":8080");
  }
}

TEST(Wiring, RespAsksForAKeyEvenOnLoopbackAndKnowsEveryCredential) {
  const TempFolder folder;
  const std::string file = folder.write("muster.toml", "[workers]\n\"w-1\" = \"" + std::string(64, 'b') +
                                                           "\"\n[auth.tokens]\neye = { role = \"read-only\", token = "
                                                           "\"look-but-do-not-touch\" }\n[resp]\nfailures_retry = true\n");
  const LoadedConfig loaded = load_config({.file = file, .environment = {{"HOME", "/h"}}, .flags = {}});
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  const resp::RespOptions options = resp_options(loaded.config, "key");
  EXPECT_FALSE(options.compat_flags.auth_optional);
  EXPECT_TRUE(options.compat_flags.failures_retry);
  ASSERT_EQ(options.keys.size(), 3u);
  EXPECT_EQ(options.keys[0].secret, "key");
  EXPECT_EQ(options.keys[0].role, command::Role::operator_role);
  for (const resp::Key& key : options.keys) {
    if (key.role == command::Role::worker) {
      EXPECT_EQ(key.worker.text(), "w-1");
    } else if (key.role == command::Role::read_only) {
      EXPECT_EQ(key.secret, "look-but-do-not-touch");
    }
  }
}

TEST(Wiring, OnLoopbackAGeneratedKeyLocksNobodyOut) {
  const http::AuthOptions auth = auth_options(config_with({}), "key");
  EXPECT_FALSE(auth.required);
  ASSERT_EQ(auth.tokens.size(), 1u);
  EXPECT_EQ(auth.tokens[0].role, command::Role::operator_role);
  EXPECT_EQ(auth.tokens[0].secret, "key");
}

TEST(Wiring, AConfiguredKeyOrAReachableListenerAsksForATokenAlways) {
  const LoadedConfig keyed =
      load_config({.file = "", .environment = {{"HOME", "/h"}, {"MUSTER_AUTH_SESSION_KEY", std::string(64, 'a')}}, .flags = {}});
  EXPECT_TRUE(auth_options(keyed.config, "key").required);
  EXPECT_TRUE(auth_options(config_with({{"listen.http", "0.0.0.0:1"}, {"tls.cert", "c"}, {"tls.key", "k"}}), "key").required);
  EXPECT_FALSE(auth_options(config_with({{"listen.http", "0.0.0.0:1"}, {"server.insecure", "true"}}), "key").required);
}

TEST(Wiring, MakesAPrivateDataFolderWithItsParents) {
  const TempFolder folder;
  const Config config = config_with({{"server.data_dir", folder.path("a/b")}});
  ASSERT_TRUE(prepare_data_dir(config).ok());
  struct stat info {};
  ASSERT_EQ(::stat(folder.path("a/b").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  EXPECT_TRUE(prepare_data_dir(config).ok());
}

TEST(Wiring, NamesTheDataFolderThatCannotBe) {
  const TempFolder folder;
  folder.write("file", "x");
  const Status in_the_way = prepare_data_dir(config_with({{"server.data_dir", folder.path("file")}}));
  EXPECT_EQ(in_the_way.code(), Code::unavailable);
  EXPECT_NE(in_the_way.message().find(folder.path("file")), std::string::npos);
  EXPECT_EQ(prepare_data_dir(config_with({{"server.data_dir", folder.path("file/below")}})).code(), Code::unavailable);
}

// The test program runs in the root of the tree.
std::string text_of(const char* path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Version, IsTheProjects) {
  EXPECT_NE(text_of("CMakeLists.txt").find("project(muster VERSION " + std::string(kVersion) + " "), std::string::npos);
}

TEST(Settings, EachHasARowInTheOperationsPageWithItsDefaultAndFlag) {
  const std::string page = text_of("docs/operations.md");
  for (const Setting& setting : settings()) {
    const std::size_t begin = page.find("| `" + full_name(setting) + "` |");
    ASSERT_NE(begin, std::string::npos) << full_name(setting);
    const std::string row = page.substr(begin, page.find('\n', begin) - begin);
    for (const std::string_view text : {setting.fallback, setting.flag})
      EXPECT_TRUE(text.empty() || row.find("`" + std::string(text) + "`") != std::string::npos) << row;
    EXPECT_EQ(row.find("| applies |") != std::string::npos, setting.reloadable) << row;
  }
}

}  // namespace
}  // namespace muster::server
