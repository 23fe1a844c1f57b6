// What waits for a connection, and how a thread takes its share of it.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "store/postgres/runner.h"
#include "store/refusals.h"

namespace muster::store::postgres {
namespace {

constexpr std::size_t kGroupRequestsMax = 1'000;
constexpr std::size_t kSettleRequestsMax = 200;  // slow outcomes that share one transaction
constexpr std::size_t kBeatRequestsMax = 5'000;
constexpr std::size_t kStepRequestsMax = 200;                 // callers whose steps share one transaction
constexpr std::size_t kEnqueueRequestsMax = 200;              // callers whose jobs with keys share one transaction
constexpr std::size_t kSharedBytesMax = 16 * 1024 * 1024;     // of contents in either; one request always fits
constexpr Ticks kBeatsEvery = std::chrono::milliseconds(50);  // heartbeats gather for this long while more keep coming
// With fewer requests than this one exchange is quicker than two side by side.
constexpr std::size_t kSplitMin = 32;

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
  if (!is_runner_thread) wake_.notify_one();
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
    back(work.steps, steps_);
    back(work.claims, gated_claims_);
    back(work.enqueues, special_enqueues_);
    if (work.unit) {
      ++waiting_;
      units_.push_front(std::move(work.unit));
    }
  }
  wake_.notify_all();
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
  wake_.notify_one();
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

}  // namespace muster::store::postgres
