#include "fronts/grpc/wire_call.h"

#include <utility>

namespace muster::rpc {

std::shared_ptr<http2::Handler> WireCall::begin(std::shared_ptr<CallGate> gate, Entry& entry, http2::Stream& stream,
                                                const http2::Head& head) {
  auto* const call = new WireCall(std::move(gate), entry, stream);
  std::shared_ptr<WireCall> held(call, [](WireCall* one) { one->let_go_of_transport(); });
  call->self_ = held;
  try {
    call->take_head(head);
  } catch (...) {
    // Before the method runs: what it throws does not come here.
    const Incident incident(call->gate().incidents, entry.method.name);
    call->refuse_peer(incident.status());
  }
  return held;
}

WireCall::WireCall(std::shared_ptr<CallGate> with, Entry& entry, http2::Stream& stream)
    : LiveCall(std::move(with), entry), stream_(&stream), reader_(gate().message_bytes_max(entry)) {}

// Who calls, and whether they may, is settled before a byte of the message is kept.
void WireCall::take_head(const http2::Head& head) {
  std::optional<WireError> wrong = read_head(head, entry().method.dialect, head_);
  LiveCall::received = std::move(head_.received);
  name_itself();
  connection = "grpc:" + std::to_string(stream_->connection());
  if (wrong) return refuse(*std::move(wrong));
  auto known = gate().admit(entry(), head_.authorization, stream_->peer_address());
  head_.authorization = {};
  if (!known.ok()) return refuse_peer(known.status());
  if (const Status admitted = admit(std::move(known->caller)); !admitted.ok()) return refuse_peer(admitted);
  if (head.ended) return input_ended();
  if (!head_.timeout) return;
  deadline = core.clock().elapsed() + *head_.timeout;
  late_ = core.alarms.set(*head_.timeout, [weak = self_] {
    if (const auto self = weak.lock())
      self->give_up({.code = WireCode::deadline_exceeded, .message = "the deadline passed", .details = {}});
  });
}

void WireCall::received(std::string_view bytes) {
  while (!bytes.empty() && !ended()) {
    if (message_) {
      return refuse({.code = WireCode::unimplemented, .message = "the method takes one message, and more came", .details = {}});
    }
    auto taken = reader_.take(bytes);
    if (!taken.ok()) return refuse_peer(taken.status());
    if (*taken) message_ = **std::move(taken);
  }
  stream_->hold(message_ ? message_->bytes.size() : reader_.buffered());
}

void WireCall::input_ended() {
  if (ended()) return;
  if (reader_.is_inside()) return refuse_peer(Status::invalid_argument("the request ends within its message"));
  if (!message_)
    return refuse({.code = WireCode::unimplemented, .message = "the method takes one message, and none came", .details = {}});
  auto bytes = unpacked(*std::exchange(message_, std::nullopt), head_, gate(), entry());
  if (auto* const wrong = std::get_if<WireError>(&bytes)) return refuse(std::move(*wrong));
  request = std::get<std::string>(std::move(bytes));
  stream_->hold(request.size());
  if (!entry().answers_much()) return run();
  stream_->when_room([weak = self_] {
    if (const auto self = weak.lock()) self->run();
  });
}

void WireCall::expired() { refuse_peer(Status::unavailable("the message did not arrive in time")); }

void WireCall::closed() {
  stream_ = nullptr;
  if (late_) core.alarms.cancel(*late_);
  if (!ended()) give_up({.code = WireCode::cancelled, .message = "the client went away", .details = {}});
}

void WireCall::deliver(std::string response, Metadata trailers) {
  response_ = std::move(response);
  trailers_ = std::move(trailers);
  send_on_loop();
}

void WireCall::deliver(WireError error, Metadata trailers) {
  error_ = std::make_unique<WireError>(std::move(error));
  trailers_ = std::move(trailers);
  send_on_loop();
}

void WireCall::send_on_loop() {
  std::shared_ptr<WireCall> self = self_.lock();
  if (!self) {
    if (!error_) undelivered();
    return;
  }
  if (core.loop.inside()) return send();
  core.loop.post([self = std::move(self)] { self->send(); });
}

void WireCall::send() {
  if (stream_ == nullptr) {
    if (!error_) undelivered();
    return;
  }
  if (late_) core.alarms.cancel(*std::exchange(late_, std::nullopt));
  if (error_) return answer_error(*stream_, *error_, trailers_);
  begin_answer(*stream_);
  stream_->send(framed(std::exchange(response_, {})));
  http2::Stream::Done done;
  if (minds_delivery())
    done = [self = self_.lock()](bool taken) {
      if (!taken) self->undelivered();
    };
  end_answer(*stream_, trailers_, std::move(done));
}

}  // namespace muster::rpc
