// The arguments of `workflow start` and the request they stand for. Apart from its command so that tests map one to the other.
#pragma once

#include <optional>
#include <string>

#include "sdk/cpp/result.h"
#include "sdk/cpp/types.h"

namespace CLI {
class App;
}

namespace muster::cli {

// JSON, @FILE, or - for stdin; bytes when so said. Shared with the templates of schedules and the data of signals.
struct InputArguments {
  std::string text;
  bool binary = false;
};
void describe_input(CLI::App& command, const std::string& flag, InputArguments& arguments);
// Nothing given: nothing returned. invalid_argument: not JSON, or a file that cannot be read.
sdk::Result<std::optional<sdk::Content>> read_input(const InputArguments& arguments, const std::string& flag);

struct StartArguments {
  sdk::RunRequest request;
  InputArguments input;
  std::optional<std::int32_t> step_attempts;
  std::optional<sdk::Duration> step_delay;
  bool wait = false;
};

void describe_start(CLI::App& command, StartArguments& arguments);
sdk::Result<sdk::RunRequest> to_run(const StartArguments& arguments, const std::string& ns);

}  // namespace muster::cli
