#include "fronts/http/front.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "fronts/auth/exposure.h"
#include "fronts/http/core.h"
#include "fronts/http/problem.h"
#include "fronts/http/session.h"
#include "fronts/http/sign_in.h"
#include "fronts/http/stream_session.h"
#include "fronts/http2/session.h"
#include "net/listener.h"

namespace muster::http {
namespace {

// Told to connections above the limit before anything of theirs is read.
std::string refusal_text(std::string_view date) {
  const Response response = problem(Status::unavailable("too many connections are open; try again"), "");
  return head_of(response, {.date = date, .keep_alive = false, .content_length = response.body.size()}) + response.body;
}

net::ListenerOptions listener_options(const HttpOptions& options, std::string_view date) {
  return {.address = options.address,
          .port = options.port,
          .tls = options.tls,
          .connections_max = options.limits.connections_max,
          .budget = options.budget,
          .write_timeout = options.limits.write,
          .handshake_timeout = options.limits.handshake,
          .refusal = refusal_text(date),
          .loopback_only = auth::exposure_refusal(
              {.tls = options.tls.enabled(), .tokens = options.auth.required, .insecure = options.insecure}),
          .offers_http2 = true};
}

http2::Limits http2_limits(const HttpOptions& options) {
  const Limits& limits = options.limits;
  http2::Limits out;
  out.header_list_bytes_max = limits.header_bytes_max;
  out.streams_max = limits.pipeline_max;
  out.idle = limits.idle;
  out.input_silence = limits.body_read;
  out.output_silence = limits.write;
  if (const auto& others = options.other_streams) {
    out.header_list_bytes_max = std::max(out.header_list_bytes_max, others->header_list_bytes_max);
    out.streams_max = std::max(out.streams_max, others->streams_max);
    out.keepalive = others->keepalive;
    out.keepalive_accepted = others->keepalive_accepted;
  }
  return out;
}

std::shared_ptr<net::Session> make_session(const std::shared_ptr<Core>& core, net::Connection& connection) {
  auto session = std::make_shared<HttpSession>(core, connection);
  session->begin();
  return session;
}

http2::Serve streams_of(const std::shared_ptr<Core>& core) {
  return [core](http2::Stream& stream, const http2::Head& head) {
    std::shared_ptr<http2::Handler> other;
    if (core->other_streams) other = core->other_streams(stream, head);
    return other ? other : StreamSession::begin(core, stream, head);
  };
}

std::shared_ptr<const http2::Choice> choice_of(const std::shared_ptr<Core>& core) {
  const auto service = std::make_shared<const http2::Service>(http2::Service{
      .loop = core->loop, .limits = http2_limits(core->options), .incidents = core->incidents, .serve = streams_of(core)});
  return std::make_shared<const http2::Choice>(
      http2::Choice{.http1 = [core](net::Connection& connection) { return make_session(core, connection); },
                    .http2 = [service](net::Connection& connection) -> std::shared_ptr<net::Session> {
                      auto session = std::make_shared<http2::Session>(service, connection);
                      session->begin();
                      return session;
                    },
                    .patience = core->options.limits.idle});
}

}  // namespace

struct HttpFront::State {
  std::shared_ptr<Core> core;  // shared with sessions and replies
  std::shared_ptr<const http2::Choice> choice;
  std::unique_ptr<net::Listener> listener;  // null: none of its own
  std::unique_ptr<net::Listener> second;    // null: none
};

Result<std::unique_ptr<HttpFront>> HttpFront::start(net::IoLoop& loop, command::Door& door, Metrics& metrics,
                                                    HttpOptions options) {
  if (Status valid = Authenticator::validate(options.auth); !valid.ok()) return valid;
  auto state = std::make_shared<State>();
  const std::string address = options.address;
  state->core = std::make_shared<Core>(loop, door, metrics, std::move(options));
  state->choice = choice_of(state->core);
  std::unique_ptr<HttpFront> front(new HttpFront(state));
  if (address.empty()) return front;
  auto listener = front->open({.host = address, .port = state->core->options.port});
  if (!listener.ok()) return listener.status();
  state->listener = *std::move(listener);
  door.listeners().set("http", state->listener->address());
  return front;
}

Result<std::unique_ptr<net::Listener>> HttpFront::open(const ListenAt& at) {
  Core& core = *state_->core;
  net::ListenerOptions listening = listener_options(core.options, http_date(core.door.clock().now()));
  listening.address = at.host;
  listening.port = at.port;
  Gauge& open_connections = core.metrics.gauge("muster_http_connections_open", "Connections of the HTTP front that are open.");
  auto listener = net::Listener::open(
      core.loop, std::move(listening), open_connections,
      [choice = state_->choice](net::Connection& connection) { return std::make_shared<http2::FirstBytes>(choice, connection); });
  if (!listener.ok()) return listener.status();
  if (!(*listener)->is_loopback() || core.options.exposed) core.loop.post([core = state_->core] { core->loopback = false; });
  return listener;
}

Status HttpFront::listen(const ListenAt& at) {
  auto listener = open(at);
  if (!listener.ok()) return listener.status();
  state_->second = *std::move(listener);
  state_->core->door.listeners().set("listen", state_->second->address());
  return {};
}

HttpFront::HttpFront(std::shared_ptr<State> state) : state_(std::move(state)) {}
HttpFront::~HttpFront() { stop(Duration::zero()); }

std::uint16_t HttpFront::port() const { return state_->listener ? state_->listener->port() : std::uint16_t{0}; }
std::string HttpFront::address() const { return state_->listener ? state_->listener->address() : std::string(); }
std::string HttpFront::second_address() const { return state_->second ? state_->second->address() : std::string(); }

http2::MakeSession HttpFront::sessions() const {
  return [core = state_->core](net::Connection& connection) { return make_session(core, connection); };
}

http2::Serve HttpFront::streams() const {
  return
      [core = state_->core](http2::Stream& stream, const http2::Head& head) { return StreamSession::begin(core, stream, head); };
}

void HttpFront::set_other_streams(http2::Serve others) {
  state_->core->loop.post(
      [core = state_->core, others = std::move(others)]() mutable { core->other_streams = std::move(others); });
}

Result<std::string> HttpFront::sign_in_path(const std::string& token) {
  std::promise<Result<std::string>> answer;
  Core& core = *state_->core;
  core.loop.post([&core, &answer, &token] {
    if (!core.authenticator.required()) return answer.set_value(std::string("/"));
    const Ticks now = core.loop.clock().elapsed();
    const auto credential = core.authenticator.authenticate("Bearer " + token, "", now);
    if (!credential.ok()) return answer.set_value(credential.status());
    const auto code = core.sessions.make_link(*credential, now);
    core.watch_sessions();
    answer.set_value(code.ok() ? Result(std::string(kSignInPath) + *code) : code.status());
  });
  return answer.get_future().get();
}

Status HttpFront::set_tokens(AuthOptions auth) {
  if (Status valid = Authenticator::validate(auth); !valid.ok()) return valid;
  state_->core->loop.post([core = state_->core, auth = std::move(auth)] {
    core->authenticator = Authenticator(auth, core->brake);
    // A token that comes back later brings no session of before along.
    core->sessions.forget_unless([&core](const Credential& credential) { return core->authenticator.still_valid(credential); });
    core->revoke_streams();
  });
  return {};
}

Status HttpFront::reload_tls() {
  for (const auto* listener : {&state_->listener, &state_->second})
    if (*listener)
      if (Status status = (*listener)->reload_tls(); !status.ok()) return status;
  return {};
}

void HttpFront::set_rpc(RpcHandler handler, RpcAnswersMuch answers_much) {
  state_->core->loop.post([core = state_->core, handler = std::move(handler), much = std::move(answers_much)]() mutable {
    core->rpc = std::move(handler);
    core->much_of_rpc = std::move(much);
  });
}

void HttpFront::set_upgrade(UpgradeHandler handler) {
  state_->core->loop.post([core = state_->core, handler = std::move(handler)]() mutable { core->upgrade = std::move(handler); });
}

void HttpFront::set_run_events(RunEventsHandler handler) {
  state_->core->loop.post(
      [core = state_->core, handler = std::move(handler)]() mutable { core->run_events = std::move(handler); });
}

void HttpFront::stop(Duration grace) {
  const Clock& clock = state_->core->loop.clock();
  const Ticks until = clock.elapsed() + grace;
  for (const auto* listener : {&state_->listener, &state_->second})
    if (*listener) (*listener)->stop(std::max(std::chrono::floor<Duration>(until - clock.elapsed()), Duration::zero()));
  // A timer that runs would outlive its core otherwise.
  state_->core->loop.post([core = state_->core] { core->end_sessions(); });
}

}  // namespace muster::http
