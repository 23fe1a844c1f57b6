#include "fronts/http/front.h"

#include <fmt/format.h>

#include "fronts/http/core.h"
#include "fronts/http/problem.h"
#include "fronts/http/session.h"
#include "net/listener.h"

namespace muster::http {
namespace {

// Told to connections above the limit before anything of theirs is read.
std::string refusal_text(std::string_view date) {
  const Response response = problem(Status::unavailable("too many connections are open; try again"), "");
  return head_of(response, {.date = date, .keep_alive = false, .content_length = response.body.size()}) + response.body;
}

// Empty: any address will do.
std::string exposure_refusal(const HttpOptions& options) {
  if (options.insecure || (options.tls.enabled() && options.auth.required)) return {};
  const std::string_view missing = options.tls.enabled() ? "authentication is" : options.auth.required ? "TLS is" : "both are";
  return fmt::format(
      "an address that other machines can reach needs TLS and authentication, and {} missing; configure them, listen on "
      "127.0.0.1, or say that it shall be insecure",
      missing);
}

}  // namespace

struct HttpFront::State {
  std::shared_ptr<Core> core;  // shared with sessions and replies
  std::unique_ptr<net::Listener> listener;
};

Result<std::unique_ptr<HttpFront>> HttpFront::start(net::IoLoop& loop, command::Door& door, Metrics& metrics,
                                                    HttpOptions options) {
  if (Status valid = Authenticator::validate(options.auth); !valid.ok()) return valid;
  net::ListenerOptions listening{.address = options.address,
                                 .port = options.port,
                                 .tls = options.tls,
                                 .connections_max = options.limits.connections_max,
                                 .budget = options.budget,
                                 .write_timeout = options.limits.write,
                                 .handshake_timeout = options.limits.handshake,
                                 .refusal = refusal_text(http_date(door.clock().now())),
                                 .loopback_only = exposure_refusal(options)};
  auto core = std::make_shared<Core>(loop, door, metrics, std::move(options));
  Gauge& open_connections = metrics.gauge("muster_http_connections_open", "Connections of the HTTP front that are open.");
  auto listener = net::Listener::open(loop, std::move(listening), open_connections, [core](net::Connection& connection) {
    auto session = std::make_shared<HttpSession>(core, connection);
    session->begin();
    return session;
  });
  if (!listener.ok()) return listener.status();
  door.listeners().set("http", (*listener)->address());
  loop.post([core, loopback = (*listener)->is_loopback()] { core->loopback = loopback; });
  auto state = std::make_shared<State>();
  state->core = std::move(core);
  state->listener = *std::move(listener);
  return std::unique_ptr<HttpFront>(new HttpFront(std::move(state)));
}

HttpFront::HttpFront(std::shared_ptr<State> state) : state_(std::move(state)) {}
HttpFront::~HttpFront() { stop(Duration::zero()); }

std::uint16_t HttpFront::port() const { return state_->listener->port(); }
std::string HttpFront::address() const { return state_->listener->address(); }

Status HttpFront::set_tokens(AuthOptions auth) {
  if (Status valid = Authenticator::validate(auth); !valid.ok()) return valid;
  state_->core->loop.post([core = state_->core, auth = std::move(auth)] {
    core->authenticator = Authenticator(auth, core->brake);
    core->events->revoke(core->authenticator);
  });
  return {};
}

Status HttpFront::reload_tls() { return state_->listener->reload_tls(); }

void HttpFront::set_rpc(RpcHandler handler) {
  state_->core->loop.post([core = state_->core, handler = std::move(handler)]() mutable { core->rpc = std::move(handler); });
}

void HttpFront::set_upgrade(UpgradeHandler handler) {
  state_->core->loop.post([core = state_->core, handler = std::move(handler)]() mutable { core->upgrade = std::move(handler); });
}

void HttpFront::set_run_events(RunEventsHandler handler) {
  state_->core->loop.post(
      [core = state_->core, handler = std::move(handler)]() mutable { core->run_events = std::move(handler); });
}

void HttpFront::stop(Duration grace) { state_->listener->stop(grace); }

}  // namespace muster::http
