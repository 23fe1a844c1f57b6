// worker.register: a worker says what it can do and gets a session.
#pragma once

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

inline constexpr Spec kWorkerRegister{
    .name = "worker.register",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .audited = false,
    .summary = "Register a worker, or resume its session.",
};

using WorkerRegisterRequest = WorkerSpec;
using WorkerRegisterReply = store::Registered;

// A caller bound to a worker and naming none registers as that worker.
void handle(Context& context, WorkerRegisterRequest request, Reply<WorkerRegisterReply> reply);

}  // namespace muster::command
