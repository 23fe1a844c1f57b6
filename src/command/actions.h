// Actions: a plan over inputs. What a request is, what it answers, and the record of each command.
#pragma once

#include <memory>
#include <string_view>

#include "base/reply.h"
#include "command/action_spec.h"
#include "command/context.h"
#include "command/spec.h"

namespace muster::command {

// action.submit: runs a plan over many inputs, one job for each.
inline constexpr Spec kActionSubmit{
    .name = "action.submit",
    .since = "0.2",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .summary = "Run a plan over many inputs: all the jobs or none of them.",
};

struct ActionSubmitRequest {
  PlanId plan;
  std::shared_ptr<const plan::Document> document{};  // of the plan, from whoever keeps it; null: it is read
  ActionOrder order;                                 // without an id it gets one
};
using ActionSubmitReply = store::ActionSubmitted;

// not_found: the plan. already_exists: an action of this name. The rest as make_action() says.
template <>
struct Record<ActionSubmitRequest> : Command<kActionSubmit, ActionSubmitReply> {};

void handle(Context& context, ActionSubmitRequest request, Reply<ActionSubmitReply> reply);

// action.get: one action, how its jobs stand, and a page of their ids.
inline constexpr Spec kActionGet{
    .name = "action.get",
    .since = "0.2",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show one action and how its jobs stand.",
};

using ActionGetRequest = store::ActionQuery;
using ActionGetReply = store::ActionView;

// In one word: "pending" while no job has begun, "running", and in the end "completed", or "failed" when any job is not.
std::string_view state_of(const ActionCounts& counts);

template <>
struct Record<ActionGetRequest> : Command<kActionGet, ActionGetReply> {};

void handle(Context& context, ActionGetRequest request, Reply<ActionGetReply> reply);

// action.list: a page of actions with the counts of their jobs.
inline constexpr Spec kActionList{
    .name = "action.list",
    .since = "0.2",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List actions.",
};

using ActionListRequest = store::ActionListQuery;
using ActionListReply = store::ActionPage;

template <>
struct Record<ActionListRequest> : Command<kActionList, ActionListReply> {};

void handle(Context& context, ActionListRequest request, Reply<ActionListReply> reply);

}  // namespace muster::command
