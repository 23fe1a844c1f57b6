// The arguments of `job submit` and the request they stand for. Apart from its command so that tests map one to the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/result.h"
#include "sdk/cpp/types.h"

namespace CLI {
class App;
}

namespace muster::cli {

struct SubmitArguments {
  sdk::JobSpec spec;
  std::string payload;  // JSON, @FILE, or - for stdin
  bool binary = false;
  std::string unique_key;
  std::string unique_while = "unfinished";
  std::string concurrency_key;
  std::uint32_t concurrency_limit = 1;
  std::string fairness_key;
  std::uint32_t fairness_weight = 1;
  std::optional<std::uint32_t> attempts_max;
  std::optional<sdk::Duration> backoff;
  std::uint32_t count = 1;
  std::string jsonl;  // FILE or -
  bool wait = false;
};

void describe_submit(CLI::App& command, SubmitArguments& arguments);

// invalid_argument: arguments that exclude each other, a payload that is not JSON or cannot be read.
sdk::Result<sdk::JobSpec> to_spec(const SubmitArguments& arguments, const std::string& ns);

// One job spec a line, defaults filled in where a line leaves them out. invalid_argument names the line; blank lines are skipped.
sdk::Result<std::vector<std::string>> to_documents(std::string_view jsonl, const sdk::JobSpec& defaults);

// Whole content of a file, or of stdin for "-".
sdk::Result<std::string> read_all(const std::string& path);

}  // namespace muster::cli
