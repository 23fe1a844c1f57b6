// Plans: pipelines kept under a name.
#pragma once

#include <string>

#include "base/reply.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

// plan.submit: keeps a plan, for actions to run.
inline constexpr Spec kPlanSubmit{
    .name = "plan.submit",
    .since = "0.2",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .idempotent = true,
    .audited = true,
    .summary = "Keep a plan; the same content again changes nothing.",
};

struct PlanSubmitRequest {
  NamespaceName ns{kDefaultNamespace};
  std::string text;      // JSON; its plan_id is the plan's name
  bool replace = false;  // another text under a known name takes its place instead of being refused
};
using PlanSubmitReply = store::PlanStored;

// invalid_argument: the message of plan::parse. already_exists: another plan under this name (plan::is_same).
template <>
struct Record<PlanSubmitRequest> : Command<kPlanSubmit, PlanSubmitReply> {};
std::string target_of(const PlanSubmitRequest& request);  // the name in its text

void handle(Context& context, PlanSubmitRequest request, Reply<PlanSubmitReply> reply);

// plan.get: one plan with its text.
inline constexpr Spec kPlanGet{
    .name = "plan.get",
    .since = "0.2",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show one plan.",
};

struct PlanGetRequest {
  NamespaceName ns{kDefaultNamespace};
  PlanId plan;
};
using PlanGetReply = Plan;

template <>
struct Record<PlanGetRequest> : Command<kPlanGet, PlanGetReply> {};

void handle(Context& context, PlanGetRequest request, Reply<PlanGetReply> reply);

// plan.list: a page of plans, oldest first.
inline constexpr Spec kPlanList{
    .name = "plan.list",
    .since = "0.2",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List plans, oldest first.",
};

using PlanListRequest = store::PlanQuery;
using PlanListReply = store::PlanPage;

template <>
struct Record<PlanListRequest> : Command<kPlanList, PlanListReply> {};

void handle(Context& context, PlanListRequest request, Reply<PlanListReply> reply);

// plan.delete: forgets a plan that no unfinished job needs.
inline constexpr Spec kPlanDelete{
    .name = "plan.delete",
    .since = "0.2",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Delete a plan that no unfinished job needs.",
};

struct PlanDeleteRequest {
  NamespaceName ns{kDefaultNamespace};
  PlanId plan;
};
using PlanDeleteReply = Plan;  // as it was

template <>
struct Record<PlanDeleteRequest> : Command<kPlanDelete, PlanDeleteReply> {};

void handle(Context& context, PlanDeleteRequest request, Reply<PlanDeleteReply> reply);

}  // namespace muster::command
