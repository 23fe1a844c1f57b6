#include "fronts/resp/plans/collect.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "command/actions.h"
#include "command/jobs.h"
#include "command/plans.h"
#include "command/workers.h"

namespace muster::resp::plans {
namespace {

// How one kind of listing is asked, and how its pages go on.
struct JobPages {
  using Query = store::JobQuery;
  using Page = store::JobPage;
  using Item = Job;
  static std::vector<Item>& items(Page& page) { return page.jobs; }
  static bool advance(Query& query, const Page& page) {
    query.cursor = page.next;
    return !page.next.empty();
  }
  static std::size_t bytes(const Item& job) { return job.spec.payload.data.size() + (job.result ? job.result->data.size() : 0); }
};

struct WorkerPages {
  using Query = store::WorkerQuery;
  using Page = store::WorkerPage;
  using Item = Worker;
  static std::vector<Item>& items(Page& page) { return page.workers; }
  static bool advance(Query& query, const Page& page) {
    query.cursor = page.next;
    return !page.next.empty();
  }
  static std::size_t bytes(const Item& worker) { return worker.spec.metadata.size() + worker.stats.size(); }
};

struct PlanPages {
  using Query = store::PlanQuery;
  using Page = store::PlanPage;
  using Item = Plan;
  static std::vector<Item>& items(Page& page) { return page.plans; }
  static bool advance(Query& query, const Page& page) {
    query.offset += page.plans.size();
    return !page.plans.empty() && query.offset < page.total;
  }
  static std::size_t bytes(const Item& plan) { return plan.spec.text.size(); }
};

struct ActionPages {
  using Query = store::ActionListQuery;
  using Page = store::ActionPage;
  using Item = Action;
  static std::vector<Item>& items(Page& page) { return page.actions; }
  static bool advance(Query& query, const Page& page) {
    query.offset += page.actions.size();
    return !page.actions.empty() && query.offset < page.total;
  }
  static std::size_t bytes(const Item&) { return 0; }
};

template <class Pages>
class Collection : public std::enable_shared_from_this<Collection<Pages>> {
 public:
  using Item = typename Pages::Item;

  Collection(CallRef call, typename Pages::Query query, std::size_t most, CollectedThen<Item> then)
      : call_(std::move(call)), query_(std::move(query)), most_(most), then_(std::move(then)) {}

  void step() {
    query_.limit = std::clamp<std::size_t>(most_ - collected_.items.size(), 1, limits::kPageMax);
    ask(call_, query_, [self = this->shared_from_this()](Result<typename Pages::Page> page) { self->take(std::move(page)); });
  }

 private:
  void take(Result<typename Pages::Page> page) {
    if (!page.ok()) return then_(page.status());
    const bool more = Pages::advance(query_, *page);
    for (Item& item : Pages::items(*page)) {
      bytes_ += Pages::bytes(item);
      collected_.items.push_back(std::move(item));
    }
    collected_.more = more && (collected_.items.size() >= most_ || bytes_ >= kCollectedBytesMax);
    if (!more || collected_.more) return then_(std::move(collected_));
    step();
  }

  const CallRef call_;
  typename Pages::Query query_;
  const std::size_t most_;
  CollectedThen<Item> then_;
  Collected<Item> collected_;
  std::size_t bytes_ = 0;
};

template <class Pages>
void start(const CallRef& call, typename Pages::Query query, std::size_t most, CollectedThen<typename Pages::Item> then) {
  if (most == 0) return then(Collected<typename Pages::Item>{});
  std::make_shared<Collection<Pages>>(call, std::move(query), std::min(most, kCollectedMax), std::move(then))->step();
}

// Jobs are read whole here, so few at a time.
constexpr std::size_t kJobsAtOnce = 100;

class JobVisit : public std::enable_shared_from_this<JobVisit> {
 public:
  JobVisit(CallRef call, std::vector<JobId> ids, UniqueFunction<void(const Job&)> each, UniqueFunction<void(Status)> done)
      : call_(std::move(call)), ids_(std::move(ids)), each_(std::move(each)), done_(std::move(done)) {}

  void step() {
    if (next_ == ids_.size()) return done_({});
    const std::size_t end = std::min(ids_.size(), next_ + kJobsAtOnce);
    std::vector<command::JobGetRequest> some;
    while (next_ < end) some.push_back({ids_[next_++]});
    ask_all(call_, std::move(some), [self = shared_from_this()](Result<store::Each<Job>> found) {
      if (!found.ok()) return self->done_(found.status());
      for (const Result<Job>& job : *found)
        if (job.ok()) self->each_(*job);
      self->step();
    });
  }

 private:
  const CallRef call_;
  std::vector<JobId> ids_;
  UniqueFunction<void(const Job&)> each_;
  UniqueFunction<void(Status)> done_;
  std::size_t next_ = 0;
};

}  // namespace

void collect(const CallRef& call, store::JobQuery query, std::size_t most, CollectedThen<Job> then) {
  start<JobPages>(call, std::move(query), most, std::move(then));
}
void collect(const CallRef& call, store::WorkerQuery query, std::size_t most, CollectedThen<Worker> then) {
  start<WorkerPages>(call, std::move(query), most, std::move(then));
}
void collect(const CallRef& call, store::PlanQuery query, std::size_t most, CollectedThen<Plan> then) {
  start<PlanPages>(call, std::move(query), most, std::move(then));
}
void collect(const CallRef& call, store::ActionListQuery query, std::size_t most, CollectedThen<Action> then) {
  start<ActionPages>(call, std::move(query), most, std::move(then));
}

void visit_jobs(const CallRef& call, std::vector<JobId> ids, UniqueFunction<void(const Job&)> each,
                UniqueFunction<void(Status)> done) {
  std::make_shared<JobVisit>(call, std::move(ids), std::move(each), std::move(done))->step();
}

}  // namespace muster::resp::plans
