// `muster session create|list|get|messages|compact|restore|delete`: the conversations that runs belong to.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/agents.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/jobs.h"

namespace muster::cli {
namespace {

const char* const kWhichSession = "the session's id";

int create_session(Context& context, sdk::SessionRequest request) {
  request.ns = context.globals().ns;
  for (std::string* text : {&request.metadata, &request.variables}) {
    sdk::Result<std::string> read = read_json_argument(*text, text == &request.metadata ? "--metadata" : "--variables");
    if (!read.ok()) return context.fail("create session", read.error());
    *text = std::move(*read);
  }
  const auto session = context.ask([&](sdk::Client& client) { return client.create_session(request); });
  return context.show("create session", session, [&](const sdk::Session& made) { context.line(made.id); });
}

struct SessionListArguments {
  sdk::SessionQuery query;
  bool all = false;
};

int list_sessions(Context& context, SessionListArguments arguments) {
  sdk::SessionQuery& query = arguments.query;
  query.ns = context.globals().ns;
  std::vector<sdk::Session> sessions;
  do {
    const auto page = context.ask([&](sdk::Client& client) { return client.sessions(query); });
    if (!page.ok()) return context.fail("list sessions", page.error());
    sessions.insert(sessions.end(), page->sessions.begin(), page->sessions.end());
    query.cursor = page->next;
  } while (arguments.all && !query.cursor.empty());
  if (context.wants_table())
    context.table(sessions_table(sessions, now()));
  else
    context.listing("sessions", sessions, query.cursor);
  if (context.wants_table() && !query.cursor.empty()) context.note("more: --cursor " + query.cursor);
  return to_int(Exit::ok);
}

int get_session(Context& context, const std::string& id) {
  const auto session =
      context.ask([&](sdk::Client& client) { return client.session({.ns = context.globals().ns, .session = id}); });
  return context.show("get session " + id, session,
                      [&](const sdk::Session& found) { context.table(session_details(found, now())); });
}

struct MessagesArguments {
  sdk::MessageQuery query;
  bool all = false;
};

int list_messages(Context& context, MessagesArguments arguments) {
  sdk::MessageQuery& query = arguments.query;
  query.ns = context.globals().ns;
  std::vector<sdk::AgentMessage> messages;
  bool more = false;
  do {
    const auto page = context.ask([&](sdk::Client& client) { return client.messages(query); });
    if (!page.ok()) return context.fail("read session " + query.session, page.error());
    messages.insert(messages.end(), page->messages.begin(), page->messages.end());
    more = page->more && !page->messages.empty();
    if (more) query.after = page->messages.back().number;
  } while (arguments.all && more);
  if (context.wants_table())
    context.table(messages_table(messages));
  else
    context.listing("messages", messages);
  if (more) context.note(fmt::format("more: --after {}, or --all", query.after));
  return to_int(Exit::ok);
}

struct CompactArguments {
  std::string session;
  sdk::CompactRequest request;
};

int compact_session(Context& context, CompactArguments arguments) {
  arguments.request.ns = context.globals().ns;
  const auto compacted =
      context.ask([&](sdk::Client& client) { return client.compact_session(arguments.session, arguments.request); });
  return context.show("compact session " + arguments.session, compacted, [&](const sdk::Compacted& made) {
    if (!made.done || !made.compaction) return context.line(fmt::format("not needed: {} tokens", made.tokens));
    context.line(fmt::format("{}  {} messages gone, {} tokens of {} left", made.compaction->id, made.compaction->messages_removed,
                             made.compaction->compacted_tokens, made.compaction->original_tokens));
  });
}

struct RestoreArguments {
  std::string session, compaction;
};

// Without a compaction: the newest that can be taken back.
sdk::Result<std::string> newest_compaction(Context& context, const std::string& session) {
  sdk::CompactionQuery query{.ns = context.globals().ns, .session = session};
  do {
    const auto page = context.ask([&](sdk::Client& client) { return client.compactions(query); });
    if (!page.ok()) return page.error();
    for (const sdk::Compaction& each : page->compactions)
      if (!each.restored) return each.id;
    query.cursor = page->next;
  } while (!query.cursor.empty());
  return refused("nothing of this session was compacted, or all of it is back");
}

int restore_session(Context& context, RestoreArguments arguments) {
  const std::string doing = "restore session " + arguments.session;
  if (arguments.compaction.empty()) {
    auto newest = newest_compaction(context, arguments.session);
    if (!newest.ok()) return context.fail(doing, newest.error());
    arguments.compaction = std::move(*newest);
  }
  const auto event = context.ask([&](sdk::Client& client) {
    return client.restore_session({.ns = context.globals().ns, .session = arguments.session}, arguments.compaction);
  });
  return context.show(doing, event, [&](const sdk::Compaction& restored) {
    context.line(fmt::format("{} messages of {} are back", restored.messages_removed, restored.id));
  });
}

int delete_session(Context& context, const std::string& id) {
  const auto session =
      context.ask([&](sdk::Client& client) { return client.delete_session({.ns = context.globals().ns, .session = id}); });
  return context.show("delete session " + id, session, [&](const sdk::Session& gone) { context.line("deleted " + gone.id); });
}

}  // namespace

void add_session_commands(CLI::App& app, Context& context) {
  CLI::App& group =
      add_group(app, {.name = "session", .summary = "conversations with agents", .example = "muster session messages SESSION"});
  auto [create, creating] = add_command(group, context,
                                        {.name = "create",
                                         .summary = "create a session, alone or below another one",
                                         .example = "muster session create --variables '{\"tenant\":\"a\"}'"},
                                        create_session);
  create.add_option("--parent", creating.parent_session_id, "the session it stands below");
  create.add_option("--metadata", creating.metadata, "JSON object, or @FILE");
  create.add_option("--variables", creating.variables, "JSON object that tools see, or @FILE");

  auto [list, listing] = add_command(
      group, context, {.name = "list", .summary = "sessions, the newest first", .example = "muster session list --all -o jsonl"},
      list_sessions);
  list.add_option("--parent", listing.query.parent_session_id, "only those right below it");
  list.add_option("--metadata", listing.query.metadata, "JSON object: only those whose metadata contain it");
  add_paging(list, "sessions", {.limit = listing.query.limit, .cursor = listing.query.cursor, .all = listing.all});
  add_command_about(group, context,
                    {.name = "get", .summary = "one session and what it has spent", .example = "muster session get SESSION"},
                    kWhichSession, get_session);

  auto [messages, reading] = add_command(
      group, context,
      {.name = "messages", .summary = "what was said, in its order", .example = "muster session messages SESSION --all"},
      list_messages);
  messages.add_option("id", reading.query.session, kWhichSession)->required();
  messages.add_option("--after", reading.query.after, "messages behind this number");
  messages.add_option("--context-of", reading.query.context_of, "only what this run is shown");
  messages.add_option("--limit", reading.query.limit, "messages a page")->check(CLI::Range(1U, kPageMax));
  messages.add_flag("--all", reading.all, "every page");

  auto [compact, compacting] = add_command(group, context,
                                           {.name = "compact",
                                            .summary = "make a long conversation short; what goes is archived",
                                            .example = "muster session compact SESSION --if-needed"},
                                           compact_session);
  compact.add_option("id", compacting.session, kWhichSession)->required();
  compact.add_option("--strategy", compacting.request.strategy, "hybrid by default")
      ->check(CLI::IsMember({"hybrid", "summarization"}));
  compact.add_flag("--if-needed", compacting.request.only_if_needed, "only when it does not fit its model well any more");

  auto [restore, restoring] = add_command(
      group, context,
      {.name = "restore", .summary = "bring back what a compaction archived", .example = "muster session restore SESSION"},
      restore_session);
  restore.add_option("id", restoring.session, kWhichSession)->required();
  restore.add_option("compaction", restoring.compaction, "which one; the newest by default");
  add_command_about(group, context,
                    {.name = "delete",
                     .summary = "delete a session with its messages, runs and the sessions below it",
                     .example = "muster session delete SESSION"},
                    kWhichSession, delete_session);
}

}  // namespace muster::cli
