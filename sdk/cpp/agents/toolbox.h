// Functions of a program as tools of agents: each is described to the server and run by an sdk::Worker.
//
//   agents::Toolbox tools;
//   tools.add({.name = "get_weather", .description = "…", .input_schema = R"({"type":"object",…})"},
//             [](const agents::ToolCall& call) { return agents::answer("sunny in " + city_of(call.input)); });
//   tools.define(*client);
//   auto worker = Worker::open(options, {.spec = tools.offered({.id = "my-tools", .slots = 4})}, tools.handler());
//
// A tool execution is a plain job (its type is the tool's name, its payload the input), so the worker may take other jobs as
// well: those go to the handler that handler() was given.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "sdk/cpp/worker.h"

namespace muster::sdk::agents {

// One call, in the hands of its function.
struct ToolCall {
  std::string_view input;  // JSON, as the tool's schema accepts it
  Task& task;              // the attempt: labels, progress, whether it was cancelled
};

// Must not throw. What it answers with, the model reads; what it fails with is tried again as the tool's attempts allow, and
// then shown to the model as an error. Outcome::snoozed() waits and costs no attempt.
using ToolFunction = std::function<Outcome(const ToolCall& call)>;

// A text for the model.
Outcome answer(std::string_view text);
// JSON for the model. REQUIRES: it is JSON.
Outcome answer_json(std::string json);
// An error that another attempt would not mend; the model is shown it at once.
Outcome refuse(std::string message);

class Toolbox {
 public:
  // Added again, it is replaced.
  Toolbox& add(ToolSpec spec, ToolFunction function);

  // Tells the server of every tool. The first refusal ends it.
  Result<Nothing> define(Client& client) const;
  // The worker's description with the tools' capabilities and queues; it serves no other queues than those that it names.
  WorkerSpec offered(WorkerSpec spec) const;
  // For Worker::open. `others` runs jobs that are no tool of these; empty: they fail.
  Handler handler(Handler others = {}) const;

 private:
  struct Entry {
    ToolSpec spec;
    ToolFunction function;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;
  std::shared_ptr<Entries> entries_ = std::make_shared<Entries>();  // shared with handlers
};

}  // namespace muster::sdk::agents
