#include "fronts/http/dispatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/log.h"
#include "fronts/http/core.h"
#include "fronts/http/routes.h"
#include "fronts/http/session.h"

namespace muster::http {
namespace {

constexpr std::array<std::string_view, 4> kLoopbackNames{"localhost", "127.0.0.1", "[::1]", "::1"};
constexpr std::size_t kShownBytes = 128;

std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool in_brackets = colon != std::string_view::npos && host.find(']', colon) != std::string_view::npos;
  return colon == std::string_view::npos || in_brackets ? host : host.substr(0, colon);
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A listener that trusts everybody on this machine must not be reached through a browser that a foreign page steers: by a name
// that was pointed here (DNS rebinding), or by a form that was sent here (cross-site request).
Status check_host(const Core& core, const Request& request) {
  if (!core.authenticator.required() && core.loopback && !request.host.empty()) {
    const std::string_view name = without_port(request.host);
    if (std::find(kLoopbackNames.begin(), kLoopbackNames.end(), name) == kLoopbackNames.end() &&
        !contains(core.options.host_names, name))
      return Status::permission_denied(
          fmt::format("host \"{}\" is not accepted without authentication; localhost and loopback addresses are",
                      name.substr(0, kShownBytes)));
  }
  return {};
}

Status check_origin(const Request& request, const std::vector<std::string>& accepted) {
  if (request.origin.empty() || contains(accepted, request.origin)) return {};
  const std::size_t scheme = request.origin.find("://");
  const bool own = scheme != std::string::npos && request.origin.substr(scheme + 3) == request.host;
  if (own) return {};
  return Status::permission_denied(
      fmt::format("pages of origin \"{}\" may not call this server", request.origin.substr(0, kShownBytes)));
}

bool is_json(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  while (!content_type.empty() && content_type.back() == ' ') content_type.remove_suffix(1);
  std::string lower(content_type);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  return lower == "application/json" || (lower.starts_with("application/") && lower.ends_with("+json"));
}

void answer_options(Exchange& exchange, const std::string& allow) {
  Response response{.status = 204, .body = {}, .headers = {{"Allow", allow}}};
  if (!exchange.request().origin.empty()) {
    response.headers.emplace_back("Access-Control-Allow-Methods", allow);
    response.headers.emplace_back("Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-ID");
    response.headers.emplace_back("Access-Control-Max-Age", "600");
  }
  exchange.answer(std::move(response));
}

Status authenticate(Exchange& exchange, const std::string& address) {
  Core& core = exchange.core();
  auto credential = core.authenticator.authenticate(exchange.request().authorization, address, core.loop.clock().elapsed());
  // A wrong token is worth a line, and the growing wait bounds how many there can be; a missing one is not.
  if (credential.code() == Code::unauthenticated && !exchange.request().authorization.empty())
    log::warn("authentication failed", {{"address", address}, {"code", std::string(to_string(credential.code()))}});
  if (!credential.ok()) return credential.status();
  exchange.credential = *std::move(credential);
  return {};
}

}  // namespace

void dispatch(ExchangePtr exchange) {
  const Request& request = exchange->request();
  Core& core = exchange->core();
  if (request.method == Method::options && request.target == "*")
    return answer_options(*exchange, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  auto target = parse_target(request.target);
  if (!target.ok()) return exchange->fail(target.status());
  exchange->target = *std::move(target);
  const bool rpc = core.rpc && is_rpc_path(exchange->target);
  Status allowed = check_host(core, request);
  const bool any_origin = rpc && contains(core.options.rpc_origins, "*");
  if (allowed.ok() && !any_origin) allowed = check_origin(request, rpc ? core.options.rpc_origins : core.options.cors_origins);
  if (!allowed.ok()) return exchange->fail(allowed);
  if (rpc && request.method == Method::options) return answer_rpc_preflight(*exchange);
  if (rpc && request.method == Method::post) {
    Status known = authenticate(*exchange, exchange->peer_address());
    return serve_rpc(std::move(exchange), std::move(known));
  }

  Match found = match(request.method, exchange->target.segments);
  exchange->route = found.route;
  exchange->parameters = std::move(found.parameters);
  if (found.allow.empty())
    return exchange->fail(Status::not_found(
        fmt::format("there is nothing at {}; see /api/v1/openapi.json", exchange->target.path.substr(0, kShownBytes))));
  if (request.method == Method::options) return answer_options(*exchange, found.allow);
  if (found.route == nullptr)
    return exchange->fail(405, Status::not_found(fmt::format("the method is not accepted here; {} are", found.allow)),
                          {{"Allow", found.allow}});

  if (found.route->access != Access::everybody) {
    if (const Status known = authenticate(*exchange, exchange->peer_address()); !known.ok()) return exchange->fail(known);
  }
  if (found.route->command != nullptr)
    if (const Status permitted = command::authorize(exchange->credential.caller, *found.route->command); !permitted.ok())
      return exchange->fail(permitted);
  if (!request.body.empty() && !request.content_type.empty() && !is_json(request.content_type))
    return exchange->fail(415,
                          Status::invalid_argument(fmt::format("the body is \"{}\"; Content-Type: application/json is accepted",
                                                               request.content_type.substr(0, kShownBytes))));
  found.route->endpoint(std::move(exchange));
}

}  // namespace muster::http
