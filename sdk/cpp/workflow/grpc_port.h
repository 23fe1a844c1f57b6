// RunPort over gRPC: kagzi.v1 for steps, muster.v1 for signals, children and history. Calls are repeated while the server is
// away, which the rules of steps allow: whatever landed is answered from memory, and a lease that is over refuses.
#pragma once

#include <functional>
#include <memory>

#include "sdk/cpp/backoff.h"
#include "sdk/cpp/workflow/port.h"
#include "sdk/cpp/workflow/wire.h"

namespace muster::sdk::workflow {

class GrpcRunPort final : public RunPort {
 public:
  // pause: waits that long, false when the run or the worker ended meanwhile. All outlive the port.
  using Pause = std::function<bool(Duration)>;
  GrpcRunPort(wire::Wire& wire, const RunFacts& facts, Backoff::Limits backoff, Pause pause)
      : wire_(wire), facts_(facts), backoff_(backoff), pause_(std::move(pause)) {}

  Result<Begun> begin(const BeginCall& call) override;
  Result<Nothing> complete(const std::string& step, const std::string& output) override;
  Result<FailAnswer> fail(const FailCall& call) override;
  Result<Nothing> sleep(const std::string& step, Duration length) override;
  Result<SignalAnswer> await_signal(const SignalCall& call) override;
  Result<ChildAnswer> await_child(const ChildCall& call) override;
  Result<std::vector<Remembered>> remembered() override;

  // The ends of the run.
  Result<Nothing> complete_run(const std::string& output);
  struct Failure {
    std::string message;
    bool bad_input = false;
  };
  Result<Nothing> fail_run(const Failure& failure);

 private:
  template <class Response, class Stub, class Request>
  Result<Response> ask(Stub& stub, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                       const Request& request);
  template <class Request>
  Request about() const;

  wire::Wire& wire_;
  const RunFacts& facts_;
  const Backoff::Limits backoff_;
  const Pause pause_;
};

}  // namespace muster::sdk::workflow
