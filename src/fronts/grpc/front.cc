#include "fronts/grpc/front.h"

#include <fmt/format.h>

#include <future>
#include <utility>

#include "base/utf8.h"
#include "fronts/auth/exposure.h"
#include "fronts/grpc/call_head.h"
#include "fronts/grpc/web_call.h"
#include "fronts/grpc/wire_call.h"
#include "fronts/grpc/wire_stream.h"
#include "fronts/http2/session.h"
#include "net/listener.h"

namespace muster::rpc {
namespace {

net::ListenerOptions listener_options(const GrpcOptions& options) {
  return {.address = options.address,
          .port = options.port,
          .tls = options.tls,
          .connections_max = options.limits.connections_max,
          .budget = options.budget,
          .refusal = {},
          .loopback_only = auth::exposure_refusal(
              {.tls = options.tls.enabled(), .tokens = options.auth_required, .insecure = options.insecure}),
          .offers_http2 = true};
}

// Answers a stream at once and hears nothing more of it.
class Refused final : public http2::Handler {
  void received(std::string_view) override {}
  void input_ended() override {}
  bool is_owed() const override { return false; }
  void expired() override {}
  void closed() override {}
};

std::shared_ptr<http2::Handler> refuse_unknown(CallGate& gate, http2::Stream& stream, std::string_view path) {
  gate.catalogue.unknown().measure(WireCode::unimplemented, Ticks::zero());
  WireError error = wire_error(Catalogue::dialect_of(path),
                               Status::not_found(fmt::format("no such method: {}", utf8_front(path, kEchoedBytesMax))));
  error.code = WireCode::unimplemented;
  answer_error(stream, error, {});
  return std::make_shared<Refused>();
}

std::shared_ptr<http2::Handler> refuse_http(http2::Stream& stream, unsigned status) {
  stream.respond_and_end(status, {});
  return std::make_shared<Refused>();
}

std::shared_ptr<http2::Handler> serve_call(const std::shared_ptr<CallGate>& gate, http2::Stream& stream,
                                           const http2::Head& head) {
  if (head.method != "POST") return refuse_http(stream, 405);
  Entry* const entry = gate->catalogue.find(head.path);
  if (entry == nullptr) return refuse_unknown(*gate, stream, head.path);
  if (entry->method.open != nullptr) return WireStream::begin(gate, *entry, stream, head);
  return WireCall::begin(gate, *entry, stream, head);
}

}  // namespace

http2::Limits http2_limits(const Limits& limits) {
  constexpr std::size_t kMetadataBytesMax = 64 * 1024;  // workers name the runs they hold there
  http2::Limits out;
  out.streams_max = limits.streams_per_connection_max;
  out.header_list_bytes_max = kMetadataBytesMax;
  out.keepalive = limits.keepalive;
  out.keepalive_accepted = limits.keepalive_accepted;
  return out;
}

struct GrpcFront::State {
  std::shared_ptr<CallGate> gate;  // shared with calls
  // On the loop's thread; shared with what the connections look at.
  std::shared_ptr<http2::MakeSession> http_sessions = std::make_shared<http2::MakeSession>();
  std::shared_ptr<http2::Serve> http_streams = std::make_shared<http2::Serve>();
  std::unique_ptr<net::Listener> listener;
  bool stopped = false;
};

Result<std::unique_ptr<GrpcFront>> GrpcFront::start(net::IoLoop& loop, command::Door& door, Metrics& metrics,
                                                    GrpcOptions options) {
  if (Status valid = auth::Authenticator::validate({.tokens = options.tokens, .required = options.auth_required}); !valid.ok())
    return valid;
  const net::ListenerOptions listening = listener_options(options);
  auto state = std::make_shared<State>();
  state->gate = std::make_shared<CallGate>(loop, door, metrics, std::move(options));
  if (listening.address.empty()) return std::unique_ptr<GrpcFront>(new GrpcFront(std::move(state)));
  const auto service = std::make_shared<const http2::Service>(
      http2::Service{.loop = loop,
                     .limits = http2_limits(state->gate->core.options.limits),
                     .incidents = Incidents(metrics, "wire"),
                     .serve = [gate = state->gate, others = state->http_streams](http2::Stream& stream, const http2::Head& head) {
                       if (is_grpc(head.find("content-type"))) return serve_call(gate, stream, head);
                       return *others ? (*others)(stream, head) : refuse_http(stream, 415);
                     }});
  const auto choice = std::make_shared<const http2::Choice>(http2::Choice{
      .http1 = [sessions =
                    state->http_sessions](net::Connection& connection) { return *sessions ? (*sessions)(connection) : nullptr; },
      .http2 = [service](net::Connection& connection) -> std::shared_ptr<net::Session> {
        auto session = std::make_shared<http2::Session>(service, connection);
        session->begin();
        return session;
      },
      .patience = service->limits.first_bytes});
  Gauge& open_connections = metrics.gauge("muster_grpc_connections_open", "Connections of the gRPC listener that are open.");
  auto listener = net::Listener::open(loop, listening, open_connections, [choice](net::Connection& connection) {
    return std::make_shared<http2::FirstBytes>(choice, connection);
  });
  if (!listener.ok()) return listener.status().annotate(fmt::format("gRPC on {}:{}", listening.address, listening.port));
  state->listener = *std::move(listener);
  door.listeners().set("grpc", state->listener->address());
  return std::unique_ptr<GrpcFront>(new GrpcFront(std::move(state)));
}

GrpcFront::GrpcFront(std::shared_ptr<State> state) : state_(std::move(state)) {}
GrpcFront::~GrpcFront() { stop(Duration::zero()); }

std::uint16_t GrpcFront::port() const { return state_->listener ? state_->listener->port() : std::uint16_t{0}; }
std::string GrpcFront::address() const { return state_->listener ? state_->listener->address() : std::string(); }
Core& GrpcFront::core() { return state_->gate->core; }

Status GrpcFront::set_tokens(auth::AuthOptions tokens) {
  if (Status valid = auth::Authenticator::validate(tokens); !valid.ok()) return valid;
  state_->gate->set_tokens(tokens);
  return {};
}

Status GrpcFront::reload_tls() { return state_->listener ? state_->listener->reload_tls() : Status(); }

WebCancel GrpcFront::call(WebRequest request, WebReply reply) {
  return WebCall::begin(state_->gate, std::move(request), std::move(reply));
}

bool GrpcFront::answers_much(std::string_view path) const {
  const Entry* const entry = state_->gate->catalogue.find(path);
  return entry != nullptr && entry->answers_much();
}

http2::Serve GrpcFront::streams() const {
  return [gate = state_->gate](http2::Stream& stream, const http2::Head& head) {
    return is_grpc(head.find("content-type")) ? serve_call(gate, stream, head) : nullptr;
  };
}

void GrpcFront::set_http(http2::MakeSession sessions, http2::Serve streams) {
  state_->gate->core.loop.post([state = state_, sessions = std::move(sessions), streams = std::move(streams)]() mutable {
    *state->http_sessions = std::move(sessions);
    *state->http_streams = std::move(streams);
  });
}

void GrpcFront::stop(Duration grace) {
  if (std::exchange(state_->stopped, true)) return;
  state_->gate->stop_waiting();
  state_->gate->core.loop.post([state = state_] { state->gate->stop_streams(); });
  state_->gate->core.alarms.stop();
  if (state_->listener) state_->listener->stop(grace);
}

}  // namespace muster::rpc
