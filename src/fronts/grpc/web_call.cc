#include "fronts/grpc/web_call.h"

#include <fmt/format.h>

#include <utility>

#include "base/utf8.h"

namespace muster::rpc {
namespace {

WebAnswer to_answer(WireError error) {
  return {.code = error.code,
          .response = {},
          .message = std::move(error.message),
          .details = std::move(error.details),
          .metadata = {}};
}

}  // namespace

WebCancel WebCall::begin(std::shared_ptr<CallGate> gate, WebRequest request, WebReply reply) {
  Entry* entry = gate->catalogue.find(request.path);
  if (entry == nullptr || entry->method.run == nullptr) {
    gate->catalogue.unknown().measure(WireCode::unimplemented, Ticks::zero());
    WireError error = wire_error(Catalogue::dialect_of(request.path),
                                 Status::not_found(fmt::format("no such method: {}", utf8_front(request.path, kEchoedBytesMax))));
    error.code = WireCode::unimplemented;
    reply(to_answer(std::move(error)));
    return {};
  }
  Status refused = std::move(request.refused);
  command::Caller caller = std::move(request.caller);
  const std::optional<Duration> timeout = request.timeout;
  auto* call = new WebCall(std::move(gate), *entry, std::move(request), std::move(reply));
  // The bringer's share of the call.
  std::shared_ptr<WebCall> held(call, [](WebCall* one) { one->let_go_of_transport(); });
  call->name_itself();
  if (refused.ok() || entry->open()) refused = call->admit(std::move(caller));
  const std::size_t max = call->gate().message_bytes_max(*entry);
  if (refused.ok() && call->request.size() > max)
    refused = Status::exhausted(fmt::format("the message has {} bytes; {} are accepted", call->request.size(), max));
  if (!refused.ok()) {
    static_cast<LiveCall*>(call)->refuse(wire_error(entry->method.dialect, refused));
    return {};
  }
  if (timeout) {
    call->deadline = call->core.clock().elapsed() + *timeout;
    call->core.alarms.remind(*timeout, [late = std::weak_ptr(held)] {
      if (const auto still = late.lock())
        still->give_up({.code = WireCode::deadline_exceeded, .message = "the deadline passed", .details = {}});
    });
  }
  call->run();
  return [held = std::move(held)] {
    held->give_up({.code = WireCode::cancelled, .message = "the client went away", .details = {}});
  };
}

WebCall::WebCall(std::shared_ptr<CallGate> gate, Entry& entry, WebRequest from, WebReply reply)
    : LiveCall(std::move(gate), entry), reply_(std::move(reply)) {
  request = std::move(from.message);
  received = std::move(from.metadata);
}

void WebCall::deliver(std::string response, Metadata trailers) {
  reply_({.code = WireCode::ok, .response = std::move(response), .message = {}, .details = {}, .metadata = std::move(trailers)});
}

void WebCall::deliver(WireError error, Metadata trailers) {
  WebAnswer answer = to_answer(std::move(error));
  answer.metadata = std::move(trailers);
  reply_(std::move(answer));
}

}  // namespace muster::rpc
