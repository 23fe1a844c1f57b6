#include "fronts/resp/plans/collect.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace muster::resp::plans {
namespace {

// How one kind of listing is asked, and how its pages go on.
struct JobPages {
  using Query = store::JobQuery;
  using Page = store::JobPage;
  using Item = Job;
  static void ask(Core& core, const Query& query, Reply<Page> reply) { core.engine.jobs().list(query, std::move(reply)); }
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
  static void ask(Core& core, const Query& query, Reply<Page> reply) { core.engine.workers().list(query, std::move(reply)); }
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
  static void ask(Core& core, const Query& query, Reply<Page> reply) { core.engine.plans().list(query, std::move(reply)); }
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
  static void ask(Core& core, const Query& query, Reply<Page> reply) {
    core.engine.plans().list_actions(query, std::move(reply));
  }
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

  Collection(Core& core, typename Pages::Query query, std::size_t most, CollectedThen<Item> then)
      : core_(core), query_(std::move(query)), most_(most), then_(std::move(then)) {}

  void step() {
    query_.limit = std::clamp<std::size_t>(most_ - collected_.items.size(), 1, limits::kPageMax);
    Pages::ask(core_, query_,
               core_.on_loop<typename Pages::Page>(
                   [self = this->shared_from_this()](Result<typename Pages::Page> page) { self->take(std::move(page)); }));
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

  Core& core_;
  typename Pages::Query query_;
  const std::size_t most_;
  CollectedThen<Item> then_;
  Collected<Item> collected_;
  std::size_t bytes_ = 0;
};

template <class Pages>
void start(Core& core, typename Pages::Query query, std::size_t most, CollectedThen<typename Pages::Item> then) {
  if (most == 0) return then(Collected<typename Pages::Item>{});
  std::make_shared<Collection<Pages>>(core, std::move(query), std::min(most, kCollectedMax), std::move(then))->step();
}

// Jobs are read whole here, so few at a time.
constexpr std::size_t kJobsAtOnce = 100;

class JobVisit : public std::enable_shared_from_this<JobVisit> {
 public:
  JobVisit(Core& core, std::vector<JobId> ids, UniqueFunction<void(const Job&)> each, UniqueFunction<void(Status)> done)
      : core_(core), ids_(std::move(ids)), each_(std::move(each)), done_(std::move(done)) {}

  void step() {
    if (next_ == ids_.size()) return done_({});
    const std::size_t end = std::min(ids_.size(), next_ + kJobsAtOnce);
    std::vector<JobId> some(ids_.begin() + static_cast<std::ptrdiff_t>(next_), ids_.begin() + static_cast<std::ptrdiff_t>(end));
    next_ = end;
    core_.engine.jobs().get(std::move(some),
                            core_.on_loop<store::Each<Job>>([self = shared_from_this()](Result<store::Each<Job>> found) {
                              if (!found.ok()) return self->done_(found.status());
                              for (const Result<Job>& job : *found)
                                if (job.ok()) self->each_(*job);
                              self->step();
                            }));
  }

 private:
  Core& core_;
  std::vector<JobId> ids_;
  UniqueFunction<void(const Job&)> each_;
  UniqueFunction<void(Status)> done_;
  std::size_t next_ = 0;
};

}  // namespace

void collect(Core& core, store::JobQuery query, std::size_t most, CollectedThen<Job> then) {
  start<JobPages>(core, std::move(query), most, std::move(then));
}
void collect(Core& core, store::WorkerQuery query, std::size_t most, CollectedThen<Worker> then) {
  start<WorkerPages>(core, std::move(query), most, std::move(then));
}
void collect(Core& core, store::PlanQuery query, std::size_t most, CollectedThen<Plan> then) {
  start<PlanPages>(core, std::move(query), most, std::move(then));
}
void collect(Core& core, store::ActionListQuery query, std::size_t most, CollectedThen<Action> then) {
  start<ActionPages>(core, std::move(query), most, std::move(then));
}

void visit_jobs(Core& core, std::vector<JobId> ids, UniqueFunction<void(const Job&)> each, UniqueFunction<void(Status)> done) {
  std::make_shared<JobVisit>(core, std::move(ids), std::move(each), std::move(done))->step();
}

}  // namespace muster::resp::plans
