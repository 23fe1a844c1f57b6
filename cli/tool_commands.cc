// `muster tool define|list|get|delete|run`: what agents may call, and who carries it out.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/agents.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/jobs.h"

namespace muster::cli {
namespace {

int define_tool(Context& context, const ToolArguments& arguments) {
  const std::string doing = "define tool " + arguments.name;
  sdk::Result<std::string> base = std::string("{}");
  if (!arguments.file.empty()) base = read_all(arguments.file);
  if (!base.ok()) return context.fail(doing, base.error());
  const auto document = tool_document(arguments, *base, context.globals().ns);
  if (!document.ok()) return context.fail(doing, document.error());
  const auto tool = context.ask([&](sdk::Client& client) { return client.define_tool_document(*document); });
  return context.show(doing, tool, [&](const sdk::Tool& made) {
    context.line(fmt::format("{} is {}", made.spec.name, made.revision > 1 ? "replaced" : "defined"));
  });
}

struct ToolListArguments {
  sdk::ToolQuery query;
  bool all = false;
};

int list_tools(Context& context, ToolListArguments arguments) {
  sdk::ToolQuery& query = arguments.query;
  query.ns = context.globals().ns;
  std::vector<sdk::Tool> tools;
  do {
    const auto page = context.ask([&](sdk::Client& client) { return client.tools(query); });
    if (!page.ok()) return context.fail("list tools", page.error());
    tools.insert(tools.end(), page->tools.begin(), page->tools.end());
    query.cursor = page->next;
  } while (arguments.all && !query.cursor.empty());
  if (context.wants_table())
    context.table(tools_table(tools, now()));
  else
    context.listing("tools", tools, query.cursor);
  if (context.wants_table() && !query.cursor.empty()) context.note("more: --cursor " + query.cursor);
  return to_int(Exit::ok);
}

int get_tool(Context& context, const std::string& name) {
  const auto tool = context.ask([&](sdk::Client& client) { return client.tool({.ns = context.globals().ns, .tool = name}); });
  return context.show("get tool " + name, tool, [&](const sdk::Tool& found) { context.table(tool_details(found, now())); });
}

int delete_tool(Context& context, const std::string& name) {
  const auto tool =
      context.ask([&](sdk::Client& client) { return client.delete_tool({.ns = context.globals().ns, .tool = name}); });
  return context.show("delete tool " + name, tool, [&](const sdk::Tool& gone) { context.line("deleted " + gone.spec.name); });
}

struct ToolRunArguments {
  std::string name, input;
  bool no_wait = false;
};

int run_tool(Context& context, const ToolRunArguments& arguments) {
  const std::string doing = "run tool " + arguments.name;
  const auto input = read_json_argument(arguments.input, "the input");
  if (!input.ok()) return context.fail(doing, input.error());
  const auto job = context.ask(
      [&](sdk::Client& client) { return client.run_tool({.ns = context.globals().ns, .tool = arguments.name}, *input); });
  if (!job.ok()) return context.fail(doing, job.error());
  if (arguments.no_wait) {
    context.line(job->id);
    return to_int(Exit::ok);
  }
  const auto done = context.ask([&](sdk::Client& client) { return wait_for_job(client, job->id, [](const sdk::Job&) {}); });
  const int code = context.show(doing, done, [&](const sdk::Job& found) {
    if (found.state == "completed" && found.result) return context.line(found.result->data);
    context.table(job_details(found, now()));
  });
  return done.ok() && done->state != "completed" ? to_int(Exit::failure) : code;
}

}  // namespace

void add_tool_commands(CLI::App& app, Context& context) {
  CLI::App& group = add_group(app, {.name = "tool",
                                    .summary = "tools that agents may call; workers carry them out",
                                    .example = "muster tool define get_weather --description 'the weather of a city'"});
  auto [define, defining] =
      add_command(group, context,
                  {.name = "define",
                   .summary = "define a tool or replace it, from flags, a file, or both",
                   .example = "muster tool define deploy --description 'deploys a version' --schema @deploy.json --approval ask"},
                  define_tool);
  define.add_option("name", defining.name, "as models call it");
  define.add_option("--description", defining.description, "what a model is told; text, or @FILE");
  define.add_option("--schema", defining.schema, "JSON Schema of the input; JSON, or @FILE")->type_name("JSON|@FILE");
  define.add_option("--approval", defining.approval, "ask: a person says yes before it runs")
      ->check(CLI::IsMember({"never", "ask"}));
  define.add_option("--queue", defining.queue, "of its executions; tools by default");
  define.add_option("--needs", defining.needs, "a capability of workers; tool:NAME by default; repeatable")
      ->allow_extra_args(false);
  define.add_option("--argument", defining.arguments, "for muster worker: an argument, with {{input.x}}; repeatable")
      ->allow_extra_args(false);
  add_duration(define, {.name = "--timeout", .help = "of one attempt"}, defining.timeout);
  define.add_option("--max-attempts", defining.max_attempts, "2 by default");
  define.add_option("--concurrency", defining.concurrency, "executions at a time");
  define.add_option("--metadata", defining.metadata, "JSON object, or @FILE");
  define.add_option("-f,--file", defining.file, "the request as JSON, or - for stdin; flags are put over it")
      ->type_name("FILE|-");

  auto [list, listing] =
      add_command(group, context, {.name = "list", .summary = "tools by name", .example = "muster tool list"}, list_tools);
  add_paging(list, "tools", {.limit = listing.query.limit, .cursor = listing.query.cursor, .all = listing.all});
  add_command_about(group, context, {.name = "get", .summary = "one tool in full", .example = "muster tool get deploy"},
                    "the tool", get_tool);
  add_command_about(
      group, context,
      {.name = "delete", .summary = "delete a tool; agents are no longer offered it", .example = "muster tool delete deploy"},
      "the tool", delete_tool);
  auto [run, running] = add_command(group, context,
                                    {.name = "run",
                                     .summary = "run a tool once without a model, and show what it answers",
                                     .example = "muster tool run get_weather '{\"city\":\"Berlin\"}'"},
                                    run_tool);
  run.add_option("tool", running.name, "the tool")->required();
  run.add_option("input", running.input, "JSON, or @FILE, or - for stdin; {} by default");
  run.add_flag("--no-wait", running.no_wait, "print the job and do not wait for it");
}

}  // namespace muster::cli
