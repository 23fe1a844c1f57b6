// The tree of commands without a process around it, so that tests can parse and complete without running anything.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.h"
#include "cli/context.h"

namespace CLI {
class App;
}

namespace muster::cli {

// Adds the global flags, every remote command and the local ones. Everything referred to outlives the app.
std::unique_ptr<CLI::App> make_app(Globals& globals, Context& context, const std::vector<LocalCommand>& local);

// Parses and, when that succeeds, runs what was chosen. Never throws.
int run_app(CLI::App& app, Globals& globals, Context& context, std::vector<std::string> arguments);

// --- secrets on the command line -----------------------------------------------------------------------------------
//
// Others on the machine can read it, so that they are overwritten where they stand as soon as they have been copied.
// /proc/PID/cmdline and `ps` show asterisks from then on.

// A part of one argument.
struct SecretPart {
  std::size_t argument = 0;
  std::size_t from = 0;
  std::size_t size = 0;
};

// The values of --token, --key and -k, and passwords in database URLs, wherever they stand. Pure.
std::vector<SecretPart> secrets_in(const std::vector<std::string_view>& arguments);

// The arguments, the program's name left out. Secrets among them are overwritten in `argv`; then a line on stderr says that files
// and the environment are better places.
std::vector<std::string> take_arguments(int argc, char** argv);

}  // namespace muster::cli
