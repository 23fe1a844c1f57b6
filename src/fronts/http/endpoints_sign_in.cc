// Signing browsers in and out. Sessions are the front's own (auth/browser_sessions.h): no other wire has browsers.
#include <chrono>

#include "base/ascii.h"
#include "base/log.h"
#include "fronts/http/codec/sign_in.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"
#include "fronts/http/sign_in.h"

namespace muster::http::endpoints {
namespace {

constexpr std::string_view kLinkScheme = "link ";

Ticks now_of(const Core& core) { return core.loop.clock().elapsed(); }

Instant instant_of(const Exchange& exchange, const Core& core, Ticks at) {
  return exchange.now() + std::chrono::duration_cast<Duration>(at - now_of(core));
}

WhoAmI told(const Credential& credential) {
  return {.name = credential.caller.name,
          .role = std::string(command::to_string(credential.caller.role)),
          .worker = credential.caller.worker.text(),
          .namespaces = credential.caller.namespaces,
          .signed_in = credential.session != auth::Digest{},
          .expires_at = {}};
}

// Who is looking changes from one answer to the next.
template <class T>
Response unkept(const T& value, unsigned status = 200) {
  Response response = json(value, status);
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

CookieLook cookie_look(const Exchange& exchange, const Core& core) {
  const Request& request = exchange.request();
  return {.host = request.host, .tls = core.options.tls.enabled() || request.origin.starts_with("https://")};
}

// Cookies are given to the server's own pages and to programs, never to pages that may merely call.
Status refuse_other_pages(const Exchange& exchange, const Core& core) {
  const Request& request = exchange.request();
  if (request.origin.empty() || auth::is_own_page(origin_rule(core, false), {.host = request.host, .origin = request.origin}))
    return {};
  return Status::permission_denied("browsers sign in and out on the server's own pages");
}

void note(Core& core, const command::Caller& caller, std::string_view action) {
  core.door.note(caller, {.action = action, .ns = NamespaceName(), .outcome = "ok", .deed = true});
}

// A code is as good as guessed as a token is: both wait at the same brake, which never judges a right one.
Result<Credential> by_link(Core& core, std::string_view code, const std::string& address) {
  const Ticks now = now_of(core);
  auto credential = core.sessions.take_link(code, now);
  if (credential && core.authenticator.still_valid(*credential)) {
    credential->caller.address = address;
    return *std::move(credential);
  }
  if (core.brake->blocked_until(address, now) > now)
    return Status::exhausted("too many wrong tokens and links from this address; wait a minute");
  core.brake->note_failure(address, now);
  return Status::unauthenticated("the link was used already, or is too old; `muster dashboard` makes another one");
}

Result<Credential> shown_credential(Core& core, const Request& request, const std::string& address) {
  const std::string_view authorization = request.authorization;
  if (same_in_any_case(authorization.substr(0, kLinkScheme.size()), kLinkScheme))
    return by_link(core, authorization.substr(kLinkScheme.size()), address);
  return core.authenticator.authenticate(authorization, address, now_of(core));
}

}  // namespace

void whoami(ExchangePtr exchange) {
  Core& core = exchange->core();
  WhoAmI who = told(exchange->credential);
  if (who.signed_in)
    if (const auto session = core.sessions.find(session_id_of(identification_of(exchange->request())), now_of(core)))
      who.expires_at = instant_of(*exchange, core, session->ends);
  exchange->answer(unkept(who));
}

void sign_in(ExchangePtr exchange) {
  Core& core = exchange->core();
  if (Status allowed = refuse_other_pages(*exchange, core); !allowed.ok()) return exchange->fail(allowed);
  const auto credential = shown_credential(core, exchange->request(), exchange->peer_address());
  if (!credential.ok()) {
    // The growing wait bounds how many of these lines there can be; what it refuses meanwhile is not worth one.
    if (credential.code() == Code::unauthenticated && !exchange->request().authorization.empty())
      log::warn("a browser could not sign in",
                {{"address", exchange->peer_address()}, {"code", std::string(to_string(credential.code()))}});
    return exchange->fail(credential.status());
  }
  // Where no token is asked for there is nothing that a session could stand for.
  if (credential->anonymous) return exchange->answer(unkept(told(*credential)));
  const Ticks now = now_of(core);
  auto opened = core.sessions.open(*credential, now);
  if (!opened.ok()) return exchange->fail(opened.status());
  core.sessions.close(session_id_of(identification_of(exchange->request())));
  core.watch_sessions();
  note(core, credential->caller, "session.sign_in");
  WhoAmI who = told(opened->credential);
  who.expires_at = instant_of(*exchange, core, opened->ends);
  Response response = unkept(who);
  response.headers.emplace_back("Set-Cookie", session_cookie(cookie_look(*exchange, core), opened->id, opened->ends - now));
  exchange->answer(std::move(response));
}

void sign_out(ExchangePtr exchange) {
  Core& core = exchange->core();
  if (Status allowed = refuse_other_pages(*exchange, core); !allowed.ok()) return exchange->fail(allowed);
  const std::string_view id = session_id_of(identification_of(exchange->request()));
  const auto session = core.sessions.find(id, now_of(core));
  if (session) {
    command::Caller caller = session->credential.caller;
    caller.address = exchange->peer_address();
    note(core, caller, "session.sign_out");
    core.sessions.close(id);
    core.revoke_streams();
  }
  Response response = unkept(SignedOut{.signed_out = session.has_value()});
  response.headers.emplace_back("Set-Cookie", no_session_cookie(cookie_look(*exchange, core)));
  exchange->answer(std::move(response));
}

void sign_in_link(ExchangePtr exchange) {
  Core& core = exchange->core();
  if (Status allowed = refuse_other_pages(*exchange, core); !allowed.ok()) return exchange->fail(allowed);
  const Credential& credential = exchange->credential;
  if (credential.anonymous) return exchange->answer(unkept(SignInLink{.path = "/", .expires_at = {}}, 201));
  // Or a session could live for ever.
  if (credential.session != auth::Digest{})
    return exchange->fail(Status::permission_denied("a browser's session makes no links; a token does"));
  const auto code = core.sessions.make_link(credential, now_of(core));
  if (!code.ok()) return exchange->fail(code.status());
  core.watch_sessions();
  note(core, credential.caller, "session.link");
  exchange->answer(
      unkept(SignInLink{.path = std::string(kSignInPath) + *code, .expires_at = exchange->now() + auth::kSignInLinkLife}, 201));
}

}  // namespace muster::http::endpoints
