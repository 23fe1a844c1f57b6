#include "engine/feedback_readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace muster::engine {
namespace {

constexpr Ticks kLookEvery = std::chrono::seconds(1);
constexpr Duration kReadersTickMax{1'000};
// Blocks of one look: more than one part has.
constexpr std::size_t kScannedBlocks = 32;
static_assert(kScannedBlocks > kOutputChannels);

std::string text_of_answer(const store::KeyAnswer& answer) {
  return answer.kind == store::KeyAnswer::Kind::text ? answer.text : std::string();
}

JobOutput output_of(const OutputQuery& query, const Job& job, const std::vector<store::KeyAnswer>& answers) {
  const OutputHead head = decode_head(text_of_answer(answers[0]));
  std::vector<store::KeyPair> blocks;
  const auto& scanned = answers[1].list;
  for (std::size_t i = 1; i + 1 < scanned.size(); i += 2) blocks.push_back({scanned[i].text, scanned[i + 1].text});
  const bool complete = scanned.empty() || scanned[0].text.empty();
  OutputPage page = page_of({.after = query.after, .channel = query.channel, .limit = query.limit}, blocks, complete);
  JobOutput out{.job = job.id,
                .ns = job.spec.ns,
                .state = job.state,
                .stage = head.stage,
                .metrics = head.metrics,
                .chunks = std::move(page.chunks),
                .next = page.next,
                .more = page.more,
                .gaps = {},
                .outcome = decode_outcome(text_of_answer(answers[2]))};
  // All there is was looked at: what is not in the page is gone, or of another channel.
  if (!out.more) out.next = std::max(out.next, head.last);
  for (std::size_t i = 0; i < kOutputChannels; ++i) {
    const auto channel = static_cast<OutputChannel>(i);
    if ((!query.channel || *query.channel == channel) && head.lost[i].until > query.after)
      out.gaps.push_back({channel, head.lost[i]});
  }
  return out;
}

store::KeyBatch output_batch(const OutputQuery& query, const Job& job) {
  store::KeyBatch batch;
  batch.ns = job.spec.ns;
  batch.space = store::KeySpace::internal;
  store::key::HashScan scan;
  scan.key = output_chunks_key(job.id);
  scan.after = fields_behind(query.after);
  scan.limit = kScannedBlocks;
  batch.commands.emplace_back(store::key::Get{output_head_key(job.id)});
  batch.commands.emplace_back(std::move(scan));
  batch.commands.emplace_back(store::key::HashGet{output_outcome_key(job.id), std::to_string(to_number(job.fence))});
  return batch;
}

void read_output(store::Store& store, const OutputQuery& query, Reply<JobOutput> reply) {
  store.get_jobs({query.job}, [&store, query, reply = std::move(reply)](Result<store::Each<Job>> jobs) mutable {
    if (!jobs.ok()) return reply(jobs.status());
    check(jobs->size() == 1, "one job has one answer");
    if (!jobs->front().ok()) return reply(jobs->front().status());
    Job job = *std::move(jobs->front());
    store::KeyBatch batch = output_batch(query, job);
    store.keyspace(std::move(batch), [query, job = std::move(job),
                                      reply = std::move(reply)](Result<std::vector<store::KeyAnswer>> answers) mutable {
      if (!answers.ok()) return reply(answers.status());
      check(answers->size() == 3, "three commands have three answers");
      reply(output_of(query, job, *answers));
    });
  });
}

}  // namespace

bool Feedback::Readers::any() const {
  const std::lock_guard lock(mutex_);
  return !watched_.empty();
}

void Feedback::Readers::read(OutputQuery query, Reply<JobOutput> reply) {
  if (query.wait <= Duration::zero()) return read_output(store_, query, std::move(reply));
  Waiter waiter{.query = query, .until = clock_.elapsed() + query.wait, .found = {}, .reply = std::move(reply)};
  {
    std::unique_lock lock(mutex_);
    if (waiting_ >= kOutputReadersMax) {
      lock.unlock();
      return waiter.reply(
          Status::exhausted(fmt::format("{} readers wait for output, which is the most there may be", kOutputReadersMax)));
    }
    ++waiting_;
    ++watched_[query.job].looking;
  }
  look(std::move(waiter));
}

bool Feedback::Readers::waits_for(JobId job) const {
  const std::lock_guard lock(mutex_);
  const auto found = watched_.find(job);
  return found != watched_.end() && !found->second.parked.empty();
}

// REQUIRES: it counts among those that are looking.
void Feedback::Readers::look(Waiter waiter) {
  {
    const std::lock_guard lock(mutex_);
    waiter.seen = watched_[waiter.query.job].changes;
  }
  waiter.looked_at = clock_.elapsed();
  const OutputQuery query = waiter.query;
  read_output(store_, query, [self = shared_from_this(), waiter = std::move(waiter)](Result<JobOutput> found) mutable {
    self->looked(std::move(waiter), std::move(found));
  });
}

void Feedback::Readers::looked(Waiter waiter, Result<JobOutput> found) {
  bool said = !found.ok() || !found->chunks.empty() || !found->gaps.empty() || found->more || is_finished(found->state) ||
              waiter.until <= clock_.elapsed();
  {
    const std::lock_guard lock(mutex_);
    said = said || stopped_;
    Watched& watched = watched_[waiter.query.job];
    if (!said) {
      // What was written while it looked may not have been seen.
      if (watched.changes == waiter.seen) {
        --watched.looking;
        waiter.found = *std::move(found);
        waiter.query.after = waiter.found.next;
        watched.parked.push_back(std::move(waiter));
        return;
      }
    } else {
      --waiting_;
      if (--watched.looking == 0 && watched.parked.empty()) watched_.erase(waiter.query.job);
    }
  }
  if (said) return waiter.reply(std::move(found));
  look(std::move(waiter));
}

void Feedback::Readers::look_each(std::vector<Waiter> waiters) {
  for (Waiter& waiter : waiters) look(std::move(waiter));
}

void Feedback::Readers::changed(JobId job, const OutputNews* news) {
  std::vector<Waiter> woken;
  std::vector<Waiter> told;
  {
    const std::lock_guard lock(mutex_);
    const auto found = watched_.find(job);
    if (found == watched_.end()) return;
    Watched& watched = found->second;
    ++watched.changes;
    for (Waiter& waiter : std::exchange(watched.parked, {})) {
      if (news == nullptr || waiter.query.after != news->behind) {
        ++watched.looking;
        woken.push_back(std::move(waiter));
      } else if (take_news(waiter, *news)) {
        --waiting_;
        told.push_back(std::move(waiter));
      } else {
        watched.parked.push_back(std::move(waiter));
      }
    }
    if (watched.looking == 0 && watched.parked.empty()) watched_.erase(found);
  }
  for (Waiter& waiter : told) waiter.reply(std::move(waiter.found));
  look_each(std::move(woken));
}

// False: nothing of it is for the waiter, who need not look at it again either.
bool Feedback::Readers::take_news(Waiter& waiter, const OutputNews& news) {
  const OutputQuery& query = waiter.query;
  OutputPage page = page_of({.after = query.after, .channel = query.channel, .limit = query.limit}, news.blocks, true);
  JobOutput& out = waiter.found;
  out.stage = news.head.stage;
  out.metrics = news.head.metrics;
  out.chunks = std::move(page.chunks);
  out.more = page.more;
  out.next = page.more ? page.next : std::max(page.next, news.head.last);
  if (!out.chunks.empty()) return true;
  waiter.query.after = out.next;
  return false;
}

Duration Feedback::Readers::tick() {
  const Ticks now = clock_.elapsed();
  std::vector<Waiter> due;
  std::vector<Waiter> over;
  {
    const std::lock_guard lock(mutex_);
    for (auto it = watched_.begin(); it != watched_.end();) {
      Watched& watched = it->second;
      std::vector<Waiter> stay;
      for (Waiter& waiter : watched.parked) {
        if (stopped_ || waiter.until <= now) {
          --waiting_;
          over.push_back(std::move(waiter));
        } else if (waiter.looked_at + kLookEvery <= now) {
          ++watched.looking;
          due.push_back(std::move(waiter));
        } else {
          stay.push_back(std::move(waiter));
        }
      }
      watched.parked.swap(stay);
      it = watched.looking == 0 && watched.parked.empty() ? watched_.erase(it) : std::next(it);
    }
  }
  for (Waiter& waiter : over) waiter.reply(std::move(waiter.found));
  look_each(std::move(due));
  return kReadersTickMax;
}

void Feedback::Readers::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  tick();
}

}  // namespace muster::engine
