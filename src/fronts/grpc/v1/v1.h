// The methods of today's Kagzi dialect (package kagzi.v1), one function each, by noun: workflows.cc, steps.cc, workers.cc,
// schedules.cc, namespaces.cc, stats.cc. What they share is here; methods.cc lists them.
//
// A namespace must be named, except where the run says it. Payloads are any bytes. docs/protocol-grpc.md has the table of rules.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "fronts/grpc/dialect/values.h"
#include "fronts/grpc/dialect/wire.h"
#include "fronts/grpc/methods.h"
#include "kagzi_v1.pb.h"
#include "model/ids.h"

namespace muster::rpc::v1 {

namespace pb = ::kagzi::v1;
using V1 = Wire<ErrorDialect::v1>;

// invalid_argument: the first of these that is empty, in this order.
Status required(std::initializer_list<std::pair<const char*, const std::string*>> fields);
NamespaceName namespace_of(const std::string& text);

JobError error_of(const pb::ErrorDetail& detail);
pb::ErrorCode code_of(const JobError& error);

// The cursor and size of a page; nothing: the call has been refused.
struct Page {
  std::size_t limit = 0;
  std::string cursor;
  bool total = false;
};
std::optional<Page> page_of(const CallRef& call, const pb::PageRequest& request, PageRule rule);
void put_page(const std::string& next, std::optional<std::uint64_t> total, pb::PageInfo* out);

// workflows.cc
void start_workflow(CallRef call);
void get_workflow(CallRef call);
void get_workflow_by_external_id(CallRef call);
void list_workflows(CallRef call);
void cancel_workflow(CallRef call);
void retry_workflow(CallRef call);
void terminate_workflow(CallRef call);
void complete_workflow(CallRef call);
void fail_workflow(CallRef call);

// steps.cc
void begin_step(CallRef call);
void complete_step(CallRef call);
void fail_step(CallRef call);
void sleep(CallRef call);
void get_step(CallRef call);
void list_steps(CallRef call);

// workers.cc
void register_worker(CallRef call);
void heartbeat(CallRef call);
void deregister(CallRef call);
void poll_task(CallRef call);
void list_workers(CallRef call);
void get_worker(CallRef call);
void drain_worker(CallRef call);

// schedules.cc
void create_workflow_schedule(CallRef call);
void get_workflow_schedule(CallRef call);
void list_workflow_schedules(CallRef call);
void update_workflow_schedule(CallRef call);
void delete_workflow_schedule(CallRef call);
void trigger_workflow_schedule(CallRef call);
void pause_workflow_schedule(CallRef call);
void resume_workflow_schedule(CallRef call);
void list_schedule_runs(CallRef call);

// namespaces.cc
void create_namespace(CallRef call);
void get_namespace(CallRef call);
void list_namespaces(CallRef call);
void update_namespace(CallRef call);
void enable_namespace(CallRef call);
void disable_namespace(CallRef call);

// stats.cc
void health_check(CallRef call);
void get_server_info(CallRef call);
void get_stats(CallRef call);
void get_queue_depth(CallRef call);
void list_workflow_types(CallRef call);

}  // namespace muster::rpc::v1
