#include "command/job_settle.h"

#include <fmt/format.h>

#include <atomic>
#include <memory>

#include "command/lease_guard.h"

namespace muster::command {

namespace {

// Collects the four answers, which may come on different threads, and replies with the last of them.
class Gathering {
 public:
  explicit Gathering(Reply<JobSettleReply> reply) : reply_(std::move(reply)) {}

  // Where one kind's answers go. `count` elements share the failure when the whole batch fails.
  Reply<store::Each<store::Settled>> into(store::Each<store::Settled> JobSettleReply::*kind, std::size_t count,
                                          std::shared_ptr<Gathering> self) {
    return [self = std::move(self), kind, count](Result<store::Each<store::Settled>> answers) mutable {
      self->collected_.*kind =
          answers.ok() ? *std::move(answers) : store::Each<store::Settled>(count, Result<store::Settled>(answers.status()));
      if (self->left_.fetch_sub(1, std::memory_order_acq_rel) == 1) self->reply_(std::move(self->collected_));
    };
  }

 private:
  Reply<JobSettleReply> reply_;
  JobSettleReply collected_;
  std::atomic<int> left_{4};
};

std::vector<JobId> jobs_of(const JobSettleRequest& request) {
  std::vector<JobId> jobs;
  for (const auto& each : request.complete) jobs.push_back(each.lease.job);
  for (const auto& each : request.fail) jobs.push_back(each.lease.job);
  for (const auto& each : request.snooze) jobs.push_back(each.lease.job);
  for (const auto& each : request.release) jobs.push_back(each.lease.job);
  return jobs;
}

template <class Batch, class Verb>
void settle(Batch batch, Reply<store::Each<store::Settled>> reply, Verb verb) {
  if (batch.empty()) return reply(store::Each<store::Settled>());
  verb(std::move(batch), std::move(reply));
}

void settle_all(engine::Jobs& jobs, JobSettleRequest request, Reply<JobSettleReply> reply) {
  const auto gathering = std::make_shared<Gathering>(std::move(reply));  // shared by the four replies
  auto complete = gathering->into(&JobSettleReply::complete, request.complete.size(), gathering);
  auto fail = gathering->into(&JobSettleReply::fail, request.fail.size(), gathering);
  auto snooze = gathering->into(&JobSettleReply::snooze, request.snooze.size(), gathering);
  auto release = gathering->into(&JobSettleReply::release, request.release.size(), gathering);
  settle(std::move(request.complete), std::move(complete),
         [&](auto batch, auto then) { jobs.complete(std::move(batch), std::move(then)); });
  settle(std::move(request.fail), std::move(fail), [&](auto batch, auto then) { jobs.fail(std::move(batch), std::move(then)); });
  settle(std::move(request.snooze), std::move(snooze),
         [&](auto batch, auto then) { jobs.snooze(std::move(batch), std::move(then)); });
  settle(std::move(request.release), std::move(release),
         [&](auto batch, auto then) { jobs.release(std::move(batch), std::move(then)); });
}

}  // namespace

void handle(Context& context, JobSettleRequest request, Reply<JobSettleReply> reply) {
  const std::size_t count = request.complete.size() + request.fail.size() + request.snooze.size() + request.release.size();
  if (count > limits::kSettleBatchMax)
    return reply(Status::invalid_argument(
        fmt::format("{} outcomes in one request; at most {} are accepted", count, limits::kSettleBatchMax)));
  auto jobs = jobs_of(request);
  guard_leases(context, std::move(jobs),
               [&engine = context.engine, request = std::move(request), reply = std::move(reply)](Status allowed) mutable {
                 if (!allowed.ok()) return reply(allowed);
                 settle_all(engine.jobs(), std::move(request), std::move(reply));
               });
}

}  // namespace muster::command
