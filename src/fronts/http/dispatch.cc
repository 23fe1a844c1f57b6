#include "fronts/http/dispatch.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/log.h"
#include "fronts/http/core.h"
#include "fronts/http/routes.h"
#include "fronts/http/session.h"
#include "fronts/http/sign_in.h"

namespace muster::http {
namespace {

constexpr std::size_t kShownBytes = 128;

bool is_json(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  while (!content_type.empty() && content_type.back() == ' ') content_type.remove_suffix(1);
  const std::string kind = lower(content_type);
  return kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"));
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

Status authenticate(Exchange& exchange, const std::string& address, Identification shown) {
  auto credential = identify(exchange.core(), shown, address);
  // A wrong token is worth a line, and the growing wait bounds how many there can be; a missing one is not.
  if (credential.code() == Code::unauthenticated && !exchange.request().authorization.empty())
    log::warn("authentication failed", {{"address", address}, {"code", std::string(to_string(credential.code()))}});
  if (!credential.ok()) return credential.status();
  exchange.credential = *std::move(credential);
  return {};
}

// `name`: of the route, once it is known.
void route(ExchangePtr exchange, std::string_view& name) {
  const Request& request = exchange->request();
  Core& core = exchange->core();
  if (request.method == Method::options && request.target == "*")
    return answer_options(*exchange, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  auto target = parse_target(request.target);
  if (!target.ok()) return exchange->fail(target.status());
  exchange->target = *std::move(target);
  const bool rpc = core.rpc && is_rpc_path(exchange->target);
  if (Status allowed = auth::check_page(origin_rule(core, rpc), {.host = request.host, .origin = request.origin}); !allowed.ok())
    return exchange->fail(allowed);
  exchange->origin_accepted = !request.origin.empty();
  if (rpc && request.method == Method::options) return answer_rpc_preflight(*exchange);
  if (rpc && request.method == Method::post) {
    // gRPC-Web has pages of its own, which bring tokens.
    Identification shown = identification_of(request);
    shown.cookie = {};
    Status known = authenticate(*exchange, exchange->peer_address(), shown);
    if (core.much_of_rpc && !core.much_of_rpc(exchange->target.path)) return serve_rpc(std::move(exchange), std::move(known));
    Exchange& asked = *exchange;
    return asked.when_room([exchange = std::move(exchange), known = std::move(known)]() mutable {
      serve_rpc(std::move(exchange), std::move(known));
    });
  }

  if (const auto document = core.options.documents.find(exchange->target.path);
      document != core.options.documents.end() && (request.method == Method::get || request.method == Method::head))
    return exchange->answer(Response{.status = 200, .body = std::string(document->second)});
  if (core.upgrade && exchange->target.path == kUpgradePath && request.method == Method::get)
    return exchange->upgrade(core.upgrade);

  Match found = match(request.method, exchange->target.segments);
  exchange->route = found.route;
  exchange->parameters = std::move(found.parameters);
  if (found.allow.empty() && (request.method == Method::get || request.method == Method::head))
    if (auto page = core.pages.answer(request, exchange->target.path)) return exchange->answer(*std::move(page));
  if (found.allow.empty())
    return exchange->fail(Status::not_found(
        fmt::format("there is nothing at {}; see /api/v1/openapi.json", exchange->target.path.substr(0, kShownBytes))));
  if (request.method == Method::options) return answer_options(*exchange, found.allow);
  if (found.route == nullptr)
    return exchange->fail(405, Status::not_found(fmt::format("the method is not accepted here; {} are", found.allow)),
                          {{"Allow", found.allow}});

  switch (found.route->access) {
    case Access::everybody: break;
    case Access::probe:
      // A probe whose token is old still learns whether the server is ready; a wrong one counts as any other.
      if (!request.authorization.empty())
        static_cast<void>(authenticate(*exchange, exchange->peer_address(), identification_of(request)));
      break;
    case Access::by_command:
    case Access::reader:
      if (const Status known = authenticate(*exchange, exchange->peer_address(), identification_of(request)); !known.ok())
        return exchange->fail(known);
      break;
  }
  if (!request.body.empty() && !request.content_type.empty() && !is_json(request.content_type))
    return exchange->fail(415,
                          Status::invalid_argument(fmt::format("the body is \"{}\"; Content-Type: application/json is accepted",
                                                               request.content_type.substr(0, kShownBytes))));
  name = found.route->pattern;
  if (!found.route->answers_much) return found.route->endpoint(std::move(exchange));
  Exchange& asked = *exchange;
  asked.when_room(
      [endpoint = found.route->endpoint, exchange = std::move(exchange)]() mutable { endpoint(std::move(exchange)); });
}

}  // namespace

void dispatch(ExchangePtr exchange) {
  const Incidents& incidents = exchange->core().incidents;
  std::string_view name = "request";
  try {
    route(std::move(exchange), name);
  } catch (...) {
    const Incident incident(incidents, name);  // the exchange was answered when it was let go of
  }
}

}  // namespace muster::http
