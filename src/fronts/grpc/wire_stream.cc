#include "fronts/grpc/wire_stream.h"

#include <fmt/format.h>

#include <utility>

namespace muster::rpc {

std::shared_ptr<http2::Handler> WireStream::begin(std::shared_ptr<CallGate> gate, Entry& entry, http2::Stream& stream,
                                                  const http2::Head& head) {
  auto call = std::make_shared<WireStream>(std::move(gate), entry, stream);
  try {
    std::optional<WireError> wrong = read_head(head, entry.method.dialect, call->head_);
    if (wrong)
      call->refuse(*std::move(wrong));
    else if (const Status admitted = call->take_head(head); !admitted.ok())
      call->refuse_peer(admitted);
  } catch (...) {
    const Incident incident(call->gate_->incidents, entry.method.name);
    if (!call->over()) call->refuse_peer(incident.status());
  }
  return call;
}

WireStream::WireStream(std::shared_ptr<CallGate> gate, Entry& entry, http2::Stream& stream)
    : StreamCall(gate->core),
      gate_(std::move(gate)),
      entry_(entry),
      stream_(&stream),
      begun_(core.clock().elapsed()),
      reader_(gate_->message_bytes_max(entry)) {}

WireStream::~WireStream() {
  if (place_ == Place::call) gate_->close_call();
  if (place_ == Place::watch) gate_->close_watch(caller.address);
}

Status WireStream::take_head(const http2::Head& head) {
  correlation = gate_->correlation_of(head_.received);
  connection = fmt::format("grpc:{}", stream_->connection());
  auto known = gate_->admit(entry_, std::exchange(head_.authorization, {}), stream_->peer_address());
  if (!known.ok()) return known.status();
  credential_ = *std::move(known);
  caller = credential_.caller;
  caller.correlation = correlation;
  if (Status room = open_place(); !room.ok()) return room;
  if (const command::Spec* const command = entry_.method.command)
    if (Status allowed = core.door.admit(caller, *command); !allowed.ok()) return allowed;
  method_ = entry_.method.open(*this);
  gate_->add_stream(*method_);
  if (head_.timeout)
    late_ = core.alarms.set(*head_.timeout, [weak = weak_from_this()] {
      if (const auto self = weak.lock())
        self->refuse({.code = WireCode::deadline_exceeded, .message = "the deadline passed", .details = {}});
    });
  if (head.ended) input_ended();
  return {};
}

// Streams that anybody may open take no call's place.
Status WireStream::open_place() {
  Status room = entry_.open() ? gate_->open_watch(caller.address) : gate_->open_call();
  if (room.ok()) place_ = entry_.open() ? Place::watch : Place::call;
  return room;
}

void WireStream::received(std::string_view bytes) {
  if (over()) return;
  input_.append(bytes);
  read_on();
}

void WireStream::input_ended() {
  input_ended_ = true;
  if (!over()) read_on();
}

void WireStream::drained() {
  if (over()) return;
  method_->drained();
  if (!over()) read_on();
}

// The next message comes when what the method sent about the last one has left: a client that reads nothing is read no further.
void WireStream::read_on() {
  std::string_view rest = input_;
  while (!over() && !rest.empty() && stream_->unsent() == 0) {
    auto taken = reader_.take(rest);
    if (!taken.ok()) return refuse_peer(taken.status());
    if (!*taken) break;
    auto bytes = unpacked(**std::move(taken), head_, *gate_, entry_);
    if (auto* const wrong = std::get_if<WireError>(&bytes)) return refuse(std::move(*wrong));
    method_->received(std::get<std::string>(std::move(bytes)));
  }
  if (over()) return;
  input_.erase(0, input_.size() - rest.size());
  stream_->hold(input_.size() + reader_.buffered());
  if (stream_->unsent() > 0) return stream_->pause_input();
  stream_->resume_input();
  if (!input_ended_ || std::exchange(half_close_told_, true)) return;
  if (reader_.is_inside()) return refuse_peer(Status::invalid_argument("the request ends within a message"));
  method_->half_closed();
}

void WireStream::expired() {
  if (!over()) refuse_peer(Status::unavailable("the message did not arrive in time"));
}

void WireStream::closed() {
  if (!finished_) end(WireCode::cancelled);
  stream_ = nullptr;
  if (method_) gate_->remove_stream(*method_);
  method_.reset();
}

std::string_view WireStream::metadata(std::string_view name) const {
  for (const auto& [key, value] : head_.received)
    if (key == name) return value;
  return {};
}

void WireStream::send(std::string message) {
  if (over()) return;
  if (!stream_->responded()) begin_answer(*stream_);
  stream_->send(framed(message));
}

void WireStream::finish() {
  if (over()) return;
  end(WireCode::ok);
  if (!stream_->responded()) begin_answer(*stream_);
  end_answer(*stream_, {});
}

void WireStream::refuse(WireError error) {
  if (over()) return;
  end(error.code);
  answer_error(*stream_, error, {});
}

void WireStream::end(WireCode code) {
  finished_ = true;
  if (late_) core.alarms.cancel(*std::exchange(late_, std::nullopt));
  entry_.measure(code, core.clock().elapsed() - begun_);
}

void WireStream::after(Duration wait, UniqueFunction<void()> then) {
  core.alarms.set(wait, [weak = weak_from_this(), then = std::move(then)]() mutable {
    const auto self = weak.lock();
    if (self && !self->over()) then();
  });
}

}  // namespace muster::rpc
