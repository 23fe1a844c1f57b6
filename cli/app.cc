#include "cli/app.h"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>

#include "cli/commands.h"

namespace muster::cli {
namespace {

constexpr std::size_t kHelpColumn = 34;
constexpr std::size_t kTypoDistanceMax = 2;

// Flags that need a step after parsing before they are Globals.
struct RawGlobals {
  std::string token_file;
  bool no_color = false;
};

void add_globals(CLI::App& app, Globals& globals, RawGlobals& raw) {
  app.add_option("--server", globals.server, "address of the server, http:// or https://")
      ->envname("MUSTER_SERVER")
      ->type_name("URL")
      ->capture_default_str()
      ->group("Every command");
  app.add_option("--token", globals.token, "bearer token; others on the machine can see it, prefer --token-file")
      ->envname("MUSTER_TOKEN")
      ->type_name("TOKEN")
      ->group("Every command");
  app.add_option("--token-file", raw.token_file, "file whose first line is the bearer token")
      ->type_name("FILE")
      ->group("Every command");
  app.add_option("-n,--namespace", globals.ns, "namespace to work in")
      ->envname("MUSTER_NAMESPACE")
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Every command");
  const std::map<std::string, Output> outputs{{"table", Output::table}, {"json", Output::json}, {"jsonl", Output::jsonl}};
  app.add_option("-o,--output", globals.output, "how data is written: table, json or jsonl")
      ->transform(CLI::CheckedTransformer(outputs).description(""))
      ->type_name("FORM")
      ->group("Every command");
  app.add_option("--ca", globals.ca_file, "PEM file of the authority that signed the server's certificate")
      ->type_name("FILE")
      ->check(CLI::ExistingFile)
      ->group("Every command");
  app.add_flag("--no-color", raw.no_color, "no colours; also when NO_COLOR is set")->group("Every command");
}

bool wants_color(bool no_color) {
  const char* set = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return !no_color && !dumb && (set == nullptr || *set == '\0') && isatty(STDOUT_FILENO) == 1;
}

// Edits needed from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

const CLI::App& deepest_chosen(const CLI::App& app, std::string& path) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    path.append(" ").append(at->get_name());
  }
  return *at;
}

std::string suggestion(const CLI::App& app, const std::string& word) {
  for (const CLI::App* command : app.get_subcommands({}))
    if (distance(word, command->get_name()) <= kTypoDistanceMax) return fmt::format("; did you mean `{}`?", command->get_name());
  return "";
}

int explain(const CLI::App& app, const CLI::ParseError& error) {
  std::string path = "muster";
  const CLI::App& at = deepest_chosen(app, path);
  const std::vector<std::string> left = app.remaining(true);
  const bool command_missing = !at.get_subcommands({}).empty() && error.get_name() == "RequiredError";
  if (command_missing && left.empty()) {
    std::cerr << at.help();
    return to_int(Exit::usage);
  }
  const std::string what =
      command_missing ? fmt::format("`{}` is not a command{}", left.front(), suggestion(at, left.front())) : error.what();
  std::cerr << fmt::format("muster: {}\n  see `{} --help`\n", what, path);
  return to_int(Exit::usage);
}

constexpr std::array<std::string_view, 3> kSecretFlags{"--token", "--key", "-k"};
constexpr std::array<std::string_view, 2> kUrlSchemes{"postgres://", "postgresql://"};
constexpr std::string_view kPasswordParameter = "password=";

bool is_secret_flag(std::string_view text) {
  return std::find(kSecretFlags.begin(), kSecretFlags.end(), text) != kSecretFlags.end();
}

// Where the value of --flag=VALUE or -kVALUE begins.
std::optional<std::size_t> attached_value(std::string_view text) {
  if (const std::size_t equals = text.find('='); equals != std::string_view::npos && is_secret_flag(text.substr(0, equals)))
    return equals + 1;
  if (text.size() > 2 && text.starts_with("-k")) return 2;
  return std::nullopt;
}

void add_url_passwords(std::string_view text, std::size_t argument, std::vector<SecretPart>& out) {
  for (const std::string_view scheme : kUrlSchemes) {
    const std::size_t at = text.find(scheme);
    if (at == std::string_view::npos) continue;
    const std::size_t user = at + scheme.size();
    const std::size_t end = std::min(text.find_first_of("/?#", user), text.size());
    const std::size_t host = text.substr(0, end).rfind('@');
    const std::size_t colon = text.find(':', user);
    if (host != std::string_view::npos && host > user && colon < host) out.push_back({argument, colon + 1, host - colon - 1});
    for (std::size_t next = text.find(kPasswordParameter, end); next != std::string_view::npos;
         next = text.find(kPasswordParameter, next + 1)) {
      const std::size_t from = next + kPasswordParameter.size();
      out.push_back({argument, from, std::min(text.find('&', from), text.size()) - from});
    }
    return;
  }
}

}  // namespace

std::vector<SecretPart> secrets_in(const std::vector<std::string_view>& arguments) {
  std::vector<SecretPart> out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view text = arguments[i];
    if (is_secret_flag(text)) {
      if (i + 1 < arguments.size()) out.push_back({i + 1, 0, arguments[i + 1].size()});
    } else if (const auto from = attached_value(text)) {
      out.push_back({i, *from, text.size() - *from});
    } else {
      add_url_passwords(text, i, out);
    }
  }
  return out;
}

std::vector<std::string> take_arguments(int argc, char** argv) {
  const std::vector<std::string_view> given(argv + (argc > 0 ? 1 : 0), argv + argc);
  std::vector<std::string> copies(given.begin(), given.end());
  const std::vector<SecretPart> secrets = secrets_in(given);
  for (const SecretPart& secret : secrets) std::fill_n(argv[secret.argument + 1] + secret.from, secret.size, '*');
  if (!secrets.empty())
    std::fputs(
        "muster: a secret on the command line can be read by others until it is hidden; files and the environment keep it "
        "(--token-file, --key-file, --store-file, PGPASSFILE, MUSTER_TOKEN, MUSTER_SERVER_STORE)\n",
        stderr);
  return copies;
}

std::unique_ptr<CLI::App> make_app(Globals& globals, Context& context, const std::vector<LocalCommand>& local) {
  auto app = std::make_unique<CLI::App>("One control plane for every worker.", "muster");
  auto raw = std::make_shared<RawGlobals>();  // shared by the callback below, which outlives this function
  app->fallthrough();                         // sub-commands inherit it: global flags may stand anywhere on the line
  app->require_subcommand(1);
  app->get_formatter()->column_width(kHelpColumn);
  app->footer(
      "\nExample:\n  muster job submit --type email.send --payload '{\"to\":\"a@example.org\"}' --wait\n\n"
      "Exit codes: 0 ok, 1 failure, 2 usage, 3 can't reach server, 4 not found, 5 refused.");
  add_globals(*app, globals, *raw);
  app->parse_complete_callback([raw, &globals] {
    if (!raw->token_file.empty()) {
      globals.token = read_secret(raw->token_file);
      if (globals.token.empty()) throw CLI::ValidationError("--token-file", fmt::format("`{}` holds no token", raw->token_file));
    }
    globals.color = wants_color(raw->no_color);
  });
  for (const LocalCommand& command : local) {
    CLI::App* sub = app->add_subcommand(command.name, command.summary);
    if (command.describe) command.describe(*sub);
    sub->final_callback([&context, &command] { context.chosen = command.run; });
  }
  add_job_commands(*app, context);
  add_package_commands(*app, context);
  add_plan_commands(*app, context);
  add_action_commands(*app, context);
  add_workflow_commands(*app, context);
  add_schedule_commands(*app, context);
  add_agent_commands(*app, context);
  add_tool_commands(*app, context);
  add_session_commands(*app, context);
  add_run_commands(*app, context);
  add_workers_commands(*app, context);
  add_resource_commands(*app, context);
  add_queue_commands(*app, context);
  add_namespace_commands(*app, context);
  add_why_command(*app, context);
  add_top_command(*app, context);
  add_bench_command(*app, context);
  add_server_commands(*app, context);
  add_audit_commands(*app, context);
  add_cluster_commands(*app, context);
  add_completion_command(*app, context);
  return app;
}

int run_app(CLI::App& app, Globals& globals, Context& context, std::vector<std::string> arguments) {
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return to_int(Exit::ok);
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  }
  static_cast<void>(globals);
  if (!context.chosen) {
    std::cerr << app.help();
    return to_int(Exit::usage);
  }
  const int code = context.chosen();
  // Data that could not be written is not data delivered: a full disk or a closed pipe is a failure.
  if (std::fflush(stdout) != 0 && code == 0) return to_int(Exit::failure);
  return code;
}

int run(int argc, char** argv, const std::vector<LocalCommand>& local, Globals& globals) {
  // The end of the line for exceptions of libraries: CLI11 reports mistakes in the tree itself by throwing.
  try {
    std::vector<std::string> arguments = take_arguments(argc, argv);
    std::signal(SIGPIPE, SIG_IGN);  // `muster job list | head` ends quietly, through the failed write
    Context context(globals);
    const std::unique_ptr<CLI::App> app = make_app(globals, context, local);
    return run_app(*app, globals, context, std::move(arguments));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "muster: %s\n", error.what());
    return to_int(Exit::failure);
  }
}

int run(int argc, char** argv, const std::vector<LocalCommand>& local) {
  Globals globals;
  return run(argc, argv, local, globals);
}

}  // namespace muster::cli
