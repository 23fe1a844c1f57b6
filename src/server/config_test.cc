#include "server/config.h"

#include <gtest/gtest.h>

#include "base/temp_folder_testing.h"
#include "server/config_command.h"

namespace muster::server {
namespace {

constexpr std::string_view kKey = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

class ConfigTest : public testing::Test {
 protected:
  LoadedConfig load(std::string_view toml) {
    LoadRequest request = given();
    request.file = folder.write("muster.toml", toml);
    return load_config(request);
  }
  static LoadRequest given() { return {.file = "", .environment = {{"HOME", "/home/u"}}, .flags = {}}; }
  // The only problem, without the path of the folder.
  std::string problem_of(std::string_view toml) {
    const LoadedConfig loaded = load(toml);
    if (loaded.problems.size() != 1) return "problems: " + std::to_string(loaded.problems.size());
    return loaded.problems[0].text().substr(folder.path().size() + 1);
  }
  TempFolder folder;
};

TEST_F(ConfigTest, WithoutAnythingTheDefaultsHold) {
  const LoadedConfig loaded = load_config(given());
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  EXPECT_EQ(loaded.config.data_dir(), "/home/u/.local/share/muster");
  EXPECT_EQ(loaded.config.database_path(), "/home/u/.local/share/muster/muster.db");
  EXPECT_EQ(loaded.config.http()->port, 8080);
  EXPECT_EQ(loaded.config.entry("listen", "http").source, "default");
}

TEST_F(ConfigTest, XdgDataHomeWinsOverHome) {
  LoadRequest request = given();
  request.environment["XDG_DATA_HOME"] = "/x";
  EXPECT_EQ(load_config(request).config.data_dir(), "/x/muster");
}

TEST_F(ConfigTest, FlagsWinOverEnvironmentAndEnvironmentOverTheFile) {
  LoadRequest request = given();
  request.file =
      folder.write("muster.toml", "[log]\nlevel = \"error\"\n[listen]\nhttp = \"127.0.0.1:1\"\n[server]\nstop_grace = \"3s\"\n");
  request.environment["MUSTER_LOG_LEVEL"] = "warn";
  request.environment["MUSTER_LISTEN_HTTP"] = "127.0.0.1:2";
  request.flags["listen.http"] = "127.0.0.1:3";
  const LoadedConfig loaded = load_config(request);
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  EXPECT_EQ(loaded.config.http()->port, 3);
  EXPECT_EQ(loaded.config.entry("listen", "http").source, "flag --http");
  EXPECT_EQ(loaded.config.text("log", "level"), "warn");
  EXPECT_EQ(loaded.config.entry("log", "level").source, "environment MUSTER_LOG_LEVEL");
  EXPECT_EQ(loaded.config.number("server", "stop_grace"), 3'000);
  EXPECT_EQ(loaded.config.entry("server", "stop_grace").source, folder.path("muster.toml") + ":6:14");
}

TEST_F(ConfigTest, AProblemNamesItsLineAndColumn) {
  EXPECT_EQ(problem_of("[log]\nlevle = \"info\"\n"), "muster.toml:2:1: unknown key in [log] \"levle\": did you mean \"level\"?");
  EXPECT_EQ(problem_of("[listne]\n"), "muster.toml:1:2: unknown section \"listne\": did you mean \"listen\"?");
  EXPECT_EQ(problem_of("[limits]\n  connections_max = \"many\"\n"),
            "muster.toml:2:21: limits.connections_max: text is not accepted: give an integer");
  EXPECT_EQ(problem_of("[limits]\nconnections_max = 0\n"),
            "muster.toml:2:19: limits.connections_max: \"0\" is not accepted: give an integer from 1 to 1000000");
  EXPECT_EQ(problem_of("[server]\nstop_grace = 5\n"),
            "muster.toml:2:14: server.stop_grace: an integer is not accepted: give text like \"30s\"");
  EXPECT_EQ(problem_of("log = 3\n"), "muster.toml:1:1: \"log\" is a section: write [log]");
  EXPECT_EQ(problem_of("[http]\ncors_origins = [1]\n"),
            "muster.toml:2:16: http.cors_origins: an array is not accepted: give an array of texts without commas");
}

TEST_F(ConfigTest, BrokenTomlNamesItsPlace) {
  const std::string problem = problem_of("[log]\nlevel = \n");
  EXPECT_TRUE(problem.starts_with("muster.toml:2:")) << problem;
}

TEST_F(ConfigTest, ReportsEveryProblemAtOnce) {
  const LoadedConfig loaded = load("[log]\nlevel = \"loud\"\nx = 1\n[limits]\nevents_kept = 1\n");
  EXPECT_EQ(loaded.problems.size(), 3u);
}

TEST_F(ConfigTest, AFileThatCannotBeReadIsAProblem) {
  LoadRequest request = given();
  request.file = folder.path("none.toml");
  const LoadedConfig loaded = load_config(request);
  ASSERT_EQ(loaded.problems.size(), 1u);
  EXPECT_EQ(loaded.problems[0].text(), request.file + ": cannot read the file: No such file or directory");
}

TEST_F(ConfigTest, AVariableThatIsNoSettingIsAProblem) {
  LoadRequest request = given();
  request.environment["MUSTER_LISTEN_HTPT"] = "off";
  request.environment["MUSTER_TOKEN"] = "of a client, not ours";
  const LoadedConfig loaded = load_config(request);
  ASSERT_EQ(loaded.problems.size(), 1u);
  EXPECT_EQ(loaded.problems[0].text(), "environment MUSTER_LISTEN_HTPT: no such setting: did you mean MUSTER_LISTEN_HTTP?");
}

TEST_F(ConfigTest, RespListensInSeveralPlacesAndBeyondLoopbackOnlyWithTls) {
  LoadRequest request = given();
  request.flags["listen.resp"] = "127.0.0.1:6380,[::1]:6379,unix:/run/muster.sock";
  LoadedConfig loaded = load_config(request);
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  const std::vector<ListenAddress> addresses = loaded.config.resp();
  ASSERT_EQ(addresses.size(), 3u);
  EXPECT_EQ(addresses[1].host, "::1");
  EXPECT_EQ(addresses[1].port, 6379);
  EXPECT_TRUE(addresses[2].is_unix);
  EXPECT_EQ(addresses[2].host, "/run/muster.sock");

  request.flags["listen.resp"] = "127.0.0.1:6380,0.0.0.0:6379";
  loaded = load_config(request);
  ASSERT_EQ(loaded.problems.size(), 1u);
  EXPECT_NE(loaded.problems[0].text().find("flag --resp: refusing to listen on 0.0.0.0 port 6379 without TLS"), std::string::npos)
      << loaded.problems[0].text();
  EXPECT_TRUE(loaded.problems[0].usage);
  request.environment["MUSTER_RESP_AUTH_OPTIONAL"] = "true";
  EXPECT_EQ(load_config(request).problems.size(), 2u);
  request.flags["server.insecure"] = "true";
  EXPECT_TRUE(load_config(request).problems.empty());
  request.flags["listen.resp"] = "off";
  EXPECT_TRUE(load_config(request).config.resp().empty());
}

TEST_F(ConfigTest, RespAddressesMayBeAnArrayInTheFile) {
  LoadRequest request = given();
  request.file =
      folder.write("muster.toml", "[listen]\nresp = [\"127.0.0.1:1\", \"unix:/tmp/x\"]\n[resp]\njobs_are_tasks = true\n");
  const LoadedConfig loaded = load_config(request);
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  EXPECT_EQ(loaded.config.resp().size(), 2u);
  EXPECT_TRUE(loaded.config.flag("resp", "jobs_are_tasks"));
}

TEST_F(ConfigTest, AGrpcListenerBeyondLoopbackNeedsTls) {
  LoadRequest request = given();
  EXPECT_EQ(load_config(request).config.grpc()->port, 50'051);
  request.flags["listen.grpc"] = "0.0.0.0:50051";
  const LoadedConfig loaded = load_config(request);
  ASSERT_EQ(loaded.problems.size(), 1u);
  EXPECT_NE(loaded.problems[0].text().find("flag --grpc: refusing to listen on 0.0.0.0:50051 without TLS"), std::string::npos);
  EXPECT_TRUE(loaded.problems[0].usage);
  request.flags["server.insecure"] = "true";
  EXPECT_TRUE(load_config(request).problems.empty());
  request.flags["listen.grpc"] = "off";
  EXPECT_FALSE(load_config(request).config.grpc());
}

TEST_F(ConfigTest, VariablesOfKagziDeploymentsAreTaken) {
  LoadRequest request = given();
  request.environment["KAGZI_SERVER_HOST"] = "127.0.0.2";
  request.environment["KAGZI_SERVER_PORT"] = "5";
  request.environment["KAGZI_POLL_TIMEOUT_SECS"] = "7";
  request.environment["KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS"] = "2";
  request.environment["KAGZI_COORDINATOR_WORKER_STALE_THRESHOLD_SECS"] = "9";
  request.environment["KAGZI_SCHEDULER_INTERVAL_SECS"] = "3";
  request.environment["KAGZI_SCHEDULER_BATCH_SIZE"] = "11";
  request.environment["KAGZI_SCHEDULER_MAX_WORKFLOWS_PER_TICK"] = "12";
  request.environment["KAGZI_PAYLOAD_MAX_SIZE_BYTES"] = "4096";
  request.environment["KAGZI_QUEUE_POLL_JITTER_MS"] = "no counterpart, no effect";
  const LoadedConfig loaded = load_config(request);
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  const Config& config = loaded.config;
  EXPECT_EQ(config.text("listen", "grpc"), "127.0.0.2:5");
  EXPECT_EQ(config.number("grpc", "poll_wait"), 7'000);
  EXPECT_EQ(config.entry("grpc", "poll_wait").source, "environment KAGZI_POLL_TIMEOUT_SECS");
  EXPECT_EQ(config.number("heartbeat", "grpc_interval"), 2'000);
  EXPECT_EQ(config.number("heartbeat", "grpc_dead_after"), 9'000);
  EXPECT_EQ(config.number("scheduler", "interval"), 3'000);
  EXPECT_EQ(config.number("scheduler", "batch"), 11);
  EXPECT_EQ(config.number("scheduler", "fires_max"), 12);
  EXPECT_EQ(config.number("grpc", "payload_bytes_max"), 4'096);
  request.environment["MUSTER_GRPC_POLL_WAIT"] = "8s";
  EXPECT_EQ(load_config(request).config.number("grpc", "poll_wait"), 8'000) << "ours win";
}

TEST_F(ConfigTest, NonsenseInKagziSchedulerVariablesMeansTheDefaultAndElsewhereIsRefused) {
  for (const char* nonsense : {"0", "-3", "soon", ""}) {
    LoadRequest request = given();
    request.environment["KAGZI_SCHEDULER_INTERVAL_SECS"] = nonsense;
    request.environment["KAGZI_SCHEDULER_BATCH_SIZE"] = nonsense;
    const LoadedConfig loaded = load_config(request);
    EXPECT_TRUE(loaded.problems.empty()) << nonsense;
    EXPECT_EQ(loaded.config.number("scheduler", "interval"), 5'000);
    EXPECT_EQ(loaded.config.number("scheduler", "batch"), 100);
    request.environment["KAGZI_POLL_TIMEOUT_SECS"] = nonsense;
    ASSERT_EQ(load_config(request).problems.size(), 1u) << nonsense;
    EXPECT_EQ(load_config(request).problems[0].where, "environment KAGZI_POLL_TIMEOUT_SECS");
  }
}

TEST_F(ConfigTest, SilenceOfKagziWorkersIsTwoBeatsAtLeastAndALeaseNotShorter) {
  LoadRequest request = given();
  request.environment["KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS"] = "10";
  request.environment["KAGZI_COORDINATOR_WORKER_STALE_THRESHOLD_SECS"] = "20";
  EXPECT_TRUE(load_config(request).problems.empty());
  request.environment["KAGZI_COORDINATOR_WORKER_STALE_THRESHOLD_SECS"] = "19";
  EXPECT_EQ(load_config(request).problems.size(), 1u);
  request.environment["KAGZI_COORDINATOR_WORKER_STALE_THRESHOLD_SECS"] = "30";
  request.environment["KAGZI_WORKER_VISIBILITY_TIMEOUT_SECS"] = "29";
  ASSERT_EQ(load_config(request).problems.size(), 1u);
  EXPECT_NE(load_config(request).problems[0].text().find("VISIBILITY"), std::string::npos);
  request.environment["KAGZI_WORKER_VISIBILITY_TIMEOUT_SECS"] = "30";
  request.environment["KAGZI_WORKER_HEARTBEAT_EXTENSION_SECS"] = "7";
  const LoadedConfig loaded = load_config(request);
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_EQ(loaded.config.number("grpc", "run_lease"), 30'000);
  EXPECT_EQ(loaded.config.number("grpc", "run_lease_per_beat"), 7'000);
}

TEST_F(ConfigTest, AStoreIsASqliteFileOrAPostgresUrl) {
  LoadRequest request = given();
  for (const char* bad : {"sqlite:", "mysql:x", "x.db", "postgres:db", "postgres:/db/x", "POSTGRES://db/x"}) {
    request.flags["server.store"] = bad;
    const LoadedConfig loaded = load_config(request);
    ASSERT_EQ(loaded.problems.size(), 1u) << bad;
    EXPECT_TRUE(loaded.problems[0].usage);
    EXPECT_NE(loaded.problems[0].text().find("give sqlite:PATH or postgres://"), std::string::npos) << loaded.problems[0].text();
  }
  request.flags["server.store"] = "sqlite:relative.db";
  EXPECT_EQ(load_config(request).config.database_path(), "relative.db");
  EXPECT_FALSE(load_config(request).config.on_postgres());
  // Without anything behind the scheme the variables and files of the PostgreSQL client speak.
  for (const char* good : {"postgres://db/x", "postgresql://u:p@a,b:5433/x?target_session_attrs=read-write", "postgres://"}) {
    request.flags["server.store"] = good;
    const LoadedConfig loaded = load_config(request);
    EXPECT_TRUE(loaded.problems.empty()) << good;
    EXPECT_TRUE(loaded.config.on_postgres()) << good;
  }
}

TEST_F(ConfigTest, AStoreThatIsRefusedKeepsItsPasswordOutOfTheProblem) {
  LoadRequest request = given();
  request.flags["server.store"] = "mysql://u:hunter2@db/x";
  request.environment["MUSTER_POSTGRES_LISTEN_URL"] = "mysql://u:hunter2@db/x";
  const LoadedConfig loaded = load_config(request);
  ASSERT_EQ(loaded.problems.size(), 2u);
  for (const Problem& problem : loaded.problems) EXPECT_EQ(problem.text().find("hunter2"), std::string::npos) << problem.text();
  EXPECT_NE(loaded.problems[0].text().find("of kind \"mysql\""), std::string::npos) << loaded.problems[0].text();
}

TEST_F(ConfigTest, NamesOfSchemaAndNodeAreChecked) {
  const auto problems = [](std::string_view key, std::string value) {
    LoadRequest request = given();
    request.environment["MUSTER_POSTGRES_" + std::string(key)] = std::move(value);
    return load_config(request).problems.size();
  };
  for (const char* good : {"muster", "_m", "m_2"}) EXPECT_EQ(problems("SCHEMA", good), 0u) << good;
  EXPECT_EQ(problems("SCHEMA", std::string(kSchemaNameBytesMax, 's')), 0u);
  for (const char* bad : {"", "2m", "M", "a-b", "a b", "a\"b", "pg_catalog", "ö"}) EXPECT_EQ(problems("SCHEMA", bad), 1u) << bad;
  EXPECT_EQ(problems("SCHEMA", std::string(kSchemaNameBytesMax + 1, 's')), 1u);

  for (const char* good : {"", "node-a", "A.b_c-9"}) EXPECT_EQ(problems("NODE", good), 0u) << good;
  EXPECT_EQ(problems("NODE", std::string(kNodeNameBytesMax, 'n')), 0u);
  for (const char* bad : {"a b", "a\nb", "a/b", "ö"}) EXPECT_EQ(problems("NODE", bad), 1u) << bad;
  EXPECT_EQ(problems("NODE", std::string(kNodeNameBytesMax + 1, 'n')), 1u);
  EXPECT_EQ(problems("ADDRESS", std::string(kNodeAddressBytesMax, 'a')), 0u);
  EXPECT_EQ(problems("ADDRESS", std::string(kNodeAddressBytesMax + 1, 'a')), 1u);
}

TEST_F(ConfigTest, RefusesPostgresSettingsOutOfRange) {
  EXPECT_EQ(problem_of("[postgres]\nconnections = 5\n"),
            "muster.toml:2:15: postgres.connections: \"5\" is not accepted: give an integer from 2 to 4");
  EXPECT_EQ(problem_of("[postgres]\npreparing = \"sometimes\"\n"),
            "muster.toml:2:13: postgres.preparing: \"sometimes\" is not accepted: give one of auto|always|never");
  EXPECT_EQ(problem_of("[postgres]\npoll_every = \"20s\"\npoll_every_listening = \"10s\"\n"),
            "muster.toml:3:24: postgres.poll_every_listening of 10000 ms is below poll_every of 20000 ms");
}

TEST_F(ConfigTest, AListenerBeyondLoopbackNeedsTlsUnlessInsecureIsSaidAloud) {
  LoadRequest request = given();
  request.flags["listen.http"] = "0.0.0.0:8080";
  EXPECT_EQ(load_config(request).problems.size(), 1u);
  request.flags["server.insecure"] = "true";
  EXPECT_TRUE(load_config(request).problems.empty());
  request.flags.erase("server.insecure");
  request.flags["tls.cert"] = "c.pem";
  EXPECT_EQ(load_config(request).problems.size(), 1u);  // the key is missing
  request.flags["tls.key"] = "k.pem";
  EXPECT_TRUE(load_config(request).problems.empty());
}

TEST_F(ConfigTest, ThreeBeatsFitIntoTheSilenceThatKills) {
  EXPECT_EQ(problem_of("[heartbeat]\nhttp_interval = \"11s\"\nhttp_dead_after = \"30s\"\n"),
            "muster.toml:3:19: heartbeat.http_dead_after of 30000 ms is below three times http_interval of 11000 ms");
}

TEST_F(ConfigTest, ReadsTokensAndWorkerKeys) {
  const LoadedConfig loaded = load(std::string("[auth]\nsession_key = \"") + std::string(kKey) +
                                   "\"\n[auth.tokens]\nci = { role = \"operator\", token = \"0123456789abcdef\" }\n"
                                   "eye = { role = \"read-only\", token = \"fedcba9876543210\" }\n[workers]\n\"w-1\" = \"" +
                                   std::string(64, 'a') + "\"\n");
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  ASSERT_EQ(loaded.config.credentials.size(), 3u);
  EXPECT_EQ(loaded.config.credentials[0].role, command::Role::operator_role);
  EXPECT_EQ(loaded.config.credentials[1].role, command::Role::read_only);
  EXPECT_EQ(loaded.config.credentials[2].role, command::Role::worker);
  EXPECT_EQ(loaded.config.credentials[2].worker, "w-1");
}

TEST_F(ConfigTest, RefusesTokensThatAreWeakTwinnedOrOfNoRole) {
  EXPECT_EQ(problem_of("[auth.tokens]\nci = { role = \"operator\", token = \"short\" }\n"),
            "muster.toml:2:1: auth.tokens.ci: the token has 5 bytes: give 16 to 512");
  EXPECT_EQ(problem_of("[auth.tokens]\nci = { role = \"admin\", token = \"0123456789abcdef\" }\n"),
            "muster.toml:2:1: auth.tokens.ci: role \"admin\" is not accepted: give operator, worker or read-only");
  EXPECT_EQ(problem_of("[auth.tokens]\nci = { role = \"operator\", tokne = \"0123456789abcdef\" }\n"),
            "muster.toml:2:27: unknown key in auth.tokens.ci \"tokne\": did you mean \"token\"?");
  EXPECT_EQ(problem_of("[auth.tokens]\na = { role = \"worker\", token = \"0123456789abcdef\" }\n"
                       "b = { role = \"worker\", token = \"0123456789abcdef\" }\n"),
            "muster.toml:3:1: \"b\" has the same secret as \"a\"");
  EXPECT_EQ(problem_of("[workers]\n\"w-1\" = \"abc\"\n"),
            "muster.toml:2:9: workers.w-1: the key is 64 hexadecimal digits in quotes");
}

TEST_F(ConfigTest, ATokenNamesItsNamespacesAndMayKeepItsSecretElsewhere) {
  const std::string file = folder.write("token", "secret-in-a-file-of-its-own\n");
  const LoadedConfig loaded =
      load("[auth.tokens]\na = { role = \"worker\", token_file = \"" + file + "\", namespaces = [\"a\", \"b\"] }\n" +
           "b = { role = \"operator\", token_sha256 = \"" + std::string(64, 'c') + "\", namespaces = \"*\" }\n");
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  ASSERT_EQ(loaded.config.credentials.size(), 2u);
  const Credential& bound = loaded.config.credentials[0];
  EXPECT_EQ(bound.secret, "secret-in-a-file-of-its-own");
  EXPECT_EQ(bound.file, file);
  EXPECT_EQ(bound.namespaces, (std::vector{NamespaceName("a"), NamespaceName("b")}));
  EXPECT_FALSE(loaded.config.credentials[1].namespaces);
  EXPECT_EQ(loaded.config.credentials[1].sha256, std::string(64, 'c'));
  for (const std::string& shown : {show_toml(loaded.config), show_json(loaded.config)}) {
    EXPECT_EQ(shown.find(bound.secret), std::string::npos);
    EXPECT_EQ(shown.find(std::string(64, 'c')), std::string::npos);
  }
  EXPECT_NE(show_toml(loaded.config).find("namespaces = [\"a\",\"b\"]"), std::string::npos) << show_toml(loaded.config);
}

TEST_F(ConfigTest, ACertificateStandsForATokenByItsFingerprint) {
  std::string colons = "AB";
  for (int i = 1; i < 32; ++i) colons += ":AB";
  std::string plain;
  for (int i = 0; i < 32; ++i) plain += "ab";
  const LoadedConfig loaded = load("[auth.tokens]\na = { role = \"worker\", certificate_sha256 = \"" + colons +
                                   "\", worker = \"a\", namespaces = [\"x\"] }\n");
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  EXPECT_EQ(loaded.config.credentials[0].certificate, plain);
  EXPECT_NE(show_toml(loaded.config)
                .find("[auth.tokens]\n\"a\" = { role = \"worker\", namespaces = [\"x\"], certificate_sha256 = \"" + plain),
            std::string::npos)
      << show_toml(loaded.config);
  EXPECT_EQ(
      problem_of("[auth.tokens]\na = { role = \"worker\", certificate_sha256 = \"abc\" }\n"),
      "muster.toml:2:1: auth.tokens.a: certificate_sha256 is 64 hexadecimal digits in quotes, colons in between if you like");
  EXPECT_EQ(problem_of("[auth.tokens]\na = { role = \"worker\", certificate_sha256 = \"" + colons +
                       "\" }\nb = { role = \"worker\", certificate_sha256 = \"" + plain + "\" }\n"),
            "muster.toml:3:1: \"b\" has the same secret as \"a\"");
}

TEST_F(ConfigTest, ANamespaceMayHaveALoadOfItsOwn) {
  const LoadedConfig loaded = load("[load]\nmem_pct = 85\n[load.namespaces]\nacme = { mem_pct = 70, calm_beats = 5 }\n");
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  EXPECT_EQ(loaded.config.number_in("acme", "load", "mem_pct"), 70);
  EXPECT_EQ(loaded.config.number_in("acme", "load", "calm_beats"), 5);
  EXPECT_EQ(loaded.config.number_in("acme", "load", "disk_pct"), 95);
  EXPECT_EQ(loaded.config.number_in("other", "load", "mem_pct"), 85);
  EXPECT_NE(show_toml(loaded.config).find("[load.namespaces]\n\"acme\" = { calm_beats = 5, mem_pct = 70 }\n"), std::string::npos)
      << show_toml(loaded.config);
  EXPECT_NE(show_json(loaded.config).find("\"namespace\": \"acme\""), std::string::npos);
}

TEST_F(ConfigTest, RefusesALoadThatCannotBeMeant) {
  EXPECT_EQ(problem_of("[load.namespaces]\nacme = 3\n"),
            "muster.toml:2:1: load.namespaces.acme: give a name of a namespace and a table like { mem_pct = 80 }");
  EXPECT_EQ(
      problem_of("[load.namespaces]\nacme = { mem = 3 }\n"),
      "muster.toml:2:10: unknown key in load.namespaces.acme \"mem\": accepted are mem_pct, disk_pct, margin_pct, calm_beats");
  EXPECT_EQ(problem_of("[load.namespaces]\nacme = { mem_pct = 101 }\n"),
            "muster.toml:2:20: load.mem_pct: \"101\" is not accepted: give an integer from 0 to 100");
  EXPECT_EQ(problem_of("[load]\nnamespaces = 3\n"),
            "muster.toml:2:1: load.namespaces is a table of names: write [load.namespaces]");
  EXPECT_EQ(problem_of("[load]\nmargin_pct = 90\n"), "muster.toml:2:14: load.margin_pct of 90 is not below mem_pct of 90");
  const LoadedConfig own = load("[load.namespaces]\nacme = { mem_pct = 4 }\n");
  ASSERT_EQ(own.problems.size(), 1u);
  EXPECT_EQ(own.problems[0].text(), "load.margin_pct of 5 is not below mem_pct of 4 in namespace \"acme\"");
}

TEST_F(ConfigTest, RefusesTokensWhoseSecretOrNamespacesCannotBeTold) {
  const std::string one_of = "muster.toml:2:1: auth.tokens.a: give one of token, token_file, token_sha256 and certificate_sha256";
  EXPECT_EQ(problem_of("[auth.tokens]\na = { role = \"worker\" }\n"), one_of);
  EXPECT_EQ(problem_of("[auth.tokens]\na = { role = \"worker\", token = \"0123456789abcdef\", token_file = \"x\" }\n"), one_of);
  EXPECT_EQ(problem_of("[auth.tokens]\na = { role = \"worker\", token_file = \"/nonexistent\" }\n"),
            "muster.toml:2:1: auth.tokens.a: /nonexistent cannot be read or holds no token");
  EXPECT_EQ(problem_of("[auth.tokens]\na = { role = \"worker\", token_sha256 = \"abc\" }\n"),
            "muster.toml:2:1: auth.tokens.a: token_sha256 is 64 hexadecimal digits in quotes");
  for (const char* names : {"[]", "[\"a b\"]", "[1]", "\"a\"", "[\"\"]"})
    EXPECT_EQ(problem_of(std::string("[auth.tokens]\na = { role = \"worker\", token = \"0123456789abcdef\", namespaces = ") +
                         names + " }\n"),
              "muster.toml:2:1: auth.tokens.a: namespaces is \"*\" or an array of names of namespaces")
        << names;
}

TEST_F(ConfigTest, AnyOriginIsAcceptedOnlyTogetherWithTokens) {
  EXPECT_EQ(problem_of("[grpc]\nweb_origins = [\"*\"]\n"),
            "muster.toml:2:15: grpc.web_origins: \"*\" is accepted only together with tokens: configure [auth] session_key or "
            "[auth.tokens], or name the origins");
  EXPECT_NE(problem_of("[http]\ncors_origins = [\"https://a\", \"*\"]\n").find("http.cors_origins"), std::string::npos);
  EXPECT_TRUE(load("[grpc]\nweb_origins = [\"*\"]\n[auth]\nsession_key = \"" + std::string(kKey) + "\"\n").problems.empty());
}

TEST_F(ConfigTest, BackupsGoBelowTheDataFolderUnlessToldOtherwise) {
  EXPECT_EQ(load("[server]\ndata_dir = \"/d\"\n").config.backup_dir(), "/d/backups");
  EXPECT_EQ(load("[server]\ndata_dir = \"/d\"\nbackup_dir = \"/elsewhere\"\n").config.backup_dir(), "/elsewhere");
}

TEST_F(ConfigTest, TheForeignSessionKeyVariableIsUnderstoodAndOursWins) {
  LoadRequest request = given();
  request.environment["AGQ_SESSION_KEY"] = std::string(64, 'a');
  EXPECT_EQ(load_config(request).config.text("auth", "session_key"), std::string(64, 'a'));
  request.environment["MUSTER_AUTH_SESSION_KEY"] = std::string(64, 'b');
  EXPECT_EQ(load_config(request).config.text("auth", "session_key"), std::string(64, 'b'));
}

TEST_F(ConfigTest, WhatIsShownReadsBackTheSameAndHoldsNoSecret) {
  LoadRequest request = given();
  request.file = folder.write("muster.toml", "[auth]\nsession_key = \"" + std::string(kKey) +
                                                 "\"\n[auth.tokens]\nci = { role = \"operator\", token = \"0123456789abcdef\" }\n"
                                                 "[http]\ncors_origins = [\"https://a\", \"https://b\"]\n");
  request.flags["log.level"] = "debug";
  const Config config = load_config(request).config;
  for (const std::string& shown : {show_toml(config), show_json(config)}) {
    EXPECT_EQ(shown.find(kKey), std::string::npos);
    EXPECT_EQ(shown.find("0123456789abcdef"), std::string::npos);
  }
  std::string toml = show_toml(config);
  EXPECT_NE(toml.find("level = \"debug\"  # flag --log-level\n"), std::string::npos) << toml;
  EXPECT_NE(toml.find("session_key = \"(redacted)\"  # " + request.file + ":2:15\n"), std::string::npos) << toml;
  // Everything but the secrets can be fed back.
  toml = toml.substr(0, toml.find("\n[auth.tokens]"));
  toml.replace(toml.find("(redacted)"), 10, kKey);
  LoadRequest again = given();
  again.file = folder.write("again.toml", toml);
  const LoadedConfig reread = load_config(again);
  ASSERT_TRUE(reread.problems.empty()) << reread.problems[0].text();
  for (std::size_t i = 0; i < config.entries.size(); ++i)
    EXPECT_EQ(reread.config.entries[i].value, config.entries[i].value) << full_name(*config.entries[i].setting);
}

TEST_F(ConfigTest, WhatIsShownHoldsNoPasswordOfAProxy) {
  LoadRequest request = given();
  request.file = folder.write(
      "muster.toml",
      "[agents]\nproxy = \"http://me:hunter2@proxy.example:3128\"\nbase_url = \"https://x:hunter2@model.example/a@b\"\n");
  const LoadedConfig loaded = load_config(request);
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  for (const std::string& shown : {show_toml(loaded.config), show_json(loaded.config)}) {
    EXPECT_EQ(shown.find("hunter2"), std::string::npos) << shown;
    EXPECT_NE(shown.find("http://(redacted)@proxy.example:3128"), std::string::npos) << shown;
    EXPECT_NE(shown.find("https://(redacted)@model.example/a@b"), std::string::npos) << shown;
  }
}

TEST_F(ConfigTest, WhatIsShownHoldsNoPasswordOfAProxyWithoutAScheme) {
  LoadRequest request = given();
  request.file = folder.write("muster.toml", "[agents]\nproxy = \"me:hunter2@proxy.example:3128\"\n");
  const LoadedConfig loaded = load_config(request);
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  for (const std::string& shown : {show_toml(loaded.config), show_json(loaded.config)}) {
    EXPECT_EQ(shown.find("hunter2"), std::string::npos) << shown;
    EXPECT_NE(shown.find("(redacted)@proxy.example:3128"), std::string::npos) << shown;
  }
}

TEST_F(ConfigTest, WhatIsShownHoldsNoPasswordOfADatabase) {
  LoadRequest request = given();
  request.flags["server.store"] = "postgres://muster:hunter2@db.example:5432/jobs";
  request.environment["MUSTER_POSTGRES_LISTEN_URL"] = "postgresql://direct.example/jobs?user=m&password=hunter2";
  const LoadedConfig loaded = load_config(request);
  ASSERT_TRUE(loaded.problems.empty()) << loaded.problems[0].text();
  for (const std::string& shown : {show_toml(loaded.config), show_json(loaded.config)}) {
    EXPECT_EQ(shown.find("hunter2"), std::string::npos) << shown;
    EXPECT_NE(shown.find("db.example"), std::string::npos) << shown;
    EXPECT_NE(shown.find("direct.example"), std::string::npos) << shown;
  }
}

TEST_F(ConfigTest, OnlyLoopbackNamesAreLoopback) {
  for (const char* yes : {"127.0.0.1", "127.3.2.1", "::1", "localhost"}) EXPECT_TRUE(is_loopback(yes)) << yes;
  for (const char* no :
       {"0.0.0.0", "::", "10.0.0.1", "example.org", "", "localhost.example.org", "127.0.0.1.example.org", "127.evil"})
    EXPECT_FALSE(is_loopback(no)) << no;
}

}  // namespace
}  // namespace muster::server
