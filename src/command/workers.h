// Workers: how they come, stay known and leave.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/reply.h"
#include "command/context.h"
#include "command/keys.h"
#include "command/spec.h"

namespace muster::command {

// worker.register: a worker says what it can do and gets a session.
inline constexpr Spec kWorkerRegister{
    .name = "worker.register",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Register a worker, or resume its session.",
};

using WorkerRegisterRequest = WorkerSpec;
using WorkerRegisterReply = store::Registered;

// A caller bound to a worker and naming none registers as that worker.
template <>
struct Record<WorkerRegisterRequest> : Command<kWorkerRegister, WorkerRegisterReply> {};

void handle(Context& context, std::vector<WorkerRegisterRequest> requests, Reply<store::Each<WorkerRegisterReply>> reply);

// worker.heartbeat: a worker lives; all its leases are renewed and commands go back to it.
inline constexpr Spec kWorkerHeartbeat{
    .name = "worker.heartbeat",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Keep a worker and its leases alive; the reply carries commands.",
};

using WorkerHeartbeatRequest = store::Beat;
using WorkerHeartbeatReply = store::BeatReply;

template <>
struct Record<WorkerHeartbeatRequest> : Command<kWorkerHeartbeat, WorkerHeartbeatReply> {};

void handle(Context& context, std::vector<WorkerHeartbeatRequest> requests, Reply<store::Each<WorkerHeartbeatReply>> reply);

// worker.verify: a worker proves that it has a tool. RESP alone has it, and carries it out by jobs and keys; this is who may.
inline constexpr Spec kWorkerVerify{
    .name = "worker.verify",
    .since = "0.2",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Ask a worker to prove a tool, or answer that question.",
};

// worker.get: one worker.
inline constexpr Spec kWorkerGet{
    .name = "worker.get",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show one worker.",
};

struct WorkerGetRequest {
  NamespaceName ns{kDefaultNamespace};
  WorkerId worker;
};
using WorkerGetReply = Worker;

template <>
struct Record<WorkerGetRequest> : Command<kWorkerGet, WorkerGetReply> {};

void handle(Context& context, WorkerGetRequest request, Reply<WorkerGetReply> reply);

// worker.list: a page of workers that match a filter.
inline constexpr Spec kWorkerList{
    .name = "worker.list",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List workers.",
};

using WorkerListRequest = store::WorkerQuery;
using WorkerListReply = store::WorkerPage;

template <>
struct Record<WorkerListRequest> : Command<kWorkerList, WorkerListReply> {};

void handle(Context& context, WorkerListRequest request, Reply<WorkerListReply> reply);

// worker.drain: an operator takes a worker out of service. A worker that drains by itself says so in its heartbeat.
inline constexpr Spec kWorkerDrain{
    .name = "worker.drain",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Give a worker no more work; at the deadline its jobs are handed back.",
};

using WorkerDrainRequest = store::Drain;
using WorkerDrainReply = Worker;

template <>
struct Record<WorkerDrainRequest> : Command<kWorkerDrain, WorkerDrainReply> {};

void handle(Context& context, WorkerDrainRequest request, Reply<WorkerDrainReply> reply);

// worker.resume: an operator takes a drain back. Load that drained the worker has no say until it has fallen.
inline constexpr Spec kWorkerResume{
    .name = "worker.resume",
    .since = "0.4",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Give a draining worker work again.",
};

using WorkerResumeRequest = store::Resume;
using WorkerResumeReply = Worker;

template <>
struct Record<WorkerResumeRequest> : Command<kWorkerResume, WorkerResumeReply> {};

void handle(Context& context, WorkerResumeRequest request, Reply<WorkerResumeReply> reply);

// worker.retire: a worker asks for no more work and finishes what it has.
inline constexpr Spec kWorkerRetire{
    .name = "worker.retire",
    .since = "0.3",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Take no more work; at the deadline the worker's jobs are handed back.",
};

struct WorkerRetireRequest {
  store::Drain drain;
};

template <>
struct Record<WorkerRetireRequest> : Command<kWorkerRetire, Worker> {};

void handle(Context& context, WorkerRetireRequest request, Reply<Worker> reply);

// worker.unregister: a worker says goodbye.
inline constexpr Spec kWorkerUnregister{
    .name = "worker.unregister",
    .since = "0.1",
    .auth = Auth::worker,
    .effect = Effect::write,
    .idempotent = true,
    .summary = "Take a worker offline; its running jobs are handed back without cost.",
};

using WorkerUnregisterRequest = store::Unregister;
using WorkerUnregisterReply = Worker;

template <>
struct Record<WorkerUnregisterRequest> : Command<kWorkerUnregister, WorkerUnregisterReply> {};

void handle(Context& context, std::vector<WorkerUnregisterRequest> requests, Reply<store::Each<WorkerUnregisterReply>> reply);

// worker.send: a frame of somebody else's making for a worker that knows it.
inline constexpr Spec kWorkerSend{
    .name = "worker.send",
    .since = "0.4",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Send an extension frame to a worker; it is kept until the worker collects it.",
};

struct WorkerSendRequest {
  NamespaceName ns{kDefaultNamespace};
  WorkerId worker;
  std::string type;     // ext.vendor.…
  std::string payload;  // JSON object; empty: {}
};
using WorkerSendReply = engine::MailSent;

template <>
struct Record<WorkerSendRequest> : Command<kWorkerSend, WorkerSendReply> {};

void handle(Context& context, WorkerSendRequest request, Reply<WorkerSendReply> reply);

// For the wire that has the worker's connection: takes what waits for it, the oldest first. The answers of the keyspace are for
// read_worker_mail. What could not be handed over goes back in front of the rest, in the same order.
inline constexpr std::size_t kMailCollectedMax = 64;  // frames at a time
using WorkerMailFrame = engine::Mail;
KeysWriteRequest collect_worker_mail(const NamespaceName& ns, const WorkerId& worker);
std::vector<WorkerMailFrame> read_worker_mail(const KeysReply& answers);
KeysWriteRequest put_back_worker_mail(const NamespaceName& ns, const WorkerId& worker,
                                      const std::vector<WorkerMailFrame>& frames);

}  // namespace muster::command
