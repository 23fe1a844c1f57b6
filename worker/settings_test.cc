// From a command line and an environment to settings, and clear words for what they do not accept.
#include "worker/settings.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/temp_folder_testing.h"
#include "server/version.h"

namespace muster::worker {
namespace {

const std::string kKey(64, 'a');

struct SettingsTest : testing::Test {
  Result<Settings> parsed(std::vector<std::string> words) {
    CLI::App app;
    Flags flags;
    describe_flags(app, flags);
    std::reverse(words.begin(), words.end());
    try {
      app.parse(words);
    } catch (const CLI::ParseError& error) {
      return Status::invalid_argument(error.what());
    }
    return make_settings(flags, "", [this](const char* name) -> std::optional<std::string> {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional(found->second);
    });
  }
  std::string problem(std::vector<std::string> words) {
    const auto settings = parsed(std::move(words));
    return settings.ok() ? "" : settings.status().message();
  }

  TempFolder home;
  std::map<std::string, std::string> environment{{"PATH", "/usr/bin:/bin"}, {"HOME", home.path()}, {"AGQ_SESSION_KEY", kKey}};
};

TEST_F(SettingsTest, HaveDefaultsThatWork) {
  const auto settings = parsed({});
  ASSERT_TRUE(settings.ok()) << settings.status().message();
  EXPECT_EQ(settings->agent.client.address.text(), "127.0.0.1:6380");
  EXPECT_EQ(settings->agent.client.key, kKey);
  EXPECT_EQ(settings->agent.queues, std::vector<std::string>{"ready"});
  EXPECT_EQ(settings->agent.identity.max_concurrent, 1U);
  EXPECT_EQ(settings->agent.shutdown_timeout, std::chrono::seconds(300));
  EXPECT_TRUE(settings->tools.find("sort").ok());
  for (const char* tool : {"rm", "awk", "sed", "tee", "split", "gzip", "dc"})
    EXPECT_FALSE(settings->tools.find(tool).ok())
        << tool << ": nothing that starts programs or writes files is announced unasked";
  EXPECT_TRUE(settings->tools.dangerous().empty());
  EXPECT_EQ(settings->spool_parent, home.path(".local/share/muster") + "/worker");
}

TEST_F(SettingsTest, TakeEveryFlag) {
  const auto settings = parsed({"--connect",
                                "unix:/run/m.sock",
                                "--key",
                                std::string(64, 'b'),
                                "--id",
                                "w-1",
                                "--name",
                                "first",
                                "--tools",
                                "sort,uniq",
                                "--tags",
                                "gpu=true,tier=dev",
                                "--max-concurrent",
                                "4",
                                "--heartbeat",
                                "5",
                                "--allow",
                                "/data,/srv",
                                "--output-cap",
                                "64kb",
                                "--spill-cap",
                                "1gb",
                                "--spool",
                                "/s",
                                "--shutdown-timeout",
                                "9",
                                "--memory",
                                "256mb",
                                "--cpu",
                                "10",
                                "--file-size",
                                "1mb",
                                "--open-files",
                                "64",
                                "--sandbox",
                                "require",
                                "--once",
                                "--queue",
                                "ready,default"});
  ASSERT_TRUE(settings.ok()) << settings.status().message();
  EXPECT_TRUE(settings->agent.client.address.is_unix);
  EXPECT_EQ(settings->agent.client.key, std::string(64, 'b'));
  EXPECT_EQ(settings->agent.identity.id, "w-1");
  EXPECT_EQ(settings->agent.identity.tags, (std::map<std::string, std::string>{{"gpu", "true"}, {"tier", "dev"}}));
  EXPECT_EQ(settings->tools.tools(), (std::vector<std::string>{"sort", "uniq"}));
  EXPECT_EQ(settings->agent.heartbeat, std::chrono::seconds(5));
  EXPECT_EQ(settings->executor.allowed_paths, (std::vector<std::string>{"/data", "/srv"}));
  EXPECT_EQ(settings->executor.output_cap, 64U * 1024);
  EXPECT_EQ(settings->executor.limits.memory_bytes, 256ULL * 1024 * 1024);
  EXPECT_EQ(settings->executor.limits.open_files, 64U);
  EXPECT_EQ(settings->sandbox, SandboxMode::require);
  EXPECT_TRUE(settings->agent.once);
  EXPECT_EQ(settings->agent.queues, (std::vector<std::string>{"ready", "default"}));
  EXPECT_EQ(settings->spool, "/s");
}

TEST_F(SettingsTest, AToolThatWritesIsAnnouncedByNameAlone) {
  const auto settings = parsed({"--discover", "--tools", "tee,sort"});
  ASSERT_TRUE(settings.ok()) << settings.status().message();
  EXPECT_TRUE(settings->tools.find("tee").ok());
  EXPECT_EQ(settings->tools.dangerous(), std::vector<std::string>{"tee"});
}

TEST_F(SettingsTest, FindTheKeyWhereTheServerLeftIt) {
  environment.erase("AGQ_SESSION_KEY");
  EXPECT_EQ(problem({}),
            "--key: no session key: give --key-file, MUSTER_AUTH_SESSION_KEY, or the --data-dir of a server on this machine");
  home.write("session.key", std::string(64, 'c') + "\n");
  EXPECT_EQ(parsed({"--data-dir", home.path()})->agent.client.key, std::string(64, 'c'));
  environment["MUSTER_AUTH_SESSION_KEY"] = kKey;
  EXPECT_EQ(parsed({"--data-dir", home.path()})->agent.client.key, kKey);
  EXPECT_EQ(parsed({"--key-file", home.path("session.key")})->agent.client.key, std::string(64, 'c'));
}

TEST_F(SettingsTest, SayWhatIsWrong) {
  EXPECT_NE(problem({"--connect", "http://x:1"}).find("only RESP is spoken here"), std::string::npos);
  EXPECT_EQ(problem({"--id", "w 2"}),
            "--id: worker id contains invalid characters (only alphanumeric, hyphens, and underscores allowed)");
  EXPECT_EQ(problem({"--tools", "sort,no-such-tool"}), "--tools: tool `no-such-tool` is not in PATH (/usr/bin:/bin)");
  EXPECT_NE(problem({"--tools", "../sort"}).find("tool `../sort`"), std::string::npos);
  EXPECT_EQ(problem({"--max-concurrent", "0"}), "--max-concurrent: 0 is not from 1 to 256");
  EXPECT_EQ(problem({"--heartbeat", "61"}), "--heartbeat: 61 is not from 1 to 60 seconds");
  EXPECT_EQ(problem({"--output-cap", "1"}), "--output-cap: 1 is not from 4096 to 67108864 bytes");
  EXPECT_EQ(problem({"--allow", "data"}), "--allow: `data` is not an absolute path");
  EXPECT_EQ(problem({"--queue", "processing"}), "--queue: `processing` is not a queue that jobs are taken from");
  EXPECT_EQ(problem({"--key", "short"}), "--key: a session key has at least 8 characters");
  EXPECT_NE(problem({"--sandbox", "maybe"}), "");
  EXPECT_NE(problem({"--log-level", "loud"}), "");
}

TEST(Registration, SaysWhoTheWorkerIsAsTheProtocolWantsIt) {
  const auto tools = Toolbox::listed({"sort", "uniq"}, "/usr/bin:/bin");
  ASSERT_TRUE(tools.ok());
  const auto told = nlohmann::json::parse(
      registration_json({.id = "w-1", .name = "n", .tags = {{"tier", "dev"}}, .max_concurrent = 3}, *tools));
  EXPECT_EQ(told["worker_id"], "w-1");
  EXPECT_EQ(told["capabilities"], nlohmann::json::parse(R"({"tools":["sort","uniq"],"agentic_units":[]})"));
  EXPECT_EQ(told["max_concurrent_jobs"], 3);
  EXPECT_EQ(told["tags"]["tier"], "dev");
  EXPECT_TRUE(told["platform"].get<std::string>().starts_with("linux-"));
  EXPECT_FALSE(told["hostname"].get<std::string>().empty());
  EXPECT_EQ(told["agw_version"], server::kVersion);
}

TEST(Registration, MakesIdsThatTheProtocolAccepts) {
  const std::string id = fresh_id();
  EXPECT_TRUE(validate_id(id).ok()) << id;
  EXPECT_NE(fresh_id(), "");
  EXPECT_FALSE(validate_id(std::string(65, 'a')).ok());
}

TEST(Registration, ReadsTheInterval) {
  EXPECT_EQ(heartbeat_interval("OK worker_id=w heartbeat_interval=30"), Duration(30'000));
  EXPECT_EQ(heartbeat_interval("OK"), std::nullopt);
  EXPECT_EQ(heartbeat_interval("OK heartbeat_interval=x"), std::nullopt);
}

TEST(DiscoveredTools, AreTheUsualOnesAndUnitsAlongThePath) {
  TempFolder bin;
  bin.script("agx-ocr", "echo 1");
  bin.write("agx-plain", "not executable");
  bin.script("private", "echo 1");
  const Toolbox box = Toolbox::discovered("relative:" + bin.path() + ":/usr/bin:/bin");
  EXPECT_EQ(box.units(), std::vector<std::string>{"agx-ocr"});
  EXPECT_TRUE(box.find("wc").ok());
  EXPECT_FALSE(box.find("private").ok());
  EXPECT_LE(box.tools().size() + box.units().size(), kToolsMax);
}

TEST_F(SettingsTest, OverWebSocketNeedNoKeyAndSayWhatIsOfRespAlone) {
  environment.erase("AGQ_SESSION_KEY");
  const auto settings = parsed({"--via", "ws", "--tools", "sort", "--max-concurrent", "3"});
  ASSERT_TRUE(settings.ok()) << settings.status().message();
  ASSERT_TRUE(settings->ws);
  EXPECT_EQ(settings->ws->url, "ws://127.0.0.1:8080/ws/worker");
  EXPECT_EQ(settings->ws->max_parallel, 3U);
  EXPECT_EQ(settings->ws->token, "");
  const auto by_address = parsed({"--connect", "wss://h/ws/worker", "--protocol", "1", "--key", kKey});
  ASSERT_TRUE(by_address.ok()) << by_address.status().message();
  EXPECT_EQ(by_address->ws->protocol, sdk::ws::ProtocolVersion::v1);
  EXPECT_EQ(by_address->ws->token, kKey);
  EXPECT_NE(problem({"--via", "ws", "--once"}).find("--once"), std::string::npos);
  EXPECT_NE(problem({"--via", "ws", "--queue", "x"}).find("--queue"), std::string::npos);
  EXPECT_NE(problem({"--via", "ws", "--tls"}).find("wss://"), std::string::npos);
  EXPECT_NE(problem({"--via", "ws", "--mtls"}).find("--tls-cert"), std::string::npos);
  EXPECT_NE(problem({"--via", "ws", "--connect", "127.0.0.1:6380"}).find("ws://HOST"), std::string::npos);
  EXPECT_NE(problem({"--via", "ws", "--protocol", "3"}).find("1 or 2"), std::string::npos);
  EXPECT_NE(problem({"--via", "smoke"}), "");
}

}  // namespace
}  // namespace muster::worker
