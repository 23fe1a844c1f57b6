#include "store/postgres/runner.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "store/postgres/cluster/backoff.h"
#include "store/postgres/cluster/outbox.h"
#include "store/postgres/migrations.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {
namespace {

const Sql kClaimProbe{"claim_probe"};

constexpr std::size_t kGroupRequestsMax = 1'000;
constexpr std::size_t kSettleRequestsMax = 200;  // slow outcomes that share one transaction
constexpr std::size_t kBeatRequestsMax = 5'000;
constexpr Ticks kBeatsEvery = std::chrono::milliseconds(50);  // heartbeats gather for this long while more keep coming
// With fewer requests than this one exchange is quicker than two side by side.
constexpr std::size_t kSplitMin = 32;
constexpr int kTriesMax = 8;                                  // of trouble that passes: deadlocks, moved plans
constexpr std::size_t kPromotePerGroup = 1'000;

// Set on the runner's own threads: what they submit comes out of answers they deliver, and they look for work right after. Waking another
// thread for the first of them would tear groups apart.
thread_local bool is_runner_thread = false;

Ticks ticks_now() { return RealClock().elapsed(); }

double seconds(Ticks ticks) { return std::chrono::duration<double>(ticks).count(); }

// Trouble with one row's data, as opposed to trouble with the server: the others in the group could go through.
bool is_about_data(const Trouble& trouble) {
  return trouble.state.starts_with("22") || trouble.state.starts_with("23") || trouble.state.starts_with("54");
}

template <class Request>
std::vector<Request> take_front(std::vector<Request>& from, std::size_t most) {
  std::vector<Request> out;
  if (from.size() <= most) {
    out.swap(from);
    return out;
  }
  out.assign(std::make_move_iterator(from.begin()), std::make_move_iterator(from.begin() + static_cast<std::ptrdiff_t>(most)));
  from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(most));
  return out;
}

template <class Request>
void refuse_all(std::vector<Request>& requests, const Status& status) {
  for (Request& request : requests) request.reply(status);
  requests.clear();
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
  void refuse(const Status& status) override {
    // What the group completed is done, whatever became of the rest.
    for (SettleRequest& request : requests_) {
      if (std::none_of(request.answers.begin(), request.answers.end(), [](const auto& one) { return one.has_value(); })) {
        request.reply(status);
        continue;
      }
      for (auto& answer : request.answers)
        if (!answer) answer = Result<Settled>(status);
      request.answer();
    }
  }

 private:
  std::vector<SettleRequest> requests_;
  std::vector<Result<Settled>> answers_;
};

}  // namespace

bool Runner::Work::empty() const {
  return group == nullptr && settles.empty() && extends.empty() && beats.empty() && claims.empty() && enqueues.empty() &&
         unit == nullptr;
}

Runner::Runner(Node& node) : node_(node) {}
Runner::~Runner() { abandon(); }

// --- connections ---------------------------------------------------------------------------------------------------

Result<std::unique_ptr<Connection>> Runner::connect() {
  const Options& options = node_.options;
  ConnectOptions connect_options;
  connect_options.url = options.url;
  connect_options.application = "muster " + options.node;
  connect_options.schema = options.schema;
  connect_options.connect_timeout = options.connect_timeout;
  connect_options.statement_timeout = options.statement_timeout;
  connect_options.preparing = options.preparing;
  auto opened = Connection::open(connect_options);
  if (!opened.ok()) return opened.status();
  const std::unique_ptr<Connection>& connection = *opened;
  {
    const std::lock_guard lock(init_mutex_);
    if (!initialised_) {
      if (Status status = migrate(*connection, options.schema); !status.ok()) return status;
      const auto salt = connection->query(fmt::format("SELECT value FROM {}.meta WHERE name = 'salt'", quoted(options.schema)));
      if (!salt.ok()) return salt.status();
      if (salt->size() == 0) return Status::corrupt("the schema's meta table has no salt");
      node_.ids = IdCodec(std::strtoull(salt->text(0, 0).c_str(), nullptr, 10));
      initialised_ = true;
    }
  }
  if (Status status = connection->start_pipeline(); !status.ok()) return status;
  return std::move(*opened);
}

Status Runner::start() {
  auto opened = connect();
  if (!opened.ok() && opened.status().code() != Code::unavailable) return opened.status();
  if (opened.ok()) {
    first_ = std::move(*opened);
  } else {
    health_ = {false, opened.status().message()};
    log::warn("the database cannot be reached yet; the node starts and keeps trying", {{"reason", opened.status().message()}});
  }
  const std::size_t count = std::clamp(node_.options.connections, kConnectionsMin, kConnectionsMax);
  if (first_) connected_ = 1;
  for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this, i] { run(i); });
  return {};
}

void Runner::run(std::size_t index) {
  is_runner_thread = true;
  std::unique_ptr<Connection> connection;
  const bool prefers_units = index + 1 == std::clamp(node_.options.connections, kConnectionsMin, kConnectionsMax);
  if (index == 0) connection = std::move(first_);
  bool counted = connection != nullptr;
  if (counted) node_.metrics.connections.add(1);
  Backoff backoff(node_);
  while (true) {
    if (connection == nullptr || !connection->alive()) {
      if (counted) {
        counted = false;
        node_.metrics.connections.add(-1);
        node_.metrics.reconnects.add();
        went_down(connection->trouble().status());
      }
      connection.reset();
      auto opened = connect();
      if (opened.ok()) {
        connection = std::move(*opened);
        backoff.reset();
        counted = true;
        node_.metrics.connections.add(1);
        came_up();
        continue;
      }
      set_health(opened.status());
      std::unique_lock lock(mutex_);
      // On the way out only a thread with a connection can still do what waits.
      if (wake_.wait_for(lock, backoff.next(), [this] { return stopping_; })) break;
      continue;
    }
    Work work;
    if (!wait_for_work(prefers_units, work)) break;
    if (!connection->still_there()) {
      // It went away while it was idle: nothing was sent, so the work goes to another one, or to this one made anew.
      put_back(std::move(work));
      continue;
    }
    perform(*connection, work);
  }
  if (counted) {
    node_.metrics.connections.add(-1);
    const std::lock_guard lock(mutex_);
    --connected_;
  }
}

void Runner::came_up() {
  const std::lock_guard lock(mutex_);
  if (connected_++ == 0) log::info("the database is there", {{"store", without_secrets(node_.options.url)}});
  health_ = {};
}

void Runner::went_down(const Status& status) {
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    last = --connected_ == 0;
    if (last) health_ = {false, status.message()};
  }
  if (!last) return;
  log::warn("the database is away", {{"reason", status.message()}});
  drain_refused(Status::unavailable(status.message()));
}

void Runner::set_health(const Status& status) {
  const std::lock_guard lock(mutex_);
  if (status.ok()) {
    if (!health_.writable) health_ = {};
    return;
  }
  // One connection that cannot be made while others work is not the store's health.
  if (connected_ > 0 && status.code() == Code::unavailable && health_.writable) return;
  health_ = {false, status.message()};
}

StoreHealth Runner::health() const {
  const std::lock_guard lock(mutex_);
  return health_;
}

std::uint32_t Runner::pending() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint32_t>(waiting_);
}

// --- requests ------------------------------------------------------------------------------------------------------

template <class Request>
void Runner::push(std::vector<Request>& queue, Request request) {
  Status refused;
  {
    const std::lock_guard lock(mutex_);
    refused = admission();
    if (refused.ok()) {
      ++waiting_;
      request.queued_at = ticks_now();
      queue.push_back(std::move(request));
    }
  }
  if (!refused.ok()) return request.reply(refused);
  if (!is_runner_thread) wake_.notify_one();
}

Status Runner::admission() const {
  if (stopping_) return Status::unavailable("the store is closed");
  if (connected_ == 0) return Status::unavailable(health_.reason.empty() ? "the database is not connected yet" : health_.reason);
  if (waiting_ >= node_.options.pending_max)
    return Status::exhausted(fmt::format("{} requests wait for the database, which is the most this node keeps", waiting_));
  return {};
}

void Runner::submit(EnqueueRequest request) { push(enqueues_, std::move(request)); }
void Runner::submit(PendingClaim request) { push(claims_, std::move(request)); }
void Runner::submit(ExtendRequest request) { push(extends_, std::move(request)); }
void Runner::submit(BeatRequest request) { push(beats_, std::move(request)); }

void Runner::submit(SettleRequest request) {
  request.answers.resize(request.outcomes.size());
  const bool completions = std::all_of(request.outcomes.begin(), request.outcomes.end(),
                                       [](const Outcome& outcome) { return std::holds_alternative<Completion>(outcome); });
  push(completions ? completions_ : settles_, std::move(request));
}

void Runner::submit(std::unique_ptr<Unit> unit) {
  Status refused;
  {
    const std::lock_guard lock(mutex_);
    refused = admission();
    if (refused.ok()) {
      ++waiting_;
      unit->queued_at = ticks_now();
      units_.push_back(std::move(unit));
    }
  }
  if (!refused.ok()) return unit->refuse(refused);
  // Any thread may take it; the one that prefers units may be the one that sleeps.
  wake_.notify_all();
}

bool Runner::take_group(Work& work) {
  if (enqueues_.empty() && completions_.empty() && claims_.empty()) return false;
  const std::size_t hot = enqueues_.size() + completions_.size() + claims_.size();
  // A connection that has nothing to do takes the other half.
  const bool split = idle_ > 0 && hot >= kSplitMin;
  const auto share = [split](std::size_t n) { return std::min(kGroupRequestsMax, split ? (n + 1) / 2 : n); };
  work.group = std::make_unique<Group>(node_);
  work.group->completions = take_front(completions_, share(completions_.size()));
  work.group->enqueues = take_front(enqueues_, share(enqueues_.size()));
  work.group->claims = take_front(claims_, share(claims_.size()));
  waiting_ -= work.group->size();
  if (split) wake_.notify_one();
  return true;
}

bool Runner::take_unit(Work& work) {
  if (!beats_.empty() && (stopping_ || ticks_now() - beats_at_ >= kBeatsEvery)) {
    work.beats = take_front(beats_, kBeatRequestsMax);
    beats_at_ = ticks_now();
    waiting_ -= work.beats.size();
  } else if (!settles_.empty()) {
    work.settles = take_front(settles_, kSettleRequestsMax);
    waiting_ -= work.settles.size();
  } else if (!gated_claims_.empty()) {
    work.claims = take_front(gated_claims_, 1);
    waiting_ -= 1;
  } else if (!special_enqueues_.empty()) {
    work.enqueues = take_front(special_enqueues_, 1);
    waiting_ -= 1;
  } else if (!extends_.empty()) {
    work.extends = take_front(extends_, kSettleRequestsMax);
    waiting_ -= work.extends.size();
  } else if (!units_.empty()) {
    work.unit = std::move(units_.front());
    units_.pop_front();
    waiting_ -= 1;
  } else {
    return false;
  }
  return true;
}

bool Runner::wait_for_work(bool prefers_units, Work& work) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (abandoned_) return false;
    if (prefers_units ? take_unit(work) || take_group(work) : take_group(work) || take_unit(work)) return true;
    if (stopping_) return false;
    ++idle_;
    if (beats_.empty()) {
      wake_.wait(lock);
    } else {
      wake_.wait_for(lock, std::max(Ticks(0), beats_at_ + kBeatsEvery - ticks_now()));
    }
    --idle_;
  }
}

void Runner::put_back(Work work) {
  {
    const std::lock_guard lock(mutex_);
    const auto back = [this](auto& from, auto& to) {
      waiting_ += from.size();
      std::move(from.begin(), from.end(), std::back_inserter(to));
    };
    if (work.group) {
      back(work.group->enqueues, enqueues_);
      back(work.group->completions, completions_);
      back(work.group->claims, claims_);
    }
    back(work.settles, settles_);
    back(work.extends, extends_);
    back(work.beats, beats_);
    back(work.claims, gated_claims_);
    back(work.enqueues, special_enqueues_);
    if (work.unit) {
      ++waiting_;
      units_.push_front(std::move(work.unit));
    }
  }
  wake_.notify_all();
}

void Runner::drain_refused(const Status& status) {
  Work all;
  std::deque<std::unique_ptr<Unit>> units;
  all.group = std::make_unique<Group>(node_);
  {
    const std::lock_guard lock(mutex_);
    all.group->enqueues.swap(enqueues_);
    all.group->completions.swap(completions_);
    all.group->claims.swap(claims_);
    all.settles.swap(settles_);
    all.extends.swap(extends_);
    all.beats.swap(beats_);
    all.claims.swap(gated_claims_);
    all.enqueues.swap(special_enqueues_);
    units.swap(units_);
    waiting_ = 0;
  }
  all.group->refuse(status);
  SettleUnit(std::move(all.settles)).refuse(status);
  refuse_all(all.extends, status);
  refuse_all(all.beats, status);
  refuse_all(all.claims, status);
  refuse_all(all.enqueues, status);
  for (auto& unit : units) unit->refuse(status);
}

// --- doing ---------------------------------------------------------------------------------------------------------

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
  if (!work.claims.empty()) return run_claim(connection, std::move(work.claims.front()));
  if (!work.enqueues.empty()) {
    // Whoever came before may have made the lanes it lacked.
    if (fits_group(node_.directory, work.enqueues.front())) {
      Work again;
      again.group = std::make_unique<Group>(node_);
      again.group->enqueues = std::move(work.enqueues);
      return put_back(std::move(again));
    }
    auto request = std::make_shared<EnqueueRequest>(std::move(work.enqueues.front()));
    const auto body = [request](Tx& tx) { return enqueue(tx, request->jobs); };
    return run_unit(connection, std::make_unique<UnitOf<std::vector<Enqueued>, decltype(body)>>(body, std::move(request->reply)));
  }
  run_unit(connection, std::move(work.unit));
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
      const Rows rows = tx.ask(kClaimProbe, Params().int4s(shared->lanes->gated));
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

void Runner::put_back_claim(PendingClaim claim) {
  Status refused;
  {
    const std::lock_guard lock(mutex_);
    if (abandoned_) refused = Status::unavailable("the store is closed");
    if (refused.ok()) {
      ++waiting_;
      claims_.push_back(std::move(claim));
    }
  }
  if (!refused.ok()) return claim.reply(refused);
  wake_.notify_one();
}

void Runner::run_group(Connection& connection, Group& group) {
  const Ticks begun = ticks_now();
  for (const auto& request : group.enqueues) node_.metrics.queue_wait.observe(seconds(begun - request.queued_at));
  for (const auto& request : group.claims) node_.metrics.queue_wait.observe(seconds(begun - request.queued_at));
  if (!group.claims.empty() && node_.something_is_due()) promote(connection);
  Leftovers later;
  for (int tries = 0;; ++tries) {
    if (group.run(connection, later)) {
      node_.metrics.commit_seconds.observe(seconds(ticks_now() - begun));
      set_health({});
      break;
    }
    const Trouble trouble = connection.trouble();
    if (connection.alive() && trouble.passing() && tries < kTriesMax) continue;
    node_.metrics.failed_commits.add();
    if (connection.alive() && is_about_data(trouble)) {
      group.take_apart(later);
      break;
    }
    if (connection.alive()) set_health(Status(Code::corrupt, trouble.status().message()));
    group.refuse(trouble.status());
    break;
  }
  keep(std::move(later));
}

void Runner::keep(Leftovers later) {
  bool any = false;
  {
    const std::lock_guard lock(mutex_);
    const auto back = [&](auto& from, auto& to) {
      any = any || !from.empty();
      waiting_ += from.size();
      std::move(from.begin(), from.end(), std::back_inserter(to));
    };
    back(later.enqueues, special_enqueues_);
    back(later.settles, settles_);
    back(later.claims, gated_claims_);
    back(later.next_claims, claims_);
  }
  if (any) wake_.notify_all();
}

void Runner::promote(Connection& connection) {
  const auto body = [](Tx& tx) -> Result<SweepReport> { return promote_due(tx, kPromotePerGroup); };
  run_unit(connection,
           std::make_unique<UnitOf<SweepReport, decltype(body)>>(body, Reply<SweepReport>([](Result<SweepReport>) {})));
}

void Runner::run_unit(Connection& connection, std::unique_ptr<Unit> unit) {
  const Ticks begun = ticks_now();
  if (unit->queued_at != Ticks()) node_.metrics.queue_wait.observe(seconds(begun - unit->queued_at));
  for (int tries = 0;; ++tries) {
    Tx tx(connection, node_);
    tx.begin();
    if (!tx.failed()) unit->run(tx);
    if (!tx.failed() && tx.lacks_names() && tries < kTriesMax) {
      tx.rollback();
      make_names(connection, tx);
      continue;
    }
    const bool reached_commit = !tx.failed();
    Status status = reached_commit ? tx.commit() : Status();
    if (reached_commit && status.ok()) {
      node_.metrics.commits.add();
      node_.metrics.commit_seconds.observe(seconds(ticks_now() - begun));
      set_health({});
      node_.outbox->tell(tx.changes, tx.local_only);
      return unit->deliver();
    }
    const Trouble trouble = connection.trouble();
    status = trouble.status();
    // Without a commit nothing was written, whatever became of the connection.
    if (!reached_commit && status.code() == Code::outcome_unknown) status = Status::unavailable(status.message());
    tx.rollback();
    if (connection.alive() && trouble.passing() && tries < kTriesMax) continue;
    node_.metrics.failed_commits.add();
    if (connection.alive() && !is_about_data(trouble)) set_health(Status(Code::corrupt, status.message()));
    return unit->refuse(status);
  }
}

// Whatever becomes of it, the verb runs again and says what is wrong then.
void Runner::make_names(Connection& connection, const Tx& lacking) {
  Tx tx(connection, node_);
  tx.begin();
  tx.make_names(lacking);
  if (!tx.commit().ok()) tx.rollback();
}

// --- the end -------------------------------------------------------------------------------------------------------

void Runner::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  drain_refused(Status::unavailable("the store is closed"));
}

void Runner::abandon() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = abandoned_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  drain_refused(Status::unavailable("the store is closed"));
}

}  // namespace muster::store::postgres
