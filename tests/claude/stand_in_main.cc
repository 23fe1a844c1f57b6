// claude_stand_in: the stand-in for the model's API as a program, for tests of the binary, for demos and for measurements.
//
//   claude_stand_in [--listen 127.0.0.1:0] [--script FILE] [--key KEY] [--no-bodies]
//
// Prints `ready http=HOST:PORT` when it listens and ends on SIGINT or SIGTERM. Without --script it plays Script::demo().
#include <signal.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/claude/stand_in.h"

int main(int argc, char** argv) {
  std::string listen = "127.0.0.1:0";
  std::string script_file;
  bool no_bodies = false;
  muster::stand_in::Options options;
  CLI::App app("A stand-in for the model's API with scripted answers.");
  app.add_option("--listen", listen, "HOST:PORT; port 0: any");
  app.add_option("--script", script_file, "a script as tests/claude/script.h describes it")->check(CLI::ExistingFile);
  app.add_option("--key", options.key, "the only key that is let in");
  app.add_flag("--no-bodies", no_bodies, "the journal keeps only hashes of bodies");
  CLI11_PARSE(app, argc, argv);

  const std::size_t colon = listen.rfind(':');
  const int port = colon == std::string::npos ? -1 : std::atoi(listen.c_str() + colon + 1);
  if (port < 0 || port > 65'535) {
    std::fprintf(stderr, "claude_stand_in: --listen %s: give HOST:PORT\n", listen.c_str());
    return 2;
  }
  options.host = listen.substr(0, colon);
  options.port = static_cast<std::uint16_t>(port);
  options.keep_bodies = !no_bodies;
  if (!script_file.empty()) {
    std::ifstream file(script_file, std::ios::binary);
    options.script.assign(std::istreambuf_iterator<char>(file), {});
  }

  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before there is a thread that would take them
  const auto server = muster::stand_in::StandIn::start(options);
  if (!server.ok()) {
    std::fprintf(stderr, "claude_stand_in: %s\n", server.status().message().c_str());
    return 1;
  }
  std::printf("ready http=%s:%u\n", options.host.c_str(), static_cast<unsigned>((*server)->port()));
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  return 0;
}
