// gRPC as the SDK uses it: a channel with its stubs, metadata on every call, and statuses as Errors. Private to this folder.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kagzi_v1.grpc.pb.h"
#include "muster_v1.grpc.pb.h"
#include "sdk/cpp/result.h"
#include "sdk/cpp/workflow/options.h"

namespace muster::sdk::workflow::wire {

inline constexpr std::int32_t kHistoryPage = 500;  // steps of a run that are asked for at a time

inline Error invalid(std::string detail) { return Error{Code::invalid_argument, 0, std::move(detail), {}}; }

class Wire {
 public:
  // REQUIRES: checked().
  explicit Wire(const Connection& connection);

  const Connection& connection() const { return connection_; }
  kagzi::v1::WorkflowService::Stub& workflows() { return *workflows_; }
  kagzi::v1::WorkerService::Stub& workers() { return *workers_; }
  muster::v1::RunService::Stub& runs() { return *runs_; }
  muster::v1::ScheduleService::Stub& schedules() { return *schedules_; }

  // Deadline and token. `wait`: how long the server may hold the call.
  void prepare(grpc::ClientContext& context, Duration wait = Duration(0)) const;

 private:
  Connection connection_;
  std::unique_ptr<kagzi::v1::WorkflowService::Stub> workflows_;
  std::unique_ptr<kagzi::v1::WorkerService::Stub> workers_;
  std::unique_ptr<muster::v1::RunService::Stub> runs_;
  std::unique_ptr<muster::v1::ScheduleService::Stub> schedules_;
};

// REQUIRES: !status.ok().
Error error_of(const grpc::Status& status);
Error error_of(const grpc::Status& status, std::string_view what);  // with what was asked for in front

// The first value of a trailing metadata entry; empty: not there.
std::string trailer(const grpc::ClientContext& context, const char* name);

void set(google::protobuf::Duration* out, Duration length);
void set(google::protobuf::Timestamp* out, Instant at);
Instant instant(const google::protobuf::Timestamp& at);
void set(kagzi::v1::RetryPolicy* out, const RetryPolicy& policy);

// One unary call with a context of its own.
template <class Response, class Stub, class Request>
Result<Response> call(Wire& wire, Stub& stub, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                      const Request& request, Duration wait = Duration(0)) {
  grpc::ClientContext context;
  wire.prepare(context, wait);
  Response response;
  const grpc::Status status = (stub.*method)(&context, request, &response);
  if (!status.ok()) return error_of(status);
  return response;
}

}  // namespace muster::sdk::workflow::wire
