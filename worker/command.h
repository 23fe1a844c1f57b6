// `muster worker`: flags, environment and defaults become an Agent, and signals become its end.
//
// src/main/main.cc hands this to the command line, with what only that knows.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace muster::worker {

struct Command {
  std::string name;
  std::string summary;
  std::function<void(CLI::App&)> describe;  // adds flags
  std::function<int()> run;                 // after the parse; returns the exit code
};

struct Surroundings {
  std::function<std::string()> ca_file;  // --ca of every command
};

Command worker_command(Surroundings surroundings);

}  // namespace muster::worker
