#include "fronts/http/stream_session.h"

#include <fmt/format.h>

#include <utility>

#include "base/ascii.h"
#include "fronts/http/core.h"
#include "fronts/http/dispatch.h"
#include "fronts/http/exchange.h"
#include "fronts/http/problem.h"
#include "fronts/http/request_reader.h"
#include "fronts/http/sign_in.h"
#include "fronts/http2/limits.h"

namespace muster::http {

std::shared_ptr<http2::Handler> StreamSession::begin(std::shared_ptr<Core> core, http2::Stream& stream, const http2::Head& head) {
  auto session = std::make_shared<StreamSession>(std::move(core), stream);
  session->take_head(head);
  return session;
}

StreamSession::StreamSession(std::shared_ptr<Core> core, http2::Stream& stream)
    : core_(std::move(core)), stream_(&stream), peer_address_(stream.peer_address()) {}

void StreamSession::take_head(const http2::Head& head) {
  // The bound of the connection may be that of another protocol on it.
  if (head.too_large || head.bytes > core_->options.limits.header_bytes_max)
    return refuse(431, Status::invalid_argument("the headers are longer than accepted"));
  request_.method = method_named(head.method);
  request_.target = std::string(head.path);
  request_.host = std::string(head.authority);
  request_.origin = std::string(head.find("origin"));
  request_.authorization = std::string(head.find("authorization"));
  // A browser may send its cookies in pieces (RFC 9113, 8.2.3).
  for (const http2::Field& field : head.fields)
    if (field.name == "cookie") request_.cookie.append(request_.cookie.empty() ? "" : "; ").append(field.value);
  request_.content_type = std::string(head.find("content-type"));
  request_.accept_encoding = std::string(head.find("accept-encoding"));
  request_.last_event_id = std::string(head.find("last-event-id"));
  request_.if_none_match = std::string(head.find("if-none-match"));
  if (wants_metadata(request_))
    for (const http2::Field& field : head.fields)
      if (field.name != "authorization" && field.name != "cookie")
        request_.metadata.emplace_back(std::string(field.name), std::string(field.value));
  if (head.ended) input_ended();
}

// Megabytes are not taken in for somebody who is not let in. What is short is answered by its route, which may be open to all.
void StreamSession::check_early() {
  if (!core_->authenticator.required()) return;
  const auto known = identify(*core_, identification_of(request_), peer_address_);
  if (!known.ok()) refuse(http_status(known.code()), known.status());
}

void StreamSession::received(std::string_view bytes) {
  if (over()) return;
  const std::size_t max = core_->options.limits.body_bytes_max;
  if (request_.body.size() + bytes.size() > max)
    return refuse(413, Status::invalid_argument(fmt::format("the body is longer than {} bytes", max)));
  const bool checked = request_.body.size() > kUncheckedBodyBytesMax;
  request_.body.append(bytes);
  stream_->hold(request_.body.size());
  if (!checked && request_.body.size() > kUncheckedBodyBytesMax) check_early();
}

void StreamSession::input_ended() {
  if (over()) return;
  dispatch(std::make_unique<Exchange>(core_, weak_from_this(), 0, std::move(request_)));
}

void StreamSession::expired() {
  if (!over()) refuse(408, Status::invalid_argument("the body did not arrive in time"));
}

void StreamSession::drained() {
  for (UniqueFunction<void(bool)>& done : std::exchange(taken_, {})) done(true);
  if (over()) return;
  if (events_) core_->events->drained(*this);
  if (successor_) successor_->output_drained();
}

void StreamSession::draining() {
  draining_ = true;
  if (over()) return;
  if (events_) return close_when_sent();
  if (successor_) return successor_->drain();
  if (give_up_) std::exchange(give_up_, nullptr)();
}

void StreamSession::closed() {
  stream_ = nullptr;
  if (std::exchange(events_, false)) core_->events->remove(*this);
  for (UniqueFunction<void(bool)>& done : std::exchange(taken_, {})) done(false);
  if (give_up_) std::exchange(give_up_, nullptr)();
  if (const auto successor = std::exchange(successor_, nullptr)) successor->closed();
}

void StreamSession::refuse(unsigned status, const Status& why) {
  core_->measure(nullptr, status, Ticks::zero());
  answer(0, {.response = problem(status, why, ""), .grants = {}});
}

void StreamSession::answer(std::uint64_t, Outcome outcome) {
  if (over()) return core_->door.delivery().hand_back(outcome.grants);
  give_up_ = nullptr;
  finished_ = true;
  const bool gzip = core_->compress(outcome);
  const bool with_body = !outcome.head_only && !outcome.response.body.empty();
  UniqueFunction<void(bool)> done = core_->hand_back_unless_taken(std::move(outcome.grants));
  if (!with_body) return respond(outcome.response, {.gzip = gzip, .ends = true}, std::move(done));
  respond(outcome.response, {.gzip = gzip});
  stream_->send(std::move(outcome.response.body));
  stream_->finish({}, std::move(done));
}

// What has no body ends with its head, which waits for no window.
void StreamSession::respond(const Response& response, HeadKind kind, UniqueFunction<void(bool)> done) {
  const std::string length = std::to_string(response.body.size());
  std::vector<std::string> names;
  names.reserve(response.headers.size());
  std::vector<http2::Field> fields{{"date", core_->date()}};
  if (kind.endless || !response.body.empty()) fields.push_back({"content-type", response.content_type});
  if (!kind.endless && response.status != 204 && response.status != 304) fields.push_back({"content-length", length});
  if (kind.gzip) fields.insert(fields.end(), {{"content-encoding", "gzip"}, {"vary", "Accept-Encoding"}});
  for (const auto& [name, value] : response.headers) fields.push_back({names.emplace_back(lower(name)), value});
  if (kind.ends)
    stream_->respond_and_end(response.status, fields, std::move(done));
  else
    stream_->respond(response.status, fields);
}

void StreamSession::stream(std::uint64_t, StreamStart start) {
  if (over()) return;
  finished_ = start.head_only;
  respond(start.response, {.ends = start.head_only, .endless = true});
  if (start.head_only) return;
  events_ = true;
  core_->events->add(*this, std::move(start));
}

// The session begins when its head has left, as on a connection of its own.
void StreamSession::become_stream(const Response& head, std::shared_ptr<net::Session> session) {
  respond(head, {.endless = true});
  successor_ = std::move(session);
  core_->loop.post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self && self->successor_) self->successor_->output_drained();
  });
}

void StreamSession::begin_long(std::uint64_t, UniqueFunction<void()> begin) {
  if (!over()) return stream_->when_room(std::move(begin));
  // An exchange that goes while its session is there has been forgotten by its handler. This one goes because the session does.
  core_->loop.post([begin = std::move(begin)] {});
}

// The connection carries other requests meanwhile, and they do not wait for what waits itself.
void StreamSession::wait_with(std::uint64_t, std::function<void()> give_up, bool parked) {
  if (stream_ == nullptr || (parked && draining_ && !finished_)) return give_up();
  if (finished_) return;
  give_up_ = std::move(give_up);
  if (parked) stream_->make_way();
}

void StreamSession::send(std::string bytes, UniqueFunction<void(bool)> done) {
  if (over()) {
    if (done) core_->loop.post([call = std::move(done)]() mutable { call(false); });
    return;
  }
  stream_->send(std::move(bytes));
  if (done) taken_.push_back(std::move(done));
}

bool StreamSession::has_room() { return unsent() < http2::kUnsentFrameBytesMax; }

void StreamSession::close_when_sent() {
  if (over()) return;
  finished_ = true;
  stream_->finish({});
}

void StreamSession::close_now() {
  if (over()) return;
  finished_ = true;
  stream_->reset(http2::Reset::cancel);
}

}  // namespace muster::http
