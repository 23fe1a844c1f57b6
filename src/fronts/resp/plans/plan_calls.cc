// PLAN.SUBMIT, PLAN.LIST, PLAN.GET and PLAN.DELETE.
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/glob.h"
#include "base/json_reader.h"
#include "base/time_text.h"
#include "command/plans.h"
#include "fronts/resp/plans/collect.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/plans/json_text.h"
#include "fronts/resp/plans/plan_cache.h"

namespace muster::resp::plans {
namespace {

using Json = json::Tree;

constexpr std::size_t kPlansDefault = 50;
constexpr std::size_t kListMax = 100;        // of the form with numbers
constexpr std::size_t kNamesDefault = 100;   // of the form with names
constexpr std::size_t kWholeListMax = 1000;  // of the form without arguments: the newest

std::int64_t used_at(const Plan& plan) { return plan.last_used_at ? unix_seconds(*plan.last_used_at) : 0; }

// As AGX reads it: times are text.
std::string described(const Plan& plan) {
  const std::string words = plan.spec.description.empty() ? "null" : json_string(plan.spec.description);
  ObjectText out;
  out.text("created_at", to_rfc3339(plan.created_at));
  out.raw("description", words);
  out.raw("last_used", plan.last_used_at ? json_string(to_rfc3339(*plan.last_used_at)) : "null");
  out.raw("plan_description", words);
  out.text("plan_id", plan.spec.id.text());
  out.number("task_count", plan.spec.tasks);
  out.number("total_actions", static_cast<std::int64_t>(plan.actions));
  out.number("total_jobs", static_cast<std::int64_t>(plan.jobs));
  return std::move(out).take();
}

// As AGQ writes it: times are numbers.
std::string counted(const Plan& plan) {
  ObjectText out;
  out.number("created_at", unix_seconds(plan.created_at));
  out.number("last_used", used_at(plan));
  out.text("plan_description", plan.spec.description);
  out.text("plan_id", plan.spec.id.text());
  out.number("task_count", plan.spec.tasks);
  out.number("total_actions", static_cast<std::int64_t>(plan.actions));
  out.number("total_jobs", static_cast<std::int64_t>(plan.jobs));
  return std::move(out).take();
}

void list_whole(const CallRef& call) {
  store::PlanQuery query{.ns = default_namespace(), .offset = 0, .limit = 1};
  ask(call, query, [call](Result<store::PlanPage> first) {
    if (!first.ok()) return refuse(call, first.status());
    store::PlanQuery rest{.ns = default_namespace()};
    if (first->total > kWholeListMax) rest.offset = first->total - kWholeListMax;
    collect(call, rest, kWholeListMax, [call](Result<Collected<Plan>> found) {
      if (!found.ok()) return refuse(call, found.status());
      std::string out;
      wire::array(out, found->items.size());
      for (const Plan& plan : found->items) wire::bulk(out, described(plan));
      call->answer(std::move(out));
    });
  });
}

void list_page(const CallRef& call) {
  const auto offset = to_integer(call->arg(1));
  if (!offset) return call->fail("offset must be a non-negative integer");
  std::int64_t limit = kPlansDefault;
  if (call->size() > 2) {
    const auto asked = to_integer(call->arg(2));
    if (!asked) return call->fail("limit must be a positive integer");
    limit = *asked;
  }
  if (*offset < 0 || limit <= 0) return call->fail("offset must be >= 0 and limit must be > 0");
  if (*offset > std::numeric_limits<std::int64_t>::max() - limit) return call->fail("Pagination range overflow");
  store::PlanQuery query{.ns = default_namespace(),
                         .offset = static_cast<std::uint64_t>(*offset),
                         .limit = std::min<std::size_t>(static_cast<std::size_t>(limit), kListMax)};
  ask(call, query, [call](Result<store::PlanPage> page) {
    if (!page.ok()) return refuse(call, page.status());
    std::vector<std::string> plans;
    for (const Plan& plan : page->plans) plans.push_back(counted(plan));
    call->answer(wire::bulk_reply(raw_array(plans)));
  });
}

struct NamesWanted {
  std::string pattern = "*";
  std::size_t offset = 0;
  std::size_t limit = kNamesDefault;
};

// [pattern] [LIMIT n] [OFFSET n]
std::optional<NamesWanted> read_names_wanted(const CallRef& call) {
  NamesWanted wanted;
  std::size_t i = 1;
  if (!same_in_any_case(call->arg(1), "LIMIT") && !same_in_any_case(call->arg(1), "OFFSET")) wanted.pattern = call->arg(i++);
  for (; i < call->size(); i += 2) {
    const bool is_limit = same_in_any_case(call->arg(i), "LIMIT");
    if ((!is_limit && !same_in_any_case(call->arg(i), "OFFSET")) || i + 1 == call->size()) {
      call->fail("syntax error: PLAN.LIST [pattern] [LIMIT n] [OFFSET n]");
      return std::nullopt;
    }
    const auto value = to_integer(call->arg(i + 1));
    if (!value || *value < (is_limit ? 1 : 0)) {
      call->fail(is_limit ? "limit must be a positive integer" : "offset must be a non-negative integer");
      return std::nullopt;
    }
    (is_limit ? wanted.limit : wanted.offset) = static_cast<std::size_t>(*value);
  }
  wanted.limit = std::min(wanted.limit, limits::kPageMax);
  return wanted;
}

void list_names(const CallRef& call) {
  auto wanted = read_names_wanted(call);
  if (!wanted) return;
  collect(call, store::PlanQuery{.ns = default_namespace()}, kCollectedMax,
          [call, wanted = *std::move(wanted)](Result<Collected<Plan>> found) {
            if (!found.ok()) return refuse(call, found.status());
            std::vector<std::string> names;
            std::size_t skip = wanted.offset;
            for (const Plan& plan : found->items) {
              if (names.size() == wanted.limit) break;
              if (!glob_matches(wanted.pattern, plan.spec.id.text())) continue;
              if (skip > 0) {
                --skip;
                continue;
              }
              names.push_back(plan.spec.id.text());
            }
            std::string out;
            wire::array(out, names.size());
            for (const std::string& name : names) wire::bulk(out, name);
            call->answer(std::move(out));
          });
}

// Numbers begin with a digit or a sign, and hold no glob.
bool looks_like_number(std::string_view text) {
  if (text.find_first_of("*?[") != std::string_view::npos) return false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

// The plan as it was submitted, with what is known about its use.
std::string with_metadata(const Plan& plan) {
  Json tree = json::parse_object(plan.spec.text).value_or(Json::object());
  tree["metadata"] = {{"created_at", unix_seconds(plan.created_at)},
                      {"last_used", used_at(plan)},
                      {"total_actions", plan.actions},
                      {"total_jobs", plan.jobs}};
  return json::dump(tree);
}

}  // namespace

void plan_submit(const CallRef& call) {
  Core& core = call->core();
  if (!core.plan_cache->spend(Limited::plan_submit))
    return call->fail(fmt::format("Protocol error: Rate limit exceeded for PLAN.SUBMIT (max {}/minute)",
                                  core.options.limits.plan_submits_per_minute));
  const auto document = plan::parse(call->arg(1));
  const std::string id = document.ok() ? document->id : std::string();
  ask(call, command::PlanSubmitRequest{.text = call->arg(1), .replace = core.options.compat_flags.plans_overwrite},
      [call, id](Result<command::PlanSubmitReply> stored) {
        if (stored.code() == Code::already_exists) return call->fail("Plan already exists: " + id);
        if (!stored.ok()) return refuse(call, stored.status());
        call->core().plan_cache->drop(id);
        call->answer(wire::bulk_reply(id));
      });
}

void plan_list(const CallRef& call) {
  if (call->size() == 1) return list_whole(call);
  if (looks_like_number(call->arg(1))) return list_page(call);
  list_names(call);
}

void plan_get(const CallRef& call) {
  if (Status status = plan::validate_identifier("plan_id", call->arg(1)); !status.ok()) return refuse(call, status);
  ask(call, command::PlanGetRequest{.plan = PlanId(call->arg(1))}, [call](Result<command::PlanGetReply> plan) {
    if (plan.code() == Code::not_found) return call->fail("Plan not found: " + call->arg(1));
    if (!plan.ok()) return refuse(call, plan.status());
    call->answer(wire::bulk_reply(with_metadata(*plan)));
  });
}

void remove_plan(const CallRef& call, const std::string& plan_id, UniqueFunction<void(Result<bool>)> then) {
  ask(call, command::PlanDeleteRequest{.plan = PlanId(plan_id)},
      [call, plan_id, then = std::move(then)](Result<command::PlanDeleteReply> plan) mutable {
        call->core().plan_cache->drop(plan_id);
        if (plan.ok()) return then(true);
        if (plan.code() == Code::not_found) return then(false);
        then(plan.status());
      });
}

void plan_delete(const CallRef& call) {
  if (Status status = plan::validate_identifier("plan_id", call->arg(1)); !status.ok()) return refuse(call, status);
  remove_plan(call, call->arg(1), [call](Result<bool> removed) {
    if (removed.code() == Code::conflict) return call->fail(kPlanInUse);
    if (!removed.ok()) return refuse(call, removed.status());
    call->answer(wire::integer_reply(*removed ? 1 : 0));
  });
}

}  // namespace muster::resp::plans
