#include "cli/cli.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <exception>
#include <utility>

#include "cli/app.h"
#include "cli/exit_code.h"
#include "cli/secret_arguments.h"

namespace muster::cli {

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
