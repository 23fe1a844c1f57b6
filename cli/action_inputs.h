// The inputs of an action as they come from a command line: one by one, or a file of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sdk/cpp/result.h"
#include "sdk/cpp/types.h"

namespace CLI {
class App;
}

namespace muster::cli {

struct ActionArguments {
  sdk::ActionRequest request;
  std::vector<std::string> inputs;  // JSON, one each
  std::string inputs_file;          // FILE or -
  bool watch = false;
};

// --input, --inputs, --id, --job-unit, --priority, --timeout, --attempts, --watch.
void describe_action(CLI::App& command, ActionArguments& arguments);

// Every input as JSON text, those of --input first. None given: none returned. invalid_argument names the place.
sdk::Result<std::vector<std::string>> read_inputs(const ActionArguments& arguments);

// The elements of a JSON array, or one value a line, each as it was written. invalid_argument: neither.
sdk::Result<std::vector<std::string>> split_inputs(std::string_view text);

}  // namespace muster::cli
