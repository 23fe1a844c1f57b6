// The commands about the connection itself, by file:
//
//   table.cc           their entries
//   greeting.cc        AUTH, HELLO, RESET, QUIT, SELECT
//   small_talk.cc      PING, ECHO, TIME
//   client_command.cc  CLIENT
//   command_command.cc COMMAND
//   config_command.cc  CONFIG
//   info.cc            INFO
//   subscribe.cc       SUBSCRIBE, PSUBSCRIBE and their opposites, PUBLISH, PUBSUB
//
// Everything runs on the loop's thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fronts/resp/call.h"

namespace muster::resp::link {

void auth(const CallRef& call);
void hello(const CallRef& call);
void reset(const CallRef& call);
void quit(const CallRef& call);
void select(const CallRef& call);
void ping(const CallRef& call);
void echo(const CallRef& call);
void time(const CallRef& call);
void client(const CallRef& call);
void command(const CallRef& call);
void config(const CallRef& call);
void info(const CallRef& call);
void subscribe(const CallRef& call);
void unsubscribe(const CallRef& call);
void psubscribe(const CallRef& call);
void punsubscribe(const CallRef& call);
void pubsub(const CallRef& call);
void publish(const CallRef& call);

// --- shared by them ---
std::optional<std::int64_t> parse_integer(std::string_view text);
// "unknown subcommand 'x'. Try CLIENT HELP."
std::string unknown_subcommand(const Call& call);
// Empty, or why the name cannot be a client's: CLIENT SETNAME and HELLO … SETNAME.
std::string objection_to_name(std::string_view name);
// The array of lines that X HELP answers.
std::string help_reply(std::initializer_list<std::string_view> lines);

}  // namespace muster::resp::link
