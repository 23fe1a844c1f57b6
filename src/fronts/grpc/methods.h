// The methods of every service as data: what dispatch, rights and reflection are made from.
//
// A dialect's folder (k0/, v1/, native/) lists its own; catalogue.cc joins them. A row has `run`, which may answer at once or
// later, or `open`.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "command/spec.h"
#include "fronts/grpc/call.h"
#include "fronts/grpc/stream_call.h"

namespace muster::rpc {

// In whose words errors of this method are told.
enum class ErrorDialect : std::uint8_t { k0, v1, native };

struct Method {
  std::string_view service;  // "kagzi.v1.WorkerService"
  std::string_view name;     // "PollTask"
  ErrorDialect dialect = ErrorDialect::native;
  const command::Spec* command = nullptr;  // whose rights it needs; null: any caller may use it
  void (*run)(CallRef call) = nullptr;     // of a unary method
  // Of one with streams of messages; both ways are its own business.
  std::unique_ptr<StreamMethod> (*open)(StreamCall& call) = nullptr;
};

std::span<const Method> k0_methods();      // kagzi.WorkflowService, kagzi.HealthService
std::span<const Method> v1_methods();      // kagzi.v1.*
std::span<const Method> native_methods();  // muster.v1.*

const Method* find_method(std::string_view service, std::string_view name);  // nullptr: UNIMPLEMENTED

inline constexpr std::size_t kEchoedBytesMax = 128;          // of a client's word in an error; the rest is left out
inline constexpr std::size_t kWireErrorBytesMax = 4 * 1024;  // of an error's text: it travels in a header, and twice

// A status of ours in a dialect's words: code, message and details. `subject`: workflow_run, worker, schedule, step_attempt.
struct Subject {
  std::string_view kind{};
  std::string_view id{};
};
WireError wire_error(ErrorDialect dialect, const Status& status, Subject subject = {});

}  // namespace muster::rpc
