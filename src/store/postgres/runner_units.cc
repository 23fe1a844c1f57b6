// Doing what was taken: one exchange for a group, one transaction for everything else.
#include <algorithm>
#include <iterator>

#include "store/postgres/cluster/notifier.h"
#include "store/postgres/runner.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {
namespace {

constexpr int kTriesMax = 8;  // of trouble that passes: deadlocks, moved plans
constexpr std::size_t kPromotePerGroup = 1'000;

double seconds(Ticks ticks) { return std::chrono::duration<double>(ticks).count(); }

// Trouble with one row's data, as opposed to trouble with the server: the others in the group could go through.
bool is_about_data(const Trouble& trouble) {
  return trouble.state.starts_with("22") || trouble.state.starts_with("23") || trouble.state.starts_with("54");
}

// Several requests of one verb as one transaction: their elements side by side, the answers dealt out again.
template <class Request, class Element, class Answer, class Body, class Elements>
class MergedUnit final : public Unit {
 public:
  MergedUnit(std::vector<Request> requests, Elements elements, Body body)
      : requests_(std::move(requests)), elements_(elements), body_(body) {}

  void run(Tx& tx) override {
    std::vector<Element> all;
    for (Request& request : requests_)
      for (const Element& element : elements_(request)) all.push_back(element);
    answers_ = body_(tx, all);
    if (answers_.size() < all.size()) answers_.resize(all.size(), Result<Answer>(Status::unavailable("the database is away")));
  }
  void deliver() override {
    std::size_t at = 0;
    for (Request& request : requests_) {
      Each<Answer> mine;
      for (std::size_t i = elements_(request).size(); i > 0; --i) mine.push_back(std::move(answers_[at++]));
      request.reply(std::move(mine));
    }
  }
  void refuse(const Status& status) override { refuse_all(requests_, status); }
  std::size_t callers() const override { return requests_.size(); }

 private:
  std::vector<Request> requests_;
  Elements elements_;
  Body body_;
  std::vector<Result<Answer>> answers_;
};

template <class Element, class Answer, class Request, class Elements, class Body>
std::unique_ptr<Unit> merged(std::vector<Request> requests, Elements elements, Body body) {
  return std::make_unique<MergedUnit<Request, Element, Answer, Body, Elements>>(std::move(requests), elements, body);
}

// Outcomes that the quick way did not answer.
class SettleUnit final : public Unit {
 public:
  explicit SettleUnit(std::vector<SettleRequest> requests) : requests_(std::move(requests)) {}
  void run(Tx& tx) override {
    std::vector<Outcome> open;
    for (const SettleRequest& request : requests_)
      for (std::size_t i = 0; i < request.outcomes.size(); ++i)
        if (!request.answers[i]) open.push_back(request.outcomes[i]);
    answers_ = settle(tx, open);
  }
  void deliver() override {
    std::size_t at = 0;
    for (SettleRequest& request : requests_) {
      for (auto& answer : request.answers)
        if (!answer) answer = std::move(answers_[at++]);
      request.answer();
    }
  }
  void refuse(const Status& status) override { refuse_all(requests_, status); }
  std::size_t callers() const override { return requests_.size(); }

 private:
  std::vector<SettleRequest> requests_;
  std::vector<Result<Settled>> answers_;
};

// Jobs with keys or into new lanes, of several callers. Each caller's are all or nothing by themselves: when the whole is
// refused, everybody is tried alone.
class EnqueueUnit final : public Unit {
 public:
  using Alone = UniqueFunction<void(std::vector<EnqueueRequest>)>;
  EnqueueUnit(std::vector<EnqueueRequest> requests, Alone alone) : requests_(std::move(requests)), alone_(std::move(alone)) {
    for (EnqueueRequest& request : requests_) {
      counts_.push_back(request.jobs.size());
      std::move(request.jobs.begin(), request.jobs.end(), std::back_inserter(jobs_));
    }
  }
  void run(Tx& tx) override {
    auto made = enqueue(tx, jobs_);
    tx.undone = refused_ = !made.ok();
    if (made.ok()) made_ = std::move(*made);
  }
  void deliver() override {
    if (refused_) return go_alone();
    auto next = made_.begin();
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const auto end = next + static_cast<std::ptrdiff_t>(counts_[i]);
      requests_[i].reply(std::vector<Enqueued>(next, end));
      next = end;
    }
  }
  void refuse(const Status& status) override { refuse_all(requests_, status); }
  bool take_apart() override { return go_alone(), true; }

 private:
  void go_alone() {
    auto next = jobs_.begin();
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const auto end = next + static_cast<std::ptrdiff_t>(counts_[i]);
      requests_[i].jobs.assign(std::make_move_iterator(next), std::make_move_iterator(end));
      requests_[i].alone = true;
      next = end;
    }
    alone_(std::move(requests_));
  }

  std::vector<EnqueueRequest> requests_;
  Alone alone_;
  std::vector<std::size_t> counts_;
  std::vector<JobSpec> jobs_;
  std::vector<Enqueued> made_;
  bool refused_ = false;
};

}  // namespace

void Runner::perform(Connection& connection, Work& work) {
  if (work.group) return run_group(connection, *work.group);
  if (!work.settles.empty()) return run_unit(connection, std::make_unique<SettleUnit>(std::move(work.settles)));
  if (!work.extends.empty())
    return run_unit(connection, merged<Extension, Renewed>(
                                    std::move(work.extends),
                                    [](const ExtendRequest& r) -> const std::vector<Extension>& { return r.extensions; },
                                    [](Tx& tx, const std::vector<Extension>& all) { return extend(tx, all); }));
  if (!work.beats.empty())
    return run_unit(connection,
                    merged<Beat, BeatReply>(
                        std::move(work.beats), [](const BeatRequest& r) -> const std::vector<Beat>& { return r.beats; },
                        [](Tx& tx, const std::vector<Beat>& all) { return heartbeat(tx, all); }));
  if (!work.steps.empty())
    return run_unit(connection,
                    merged<StepCall, StepAnswer>(
                        std::move(work.steps), [](const StepRequest& r) -> const std::vector<StepCall>& { return r.calls; },
                        [](Tx& tx, const std::vector<StepCall>& all) { return run_steps(tx, all); }));
  if (!work.claims.empty()) return run_claim(connection, std::move(work.claims.front()));
  if (!work.enqueues.empty()) return run_enqueues(connection, std::move(work.enqueues));
  run_unit(connection, std::move(work.unit));
}

void Runner::run_enqueues(Connection& connection, std::vector<EnqueueRequest> requests) {
  // Whoever came before may have made the lanes some of them lacked.
  const auto fits = std::stable_partition(requests.begin(), requests.end(),
                                          [this](EnqueueRequest& one) { return !fits_group(node_.directory, one); });
  if (fits != requests.end()) {
    Work again;
    again.group = std::make_unique<Group>(node_);
    again.group->enqueues.assign(std::make_move_iterator(fits), std::make_move_iterator(requests.end()));
    requests.erase(fits, requests.end());
    put_back(std::move(again));
  }
  if (requests.empty()) return;
  if (requests.size() > 1) {
    const auto alone = [this](std::vector<EnqueueRequest> apart) {
      Leftovers later;
      later.enqueues = std::move(apart);
      keep(std::move(later));
    };
    return run_unit(connection, std::make_unique<EnqueueUnit>(std::move(requests), alone));
  }
  auto request = std::make_shared<EnqueueRequest>(std::move(requests.front()));
  const auto body = [request](Tx& tx) { return enqueue(tx, request->jobs); };
  run_unit(connection, std::make_unique<UnitOf<std::vector<Enqueued>, decltype(body)>>(body, std::move(request->reply)));
}

// A claim that may be served from gated lanes. When nothing waits there, the quick way is right after all.
void Runner::run_claim(Connection& connection, PendingClaim claim) {
  auto shared = std::make_shared<PendingClaim>(std::move(claim));
  // Why a claim came here is told by what a look finds; a worker without a cached description is looked up on the way.
  const auto body = [shared](Tx& tx) -> Result<ClaimReply> {
    shared->gate_passed = false;
    const auto ns = tx.namespace_key(shared->request.ns);
    const WorkerPtr worker = ns.ok() ? tx.find_worker(*ns, shared->request.worker) : nullptr;
    if (worker != nullptr && shared->tries == 0 && shared->lanes != nullptr && !shared->lanes->gated.empty()) {
      const Rows rows = tx.ask("claim_probe"_sql, Params().int4s(shared->lanes->gated));
      if (rows.size() > 0 && rows.integer(0, 0) == 0) {
        shared->gate_passed = true;
        return ClaimReply{};
      }
    }
    return claim_gated(tx, shared->request);
  };
  const auto deliver = [this, shared](Result<ClaimReply> result) {
    if (!result.ok() || !shared->gate_passed) return shared->reply(std::move(result));
    ++shared->tries;
    put_back_claim(std::move(*shared));
  };
  run_unit(connection, std::make_unique<UnitOf<ClaimReply, decltype(body)>>(body, Reply<ClaimReply>(deliver)));
}

void Runner::clear(Connection& connection) {
  connection.forget_calls();
  node_.directory.mistrust();
  if (!connection.alive() || !connection.in_transaction()) return;
  connection.call_text("ROLLBACK");
  // What becomes of it changes nothing: the server undoes what it is not told to keep.
  (void)connection.exchange().ok();
}

void Runner::run_group(Connection& connection, Group& group) {
  Leftovers later;
  try {
    try_group(connection, group, later);
  } catch (...) {
    const Incident incident(node_.incidents, "store verbs");
    clear(connection);
    if (group.sent())
      group.refuse(Status::outcome_unknown(incident.status().message()));
    else if (group.size() == 1)
      group.refuse(incident.status());
    else
      group.take_apart(later);  // whoever is to blame is found when each is tried by itself
  }
  keep(std::move(later));
}

void Runner::try_group(Connection& connection, Group& group, Leftovers& later) {
  const Ticks begun = ticks_now();
  for (const auto& request : group.enqueues) node_.metrics.queue_wait.observe(seconds(begun - request.queued_at));
  for (const auto& request : group.claims) node_.metrics.queue_wait.observe(seconds(begun - request.queued_at));
  if (!group.claims.empty() && node_.something_is_due()) promote(connection);
  const bool writes = !group.enqueues.empty() || !group.completions.empty();
  for (int tries = 0;; ++tries) {
    if (group.run(connection, later)) {
      node_.metrics.commit_seconds.observe(seconds(ticks_now() - begun));
      if (writes) wrote();
      if (group.stale()) catch_up(connection);
      break;
    }
    const Trouble trouble = connection.trouble();
    if (connection.alive() && trouble.passing() && tries < kTriesMax) continue;
    node_.metrics.failed_commits.add();
    if (connection.alive() && is_about_data(trouble)) {
      group.take_apart(later);
      break;
    }
    if (connection.alive()) could_not_write(trouble.status().message());
    group.refuse(trouble.status());
    break;
  }
}

void Runner::promote(Connection& connection) {
  const auto body = [](Tx& tx) -> Result<SweepReport> { return promote_due(tx, kPromotePerGroup); };
  run_unit(connection,
           std::make_unique<UnitOf<SweepReport, decltype(body)>>(body, Reply<SweepReport>([](Result<SweepReport>) {})));
}

// A transaction that has begun has read the directory.
void Runner::catch_up(Connection& connection) {
  const auto body = [](Tx&) -> Result<bool> { return true; };
  run_unit(connection, std::make_unique<UnitOf<bool, decltype(body)>>(body, Reply<bool>([](Result<bool>) {})));
}

// False: it did not come through, and is tried again before whatever is done next.
bool Runner::excuse_silence(Connection& connection) {
  bool excused = false;
  const auto body = [](Tx& tx) -> Result<bool> { return postgres::excuse_silence(tx), true; };
  run_unit(connection, std::make_unique<UnitOf<bool, decltype(body)>>(
                           body, Reply<bool>([&excused](const Result<bool>& done) { excused = done.ok(); })));
  return excused;
}

void Runner::run_unit(Connection& connection, std::unique_ptr<Unit> unit) {
  bool answered = false;
  try {
    try_unit(connection, *unit, answered);
  } catch (...) {
    const Incident incident(node_.incidents, "store verb");
    clear(connection);
    if (answered || unit->take_apart()) return;
    if (unit->callers() == 1) return unit->refuse(incident.status());
    unit->refuse(Status::unavailable("another request of the same transaction went wrong and nothing was written; try again"));
  }
}

void Runner::try_unit(Connection& connection, Unit& unit, bool& answered) {
  const Ticks begun = ticks_now();
  if (unit.queued_at != Ticks()) node_.metrics.queue_wait.observe(seconds(begun - unit.queued_at));
  for (int tries = 0;; ++tries) {
    Tx tx(connection, node_);
    tx.begin();
    if (!tx.failed()) unit.run(tx);
    if (!tx.failed() && tx.lacks_names() && tries < kTriesMax) {
      tx.rollback();
      make_names(connection, tx);
      continue;
    }
    if (!tx.failed() && tx.undone) {
      tx.rollback();
      answered = true;
      return unit.deliver();
    }
    const bool reached_commit = !tx.failed();
    Status status = reached_commit ? tx.commit() : Status();
    if (reached_commit && status.ok()) {
      node_.metrics.commits.add();
      node_.metrics.commit_seconds.observe(seconds(ticks_now() - begun));
      if (tx.proves_writing) wrote();
      node_.outbox->tell(tx.changes, tx.local_only);
      answered = true;
      return unit.deliver();
    }
    const Trouble trouble = connection.trouble();
    status = trouble.status();
    // Without a commit nothing was written, whatever became of the connection.
    if (!reached_commit && status.code() == Code::outcome_unknown) status = Status::unavailable(status.message());
    tx.rollback();
    if (connection.alive() && trouble.passing() && tries < kTriesMax) continue;
    node_.metrics.failed_commits.add();
    if (connection.alive() && !is_about_data(trouble)) could_not_write(status.message());
    answered = true;
    if (connection.alive() && is_about_data(trouble) && unit.take_apart()) return;
    return unit.refuse(status);
  }
}

// Whatever becomes of it, the verb runs again and says what is wrong then.
void Runner::make_names(Connection& connection, const Tx& lacking) {
  Tx tx(connection, node_);
  tx.begin();
  tx.make_names(lacking);
  if (!tx.commit().ok()) tx.rollback();
}

}  // namespace muster::store::postgres
