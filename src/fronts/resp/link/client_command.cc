// CLIENT: what connections say about themselves, and what operators see of them.
#include <fmt/format.h>

#include <array>

#include "base/ascii.h"
#include "fronts/resp/admission.h"
#include "fronts/resp/clients.h"
#include "fronts/resp/core.h"
#include "fronts/resp/link/link.h"

namespace muster::resp::link {
namespace {

using Subcommand = void (*)(const CallRef& call);

std::string line_of(const Client& client, Instant now) {
  const auto seconds = [&](Instant since) { return std::chrono::duration_cast<std::chrono::seconds>(now - since).count(); };
  return fmt::format(
      "id={} addr={} name={} age={} idle={} flags={} db=0 sub={} resp={} lib-name={} lib-ver={} user={} worker={} held={} "
      "cmd={}\n",
      static_cast<std::uint64_t>(client.id), client.address, client.name, seconds(client.connected_at), seconds(client.active_at),
      client.subscriptions > 0 ? "P" : "N", client.subscriptions, static_cast<int>(client.protocol), client.library,
      client.library_version, client.authenticated ? client.caller.name : std::string(), client.worker.text(), client.held.size(),
      client.last_command.empty() ? std::string("NULL") : lower(client.last_command));
}

bool is_operator(const CallRef& call) {
  if (call->client().caller.role == command::Role::operator_role) return true;
  call->fail(not_permitted(fmt::format("CLIENT {}", upper(call->arg(1)))));
  return false;
}

void set_info(const CallRef& call) {
  const std::string what = upper(call->arg(2));
  if (std::string wrong = objection_to_name(call->arg(3)); !wrong.empty())
    return call->fail(fmt::format("{} cannot contain spaces, newlines or special characters, nor be long", lower(what)));
  if (what == "LIB-NAME")
    call->client().library = call->arg(3);
  else if (what == "LIB-VER")
    call->client().library_version = call->arg(3);
  else
    return call->fail(fmt::format("Unrecognized option '{}'", call->arg(2).substr(0, kShownNameBytesMax)));
  call->answer(wire::ok());
}

void set_name(const CallRef& call) {
  if (std::string wrong = objection_to_name(call->arg(2)); !wrong.empty()) return call->fail(wrong);
  call->client().name = call->arg(2);
  call->answer(wire::ok());
}

void get_name(const CallRef& call) {
  const std::string& name = call->client().name;
  call->answer(name.empty() ? wire::null_reply(call->protocol()) : wire::bulk_reply(name));
}

void id(const CallRef& call) { call->answer(wire::integer_reply(static_cast<std::int64_t>(call->client().id))); }

void info_of_self(const CallRef& call) { call->answer(wire::bulk_reply(line_of(call->client(), call->core().now()))); }

// [TYPE normal|pubsub] [ID id …]
void list(const CallRef& call) {
  if (!is_operator(call)) return;
  std::optional<bool> subscribed;
  std::vector<ClientId> ids;
  for (std::size_t at = 2; at < call->size(); ++at) {
    const std::string option = upper(call->arg(at));
    if (option == "TYPE" && at + 1 < call->size()) {
      const std::string type = upper(call->arg(++at));
      if (type != "NORMAL" && type != "PUBSUB")
        return call->fail(fmt::format("Unknown client type '{}'", call->arg(at).substr(0, kShownNameBytesMax)));
      subscribed = type == "PUBSUB";
    } else if (option == "ID" && at + 1 < call->size()) {
      for (++at; at < call->size(); ++at) {
        const auto number = parse_integer(call->arg(at));
        if (!number || *number <= 0) return call->fail("Invalid client ID");
        ids.push_back(ClientId(static_cast<std::uint64_t>(*number)));
      }
    } else {
      return call->fail("syntax error");
    }
  }
  const Instant now = call->core().now();
  std::string text;
  const auto show = [&](const std::shared_ptr<Client>& each) {
    if (each && (!subscribed || *subscribed == (each->subscriptions > 0))) text += line_of(*each, now);
  };
  if (ids.empty())
    for (const auto& each : call->core().clients->all()) show(each);
  else
    for (const ClientId each : ids) show(call->core().clients->find(each));
  call->answer(wire::bulk_reply(text));
}

struct Doomed {
  std::optional<ClientId> id;
  std::optional<std::string> address;
  std::optional<std::string> user;
  std::optional<bool> subscribed;
  bool skip_me = true;
  bool fits(const Client& client) const {
    return (!id || *id == client.id) && (!address || *address == client.address) && (!user || *user == client.caller.name) &&
           (!subscribed || *subscribed == (client.subscriptions > 0));
  }
};

// A port may stand behind the address; it is not looked at.
std::string without_port(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  return colon != std::string::npos && address.find(':') == colon ? address.substr(0, colon) : address;
}

// Empty: understood.
std::string read_doomed(const CallRef& call, Doomed& out) {
  for (std::size_t at = 2; at + 1 < call->size(); at += 2) {
    const std::string option = upper(call->arg(at));
    const std::string& value = call->arg(at + 1);
    if (option == "ID") {
      const auto number = parse_integer(value);
      if (!number || *number <= 0) return "client-id should be greater than 0";
      out.id = ClientId(static_cast<std::uint64_t>(*number));
    } else if (option == "ADDR") {
      out.address = without_port(value);
    } else if (option == "USER") {
      out.user = value;
    } else if (option == "TYPE" && (upper(value) == "NORMAL" || upper(value) == "PUBSUB")) {
      out.subscribed = upper(value) == "PUBSUB";
    } else if (option == "SKIPME" && (upper(value) == "YES" || upper(value) == "NO")) {
      out.skip_me = upper(value) == "YES";
    } else {
      return "syntax error";
    }
  }
  return call->size() % 2 == 0 ? std::string() : std::string("syntax error");
}

void kill(const CallRef& call) {
  if (!is_operator(call)) return;
  Doomed doomed;
  const bool old_form = call->size() == 3;
  if (old_form) {
    doomed.address = without_port(call->arg(2));
    doomed.skip_me = false;
  } else if (std::string wrong = read_doomed(call, doomed); !wrong.empty()) {
    return call->fail(wrong);
  }
  std::int64_t killed = 0;
  for (const auto& each : call->core().clients->all()) {
    if (!doomed.fits(*each) || (doomed.skip_me && each->id == call->client().id)) continue;
    if (call->core().clients->close(each->id)) ++killed;
    if (old_form) break;
  }
  if (!old_form) return call->answer(wire::integer_reply(killed));
  if (killed == 0) return call->fail("No such client");
  call->answer(wire::ok());
}

void on_or_off(const CallRef& call) {
  const std::string value = upper(call->arg(2));
  if (value != "ON" && value != "OFF") return call->fail("syntax error");
  call->answer(wire::ok());
}

void reply(const CallRef& call) {
  if (upper(call->arg(2)) != "ON") return call->fail("CLIENT REPLY knows ON only: every command here is answered");
  call->answer(wire::ok());
}

// agq: a pop of one key answers the element; redis: [key, element].
void dialect(const CallRef& call) {
  Client& client = call->client();
  if (call->size() == 2) return call->answer(wire::bulk_reply(client.pairs ? "redis" : "agq"));
  const std::string name = upper(call->arg(2));
  if (name != "AGQ" && name != "REDIS") return call->fail("CLIENT DIALECT is agq or redis");
  client.pairs = name == "REDIS";
  call->answer(wire::ok());
}

void help(const CallRef& call) {
  call->answer(
      help_reply({"CLIENT DIALECT [agq|redis] -- what a blocking pop of one key answers: the element, or key and element",
                  "CLIENT GETNAME", "CLIENT ID", "CLIENT INFO", "CLIENT KILL ID|ADDR|USER|TYPE <value> [SKIPME yes|no]",
                  "CLIENT LIST [TYPE normal|pubsub] [ID <id> ...]", "CLIENT NO-EVICT on|off", "CLIENT NO-TOUCH on|off",
                  "CLIENT REPLY on", "CLIENT SETINFO LIB-NAME|LIB-VER <value>", "CLIENT SETNAME <name>"}));
}

struct Row {
  std::string_view name;
  std::size_t least;
  std::size_t most;
  Subcommand run;
};

constexpr std::array kRows{
    Row{"SETINFO", 4, 4, set_info},   Row{"SETNAME", 3, 3, set_name},
    Row{"GETNAME", 2, 2, get_name},   Row{"ID", 2, 2, id},
    Row{"INFO", 2, 2, info_of_self},  Row{"LIST", 2, kMany, list},
    Row{"KILL", 3, kMany, kill},      Row{"NO-EVICT", 3, 3, on_or_off},
    Row{"NO-TOUCH", 3, 3, on_or_off}, Row{"REPLY", 3, 3, reply},
    Row{"DIALECT", 2, 3, dialect},    Row{"HELP", 2, 2, help},
};

}  // namespace

void client(const CallRef& call) {
  const std::string name = upper(call->arg(1));
  for (const Row& row : kRows) {
    if (row.name != name) continue;
    if (call->size() < row.least || call->size() > row.most)
      return call->fail(fmt::format("wrong number of arguments for 'client|{}' command", lower(name)));
    return row.run(call);
  }
  call->fail(unknown_subcommand(*call));
}

}  // namespace muster::resp::link
