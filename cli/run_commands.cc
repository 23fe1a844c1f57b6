// `muster run start|watch|get|list|cancel|approve|deny|fork`: runs of agents.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>

#include "cli/agents.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/format.h"
#include "cli/jobs.h"

namespace muster::cli {
namespace {

const char* const kWhichRun = "the run's id";

int exit_of(const sdk::AgentRun& run) { return to_int(run.state == "completed" ? Exit::ok : Exit::failure); }

// One line for people about how it ended, behind what was printed.
void note_end(Context& context, const sdk::AgentRun& run) {
  std::string text = fmt::format("run {} is {}", run.id, run.state);
  if (!run.error_type.empty() || !run.error_message.empty()) text += fmt::format(": {} {}", run.error_type, run.error_message);
  text += fmt::format(" ({} tokens, {})", run.usage.total(), format_cost(run.microdollars));
  context.note(printable(text));
}

void print_event(Context& context, RunPrinter& printer, const sdk::agents::RunEvent& event, const std::string& run) {
  if (context.globals().output == Output::jsonl) return context.line(event.data);
  if (!context.wants_table()) return;
  const std::string text = printer.text_of(event);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  if (event.type == "state" && event.data.find("\"awaiting_input\"") != std::string::npos)
    context.note(fmt::format("it waits for approval: muster run approve {}, or deny", run));
}

// Prints until the run ends. The server is asked once before, so that one that is not there, or does not know it, says so at
// once.
int watch(Context& context, const std::string& id) {
  const std::string doing = "watch run " + id;
  const auto known = context.ask([&](sdk::Client& client) { return client.agent_run({.ns = context.globals().ns, .run = id}); });
  if (!known.ok()) return context.fail(doing, known.error());
  RunPrinter printer(context.globals().color);
  const auto done = context.ask([&](sdk::Client& client) {
    sdk::agents::Agents agents(client, context.globals().ns);
    return agents.follow(id, [&](const sdk::agents::RunEvent& event) { print_event(context, printer, event, id); });
  });
  if (!done.ok()) return context.fail(doing, done.error());
  if (!context.wants_table()) {
    context.document(done->document);
    return exit_of(*done);
  }
  const std::string end = printer.end_line();
  std::fwrite(end.data(), 1, end.size(), stdout);
  note_end(context, *done);
  return exit_of(*done);
}

int watch_agent_run(Context& context, const std::string& id) { return watch(context, id); }

struct RunStartArguments {
  sdk::AgentRunRequest request;
  std::optional<std::uint64_t> tokens_per_run;
  bool batch = false;
  bool watch = false;
};

int start_agent_run(Context& context, RunStartArguments arguments) {
  sdk::AgentRunRequest& request = arguments.request;
  const std::string doing = "start a run of agent " + request.agent;
  request.ns = context.globals().ns;
  if (arguments.batch) request.run_mode = "batch";
  if (arguments.tokens_per_run) request.budget = sdk::AgentBudget{.tokens_per_run = arguments.tokens_per_run};
  auto prompt = read_argument(request.prompt);
  if (!prompt.ok()) return context.fail(doing, prompt.error());
  request.prompt = std::move(*prompt);
  auto variables = read_json_argument(request.variables, "--variables");
  if (!variables.ok()) return context.fail(doing, variables.error());
  request.variables = std::move(*variables);
  const auto run = context.ask([&](sdk::Client& client) { return client.start_agent_run(request); });
  if (!run.ok()) return context.fail(doing, run.error());
  if (arguments.watch) {
    context.note("run " + run->id);
    return watch(context, run->id);
  }
  return context.show(doing, run, [&](const sdk::AgentRun& made) { context.line(made.id); });
}

int get_agent_run(Context& context, const std::string& id) {
  const auto run = context.ask([&](sdk::Client& client) { return client.agent_run({.ns = context.globals().ns, .run = id}); });
  return context.show("get run " + id, run, [&](const sdk::AgentRun& found) {
    context.table(agent_run_details(found, now()));
    if (!found.iterations.empty()) {
      context.line("");
      context.table(iterations_table(found.iterations));
    }
    if (!found.tool_executions.empty()) {
      context.line("");
      context.table(executions_table(found.tool_executions));
    }
  });
}

struct AgentRunListArguments {
  sdk::AgentRunQuery query;
  std::string agent;
  bool all = false;
};

int list_agent_runs(Context& context, AgentRunListArguments arguments) {
  sdk::AgentRunQuery& query = arguments.query;
  query.ns = context.globals().ns;
  if (!arguments.agent.empty()) {
    const auto agent = context.ask([&](sdk::Client& client) { return client.agent({.ns = query.ns, .agent = arguments.agent}); });
    if (!agent.ok()) return context.fail("list runs of agent " + arguments.agent, agent.error());
    query.agent_id = agent->id;
  }
  std::vector<sdk::AgentRun> runs;
  do {
    const auto page = context.ask([&](sdk::Client& client) { return client.agent_runs(query); });
    if (!page.ok()) return context.fail("list runs", page.error());
    runs.insert(runs.end(), page->runs.begin(), page->runs.end());
    query.cursor = page->next;
  } while (arguments.all && !query.cursor.empty());
  if (context.wants_table())
    context.table(agent_runs_table(runs, now()));
  else
    context.listing("runs", runs, query.cursor);
  if (context.wants_table() && !query.cursor.empty()) context.note("more: --cursor " + query.cursor);
  return to_int(Exit::ok);
}

struct RunCancelArguments {
  std::string run, reason;
};

int cancel_agent_run(Context& context, const RunCancelArguments& arguments) {
  const auto run = context.ask([&](sdk::Client& client) {
    return client.cancel_agent_run({.ns = context.globals().ns, .run = arguments.run}, arguments.reason);
  });
  return context.show("cancel run " + arguments.run, run,
                      [&](const sdk::AgentRun& found) { context.line(fmt::format("{}  {}", found.id, found.state)); });
}

struct VerdictArguments {
  std::string run;
  sdk::AgentVerdict verdict;
};

template <auto kCall>
int decide(Context& context, VerdictArguments arguments) {
  const std::string doing = "decide about run " + arguments.run;
  arguments.verdict.ns = context.globals().ns;
  auto input = read_json_argument(arguments.verdict.input, "--input");
  if (!input.ok()) return context.fail(doing, input.error());
  arguments.verdict.input = std::move(*input);
  const auto decided = context.ask([&](sdk::Client& client) { return (client.*kCall)(arguments.run, arguments.verdict); });
  return context.show(doing, decided, [&](const sdk::AgentRunDecided& made) {
    for (const sdk::ToolExecution& execution : made.tool_executions)
      context.line(printable(fmt::format("{}  {}  {}", execution.id, execution.tool_name, execution.approval)));
  });
}

struct ForkArguments {
  std::string run;
  sdk::AgentRunFork fork;
  bool watch = false;
};

int fork_agent_run(Context& context, ForkArguments arguments) {
  const std::string doing = "fork run " + arguments.run;
  arguments.fork.ns = context.globals().ns;
  auto prompt = read_argument(arguments.fork.prompt);
  if (!prompt.ok()) return context.fail(doing, prompt.error());
  arguments.fork.prompt = std::move(*prompt);
  const auto run = context.ask([&](sdk::Client& client) { return client.fork_agent_run(arguments.run, arguments.fork); });
  if (run.ok() && arguments.watch) {
    context.note("run " + run->id);
    return watch(context, run->id);
  }
  return context.show(doing, run, [&](const sdk::AgentRun& made) { context.line(made.id); });
}

void add_run_reading(CLI::App& group, Context& context) {
  add_command_about(group, context,
                    {.name = "watch",
                     .summary = "what a run says and does as it comes; exit 0 when completed, 1 otherwise",
                     .example = "muster run watch RUN"},
                    kWhichRun, watch_agent_run);
  add_command_about(
      group, context,
      {.name = "get", .summary = "one run with its calls of the model and of tools", .example = "muster run get RUN"}, kWhichRun,
      get_agent_run);
  auto [list, listing] = add_command(
      group, context,
      {.name = "list", .summary = "runs, the newest first", .example = "muster run list --agent support --state awaiting_input"},
      list_agent_runs);
  list.add_option("--agent", listing.agent, "only of this agent, by id or name");
  list.add_option("--session", listing.query.session_id, "only of this session");
  list.add_option("--parent", listing.query.parent_run_id, "only those that this run called");
  list.add_option("--state", listing.query.state, "only in this state")
      ->check(CLI::IsMember({"pending", "batch_submitting", "batch_pending", "batch_processing", "streaming", "pending_tools",
                             "awaiting_input", "completed", "cancelled", "failed"}));
  list.add_option("--mode", listing.query.run_mode, "only of this mode")->check(CLI::IsMember({"batch", "streaming"}));
  list.add_flag("--unfinished", listing.query.unfinished, "only these");
  add_paging(list, "runs", {.limit = listing.query.limit, .cursor = listing.query.cursor, .all = listing.all});
}

void add_run_changing(CLI::App& group, Context& context) {
  auto [cancel, cancelling] = add_command(group, context,
                                          {.name = "cancel",
                                           .summary = "stop a run at once, with its tools and the runs it called",
                                           .example = "muster run cancel RUN --reason 'wrong question'"},
                                          cancel_agent_run);
  cancel.add_option("id", cancelling.run, kWhichRun)->required();
  cancel.add_option("--reason", cancelling.reason, "kept with the run");

  auto [approve, approving] = add_command(group, context,
                                          {.name = "approve",
                                           .summary = "let the tool calls that wait for a person run, as they are or changed",
                                           .example = "muster run approve RUN --input '{\"version\":\"1.2\"}'"},
                                          decide<&sdk::Client::approve>);
  approve.add_option("id", approving.run, kWhichRun)->required();
  approve.add_option("--execution", approving.verdict.execution, "only this one; every one that waits by default");
  approve.add_option("--input", approving.verdict.input, "instead of the model's; JSON, or @FILE")->type_name("JSON|@FILE");
  approve.add_option("--reason", approving.verdict.reason, "kept with the decision");

  auto [deny, denying] = add_command(group, context,
                                     {.name = "deny",
                                      .summary = "refuse the tool calls that wait for a person; the model is told",
                                      .example = "muster run deny RUN --reason 'not on a Friday'"},
                                     decide<&sdk::Client::deny>);
  deny.add_option("id", denying.run, kWhichRun)->required();
  deny.add_option("--execution", denying.verdict.execution, "only this one; every one that waits by default");
  deny.add_option("--reason", denying.verdict.reason, "the model is told why");

  auto [fork, forking] = add_command(group, context,
                                     {.name = "fork",
                                      .summary = "start a run in a copy of the session up to one of its messages",
                                      .example = "muster run fork RUN --through 3 --prompt 'and in Paris?'"},
                                     fork_agent_run);
  fork.add_option("id", forking.run, kWhichRun)->required();
  fork.add_option("--through", forking.fork.through,
                  "number of the last message that is copied; all before the prompt by default");
  fork.add_option("--prompt", forking.fork.prompt, "text, or @FILE, or - for stdin; that of the run by default");
  fork.add_option("--agent", forking.fork.agent, "another agent");
  fork.add_flag("-w,--watch", forking.watch, "print what it says until it ends");
}

}  // namespace

void add_run_commands(CLI::App& app, Context& context) {
  CLI::App& group = add_group(app, {.name = "run",
                                    .summary = "runs of agents: start, watch, decide",
                                    .example = "muster run start support 'How is the weather in Berlin?' --watch"});
  auto [start, starting] = add_command(group, context,
                                       {.name = "start",
                                        .summary = "ask an agent something",
                                        .example = "muster run start support 'How is the weather in Berlin?' --watch"},
                                       start_agent_run);
  start.add_option("agent", starting.request.agent, "its id, or its name when only one agent has it")->required();
  start.add_option("prompt", starting.request.prompt, "text, or @FILE, or - for stdin")->required()->type_name("TEXT|@FILE|-");
  start.add_option("--session", starting.request.session_id, "go on with this conversation; a new one by default");
  start.add_option("--variables", starting.request.variables, "JSON object that tools see, or @FILE");
  start.add_option("--tokens-per-run", starting.tokens_per_run, "stop when so many are spent");
  start.add_option("--idempotency-key", starting.request.idempotency_key, "a second start with it finds the first run");
  start.add_flag("--batch", starting.batch, "cheaper, and may take hours");
  start.add_flag("-w,--watch", starting.watch, "print what it says until it ends");
  add_run_reading(group, context);
  add_run_changing(group, context);
}

}  // namespace muster::cli
