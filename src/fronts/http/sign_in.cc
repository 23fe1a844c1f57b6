#include "fronts/http/sign_in.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "fronts/http/core.h"

namespace muster::http {
namespace {

// "a=1; b=2". The first of a name counts.
std::string_view cookie_called(std::string_view name, std::string_view cookies) {
  while (!cookies.empty()) {
    const std::size_t end = std::min(cookies.find(';'), cookies.size());
    const std::string_view pair = trimmed(cookies.substr(0, end));
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') return pair.substr(name.size() + 1);
  }
  return {};
}

bool changes_something(Method method) { return method != Method::get && method != Method::head; }

std::string cookie_text(const CookieLook& look, std::string_view id, std::int64_t seconds) {
  return fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}", cookie_name(look.host), id, seconds,
                     look.tls ? "; Secure" : "");
}

}  // namespace

Identification identification_of(const Request& request) {
  return {.method = request.method,
          .host = request.host,
          .origin = request.origin,
          .authorization = request.authorization,
          .cookie = request.cookie};
}

auth::OriginRule origin_rule(const Core& core, bool rpc) {
  return {.origins = rpc ? core.options.rpc_origins : core.options.cors_origins,
          .host_names = core.options.host_names,
          .tls = core.options.tls.enabled(),
          .loopback = core.loopback,
          .tokens_required = core.authenticator.required()};
}

std::string cookie_name(std::string_view host) {
  constexpr std::string_view kName = "muster_session";
  const std::size_t colon = host.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == host.size() || host.ends_with(']')) return std::string(kName);
  const std::string_view port = host.substr(colon + 1);
  if (!std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::string(kName);
  return fmt::format("{}_{}", kName, port);
}

std::string_view session_id_of(const Identification& shown) {
  return shown.cookie.empty() ? std::string_view() : cookie_called(cookie_name(shown.host), shown.cookie);
}

std::string session_cookie(const CookieLook& look, std::string_view id, Ticks life) {
  return cookie_text(look, id, std::chrono::duration_cast<std::chrono::seconds>(life).count());
}
std::string no_session_cookie(const CookieLook& look) { return cookie_text(look, "", 0); }

Result<Credential> identify(Core& core, const Identification& shown, const std::string& address) {
  const Ticks now = core.loop.clock().elapsed();
  const std::string_view id = shown.authorization.empty() ? session_id_of(shown) : std::string_view();
  auto session = id.empty() ? std::nullopt : core.sessions.find(id, now);
  if (session && !core.authenticator.still_valid(session->credential)) {
    core.sessions.close(id);
    session.reset();
  }
  if (!session) return core.authenticator.authenticate(shown.authorization, address, now);
  const bool own = auth::is_own_page(origin_rule(core, false), {.host = shown.host, .origin = shown.origin});
  if (!own && (changes_something(shown.method) || !shown.origin.empty()))
    return Status::permission_denied(
        "a browser's session is for the pages of this server; programs and other pages send a token");
  session->credential.caller.address = address;
  return std::move(session->credential);
}

}  // namespace muster::http
