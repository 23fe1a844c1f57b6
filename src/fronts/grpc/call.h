// One call, whichever way it came: gRPC on any listener, or gRPC-Web through the HTTP front.
//
// Methods are written against this and know no transport: they read the request's bytes, talk to the engine, and answer once, on
// any thread. A call is shared: whoever still has to answer it holds it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "base/unique_function.h"
#include "command/context.h"

namespace muster::rpc {

struct Core;

// gRPC's own numbers.
enum class WireCode : int {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  unauthenticated = 16,
};

struct WireError {
  WireCode code = WireCode::internal;
  std::string message;
  std::string details;  // grpc-status-details-bin: the dialect's ErrorDetail, serialised as it is
};

class Call;
using CallRef = std::shared_ptr<Call>;

class Call {
 public:
  virtual ~Call() = default;

  Core& core;
  command::Caller caller;         // authenticated before the method runs
  std::string request;            // serialised message
  std::optional<Ticks> deadline;  // of the client, on the engine's monotonic clock
  std::string connection;         // the one it came by, as "grpc:7"; empty: the transport does not know
  std::string correlation;        // x-correlation-id, else traceparent's trace id, else made up; never empty
  // Methods go by what this node remembers of runs and namespaces. When that was old they are run once more, and ask the store.
  void (*method)(CallRef call) = nullptr;
  bool memory_was_old = false;
  // Metadata of the request, lower-case names; empty: not there.
  virtual std::string_view metadata(std::string_view name) const = 0;
  // Trailing metadata of the answer (leading on gRPC-Web is fine too). Before the answer.
  virtual void add_metadata(std::string name, std::string value) = 0;

  // Exactly one of these, once.
  virtual void answer(std::string response) = 0;
  virtual void refuse(WireError error) = 0;
  // Runs once when the client went away or its deadline passed before the answer; at once if that is so already. An answer after
  // that goes nowhere. One handler; it is dropped at the answer.
  virtual void on_cancel(UniqueFunction<void()> then) = 0;
  virtual bool cancelled() const = 0;
  // Set before the answer: runs once if the answer came too late or its connection broke under it, so that what was given away
  // can be taken back.
  virtual void on_undelivered(UniqueFunction<void()> then) { static_cast<void>(then); }

 protected:
  explicit Call(Core& shared) : core(shared) {}
};

// Runs the call's method again, which takes nothing from memory now. REQUIRES: it did so, and the call is not answered.
void run_again(const CallRef& call);

}  // namespace muster::rpc
