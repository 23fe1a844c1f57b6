#include "fronts/resp/views/read.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fronts/resp/plans/collect.h"

namespace muster::resp::views {

using store::KeyType;

View absent(std::initializer_list<KeyType> forms) {
  View view;
  view.forms = forms;
  return view;
}

View text_view(std::string text) {
  View view;
  view.exists = true;
  view.forms = {KeyType::text};
  view.text = std::move(text);
  return view;
}

View hash_view(std::vector<store::KeyPair> fields) {
  std::sort(fields.begin(), fields.end(), [](const store::KeyPair& a, const store::KeyPair& b) { return a.first < b.first; });
  View view;
  view.exists = true;
  view.forms = {KeyType::hash};
  view.hash = std::move(fields);
  return view;
}

View scores_view(std::vector<store::ScoredMember> members) {
  std::sort(members.begin(), members.end(), [](const store::ScoredMember& a, const store::ScoredMember& b) {
    return std::tie(a.score, a.member) < std::tie(b.score, b.member);
  });
  View view;
  view.exists = !members.empty();
  view.forms = {KeyType::scores};
  view.count = members.size();
  view.scores = std::move(members);
  return view;
}

View list_view(std::uint64_t count) {
  View view;
  view.exists = count > 0;
  view.forms = {KeyType::list};
  view.count = count;
  return view;
}

Status too_many(std::uint64_t elements) {
  return Status::invalid_argument(
      fmt::format("{} elements are too many to be shown at once; at most {} are", elements, plans::kCollectedMax));
}

void read_view(const CallRef& call, const ViewKey& key, const Want& want, ReadThen then) {
  switch (key.kind) {
    case Kind::worker:
    case Kind::worker_metadata:
    case Kind::worker_alive:
    case Kind::worker_stats:
    case Kind::worker_tools:
    case Kind::worker_tags: return read_worker(call, key, want, std::move(then));
    case Kind::capability: return read_capability(call, key, want, std::move(then));
    case Kind::all_workers: return read_all_workers(call, want, std::move(then));
    case Kind::job:
    case Kind::job_worker:
    case Kind::job_status:
    case Kind::job_stdout:
    case Kind::job_stderr:
    case Kind::job_metadata:
    case Kind::job_plan:
    case Kind::job_input:
    case Kind::job_output: return read_job(call, key, want, std::move(then));
    case Kind::plan:
    case Kind::plan_stats:
    case Kind::plan_actions:
    case Kind::plan_jobs: return read_plan(call, key, want, std::move(then));
    case Kind::all_plans: return read_all_plans(call, want, std::move(then));
    case Kind::action:
    case Kind::action_jobs: return read_action(call, key, want, std::move(then));
    case Kind::all_actions: return read_all_actions(call, want, std::move(then));
    case Kind::queue:
    case Kind::processing:
    case Kind::scheduled: return read_queue(call, key, want, std::move(then));
  }
}

}  // namespace muster::resp::views
