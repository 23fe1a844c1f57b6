// The commands that need the server's own code: serve, dev, config, migrate, doctor, version.
//
// src/main/main.cc hands them to the command line, and hands in what they need from beyond this folder: how the user wants
// output, what a client sees of a running server, and the demo worker, which is a client like any other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agents/claude/api.h"

namespace CLI {
class App;
}

namespace muster::server {

struct Command {
  std::string name;
  std::string summary;
  std::function<void(CLI::App&)> describe;  // adds flags and sub-commands
  std::function<int()> run;                 // after the parse; returns the exit code
};

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

enum class Grade : std::uint8_t { ok, warn, fail };

// One line of `doctor`.
struct Finding {
  std::string name;
  Grade grade = Grade::ok;
  std::string text;    // what was seen
  std::string remedy;  // what to do; empty when ok
};

// Work and a worker for `dev`, running until it is destroyed.
class Demo {
 public:
  struct Counts {
    std::uint64_t submitted = 0;
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
  };
  virtual ~Demo() = default;
  virtual Counts counts() const = 0;
  // Of the demo agent, which asks before it goes on. Empty: there is none.
  virtual std::string agent_run() const = 0;
};

struct DemoRequest {
  std::string url;
  std::string token;
  bool with_agent = false;  // the server's model is demo_model()
};

struct Surroundings {
  std::function<bool()> wants_json;                    // --output json or jsonl
  std::function<std::vector<Finding>()> check_server;  // of `doctor`: what a client sees
  std::function<std::vector<Finding>()> check_worker;  // of `doctor`: what a worker on this machine can do
  std::function<std::unique_ptr<Demo>(const DemoRequest& request)> start_demo;
  std::function<std::shared_ptr<claude::Api>()> demo_model;  // for a server that is configured without one
};

std::vector<Command> commands(Surroundings surroundings);

}  // namespace muster::server
