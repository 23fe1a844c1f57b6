// Reading a request and answering a call in one dialect's words. Methods are written with these three.
//
// A request that names a namespace is checked against the caller's here, once for all methods. One that names a run or a worker
// alone is checked where that is found.
#pragma once

#include <optional>
#include <string>

#include <fmt/format.h>

#include "fronts/grpc/core.h"
#include "fronts/grpc/methods.h"

namespace muster::rpc {

// The namespace a request names; nothing: it has no field for one, or leaves it empty and names a run or a worker instead.
template <class Message>
std::optional<std::string> named_in(const Message& message) {
  // K0 leaves the default one out, whatever else it names.
  if constexpr (requires { message.namespace_id(); }) return message.namespace_id();
  std::optional<std::string> named;
  if constexpr (requires { message.namespace_(); }) named = message.namespace_();
  // Creating a schedule of our own dialect, whose namespace stands in the schedule.
  if constexpr (requires { message.schedule().namespace_(); }) named = message.schedule().namespace_();
  constexpr bool kMayNameRun = requires { message.run_id(); };
  if (kMayNameRun && named && named->empty()) named.reset();
  return named;
}

// permission_denied: the caller is bound to other namespaces. An empty name is the default one.
Status check_namespace(const command::Caller& caller, const std::optional<std::string>& named);

template <ErrorDialect dialect>
struct Wire {
  static void refuse(const CallRef& call, const Status& status, Subject subject = {}) {
    call->refuse(wire_error(dialect, status, subject));
  }

  // Nothing: the call has been refused, since its bytes are no such message, or it names a namespace the caller may not use.
  template <class Message>
  static std::optional<Message> parse(const CallRef& call) {
    std::optional<Message> message(std::in_place);
    if (!message->ParseFromString(call->request)) {
      refuse(call, Status::invalid_argument(fmt::format("the request is not a {}", Message::descriptor()->full_name())));
      return std::nullopt;
    }
    if (!call->caller.namespaces) return message;
    if (Status allowed = check_namespace(call->caller, named_in(*message)); !allowed.ok()) {
      refuse(call, allowed);
      return std::nullopt;
    }
    return message;
  }

  template <class Message>
  static void answer(const CallRef& call, const Message& message) {
    call->answer(message.SerializeAsString());
  }
};

}  // namespace muster::rpc
