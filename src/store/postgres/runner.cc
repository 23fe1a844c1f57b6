#include "store/postgres/runner.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/log.h"
#include "store/postgres/cluster/backoff.h"
#include "store/postgres/migrations.h"
#include "store/refusals.h"

namespace muster::store::postgres {

// What they submit comes out of answers they deliver, and they look for work right after. Waking another thread for the first of
// them would tear groups apart.
thread_local bool Runner::is_runner_thread = false;

Ticks Runner::ticks_now() { return RealClock().elapsed(); }

Runner::Runner(Node& node, const Clock& contact_clock) : node_(node), contact_clock_(contact_clock), contact_(contact_now()) {}
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
      node_.use_salt(std::strtoull(salt->text(0, 0).c_str(), nullptr, 10));
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
  threads_.emplace_back([this] { run_long_reads(); });
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
      could_not_connect(opened.status());
      std::unique_lock lock(mutex_);
      // On the way out only a thread with a connection can still do what waits.
      if (wake_reconnects_.wait_for(lock, backoff.next(), [this] { return stopping_; })) break;
      continue;
    }
    Work work;
    if (!wait_for_work(prefers_units, work)) break;
    if (!connection->still_there()) {
      // It went away while it was idle: nothing was sent, so the work goes to another one, or to this one made anew.
      put_back(std::move(work));
      continue;
    }
    try {
      excuse_gap(*connection);
      if (!connection->alive()) {
        put_back(std::move(work));
        continue;
      }
      const Contact begun = contact_now();
      perform(*connection, work);
      if (connection->alive() && health().writable) reached(begun);
    } catch (...) {
      const Incident incident(node_.incidents, "store verbs");
      clear(*connection);
    }
  }
  if (counted) {
    node_.metrics.connections.add(-1);
    const std::lock_guard lock(mutex_);
    --connected_;
  }
}

void Runner::reached(Contact begun) {
  const std::lock_guard lock(contact_mutex_);
  if (begun.elapsed >= contact_.elapsed) contact_ = begun;
}

void Runner::excuse_gap(Connection& connection) {
  const std::lock_guard lock(contact_mutex_);
  const Contact now = contact_now();
  if (now.elapsed - contact_.elapsed <= kContactGapMax && now.wall - contact_.wall <= kContactGapMax) return;
  if (excuse_silence(connection)) contact_ = now;
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

void Runner::could_not_connect(const Status& status) {
  const std::lock_guard lock(mutex_);
  // One connection that cannot be made while others work is not the store's health.
  if (connected_ == 0) health_ = {false, status.message()};
}

// The server answers and refuses: a full disk, a standby, a missing right. Reads may go on; only a write that goes through ends
// it.
void Runner::could_not_write(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  health_ = {false, reason};
}

void Runner::wrote() {
  const std::lock_guard lock(mutex_);
  if (connected_ > 0 && !health_.writable) health_ = {};
}

StoreHealth Runner::health() const {
  const std::lock_guard lock(mutex_);
  return health_;
}

std::uint32_t Runner::pending() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint32_t>(waiting_);
}

// --- the end -------------------------------------------------------------------------------------------------------

void Runner::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  idle_sleeper_->some.notify_all();
  wake_reconnects_.notify_all();
  wake_long_reads_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  drain_refused(refusal::closed());
}

void Runner::abandon() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = abandoned_ = true;
  }
  idle_sleeper_->some.notify_all();
  wake_reconnects_.notify_all();
  wake_long_reads_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  drain_refused(refusal::closed());
}

namespace {

// What waits for a connection, and how a thread takes its share of it.

constexpr std::size_t kGroupRequestsMax = 1'000;
constexpr std::size_t kSettleRequestsMax = 200;  // slow outcomes that share one transaction
constexpr std::size_t kBeatRequestsMax = 5'000;
constexpr std::size_t kStepRequestsMax = 200;                 // callers whose steps share one transaction
constexpr std::size_t kEnqueueRequestsMax = 200;              // callers whose jobs with keys share one transaction
constexpr std::size_t kSharedBytesMax = 16 * 1024 * 1024;     // of contents in either; one request always fits
constexpr Ticks kBeatsEvery = std::chrono::milliseconds(50);  // heartbeats gather for this long while more keep coming
// With fewer requests than this one exchange is quicker than two side by side.
constexpr std::size_t kSplitMin = 32;
constexpr std::size_t kMixedMax = 16;  // requests of different kinds that share an exchange

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

// How many of the first requests go together. What waits for other jobs, and what was refused with others, goes alone.
std::size_t enqueues_together(const std::vector<EnqueueRequest>& waiting) {
  std::size_t count = 0, bytes = 0;
  for (; count < waiting.size() && count < kEnqueueRequestsMax; ++count) {
    const EnqueueRequest& request = waiting[count];
    const bool plain =
        std::all_of(request.jobs.begin(), request.jobs.end(), [](const JobSpec& spec) { return spec.after.empty(); });
    for (const JobSpec& spec : request.jobs) bytes += spec.payload.data.size();
    if (count > 0 && (request.alone || !plain || bytes > kSharedBytesMax)) break;
    if (request.alone || !plain) return 1;
  }
  return count;
}

std::size_t steps_together(const std::vector<StepRequest>& waiting) {
  std::size_t count = 0, bytes = 0;
  while (count < waiting.size() && count < kStepRequestsMax) {
    bytes += waiting[count].bytes();
    if (count > 0 && bytes > kSharedBytesMax) break;
    ++count;
  }
  return count;
}

}  // namespace

std::size_t StepRequest::bytes() const {
  std::size_t sum = 0;
  for (const StepCall& call : calls) {
    if (const auto* begin = std::get_if<step::Begin>(&call); begin != nullptr && begin->input) sum += begin->input->data.size();
    if (const auto* done = std::get_if<step::Complete>(&call); done != nullptr && done->output) sum += done->output->data.size();
  }
  return sum;
}

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
  if (!is_runner_thread) wake(idle_sleeper_);
}

Status Runner::admission() const {
  if (stopping_) return refusal::closed();
  if (connected_ == 0) return Status::unavailable(health_.reason.empty() ? "the database is not connected yet" : health_.reason);
  if (waiting_ >= node_.options.pending_max)
    return Status::exhausted(fmt::format("{} requests wait for the database, which is the most this node keeps", waiting_));
  return {};
}

void Runner::submit(EnqueueRequest request) { push(enqueues_, std::move(request)); }
void Runner::submit(PendingClaim request) { push(claims_, std::move(request)); }
void Runner::submit(ExtendRequest request) { push(extends_, std::move(request)); }
void Runner::submit(BeatRequest request) { push(beats_, std::move(request)); }
void Runner::submit(StepRequest request) { push(steps_, std::move(request)); }

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
  idle_sleeper_->some.notify_all();
}

// A crowd goes out one kind after the other, whoever waited longest first: what a statement costs before its first row is much of
// what a small group costs, and those who get their answers together ask for the next thing together. A few go out as they are,
// since each exchange has a commit.
bool Runner::take_group(Work& work) {
  const std::size_t hot = enqueues_.size() + completions_.size() + claims_.size();
  if (hot == 0) return false;
  const auto front = [](const auto& queue) { return queue.empty() ? Ticks::max() : queue.front().queued_at; };
  const Ticks oldest = std::min({front(completions_), front(enqueues_), front(claims_)});
  bool found = false;
  const auto take = [&](auto& queue) {
    if (hot > kMixedMax && (found || front(queue) != oldest)) return std::decay_t<decltype(queue)>();
    found = true;
    // A connection that has nothing to do takes the other half.
    const bool split = idle_ > 0 && queue.size() >= kSplitMin;
    return take_front(queue, std::min(kGroupRequestsMax, split ? (queue.size() + 1) / 2 : queue.size()));
  };
  work.group = std::make_unique<Group>(node_);
  work.group->completions = take(completions_);
  work.group->enqueues = take(enqueues_);
  work.group->claims = take(claims_);
  waiting_ -= work.group->size();
  return true;
}

bool Runner::take_unit(Work& work) {
  if (!beats_.empty() && (stopping_ || ticks_now() - beats_at_ >= kBeatsEvery)) {
    work.beats = take_front(beats_, kBeatRequestsMax);
    beats_at_ = ticks_now();
    waiting_ -= work.beats.size();
  } else if (!steps_.empty() && (settles_.empty() || steps_.front().queued_at <= settles_.front().queued_at)) {
    work.steps = take_front(steps_, steps_together(steps_));
    waiting_ -= work.steps.size();
  } else if (!settles_.empty()) {
    work.settles = take_front(settles_, kSettleRequestsMax);
    waiting_ -= work.settles.size();
  } else if (!gated_claims_.empty()) {
    work.claims = take_front(gated_claims_, 1);
    waiting_ -= 1;
  } else if (!special_enqueues_.empty()) {
    work.enqueues = take_front(special_enqueues_, enqueues_together(special_enqueues_));
    waiting_ -= work.enqueues.size();
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
    if (prefers_units ? take_unit(work) || take_group(work) : take_group(work) || take_unit(work)) {
      // A round wakes one thread, whatever it brings; who takes only a part of it wakes the next. Beats that are not due wait.
      if (idle_ > 0 && waiting_ > beats_.size()) idle_sleeper_->some.notify_one();
      return true;
    }
    if (stopping_) return false;
    ++idle_;
    if (beats_.empty()) {
      idle_sleeper_->some.wait(lock);
    } else {
      idle_sleeper_->some.wait_for(lock, std::max(Ticks(0), beats_at_ + kBeatsEvery - ticks_now()));
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
    back(work.steps, steps_);
    back(work.claims, gated_claims_);
    back(work.enqueues, special_enqueues_);
    if (work.unit) {
      ++waiting_;
      units_.push_front(std::move(work.unit));
    }
  }
  idle_sleeper_->some.notify_all();
}

void Runner::put_back_claim(PendingClaim claim) {
  Status refused;
  {
    const std::lock_guard lock(mutex_);
    if (abandoned_) refused = refusal::closed();
    if (refused.ok()) {
      ++waiting_;
      claims_.push_back(std::move(claim));
    }
  }
  if (!refused.ok()) return claim.reply(refused);
  idle_sleeper_->some.notify_one();
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
  if (any) idle_sleeper_->some.notify_all();
}

void Runner::drain_refused(const Status& status) {
  Work all;
  std::deque<std::unique_ptr<Unit>> units;
  std::deque<std::unique_ptr<Unit>> long_reads;
  all.group = std::make_unique<Group>(node_);
  {
    const std::lock_guard lock(mutex_);
    all.group->enqueues.swap(enqueues_);
    all.group->completions.swap(completions_);
    all.group->claims.swap(claims_);
    all.settles.swap(settles_);
    all.extends.swap(extends_);
    all.beats.swap(beats_);
    all.steps.swap(steps_);
    all.claims.swap(gated_claims_);
    all.enqueues.swap(special_enqueues_);
    units.swap(units_);
    long_reads.swap(long_reads_);
    waiting_ = 0;
  }
  all.group->refuse(status);
  refuse_all(all.settles, status);
  refuse_all(all.extends, status);
  refuse_all(all.beats, status);
  refuse_all(all.steps, status);
  refuse_all(all.claims, status);
  refuse_all(all.enqueues, status);
  for (auto& unit : units) unit->refuse(status);
  for (auto& unit : long_reads) unit->refuse(status);
}

// Long reads of keys. Their connection is made when one comes and closed when none has come for a while.

void Runner::submit_long_read(std::unique_ptr<Unit> unit) {
  Status refused;
  {
    const std::lock_guard lock(mutex_);
    refused = admission();
    if (refused.ok() && long_reads_.size() >= kLongReadsMax)
      refused = Status::exhausted(fmt::format("{} long reads of keys wait already; try again", kLongReadsMax));
    if (refused.ok()) long_reads_.push_back(std::move(unit));
  }
  if (!refused.ok()) return unit->refuse(refused);
  wake_long_reads_.notify_one();
}

std::unique_ptr<Unit> Runner::wait_for_long_read(bool connected) {
  const auto is_time = [this] { return stopping_ || !long_reads_.empty(); };
  std::unique_lock lock(mutex_);
  if (connected)
    wake_long_reads_.wait_for(lock, kLongReadConnectionIdle, is_time);
  else
    wake_long_reads_.wait(lock, is_time);
  if (long_reads_.empty() || abandoned_) return nullptr;
  std::unique_ptr<Unit> unit = std::move(long_reads_.front());
  long_reads_.pop_front();
  return unit;
}

void Runner::run_long_reads() {
  std::unique_ptr<Connection> connection;
  for (;;) {
    std::unique_ptr<Unit> unit = wait_for_long_read(connection != nullptr);
    if (unit == nullptr) {
      connection.reset();
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      continue;
    }
    if (connection == nullptr || !connection->alive() || !connection->still_there()) {
      auto opened = connect();
      if (!opened.ok()) {
        unit->refuse(opened.status());
        continue;
      }
      connection = std::move(*opened);
    }
    run_unit(*connection, std::move(unit));
  }
}

}  // namespace muster::store::postgres
