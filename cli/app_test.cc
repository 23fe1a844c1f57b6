// From a command line to a request, an exit code and a completion script, without a server.
#include "cli/app.h"

#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/jobs.h"
#include "sdk/cpp/codec.h"

namespace muster::cli {
namespace {

using nlohmann::json;

// What `job submit` with these arguments would send, or the reason it sends nothing.
struct MappedSubmit {
  json request;
  std::string problem;
};

MappedSubmit map_submit(std::vector<std::string> words) {
  CLI::App app;
  SubmitArguments arguments;
  describe_submit(app, arguments);
  try {
    std::reverse(words.begin(), words.end());
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return {.request = {}, .problem = error.what()};
  }
  const auto spec = to_spec(arguments, "default");
  if (!spec.ok()) return {.request = {}, .problem = spec.error().detail};
  const auto text = sdk::encode(*spec);
  if (!text.ok()) return {.request = {}, .problem = text.error().detail};
  return {.request = json::parse(*text), .problem = {}};
}

struct SubmitCase {
  std::vector<std::string> words;
  const char* fields;  // besides namespace and type
};

TEST(JobSubmit, MapsEveryFlagToItsField) {
  const std::vector<SubmitCase> cases{
      {{}, R"({})"},
      {{"--queue", "q"}, R"({"queue":"q"})"},
      {{"--payload", R"({"a":1})"}, R"({"payload":{"a":1}})"},
      {{"--payload", "hi", "--binary"}, R"({"payload_base64":"aGk="})"},
      {{"--needs", "tool:a", "--needs", "tool:b,gpu:x"}, R"({"needs":["tool:a","tool:b","gpu:x"]})"},
      {{"--label", "a=1", "--label", "b=x=y"}, R"({"labels":{"a":"1","b":"x=y"}})"},
      {{"--selector", "region=eu"}, R"({"selector":{"region":"eu"}})"},
      {{"--priority", "-5"}, R"({"priority":-5})"},
      {{"--delay", "1m30s"}, R"({"delay_ms":90000})"},
      {{"--at", "2026-11-15T10:00:00Z"}, R"({"run_at":"2026-11-15T10:00:00.000Z"})"},
      {{"--expires", "1d"}, R"({"expires_in_ms":86400000})"},
      {{"--timeout", "10m"}, R"({"timeout_ms":600000})"},
      {{"--lease", "30s"}, R"({"lease_ms":30000})"},
      {{"--attempts", "3", "--backoff", "2s"}, R"({"retry":{"attempts_max":3,"backoff_base_ms":2000}})"},
      {{"--idempotency-key", "k"}, R"({"idempotency_key":"k"})"},
      {{"--unique", "u"}, R"({"unique":{"key":"u","while":"unfinished"}})"},
      {{"--unique", "u", "--unique-while", "waiting"}, R"({"unique":{"key":"u","while":"waiting"}})"},
      {{"--concurrency-key", "c"}, R"({"concurrency":{"key":"c","limit":1}})"},
      {{"--concurrency-key", "c", "--concurrency-limit", "4"}, R"({"concurrency":{"key":"c","limit":4}})"},
      {{"--fairness-key", "f", "--fairness-weight", "2"}, R"({"fairness":{"key":"f","weight":2}})"},
      {{"--sticky-key", "s", "--prefer", "label:zone=a"}, R"({"affinity":{"sticky_key":"s","prefer":"label:zone=a"}})"},
      {{"--after", "j1", "--after", "j2", "--on-dependency-failure", "run"},
       R"({"after":["j1","j2"],"on_dependency_failure":"run"})"},
      {{"--correlation", "trace"}, R"({"correlation":"trace"})"},
      {{"--count", "3"}, R"({})"},
  };
  for (const SubmitCase& c : cases) {
    std::vector<std::string> words{"--type", "t"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    json expected = json::parse(c.fields);
    expected["namespace"] = "default";
    expected["type"] = "t";
    const MappedSubmit mapped = map_submit(words);
    EXPECT_EQ(mapped.problem, "");
    EXPECT_EQ(mapped.request, expected);
  }
}

TEST(JobSubmit, RefusesBadArgumentsAndNamesTheValue) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "--type is required"},
      {{"--type", "t", "--payload", "{oops"}, "{oops"},
      {{"--type", "t", "--payload", "@/nonexistent/file"}, "/nonexistent/file"},
      {{"--type", "t", "--delay", "5"}, "`5` is not a duration"},
      {{"--type", "t", "--at", "tomorrow"}, "tomorrow"},
      {{"--type", "t", "--delay", "5s", "--at", "2026-11-15T10:00:00Z"}, "--delay"},
      {{"--type", "t", "--label", "novalue"}, "novalue"},
      {{"--type", "t", "--priority", "5000"}, "5000"},
      {{"--type", "t", "--unique", "u", "--unique-while", "always"}, "always"},
      {{"--type", "t", "--count", "2", "--idempotency-key", "k"}, "--count"},
      {{"--type", "t", "--count", "2", "--wait"}, "--wait"},
      {{"--type", "t", "--count", "0"}, "0"},
      {{"--type", "t", "--count", "2", "--jsonl", "-"}, "--count"},
  };
  for (const auto& [words, part] : cases) {
    const MappedSubmit mapped = map_submit(words);
    EXPECT_NE(mapped.problem.find(part), std::string::npos) << mapped.problem << " lacks " << part;
  }
}

TEST(JobSubmit, ReadsThePayloadFromAFile) {
  const std::string path = testing::TempDir() + "muster_cli_payload.json";
  std::ofstream(path) << R"([1,2])";
  EXPECT_EQ(map_submit({"--type", "t", "--payload", "@" + path}).request["payload"], json::parse("[1,2]"));
}

TEST(JobSubmit, FillsGapsOfJsonLinesAndNamesTheBadLine) {
  sdk::JobSpec defaults;
  defaults.ns = "n";
  defaults.queue = "q";
  defaults.type = "t";
  const auto documents = to_documents("{\"type\":\"a\"}\n\n  \r\n{\"queue\":\"z\",\"namespace\":\"m\"}", defaults);
  ASSERT_TRUE(documents.ok());
  ASSERT_EQ(documents->size(), 2U);
  EXPECT_EQ(json::parse((*documents)[0]), json::parse(R"({"type":"a","namespace":"n","queue":"q"})"));
  EXPECT_EQ(json::parse((*documents)[1]), json::parse(R"({"type":"t","namespace":"m","queue":"z"})"));

  EXPECT_NE(to_documents("{\"type\":\"a\"}\n[1]\n", defaults).error().detail.find("line 2"), std::string::npos);
  EXPECT_NE(to_documents("{}\n", {}).error().detail.find("line 1"), std::string::npos);
  EXPECT_FALSE(to_documents("\n\n", defaults).ok());
}

TEST(QueueLimit, ParsesRates) {
  EXPECT_EQ(parse_rate("100/s")->count, 100);
  EXPECT_EQ(parse_rate("100/s")->per.count(), 1'000);
  EXPECT_EQ(parse_rate("0.5/10s")->per.count(), 10'000);
  EXPECT_EQ(parse_rate("30/m")->per.count(), 60'000);
  EXPECT_EQ(parse_rate("off")->count, 0);
  for (const char* bad : {"", "100", "/s", "x/s", "-1/s", "0/s", "5/", "5/0s"}) EXPECT_FALSE(parse_rate(bad)) << bad;
}

// The whole tree as a process would have it.
struct Tree {
  explicit Tree(const std::vector<LocalCommand>& commands = {}) : local(commands) { app = make_app(globals, context, local); }
  int run(std::vector<std::string> words) { return run_app(*app, globals, context, std::move(words)); }

  Globals globals;
  Context context{globals};
  std::vector<LocalCommand> local;
  std::unique_ptr<CLI::App> app;
};

TEST(ExitCodes, FollowTheErrorCode) {
  const auto exit_of = [](sdk::Code code, int status) {
    return exit_for({.code = code, .status = status, .detail = {}, .retry_after = {}});
  };
  EXPECT_EQ(exit_of(sdk::Code::unreachable, 0), Exit::unreachable);
  EXPECT_EQ(exit_of(sdk::Code::not_found, 404), Exit::not_found);
  EXPECT_EQ(exit_of(sdk::Code::unauthenticated, 401), Exit::refused);
  EXPECT_EQ(exit_of(sdk::Code::permission_denied, 403), Exit::refused);
  EXPECT_EQ(exit_of(sdk::Code::conflict, 409), Exit::refused);
  EXPECT_EQ(exit_of(sdk::Code::exhausted, 429), Exit::refused);
  EXPECT_EQ(exit_of(sdk::Code::invalid_argument, 400), Exit::refused);
  EXPECT_EQ(exit_of(sdk::Code::invalid_argument, 0), Exit::usage);
  EXPECT_EQ(exit_of(sdk::Code::unavailable, 503), Exit::failure);
  EXPECT_EQ(exit_of(sdk::Code::internal, 500), Exit::failure);
  EXPECT_EQ(to_int(Exit::refused), 5);
}

TEST(ExitCodes, OfWholeCommandLines) {
  const std::vector<std::pair<std::vector<std::string>, int>> cases{
      {{}, 2},
      {{"nonsense"}, 2},
      {{"job"}, 2},
      {{"job", "list", "--state", "nonsense"}, 2},
      {{"job", "list", "--nonsense"}, 2},
      {{"job", "get"}, 2},
      {{"job", "retry"}, 2},
      {{"job", "retry", "ID", "--queue", "q"}, 2},
      {{"queue", "limit", "q"}, 2},
      {{"queue", "limit", "q", "--burst", "3", "--running-max", "1"}, 2},
      {{"completion", "powershell"}, 2},
      {{"--output", "yaml", "job", "list"}, 2},
      {{"--server", "ftp://x", "job", "list"}, 2},
      {{"--token-file", "/nonexistent", "job", "list"}, 2},
      {{"--server", "http://127.0.0.1:1", "job", "list"}, 3},
      {{"job", "get", "x", "--server", "http://127.0.0.1:1", "-o", "json"}, 3},
      {{"plan", "submit"}, 2},
      {{"resource", "get"}, 2},
      {{"resource", "list", "--limit", "1001"}, 2},
      {{"resource", "delete", "r", "--server", "http://127.0.0.1:1"}, 3},
      {{"plan", "submit", "/nonexistent/plan.json"}, 2},
      {{"plan", "run", "-", "--inputs", "-"}, 2},
      {{"plan", "run", "p", "--input", "{oops", "--server", "http://127.0.0.1:1"}, 2},
      {{"action", "submit", "--input", "1"}, 2},
      {{"action", "submit", "--plan", "p", "--inputs", "/nonexistent"}, 2},
      {{"action", "submit", "--plan", "p", "--job-unit", "step"}, 2},
      {{"action", "watch", "a", "--server", "http://127.0.0.1:1"}, 3},
      {{"plan", "run", "p", "--server", "http://127.0.0.1:1"}, 3},
      {{"job", "logs", "x", "--server", "http://127.0.0.1:1"}, 3},
      {{"plan", "run", "--help"}, 0},
      {{"--help"}, 0},
      {{"job", "submit", "--help"}, 0},
  };
  for (const auto& [words, expected] : cases) {
    Tree tree;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = tree.run(words);
    testing::internal::GetCapturedStdout();
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(code, expected) << (words.empty() ? "" : words.back()) << ": " << said;
    EXPECT_EQ(said.empty(), code == 0);
  }
}

TEST(Mistakes, AreAnsweredWithASuggestion) {
  Tree tree;
  testing::internal::CaptureStderr();
  EXPECT_EQ(tree.run({"job", "lsit"}), 2);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("`lsit` is not a command; did you mean `list`?"), std::string::npos) << said;
}

TEST(LocalCommands, RunWithTheGlobalFlagsApplied) {
  int runs = 0;
  std::string flag;
  Tree tree({{.name = "serve",
              .summary = "s",
              .describe = [&flag](CLI::App& app) { app.add_option("--http", flag); },
              .run = [&runs] { return ++runs, 7; }}});
  EXPECT_EQ(tree.run({"serve", "--http", "x", "--output", "json", "--namespace", "n"}), 7);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(flag, "x");
  EXPECT_EQ(tree.globals.output, Output::json);
  EXPECT_EQ(tree.globals.ns, "n");
}

void visit(const CLI::App& app, const std::function<void(const CLI::App&)>& seen) {
  seen(app);
  for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) visit(*child, seen);
}

TEST(Completion, KnowsEveryCommandAndFlagOfTheTree) {
  Tree tree({{.name = "serve",
              .summary = "run a server",
              .describe =
                  [](CLI::App& app) {
                    app.add_option_function<bool>(
                        "--insecure", [](const bool&) {}, "say so aloud");
                  },
              .run = [] { return 0; }}});
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(*tree.app, shell);
    visit(*tree.app, [&](const CLI::App& app) {
      EXPECT_NE(script.find(app.get_name()), std::string::npos) << shell << " lacks " << app.get_name();
      for (const CLI::Option* option : app.get_options())
        for (const std::string& name : option->get_lnames())
          EXPECT_NE(script.find(name), std::string::npos) << shell << " lacks --" << name;
    });
  }
}

TEST(Help, OfEveryCommandHasASummaryAndAnExample) {
  Tree tree;
  visit(*tree.app, [](const CLI::App& app) {
    EXPECT_FALSE(app.get_description().empty()) << app.get_name();
    EXPECT_NE(app.help().find("Example:"), std::string::npos) << app.get_name();
    for (const CLI::Option* option : app.get_options())
      EXPECT_FALSE(option->get_description().empty()) << app.get_name() << " " << option->get_name();
  });
}

TEST(Token, IsOfferedToTheLoopbackOnly) {
  for (const char* near : {"http://127.0.0.1:8080", "http://localhost:1", "https://[::1]:8080", "localhost:80", "127.0.0.1"})
    EXPECT_TRUE(is_loopback(near)) << near;
  for (const char* far :
       {"http://127.0.0.1.example.org", "http://localhost.example.org:80", "http://10.0.0.1:8080", "https://muster.example"})
    EXPECT_FALSE(is_loopback(far)) << far;
}

TEST(Token, IsReadFromAFileWithoutItsBlanks) {
  const std::string path = testing::TempDir() + "muster_cli_token";
  std::ofstream(path) << "  secret \r\nsecond line\n";
  EXPECT_EQ(read_secret(path), "secret");
  EXPECT_EQ(read_secret("/nonexistent"), "");
}

TEST(Token, NeverAppearsInHelpOrErrors) {
  Tree tree;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(tree.run({"--token", "hunter2", "--server", "http://127.0.0.1:1", "job", "list"}), 3);
  const std::string said = testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr() + tree.app->help();
  EXPECT_EQ(said.find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace muster::cli
