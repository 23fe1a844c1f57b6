#include "cli/app.h"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"

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

}  // namespace

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
  add_plan_commands(*app, context);
  add_action_commands(*app, context);
  add_workflow_commands(*app, context);
  add_schedule_commands(*app, context);
  add_workers_commands(*app, context);
  add_queue_commands(*app, context);
  add_namespace_commands(*app, context);
  add_why_command(*app, context);
  add_top_command(*app, context);
  add_bench_command(*app, context);
  add_server_commands(*app, context);
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

}  // namespace muster::cli
