#include "fronts/resp/plans/plan_cache.h"

#include <utility>

#include "base/json_reader.h"
#include "command/plans.h"
#include "fronts/resp/core.h"
#include "fronts/resp/plans/json_text.h"

namespace muster::resp::plans {
namespace {

// The task as a plan of its own, for jobs that run one task: first and only, reading from nobody.
std::string task_alone(const plan::Task& task, const std::string& arguments, const std::string& command) {
  ObjectText out;
  out.raw("args", arguments);
  out.raw("command", command);
  out.number("task_number", 1);
  if (task.timeout_secs) out.number("timeout_secs", *task.timeout_secs);
  return std::move(out).take();
}

std::uint32_t per_minute(const Limits& limits, Limited what) {
  switch (what) {
    case Limited::plan_submit: return limits.plan_submits_per_minute;
    case Limited::action_submit: return limits.action_submits_per_minute;
    case Limited::job_get: return limits.job_gets_per_minute;
    case Limited::heartbeat: return limits.heartbeats_per_minute;
  }
  return 0;
}

}  // namespace

Result<StoredPlan> read_plan(std::string text) {
  Result<plan::Document> document = plan::parse(text);
  if (!document.ok()) return Status::corrupt("a kept plan does not read: " + document.status().message());
  StoredPlan plan;
  plan.document = *std::move(document);
  const json::Tree tree = json::parse_object(text).value_or(json::Tree::object());
  const json::Tree* tasks = json::array(tree, "tasks");
  plan.json = json::dump(tree);
  plan.tasks = tasks == nullptr ? "[]" : json::dump(*tasks);
  for (const plan::Task& task : plan.document.tasks) {
    plan.arguments.push_back(string_array(task.args));
    plan.commands.push_back(json_string(task.command));
    plan.task.push_back(task_alone(task, plan.arguments.back(), plan.commands.back()));
  }
  if (!plan.document.description.empty()) plan.description = json_string(plan.document.description);
  plan.text = std::move(text);
  return plan;
}

PlanCache::PlanCache(Core& core) : core_(core) {}
PlanCache::~PlanCache() = default;

void PlanCache::find(const std::string& plan_id, Found then) {
  if (const auto it = entries_.find(plan_id); it != entries_.end()) {
    if (core_.clock().elapsed() - it->second.read_at < kKept) {
      by_use_.splice(by_use_.end(), by_use_, it->second.place);
      return then(it->second.plan);
    }
    drop(plan_id);
  }
  const auto [asked, first] = asked_.try_emplace(plan_id);
  asked->second.waiting.push_back(core_.later(std::move(then)));
  if (!first) {
    // What is being read may be older than a change that was just made; whoever asks after the change waits for a second look.
    if (asked->second.stale) asked->second.again = true;
    return;
  }
  try {
    read(plan_id);
  } catch (...) {
    asked_.erase(plan_id);  // or everybody who asks for the plan later would wait for this answer
    throw;
  }
}

void PlanCache::read(const std::string& plan_id) {
  core_.ask(command::itself(), command::PlanGetRequest{.plan = PlanId(plan_id)}, [this, plan_id](Result<Plan> found) {
    std::shared_ptr<const StoredPlan> plan;
    if (found.ok())
      if (auto read = read_plan(std::move(found->spec.text)); read.ok())
        plan = std::make_shared<const StoredPlan>(*std::move(read));
    answer(plan_id, std::move(plan));
  });
}

void PlanCache::answer(const std::string& plan_id, std::shared_ptr<const StoredPlan> plan) {
  const auto it = asked_.find(plan_id);
  if (it == asked_.end()) return;
  if (it->second.again) {
    it->second.again = it->second.stale = false;
    return read(plan_id);
  }
  // Those who wait may ask again, so they are told when nothing here is under way any more.
  Asked asked = std::move(it->second);
  asked_.erase(it);
  if (plan && !asked.stale) keep(plan_id, plan);
  for (Found& then : asked.waiting) then(plan);
}

void PlanCache::drop(const std::string& plan_id) {
  if (const auto asked = asked_.find(plan_id); asked != asked_.end()) asked->second.stale = true;
  const auto it = entries_.find(plan_id);
  if (it == entries_.end()) return;
  by_use_.erase(it->second.place);
  entries_.erase(it);
}

void PlanCache::keep(const std::string& plan_id, std::shared_ptr<const StoredPlan> plan) {
  if (const auto it = entries_.find(plan_id); it != entries_.end()) {
    by_use_.erase(it->second.place);
    entries_.erase(it);
  }
  while (entries_.size() >= kPlansMax) {
    entries_.erase(by_use_.front());
    by_use_.pop_front();
  }
  const auto place = by_use_.insert(by_use_.end(), plan_id);
  entries_.emplace(plan_id, Entry{std::move(plan), core_.clock().elapsed(), place});
}

bool PlanCache::spend(Limited what) {
  const std::uint32_t count = per_minute(core_.options.limits, what);
  if (count == 0) return true;
  const RateLimit limit{.count = static_cast<double>(count), .per = Duration(60'000), .burst = count};
  RateBucket& bucket = buckets_[static_cast<std::size_t>(what)];
  if (!bucket.has_token(limit, core_.now())) return false;
  bucket.take();
  return true;
}

}  // namespace muster::resp::plans
