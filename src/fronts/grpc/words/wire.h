// Reading a request and answering a call in one dialect's words. Methods are written with these three.
#pragma once

#include <optional>
#include <string>

#include <fmt/format.h>

#include "fronts/grpc/core.h"
#include "fronts/grpc/methods.h"

namespace muster::rpc {

template <ErrorDialect dialect>
struct Wire {
  static void refuse(const CallRef& call, const Status& status, Subject subject = {}) {
    call->refuse(wire_error(dialect, status, subject));
  }

  // Nothing: the call has been refused, since its bytes are no such message.
  template <class Message>
  static std::optional<Message> parse(const CallRef& call) {
    std::optional<Message> message(std::in_place);
    if (message->ParseFromString(call->request)) return message;
    refuse(call, Status::invalid_argument(fmt::format("the request is not a {}", Message::descriptor()->full_name())));
    return std::nullopt;
  }

  template <class Message>
  static void answer(const CallRef& call, const Message& message) {
    call->answer(message.SerializeAsString());
  }
};

}  // namespace muster::rpc
