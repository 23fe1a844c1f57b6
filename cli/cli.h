// The command line of muster: parses arguments, runs one command, answers with an exit code.
//
// src/main/main.cc is the caller. This folder knows only the HTTP API, through the SDK; commands that need the server's own
// code (`serve`, `dev`, `config`, `migrate`, `doctor`, `version`) are handed in as LocalCommands and appear in the same help,
// the same completion and under the same exit codes. Data goes to stdout, everything else to stderr.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace muster::cli {

// What scripts rely on; docs/operations.md lists them.
enum class Exit : std::uint8_t {
  ok = 0,
  failure = 1,
  usage = 2,
  unreachable = 3,  // no server at the address
  not_found = 4,
  refused = 5,  // the server understood and said no: unauthenticated, conflict, limits
};

enum class Output : std::uint8_t { table, json, jsonl };

// The flags every command understands, after the environment and the defaults were applied.
struct Globals {
  std::string server = "http://127.0.0.1:8080";  // --server, MUSTER_SERVER
  std::string token;                             // --token, --token-file, MUSTER_TOKEN or the session key file; never shown
  std::string ns = "default";                    // --namespace, MUSTER_NAMESPACE
  Output output = Output::table;                 // --output
  std::string ca_file;                           // --ca
  bool color = false;                            // stdout is a terminal, and neither --no-color nor NO_COLOR is given
};

// A command that main adds. `describe` is called once, with the command's own sub-app, to add flags, positionals, sub-commands
// and a footer; CLI11 writes the parsed values into variables that the closure holds. `run` is called after a successful parse
// when the command was chosen, and returns an exit code. A command with sub-commands finds out which one was chosen by asking the
// App it kept from `describe` (App::got_subcommand); the App outlives `run`.
struct LocalCommand {
  std::string name;
  std::string summary;
  std::function<void(CLI::App&)> describe;
  std::function<int()> run;
};

// Never throws. The second form also fills `globals` before any command runs, so that local commands which captured it by
// reference can honour --output, --server and --no-color.
int run(int argc, char** argv, const std::vector<LocalCommand>& local);
int run(int argc, char** argv, const std::vector<LocalCommand>& local, Globals& globals);

// The remote half of `doctor`: what a client can see of the server at globals.server. Ordered as they are to be shown.
struct RemoteCheck {
  std::string name;  // "reachable", "authenticated", "writable", …
  bool ok = false;
  std::string text;    // what was seen
  std::string remedy;  // what to do next; empty when ok
};
std::vector<RemoteCheck> check_server(const Globals& globals);

}  // namespace muster::cli
