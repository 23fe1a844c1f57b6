#include "command/watch/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/ascii.h"
#include "model/limits.h"

namespace muster::command {
namespace {

// One look after the other, so that a search never has more than one page in its hands. What a look cannot read, because there is
// no such thing, is nothing found; a store that does not answer ends the search.
class Search : public std::enable_shared_from_this<Search> {
 public:
  Search(Context& context, SearchRequest request, Reply<SearchReply> reply)
      : engine_(context.engine),
        caller_(context.caller),
        ns_(std::move(request.ns)),
        one_ns_(ns_.empty() ? NamespaceName(kDefaultNamespace) : ns_),
        text_(std::move(request.text)),
        part_(lower(text_)),
        reply_(std::move(reply)) {}

  void next() {
    static constexpr void (Search::*kLooks[])() = {
        &Search::job_by_id,  &Search::job_by_key, &Search::action,    &Search::worker_by_id, &Search::schedule_by_id,
        &Search::plan_by_id, &Search::workers,    &Search::schedules, &Search::queues,       &Search::plans};
    if (look_ == std::size(kLooks)) return reply_(SearchReply{.found = std::move(found_), .in_part = std::move(in_part_)});
    (this->*kLooks[look_++])();
  }

 private:
  bool holds(std::string_view name) const { return lower(name).find(part_) != std::string::npos; }

  void tell(Found one) {
    const auto same = [&](const Found& each) { return each.kind == one.kind && each.ns == one.ns && each.id == one.id; };
    const auto of_kind = std::count_if(found_.begin(), found_.end(), [&](const Found& each) { return each.kind == one.kind; });
    if (!may_use(caller_, one.ns) || static_cast<std::size_t>(of_kind) >= kFoundMax) return;
    if (std::none_of(found_.begin(), found_.end(), same)) found_.push_back(std::move(one));
  }

  // `take` is given what was read. not_found and invalid_argument: the text is none of these.
  template <class T, class Take>
  Reply<T> read(Take take) {
    return [self = shared_from_this(), take](Result<T> read) {
      if (read.ok())
        take(*self, *read);
      else if (read.code() != Code::not_found && read.code() != Code::invalid_argument)
        return self->reply_(read.status());
      self->next();
    };
  }

  void tell_job(const Job& job) {
    tell({.kind = job.spec.run ? "run" : "job",
          .ns = job.spec.ns,
          .id = job.id.text(),
          .title = fmt::format("{} {}", job.spec.type.text(), job.id.text()),
          .state = std::string(to_string(job.state))});
  }

  void read_jobs(std::vector<JobId> jobs) {
    engine_.jobs().get(std::move(jobs), read<store::Each<Job>>([](Search& self, store::Each<Job>& each) {
                         for (const Result<Job>& job : each)
                           if (job.ok()) self.tell_job(*job);
                       }));
  }

  // As the RESP front shows it, too.
  void job_by_id() {
    const std::string_view digits = text_;
    const auto id = JobId::parse(digits.starts_with("job_") ? digits.substr(4) : digits);
    if (!id) return next();
    read_jobs({*id});
  }

  void job_by_key() {
    engine_.jobs().find(one_ns_, {text_}, [self = shared_from_this()](Result<store::Each<JobId>> each) {
      if (!each.ok() || each->empty() || !each->front().ok()) return self->next();
      self->read_jobs({*each->front()});
    });
  }

  void action() {
    engine_.plans().get_action({.ns = one_ns_, .id = ActionId(text_)},
                               read<store::ActionView>([](Search& self, store::ActionView& view) {
                                 self.tell({.kind = "action",
                                            .ns = view.action.ns,
                                            .id = view.action.id.text(),
                                            .title = fmt::format("{} over {} inputs", view.action.plan.text(), view.action.jobs),
                                            .state = {}});
                               }));
  }

  void tell_worker(const Worker& worker) {
    tell({.kind = "worker",
          .ns = worker.spec.ns,
          .id = worker.spec.id.text(),
          .title = worker.spec.id.text(),
          .state = std::string(to_string(worker.state))});
  }

  void tell_schedule(const Schedule& schedule) {
    tell({.kind = "schedule",
          .ns = schedule.spec.ns,
          .id = schedule.spec.id.text(),
          .title = schedule.spec.note.empty() ? schedule.spec.job.type.text() : schedule.spec.note,
          .state = schedule.spec.enabled ? "" : "paused"});
  }

  void tell_plan(const Plan& plan) {
    tell({.kind = "plan", .ns = plan.spec.ns, .id = plan.spec.id.text(), .title = plan.spec.id.text(), .state = {}});
  }

  // By the whole id, however many there are: names are looked for on one page only.
  void worker_by_id() {
    engine_.workers().get(one_ns_, {WorkerId(text_)}, read<store::Each<Worker>>([](Search& self, store::Each<Worker>& each) {
                            for (const Result<Worker>& worker : each)
                              if (worker.ok()) self.tell_worker(*worker);
                          }));
  }

  void schedule_by_id() {
    engine_.schedules().get(one_ns_, ScheduleId(text_),
                            read<Schedule>([](Search& self, Schedule& schedule) { self.tell_schedule(schedule); }));
  }

  void plan_by_id() {
    engine_.plans().get(one_ns_, {PlanId(text_)}, read<store::Each<Plan>>([](Search& self, store::Each<Plan>& each) {
                          for (const Result<Plan>& plan : each)
                            if (plan.ok()) self.tell_plan(*plan);
                        }));
  }

  void workers() {
    store::WorkerQuery query;
    query.ns = ns_;
    query.limit = limits::kPageMax;
    engine_.workers().list(std::move(query), read<store::WorkerPage>([](Search& self, store::WorkerPage& page) {
                             if (!page.next.empty()) self.in_part_.emplace_back("worker");
                             for (const Worker& worker : page.workers)
                               if (self.holds(worker.spec.id.text()) || self.holds(worker.spec.hostname))
                                 self.tell_worker(worker);
                           }));
  }

  void schedules() {
    store::ScheduleQuery query;
    query.ns = ns_;
    query.limit = limits::kPageMax;
    engine_.schedules().list(std::move(query), read<store::SchedulePage>([](Search& self, store::SchedulePage& page) {
                               if (!page.next.empty()) self.in_part_.emplace_back("schedule");
                               for (const Schedule& schedule : page.schedules)
                                 if (self.holds(schedule.spec.id.text()) || self.holds(schedule.spec.note) ||
                                     self.holds(schedule.spec.job.type.text()))
                                   self.tell_schedule(schedule);
                             }));
  }

  void queues() {
    engine_.queues().list(ns_, read<std::vector<QueueStats>>([](Search& self, std::vector<QueueStats>& queues) {
                            for (const QueueStats& queue : queues)
                              if (self.holds(queue.queue.text()))
                                self.tell({.kind = "queue",
                                           .ns = queue.ns,
                                           .id = queue.queue.text(),
                                           .title = queue.queue.text(),
                                           .state = queue.settings.paused ? "paused" : ""});
                          }));
  }

  void plans() {
    store::PlanQuery query;
    query.ns = one_ns_;
    query.limit = limits::kPageMax;
    engine_.plans().list(std::move(query), read<store::PlanPage>([](Search& self, store::PlanPage& page) {
                           if (page.total > page.plans.size()) self.in_part_.emplace_back("plan");
                           for (const Plan& plan : page.plans)
                             if (self.holds(plan.spec.id.text()) || self.holds(plan.spec.description)) self.tell_plan(plan);
                         }));
  }

  engine::Engine& engine_;
  const Caller caller_;
  const NamespaceName ns_;
  const NamespaceName one_ns_;  // of what is known within one namespace only
  const std::string text_;
  const std::string part_;
  Reply<SearchReply> reply_;
  std::size_t look_ = 0;
  std::vector<Found> found_;
  std::vector<std::string> in_part_;
};

}  // namespace

void handle(Context& context, SearchRequest request, Reply<SearchReply> reply) {
  if (request.text.size() < kSearchTextMin || request.text.size() > kSearchTextMax)
    return reply(Status::invalid_argument(
        fmt::format("q has {} bytes; {} to {} are accepted", request.text.size(), kSearchTextMin, kSearchTextMax)));
  std::make_shared<Search>(context, std::move(request), std::move(reply))->next();
}

}  // namespace muster::command
