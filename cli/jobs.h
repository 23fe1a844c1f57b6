// What the job commands share with their tests and with commands that show jobs: tables, ids by their first digits, waiting for
// an end, and the arguments of `job submit`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "cli/table.h"
#include "sdk/cpp/client.h"

namespace CLI {
class App;
}

namespace muster::cli {

sdk::Instant now();

Table job_table(const std::vector<sdk::Job>& jobs, sdk::Instant now);
// Two columns, field and value; what is absent is left out.
Table job_details(const sdk::Job& job, sdk::Instant now);
Table attempts_table(const sdk::Job& job, sdk::Instant now);
// From the start of its attempt to its end, or until now; absent: it has not run.
std::optional<sdk::Duration> run_time(const sdk::Job& job, sdk::Instant now);

// Answers that bring no document along.
std::string document_of(const sdk::Submitted& job);
std::string document_of(const sdk::Settled& job);

// The whole id of a job named by its first digits. A text that is no beginning of one is given back as it is: the server judges
// it. not_found: no job begins so. conflict: several do; the message names them.
sdk::Result<std::string> whole_id(sdk::Client& client, const std::string& text);

// Looks at once, then at growing intervals; survives a server that is away for a while. `seen` is called after every look.
// Returns the finished job.
sdk::Result<sdk::Job> wait_for_job(sdk::Client& client, const std::string& id, const std::function<void(const sdk::Job&)>& seen);

// Asks about the job that `id` is short for.
template <class Ask>
auto ask_about_job(Context& context, const std::string& id, const Ask& question) {
  return context.ask([&](sdk::Client& client) -> decltype(question(client, id)) {
    const sdk::Result<std::string> whole = whole_id(client, id);
    if (!whole.ok()) return whole.error();
    return question(client, *whole);
  });
}

// JSON, @FILE, or - for stdin; bytes when so said.
struct InputArguments {
  std::string text;
  bool binary = false;
};
void describe_input(CLI::App& command, const std::string& flag, InputArguments& arguments);
// Nothing given: nothing returned. invalid_argument: not JSON, or a file that cannot be read.
sdk::Result<std::optional<sdk::Content>> read_input(const InputArguments& arguments, const std::string& flag);
// Whole content of a file, or of stdin for "-".
sdk::Result<std::string> read_all(const std::string& path);

struct SubmitArguments {
  sdk::JobSpec spec;
  InputArguments payload;
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

}  // namespace muster::cli
