// COMMAND: the table of commands as clients read it on connect.
#include <fmt/format.h>

#include "base/ascii.h"
#include "fronts/resp/admission.h"
#include "fronts/resp/commands.h"
#include "fronts/resp/link/link.h"

namespace muster::resp::link {
namespace {

std::int64_t arity_of(const Entry& entry) {
  const auto least = static_cast<std::int64_t>(entry.least);
  return entry.most == entry.least ? least : -least;
}

std::vector<std::string_view> flags_of(const Entry& entry) {
  std::vector<std::string_view> out;
  if (entry.before_auth) out.push_back("no_auth");
  if (entry.group == "connection" || entry.group == "pubsub") {
    out.push_back("loading");
    out.push_back("stale");
  } else {
    out.push_back(entry.command == nullptr || entry.command->effect == command::Effect::read ? "readonly" : "write");
  }
  if (entry.command != nullptr && entry.command->auth == command::Auth::operator_only) out.push_back("admin");
  if (entry.name.starts_with("BL") || entry.name.starts_with("BR") || entry.name.starts_with("BZ")) out.push_back("blocking");
  if (entry.flow == Flow::local) out.push_back("fast");
  return out;
}

void describe(std::string& out, const Entry& entry, Protocol protocol) {
  wire::array(out, 10);
  wire::bulk(out, lower(entry.name));
  wire::integer(out, arity_of(entry));
  const auto flags = flags_of(entry);
  wire::set(out, flags.size(), protocol);
  for (const std::string_view flag : flags) wire::simple(out, flag);
  wire::integer(out, entry.first_key);
  wire::integer(out, entry.last_key);
  wire::integer(out, entry.key_step);
  wire::set(out, 1, protocol);
  wire::simple(out, fmt::format("@{}", entry.group));
  wire::array(out, 0);  // hints
  wire::array(out, 0);  // where keys are, in more words
  wire::array(out, 0);  // subcommands
}

std::string describe_all(Protocol protocol) {
  std::string out;
  wire::array(out, all_commands().size());
  for (const Entry* entry : all_commands()) describe(out, *entry, protocol);
  return out;
}

std::string describe_some(const Call& call) {
  std::string out;
  wire::array(out, call.size() - 2);
  for (std::size_t i = 2; i < call.size(); ++i) {
    if (const Entry* entry = find_command(upper(call.arg(i))))
      describe(out, *entry, call.protocol());
    else
      wire::null_array(out, call.protocol());
  }
  return out;
}

std::string documents(const Call& call) {
  std::vector<const Entry*> wanted;
  if (call.size() == 2)
    wanted.assign(all_commands().begin(), all_commands().end());
  else
    for (std::size_t i = 2; i < call.size(); ++i)
      if (const Entry* entry = find_command(upper(call.arg(i)))) wanted.push_back(entry);
  std::string out;
  wire::map(out, wanted.size(), call.protocol());
  for (const Entry* entry : wanted) {
    wire::bulk(out, lower(entry->name));
    wire::map(out, 3, call.protocol());
    wire::bulk(out, "summary");
    wire::bulk(out, entry->summary);
    wire::bulk(out, "since");
    wire::bulk(out, "1.0.0");
    wire::bulk(out, "group");
    wire::bulk(out, entry->group);
  }
  return out;
}

void keys_of(const CallRef& call) {
  const Entry* entry = find_command(upper(call->arg(2)));
  if (entry == nullptr) return call->fail("Invalid command specified");
  const Args args(call->args().begin() + 2, call->args().end());
  if (args.size() < entry->least || (entry->most != kMany && args.size() > entry->most))
    return call->fail("Invalid number of arguments specified for command");
  std::vector<std::string_view> keys;
  for_each_key(*entry, args, [&](const std::string& key) { keys.push_back(key); });
  if (keys.empty()) return call->fail("The command has no key arguments");
  std::string out;
  wire::array(out, keys.size());
  for (const std::string_view key : keys) wire::bulk(out, key);
  call->answer(std::move(out));
}

}  // namespace

void command(const CallRef& call) {
  if (call->size() == 1) return call->answer(describe_all(call->protocol()));
  const std::string what = upper(call->arg(1));
  if (what == "COUNT" && call->size() == 2)
    return call->answer(wire::integer_reply(static_cast<std::int64_t>(all_commands().size())));
  if (what == "INFO") return call->answer(call->size() == 2 ? describe_all(call->protocol()) : describe_some(*call));
  if (what == "DOCS") return call->answer(documents(*call));
  if (what == "GETKEYS" && call->size() > 2) return keys_of(call);
  if (what == "LIST" && call->size() == 2) {
    std::string out;
    wire::array(out, all_commands().size());
    for (const Entry* entry : all_commands()) wire::bulk(out, lower(entry->name));
    return call->answer(std::move(out));
  }
  if (what == "HELP")
    return call->answer(help_reply({"COMMAND", "COMMAND COUNT", "COMMAND DOCS [<name> ...]",
                                    "COMMAND GETKEYS <command> [<argument> ...]", "COMMAND INFO [<name> ...]", "COMMAND LIST"}));
  call->fail(unknown_subcommand(*call));
}

}  // namespace muster::resp::link
