// `muster agent create|list|get|update|delete`: models with their prompts and tools.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/agents.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/jobs.h"

namespace muster::cli {
namespace {

const char* const kWhichAgent = "its id, or its name when only one agent has it";

sdk::Result<sdk::Agent> find_agent(Context& context, const std::string& agent) {
  return context.ask([&](sdk::Client& client) { return client.agent({.ns = context.globals().ns, .agent = agent}); });
}

// A file is the beginning; without one, `otherwise` is.
sdk::Result<std::string> beginning_of(const std::string& file, std::string otherwise) {
  if (file.empty()) return otherwise;
  return read_all(file);
}

int create_agent(Context& context, AgentArguments arguments) {
  arguments.rename = arguments.name;
  const std::string doing = "create agent " + arguments.name;
  const auto base = beginning_of(arguments.file, "{}");
  if (!base.ok()) return context.fail(doing, base.error());
  const auto document = agent_document(arguments, *base, context.globals().ns);
  if (!document.ok()) return context.fail(doing, document.error());
  const auto agent = context.ask([&](sdk::Client& client) { return client.create_agent_document(*document); });
  return context.show(doing, agent, [&](const sdk::Agent& made) { context.line(made.id); });
}

// Read, changed and written back only if nobody else wrote in between.
int update_agent(Context& context, const AgentArguments& arguments) {
  const std::string doing = "update agent " + arguments.name;
  const auto found = find_agent(context, arguments.name);
  if (!found.ok()) return context.fail(doing, found.error());
  const auto base = beginning_of(arguments.file, changeable_agent(*found));
  if (!base.ok()) return context.fail(doing, base.error());
  const auto document = agent_document(arguments, *base, context.globals().ns);
  if (!document.ok()) return context.fail(doing, document.error());
  const auto agent = context.ask([&](sdk::Client& client) { return client.update_agent_document(found->id, *document); });
  return context.show(doing, agent, [&](const sdk::Agent& made) { context.table(agent_details(made, now())); });
}

struct AgentListArguments {
  sdk::AgentQuery query;
  bool all = false;
};

int list_agents(Context& context, AgentListArguments arguments) {
  sdk::AgentQuery& query = arguments.query;
  query.ns = context.globals().ns;
  std::vector<sdk::Agent> agents;
  do {
    const auto page = context.ask([&](sdk::Client& client) { return client.agents(query); });
    if (!page.ok()) return context.fail("list agents", page.error());
    agents.insert(agents.end(), page->agents.begin(), page->agents.end());
    query.cursor = page->next;
  } while (arguments.all && !query.cursor.empty());
  if (context.wants_table())
    context.table(agents_table(agents, now()));
  else
    context.listing("agents", agents, query.cursor);
  if (context.wants_table() && !query.cursor.empty()) context.note("more: --cursor " + query.cursor);
  return to_int(Exit::ok);
}

int get_agent(Context& context, const std::string& name) {
  return context.show("get agent " + name, find_agent(context, name),
                      [&](const sdk::Agent& found) { context.table(agent_details(found, now())); });
}

int delete_agent(Context& context, const std::string& name) {
  const auto found = find_agent(context, name);
  if (!found.ok()) return context.fail("delete agent " + name, found.error());
  const auto gone =
      context.ask([&](sdk::Client& client) { return client.delete_agent({.ns = context.globals().ns, .agent = found->id}); });
  return context.show("delete agent " + name, gone, [&](const sdk::Agent& agent) { context.line("deleted " + agent.id); });
}

void describe_agent(CLI::App& command, AgentArguments& arguments) {
  command.add_option("--model", arguments.model, "as the model's API names it");
  command.add_option("--description", arguments.description, "what it is good for");
  command.add_option("--system-prompt", arguments.system_prompt, "text, or @FILE, or - for stdin")->type_name("TEXT|@FILE|-");
  command.add_option("--tool", arguments.tools, "a tool that it is offered; repeatable")->allow_extra_args(false);
  command.add_option("--delegate", arguments.delegates, "id of an agent that it may call; repeatable")->allow_extra_args(false);
  command.add_option("--max-tokens", arguments.max_tokens, "of one answer");
  command.add_option("--temperature", arguments.temperature, "0 to 1");
  command.add_option("--top-k", arguments.top_k, "as the model's API has it");
  command.add_option("--top-p", arguments.top_p, "as the model's API has it");
  command.add_option("--thinking", arguments.thinking, "JSON object, as the model's API has it");
  command.add_option("--tool-choice", arguments.tool_choice, "JSON object, as the model's API has it");
  command.add_option("--iterations-max", arguments.iterations_max, "calls of the model in one run");
  command.add_option("--tokens-per-run", arguments.tokens_per_run, "budget: tokens of one run");
  command.add_option("--microdollars-per-run", arguments.microdollars_per_run, "budget: millionths of a dollar of one run");
  command.add_option("--metadata", arguments.metadata, "JSON object, or @FILE");
  command.add_option("--config", arguments.config, "JSON object, or @FILE");
  command.add_option("-f,--file", arguments.file, "the request as JSON, or - for stdin; flags are put over it")
      ->type_name("FILE|-");
}

}  // namespace

void add_agent_commands(CLI::App& app, Context& context) {
  CLI::App& group = add_group(app, {.name = "agent",
                                    .summary = "agents: models with their prompts and tools",
                                    .example = "muster agent create support --model claude-sonnet-4-5 --tool get_weather"});
  auto [create, creating] =
      add_command(group, context,
                  {.name = "create",
                   .summary = "create an agent from flags, a file, or both",
                   .example = "muster agent create support --model claude-sonnet-4-5 --system-prompt @prompt.txt"},
                  create_agent);
  create.add_option("name", creating.name, "unique together with the metadata");
  describe_agent(create, creating);

  auto [list, listing] =
      add_command(group, context,
                  {.name = "list", .summary = "agents by name", .example = "muster agent list --metadata '{\"team\":\"care\"}'"},
                  list_agents);
  list.add_option("--name", listing.query.name, "only of this name");
  list.add_option("--metadata", listing.query.metadata, "JSON object: only those whose metadata contain it");
  add_paging(list, "agents", {.limit = listing.query.limit, .cursor = listing.query.cursor, .all = listing.all});

  add_command_about(group, context, {.name = "get", .summary = "one agent in full", .example = "muster agent get support"},
                    kWhichAgent, get_agent);
  auto [update, updating] = add_command(group, context,
                                        {.name = "update",
                                         .summary = "change what the flags name; with --file, replace all of it",
                                         .example = "muster agent update support --max-tokens 2048"},
                                        update_agent);
  update.add_option("id", updating.name, kWhichAgent)->required();
  update.add_option("--rename", updating.rename, "its new name");
  describe_agent(update, updating);
  add_command_about(group, context,
                    {.name = "delete", .summary = "delete an agent that has no runs", .example = "muster agent delete support"},
                    kWhichAgent, delete_agent);
}

}  // namespace muster::cli
