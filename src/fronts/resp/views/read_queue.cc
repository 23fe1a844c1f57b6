// queue:<name>, queue:processing and queue:scheduled: jobs as the lists and the sorted set that clients of the original know.
//
// A list shows its newest job first, as LPUSH would have left it; what a client pushed itself is shown as it pushed it.
#include <algorithm>
#include <limits>
#include <utility>

#include "fronts/resp/plans/collect.h"
#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/plans/live_state.h"
#include "fronts/resp/views/queue_jobs.h"
#include "fronts/resp/views/read.h"

namespace muster::resp::views {
namespace {

using store::KeyType;

std::uint64_t length_of(const ViewKey& key, const std::vector<QueueStats>& queues) {
  const plans::QueueTotals sum = plans::totals_of(queues);
  if (key.kind == Kind::processing) return sum.running;
  if (key.kind == Kind::scheduled) return sum.scheduled;
  return plans::ready_in(queues, key.id);
}

// From the end that is nearer to what is asked for.
void fill_list(const CallRef& call, const ViewKey& key, View view, Stretch part, ReadThen then) {
  const std::uint64_t behind = view.count - part.first - part.count;  // older ones that are not asked for
  const bool from_newest = part.first <= behind;
  const std::uint64_t skip = from_newest ? part.first : behind;
  if (skip + part.count > plans::kCollectedMax) return then(too_many(skip + part.count));
  store::JobQuery query;
  query.filter = filter_of(key);
  query.order = from_newest ? store::Order::newest_first : store::Order::oldest_first;
  query.with_payload = true;
  plans::collect(
      call, std::move(query), skip + part.count,
      [view = std::move(view), skip, from_newest, then = std::move(then)](Result<plans::Collected<Job>> found) mutable {
        if (!found.ok()) return then(found.status());
        for (std::size_t i = skip; i < found->items.size(); ++i) view.items.push_back(element_of(found->items[i]));
        if (!from_newest) std::reverse(view.items.begin(), view.items.end());
        then(std::move(view));
      });
}

void read_scores(const CallRef& call, const ViewKey& key, ReadThen then) {
  store::JobQuery query;
  query.filter = filter_of(key);
  query.with_payload = true;
  plans::collect(call, std::move(query), plans::kCollectedMax,
                 [then = std::move(then)](Result<plans::Collected<Job>> found) mutable {
                   if (!found.ok()) return then(found.status());
                   if (found->more) return then(too_many(plans::kCollectedMax + 1));
                   std::vector<store::ScoredMember> members;
                   for (const Job& job : found->items) members.push_back({element_of(job), due_score(job)});
                   View view = scores_view(std::move(members));
                   view.forms = {KeyType::scores, KeyType::list};
                   then(std::move(view));
                 });
}

}  // namespace

store::JobFilter filter_of(const ViewKey& key) {
  store::JobFilter filter;
  filter.ns = default_namespace();
  if (key.kind == Kind::processing) {
    filter.states = {JobState::running};
  } else if (key.kind == Kind::scheduled) {
    filter.states = {JobState::scheduled};
  } else {
    filter.states = {JobState::ready};
    filter.queue = QueueName(key.id);
  }
  return filter;
}

std::string element_of(const Job& job) {
  if (job.spec.type.text() == plans::kTypeElement) return job.spec.payload.data;
  return plans::job_name(job.id, job.spec.labels);
}

double due_score(const Job& job) {
  if (!job.run_at) return std::numeric_limits<double>::infinity();
  return static_cast<double>(to_ms(*job.run_at)) / 1000;
}

void read_queue(const CallRef& call, const ViewKey& key, const Want& want, ReadThen then) {
  if (want.form == KeyType::scores && want.elements && key.kind == Kind::scheduled)
    return read_scores(call, key, std::move(then));
  plans::with_queues(call, [call, key, want, then = std::move(then)](const std::vector<QueueStats>& queues) mutable {
    View view = list_view(length_of(key, queues));
    if (key.kind == Kind::scheduled) view.forms = {KeyType::scores, KeyType::list};
    const auto part = want.elements ? stretch(want.start, want.stop, view.count) : std::nullopt;
    if (!part) return then(std::move(view));
    view.first = part->first;
    fill_list(call, key, std::move(view), *part, std::move(then));
  });
}

}  // namespace muster::resp::views
