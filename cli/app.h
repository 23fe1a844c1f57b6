// The tree of commands without a process around it, so that tests can parse and complete without running anything.
#pragma once

#include <memory>
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

}  // namespace muster::cli
