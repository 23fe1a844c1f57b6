// plan:<id>, action:<id> and what hangs on them, plans:all, actions:all.
#include <algorithm>
#include <utility>

#include "command/actions.h"
#include "command/plans.h"
#include "fronts/resp/plans/action_words.h"
#include "fronts/resp/plans/collect.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/views/read.h"

namespace muster::resp::views {
namespace {

using store::KeyType;

View plan_view(const Plan& plan) {
  View view = hash_view({{"created_at", plans::unix_seconds_text(plan.created_at)},
                         {"json", plan.spec.text},
                         {"plan_description", plan.spec.description},
                         {"status", "ready"},
                         {"task_count", std::to_string(plan.spec.tasks)}});
  view.forms = {KeyType::text, KeyType::hash};
  view.text = plan.spec.text;
  return view;
}

View usage_view(const Plan& plan) {
  if (!plan.last_used_at) return absent({KeyType::hash});
  return hash_view({{"last_used", plans::unix_seconds_text(*plan.last_used_at)},
                    {"total_actions", std::to_string(plan.actions)},
                    {"total_jobs", std::to_string(plan.jobs)}});
}

View action_view(const Action& action) {
  const plans::Summary sum = plans::summary_of(action.counts);
  return hash_view({{"created_at", plans::unix_seconds_text(action.created_at)},
                    {"jobs_completed", std::to_string(sum.completed)},
                    {"jobs_created", std::to_string(action.jobs)},
                    {"jobs_failed", std::to_string(sum.failed)},
                    {"jobs_pending", std::to_string(sum.pending)},
                    {"plan_id", action.plan.text()},
                    {"status", std::string(plans::action_word(action.counts))}});
}

// The elements of a list that are asked for, of `count`: as a view to be filled and the stretch to fill it with.
struct Window {
  View view;
  Stretch part;  // empty: nothing to read
};

Result<Window> window_of(const Want& want, std::uint64_t count) {
  Window window{list_view(count), {}};
  if (!want.elements) return window;
  window.part = stretch(want.start, want.stop, count).value_or(Stretch{});
  if (window.part.count > plans::kCollectedMax) return too_many(window.part.count);
  window.view.first = window.part.first;
  return window;
}

// --- plan:<id>:actions ---

void read_actions_of(const CallRef& call, const std::string& plan, const Want& want, ReadThen then) {
  store::ActionListQuery query{.ns = default_namespace(), .plan = PlanId(plan), .limit = 1, .newest_first = true};
  ask(call, query, [call, query, want, then = std::move(then)](Result<store::ActionPage> page) mutable {
    if (!page.ok()) return then(page.status());
    Result<Window> window = window_of(want, page->total);
    if (!window.ok()) return then(window.status());
    if (window->part.count == 0) return then(std::move(window->view));
    query.offset = window->part.first;
    plans::collect(call, query, window->part.count,
                   [view = std::move(window->view), then = std::move(then)](Result<plans::Collected<Action>> found) mutable {
                     if (!found.ok()) return then(found.status());
                     for (const Action& action : found->items) view.items.push_back(action.id.text());
                     then(std::move(view));
                   });
  });
}

// --- plan:<id>:jobs: the jobs of its actions, from the newest action's last to the oldest one's first ---

class JobsOfPlan : public std::enable_shared_from_this<JobsOfPlan> {
 public:
  JobsOfPlan(CallRef call, Window window, std::vector<Action> actions, ReadThen then)
      : call_(std::move(call)),
        view_(std::move(window.view)),
        actions_(std::move(actions)),
        then_(std::move(then)),
        skip_(window.part.first),
        left_(window.part.count) {}

  void step() {
    // An action is as long as it was made, whatever became of its jobs.
    while (next_ < actions_.size() && skip_ >= actions_[next_].jobs) skip_ -= actions_[next_++].jobs;
    if (next_ == actions_.size() || left_ == 0) return then_(std::move(view_));
    const Action& action = actions_[next_++];
    const std::uint64_t some = std::min<std::uint64_t>(left_, action.jobs - skip_);
    store::ActionQuery query{.ns = action.ns,
                             .id = action.id,
                             .job_offset = std::exchange(skip_, 0),
                             .job_limit = static_cast<std::size_t>(some),
                             .newest_first = true};
    ask(call_, query, [self = shared_from_this(), some](Result<store::ActionView> found) {
      if (!found.ok() && found.code() != Code::not_found) return self->then_(found.status());
      if (found.ok())
        for (const JobId& job : found->jobs) self->view_.items.push_back(plans::job_name(job));
      self->left_ -= some;
      self->step();
    });
  }

 private:
  const CallRef call_;
  View view_;
  const std::vector<Action> actions_;
  ReadThen then_;
  std::uint64_t skip_;
  std::uint64_t left_;
  std::size_t next_ = 0;
};

void read_jobs_of(const CallRef& call, const std::string& plan, const Want& want, ReadThen then) {
  store::ActionListQuery query{.ns = default_namespace(), .plan = PlanId(plan), .newest_first = true};
  plans::collect(call, query, plans::kCollectedMax,
                 [call, want, then = std::move(then)](Result<plans::Collected<Action>> found) mutable {
                   if (!found.ok()) return then(found.status());
                   std::uint64_t count = 0;
                   for (const Action& action : found->items) count += action.jobs;
                   Result<Window> window = window_of(want, count);
                   if (!window.ok()) return then(window.status());
                   std::make_shared<JobsOfPlan>(call, *std::move(window), std::move(found->items), std::move(then))->step();
                 });
}

// --- action:<id>:jobs ---

void read_action_jobs(const CallRef& call, const Action& action, const Want& want, ReadThen then) {
  Result<Window> window = window_of(want, action.jobs);
  if (!window.ok()) return then(window.status());
  if (window->part.count == 0) return then(std::move(window->view));
  ask(call,
      command::ActionGetRequest{.ns = action.ns,
                                .id = action.id,
                                .job_offset = window->part.first,
                                .job_limit = static_cast<std::size_t>(window->part.count),
                                .newest_first = true},
      [view = std::move(window->view), then = std::move(then)](Result<store::ActionView> found) mutable {
        if (!found.ok()) return then(found.status());
        for (const JobId& job : found->jobs) view.items.push_back(plans::job_name(job));
        then(std::move(view));
      });
}

}  // namespace

void read_plan(const CallRef& call, const ViewKey& key, const Want& want, ReadThen then) {
  if (key.kind == Kind::plan_actions) return read_actions_of(call, key.id, want, std::move(then));
  if (key.kind == Kind::plan_jobs) return read_jobs_of(call, key.id, want, std::move(then));
  ask(call, command::PlanGetRequest{.plan = PlanId(key.id)},
      [kind = key.kind, then = std::move(then)](const Result<Plan>& plan) mutable {
        if (plan.code() == Code::not_found)
          return then(kind == Kind::plan ? absent({KeyType::text, KeyType::hash}) : absent({KeyType::hash}));
        if (!plan.ok()) return then(plan.status());
        then(kind == Kind::plan ? plan_view(*plan) : usage_view(*plan));
      });
}

void read_action(const CallRef& call, const ViewKey& key, const Want& want, ReadThen then) {
  ask(call, command::ActionGetRequest{.ns = default_namespace(), .id = ActionId(key.id)},
      [call, kind = key.kind, want, then = std::move(then)](Result<store::ActionView> found) mutable {
        if (found.code() == Code::not_found)
          return then(kind == Kind::action ? absent({KeyType::hash}) : absent({KeyType::list}));
        if (!found.ok()) return then(found.status());
        if (kind == Kind::action) return then(action_view(found->action));
        read_action_jobs(call, found->action, want, std::move(then));
      });
}

void read_all_plans(const CallRef& call, const Want&, ReadThen then) {
  plans::collect(call, store::PlanQuery{.ns = default_namespace()}, plans::kCollectedMax,
                 [then = std::move(then)](Result<plans::Collected<Plan>> found) mutable {
                   if (!found.ok()) return then(found.status());
                   if (found->more) return then(too_many(plans::kCollectedMax + 1));
                   std::vector<store::ScoredMember> members;
                   for (const Plan& plan : found->items)
                     members.push_back({plan.spec.id.text(), static_cast<double>(plans::unix_seconds(plan.created_at))});
                   then(scores_view(std::move(members)));
                 });
}

void read_all_actions(const CallRef& call, const Want&, ReadThen then) {
  plans::collect(call, store::ActionListQuery{.ns = default_namespace()}, plans::kCollectedMax,
                 [then = std::move(then)](Result<plans::Collected<Action>> found) mutable {
                   if (!found.ok()) return then(found.status());
                   if (found->more) return then(too_many(plans::kCollectedMax + 1));
                   std::vector<store::ScoredMember> members;
                   for (const Action& action : found->items)
                     members.push_back({action.id.text(), static_cast<double>(plans::unix_seconds(action.created_at))});
                   then(scores_view(std::move(members)));
                 });
}

}  // namespace muster::resp::views
