#include "fronts/resp/front.h"

#include <fmt/format.h>

#include <algorithm>

#include "fronts/auth/exposure.h"
#include "fronts/resp/clients.h"
#include "fronts/resp/core.h"
#include "fronts/resp/gatekeeper.h"
#include "fronts/resp/session.h"
#include "net/listener.h"

namespace muster::resp {
namespace {

std::string exposure_refusal(const RespOptions& options) {
  const bool keys = !options.keys.empty() && !options.compat_flags.auth_optional;
  return auth::exposure_refusal({.tls = options.tls.enabled(), .tokens = keys, .insecure = options.insecure});
}

net::ListenerOptions listener_options(const Address& address, const RespOptions& options) {
  net::ListenerOptions out{.address = address.host,
                           .port = address.port,
                           .tls = options.tls,
                           .connections_max = options.limits.connections_max,
                           .budget = options.budget,
                           .write_timeout = options.limits.write,
                           .handshake_timeout = options.limits.handshake,
                           .refusal = wire::error_reply(kTooManyClients),
                           .loopback_only = exposure_refusal(options)};
  if (!address.is_unix) return out;
  // The file's mode says who may connect; there is nothing on the way that TLS would keep out.
  out.unix_path = address.host;
  out.tls = {};
  out.loopback_only.clear();
  return out;
}

std::shared_ptr<net::Session> greet(const std::shared_ptr<Core>& core, net::Connection& connection, Entrance entrance) {
  const Limits& limits = core->options.limits;
  if (core->clients->size() >= limits.connections_max ||
      core->clients->size_of(connection.peer_address()) >= limits.connections_per_address_max)
    return std::make_shared<RefusedSession>(connection, std::string(kTooManyClients));
  auto session = std::make_shared<RespSession>(core, connection);
  session->begin(entrance);
  return session;
}

}  // namespace

struct RespFront::State {
  std::shared_ptr<Core> core;  // shared with sessions and replies
  std::vector<std::unique_ptr<net::Listener>> listeners;
};

Result<std::unique_ptr<RespFront>> RespFront::start(net::IoLoop& loop, command::Door& door, Metrics& metrics,
                                                    RespOptions options) {
  if (Status valid = Gatekeeper::validate(options.keys); !valid.ok()) return valid;
  if (options.addresses.empty()) return Status::invalid_argument("the RESP front has no address to listen on");
  if (options.keys.empty() && !options.compat_flags.auth_optional)
    return Status::invalid_argument("the RESP front needs a key for AUTH, and none is configured");
  const Entrance entrance{.auth_needed = !options.compat_flags.auth_optional};
  if (!options.budget) options.budget = std::make_shared<net::ByteBudget>(loop, net::BudgetBounds());
  auto state = std::make_shared<State>();
  state->core = std::make_shared<Core>(loop, door, metrics, std::move(options));
  Core& core = *state->core;
  // A secret is needed as its digest alone.
  for (Key& key : core.options.keys) key.secret.clear();
  Gauge& open_connections = metrics.gauge("muster_resp_connections_open", "Connections of the RESP front that are open.");
  // Listening in full before anything is accepted: a later address that fails takes the earlier ones back.
  for (const Address& address : core.options.addresses) {
    auto listener = net::Listener::open(
        loop, listener_options(address, core.options), open_connections,
        [core = state->core, entrance](net::Connection& connection) { return greet(core, connection, entrance); });
    if (!listener.ok()) return listener.status();
    state->listeners.push_back(*std::move(listener));
  }
  std::unique_ptr<RespFront> front(new RespFront(std::move(state)));
  door.listeners().set("resp", front->address());
  return front;
}

RespFront::RespFront(std::shared_ptr<State> state) : state_(std::move(state)) {}

RespFront::~RespFront() {
  stop(Duration::zero());
  // What lives on the loop's thread also ends there.
  net::IoLoop& loop = state_->core->loop;
  if (loop.running()) loop.post([core = std::move(state_->core)]() mutable { core.reset(); });
}

std::vector<std::string> RespFront::addresses() const {
  std::vector<std::string> out;
  for (const auto& listener : state_->listeners) out.push_back(listener->address());
  return out;
}

std::string RespFront::address() const { return fmt::format("{}", fmt::join(addresses(), ",")); }

Status RespFront::set_keys(std::vector<Key> keys) {
  if (Status valid = Gatekeeper::validate(keys); !valid.ok()) return valid;
  state_->core->post([core = state_->core, keys = std::move(keys)]() mutable {
    core->gatekeeper->set_keys(std::move(keys));
    for (const auto& client : core->clients->all())
      if (!core->gatekeeper->still_valid(*client)) core->clients->close(client->id);
  });
  return {};
}

Status RespFront::reload_tls() {
  for (const auto& listener : state_->listeners)
    if (Status status = listener->reload_tls(); !status.ok()) return status;
  return {};
}

void RespFront::stop(Duration grace) {
  if (!state_->core) return;
  net::IoLoop& loop = state_->core->loop;
  if (loop.running()) state_->core->post([core = state_->core.get()] { core->stopping = true; });
  for (const auto& listener : state_->listeners) listener->stop(grace);
}

Core& RespFront::core() { return *state_->core; }

}  // namespace muster::resp
