// The methods of muster.v1 (proto/muster_v1.proto): what Muster offers over gRPC beyond the Kagzi dialects. One function per
// method; methods.cc lists them with their rights.
#pragma once

#include "fronts/grpc/call.h"
#include "fronts/grpc/dialect/wire.h"

namespace muster::rpc::native {

using Native = Wire<ErrorDialect::native>;

void await_signal(CallRef call);
void await_child(CallRef call);
void signal(CallRef call);
void get_result(CallRef call);
void get_history(CallRef call);

void create_schedule(CallRef call);
void get_schedule(CallRef call);
void list_schedules(CallRef call);
void update_schedule(CallRef call);
void delete_schedule(CallRef call);
void pause_schedule(CallRef call);
void resume_schedule(CallRef call);
void trigger_schedule(CallRef call);
void preview_schedule(CallRef call);
void backfill_schedule(CallRef call);

void start_agent_run(CallRef call);
void get_agent_run(CallRef call);
void list_agent_runs(CallRef call);
void cancel_agent_run(CallRef call);
void approve_agent_run(CallRef call);
void deny_agent_run(CallRef call);

}  // namespace muster::rpc::native
