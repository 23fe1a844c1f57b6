// The methods of the older Kagzi dialect (package kagzi), one function each, by noun: runs.cc, steps.cc, workers.cc,
// schedules.cc, health.cc. What they share is here; methods.cc lists them.
//
// An empty namespace means `default`. Inputs, outputs and contexts are JSON. docs/protocol-grpc.md has the table of rules.
#pragma once

#include <string>

#include "fronts/grpc/dialect/wire.h"
#include "fronts/grpc/methods.h"
#include "kagzi_k0.pb.h"
#include "model/ids.h"

namespace muster::rpc::k0 {

namespace pb = ::kagzi;
using K0 = Wire<ErrorDialect::k0>;

NamespaceName namespace_of(const std::string& namespace_id);

// What a client says went wrong: an ErrorDetail, or the text that clients older than it send in the same field.
struct Complaint {
  std::string kind;
  std::string message;
  bool non_retryable = false;
  std::int64_t retry_after_ms = 0;
};
Complaint complaint_of(const std::string& bytes);

// runs.cc
void start_workflow(CallRef call);
void get_workflow_run(CallRef call);
void list_workflow_runs(CallRef call);
void cancel_workflow_run(CallRef call);
void complete_workflow(CallRef call);
void fail_workflow(CallRef call);
void schedule_sleep(CallRef call);

// steps.cc
void begin_step(CallRef call);
void complete_step(CallRef call);
void fail_step(CallRef call);
void get_step_attempt(CallRef call);
void list_step_attempts(CallRef call);

// workers.cc
void register_worker(CallRef call);
void worker_heartbeat(CallRef call);
void deregister_worker(CallRef call);
void list_workers(CallRef call);
void get_worker(CallRef call);
void poll_activity(CallRef call);
void record_heartbeat(CallRef call);

// schedules.cc
void create_schedule(CallRef call);
void get_schedule(CallRef call);
void list_schedules(CallRef call);
void update_schedule(CallRef call);
void delete_schedule(CallRef call);

// health.cc
void health_check(CallRef call);

}  // namespace muster::rpc::k0
