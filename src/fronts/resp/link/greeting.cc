// Who the client is and what it speaks: AUTH, HELLO, RESET, QUIT, SELECT.
#include <fmt/format.h>

#include "base/ascii.h"
#include "fronts/resp/admission.h"
#include "fronts/resp/clients.h"
#include "fronts/resp/core.h"
#include "fronts/resp/gatekeeper.h"
#include "fronts/resp/link/channels.h"
#include "fronts/resp/link/link.h"

namespace muster::resp::link {
namespace {

constexpr std::string_view kEmptyKey = "AUTH key cannot be empty";

struct Greeting {
  std::optional<Protocol> protocol;
  std::optional<Gatekeeper::Attempt> attempt;
  std::optional<std::string> name;
  std::string wrong;  // the whole error line's text; empty: nothing is
};

Greeting read_greeting(const Call& call) {
  Greeting out;
  std::size_t at = 1;
  if (call.size() > 1) {
    const auto version = parse_integer(call.arg(1));
    if (!version)
      return {.protocol = {}, .attempt = {}, .name = {}, .wrong = "ERR Protocol version is not an integer or out of range"};
    if (*version != 2 && *version != 3)
      return {.protocol = {}, .attempt = {}, .name = {}, .wrong = "NOPROTO unsupported protocol version"};
    out.protocol = *version == 3 ? Protocol::resp3 : Protocol::resp2;
    ++at;
  }
  while (at < call.size()) {
    const std::string option = upper(call.arg(at));
    const std::size_t left = call.size() - at - 1;
    if (option == "AUTH" && left >= 2) {
      out.attempt = {.user = call.arg(at + 1), .key = call.arg(at + 2)};
      if (out.attempt->key.empty()) out.wrong = fmt::format("ERR {}", kEmptyKey);
      at += 3;
    } else if (option == "SETNAME" && left >= 1) {
      out.name = call.arg(at + 1);
      if (const std::string wrong = objection_to_name(*out.name); !wrong.empty()) out.wrong = "ERR " + wrong;
      at += 2;
    } else {
      out.wrong = fmt::format("ERR Syntax error in HELLO option '{}'", call.arg(at).substr(0, kShownNameBytesMax));
    }
    if (!out.wrong.empty()) return out;
  }
  return out;
}

void field(std::string& out, std::string_view name, std::string_view value) {
  wire::bulk(out, name);
  wire::bulk(out, value);
}

std::string introduction(Call& call) {
  const Client& client = call.client();
  std::string out;
  wire::map(out, 7, client.protocol);
  field(out, "server", "muster");
  field(out, "version", call.core().door.facts().version);
  wire::bulk(out, "proto");
  wire::integer(out, static_cast<std::int64_t>(client.protocol));
  wire::bulk(out, "id");
  wire::integer(out, static_cast<std::int64_t>(client.id));
  field(out, "mode", "standalone");
  field(out, "role", "master");
  wire::bulk(out, "modules");
  wire::array(out, 0);
  return out;
}

void speak(Core& core, Client& client, Protocol protocol) {
  client.protocol = protocol;
  client.pairs = protocol == Protocol::resp3 || core.options.compat_flags.pop_answers_pair;
}

void finish_hello(const CallRef& call, const Greeting& greeting) {
  Client& client = call->client();
  if (!client.authenticated) return call->fail(kNoAuth);
  if (greeting.protocol) speak(call->core(), client, *greeting.protocol);
  if (greeting.name) client.name = *greeting.name;
  call->answer(introduction(*call));
}

}  // namespace

void auth(const CallRef& call) {
  Gatekeeper::Attempt attempt;
  if (call->size() == 3) attempt.user = call->arg(1);
  attempt.key = call->args().back();
  if (attempt.key.empty()) return call->fail(kEmptyKey);
  call->core().gatekeeper->authenticate(call, std::move(attempt), [call](const std::string& wrong) {
    if (wrong.empty())
      call->answer(wire::ok());
    else
      call->fail(wrong);
  });
}

void hello(const CallRef& call) {
  Greeting greeting = read_greeting(*call);
  if (!greeting.wrong.empty()) {
    std::string out;
    wire::error_as_is(out, call->client().authenticated ? greeting.wrong : fmt::format("ERR {}", kNoAuth));
    return call->answer(std::move(out));
  }
  if (!greeting.attempt) return finish_hello(call, greeting);
  Gatekeeper::Attempt attempt = *std::move(greeting.attempt);
  greeting.attempt.reset();
  call->core().gatekeeper->authenticate(call, std::move(attempt),
                                        [call, greeting = std::move(greeting)](const std::string& wrong) {
                                          if (wrong.empty())
                                            finish_hello(call, greeting);
                                          else
                                            call->fail(wrong);
                                        });
}

void reset(const CallRef& call) {
  Core& core = call->core();
  Client& client = call->client();
  core.channels->remove(client);
  client.watched.clear();
  client.name.clear();
  speak(core, client, Protocol::resp2);
  Gatekeeper::forget(client);
  core.clients->tell_changed(client.id);
  call->answer("+RESET\r\n");
}

// The session closes behind it.
void quit(const CallRef& call) { call->answer(wire::ok()); }

void select(const CallRef& call) {
  const auto index = parse_integer(call->arg(1));
  if (!index) return call->fail("invalid DB index");
  if (*index != 0) return call->fail("DB index is out of range");
  call->answer(wire::ok());
}

}  // namespace muster::resp::link
