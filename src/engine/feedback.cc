#include "engine/feedback.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "engine/feedback_readers.h"
#include "engine/requests.h"
#include "model/partial_result.h"
#include "model/validate.h"

namespace muster::engine {
namespace {

// What is known about the output of a job that nobody speaks of is forgotten, and read again when somebody does.
constexpr Ticks kForgottenAfter = std::chrono::minutes(1);
constexpr std::size_t kStreamBytesMax = 256;  // of a place's stream
constexpr Duration kDeskTickMax{1'000};
constexpr Duration kKeptAtLeast = std::chrono::hours(24);
// Chunks are to be kept from the newest on; that they are is written now and then, and not with each.
constexpr Duration kKeptAgainEvery = std::chrono::hours(1);

bool same_bounds(const std::shared_ptr<const LeaseBounds>& a, const std::shared_ptr<const LeaseBounds>& b) {
  if (a == b) return true;
  return a && b && a->worker == b->worker && a->namespaces == b->namespaces;
}

bool only_outcome(const FeedbackReport& report) {
  return report.outcome && !report.fraction && !report.message && report.stage.empty() && report.metrics.empty() &&
         report.results.empty() && report.chunks.empty();
}

Status too_long(std::string_view what, std::size_t bytes, std::size_t most) {
  if (bytes <= most) return {};
  return Status::invalid_argument(fmt::format("{} of {} bytes is too long; at most {} are accepted", what, bytes, most));
}

Status refusal_in(const std::vector<store::KeyAnswer>& answers) {
  for (const store::KeyAnswer& answer : answers)
    if (answer.kind == store::KeyAnswer::Kind::refused) return Status::internal(fmt::format("output: {}", answer.text));
  return {};
}

store::key::Expire expiry(std::string key, Duration kept) {
  store::key::Expire expire;
  expire.key = std::move(key);
  expire.at = Instant(kept);
  expire.relative = true;
  return expire;
}

void add_outcome(store::KeyBatch& batch, const LeaseRef& lease, const OutcomeFacts& facts, Duration kept) {
  store::key::HashSet set;
  set.key = output_outcome_key(lease.job);
  set.fields.push_back({std::to_string(to_number(lease.fence)), encode_outcome(facts)});
  batch.commands.emplace_back(std::move(set));
  batch.commands.emplace_back(expiry(output_outcome_key(lease.job), kept));
}

}  // namespace

Status validate(const FeedbackReport& report) {
  if (report.lease.job.value.is_nil()) return Status::invalid_argument("job id is nil; the id of a job is accepted");
  if (report.chunks.size() > limits::kFeedbackChunksMax)
    return Status::invalid_argument(
        fmt::format("{} chunks in one report; at most {} are accepted", report.chunks.size(), limits::kFeedbackChunksMax));
  if (Status status =
          validate(store::ProgressUpdate{report.lease, report.fraction.value_or(0), report.message.value_or(""), std::nullopt});
      !status.ok())
    return status;
  if (Status status = validate_text("stage", report.stage, {.bytes_max = limits::kStageBytesMax}); !status.ok()) return status;
  if (Status status = too_long("metrics", report.metrics.size(), limits::kMetricsBytesMax); !status.ok()) return status;
  if (Status status = too_long("results", report.results.size(), limits::kPartialBytesMax); !status.ok()) return status;
  if (report.place)
    if (Status status = validate_text("stream", report.place->stream, {.bytes_max = kStreamBytesMax}); !status.ok())
      return status;
  if (!report.outcome) return {};
  const OutcomeFacts& facts = *report.outcome;
  if (Status status = validate_text("status", facts.status, {.bytes_max = limits::kStageBytesMax}); !status.ok()) return status;
  return too_long("what is said of a result", facts.metadata.size() + facts.artifacts.size(), limits::kOutcomeBytesMax);
}

// The reports that wait, by job. A job's round takes those that came under one lease from the front of its queue, looks at what
// is kept, at the lease, and writes; nothing else is done about the job meanwhile. Any thread; replies come on a store thread.
class Feedback::Desk : public std::enable_shared_from_this<Feedback::Desk> {
 public:
  Desk(store::Store& store, const Clock& clock, const Options& options, std::shared_ptr<Readers> readers)
      : store_(store), clock_(clock), retention_(options.retention), readers_(std::move(readers)) {}

  void report(FeedbackReport report, Reply<store::Renewed> reply) {
    if (Status status = validate(report); !status.ok()) return reply(status);
    if (!report.in_namespace.empty() && only_outcome(report)) return keep_outcome(report, std::move(reply));
    const JobId job = report.lease.job;
    Item item{.report = std::move(report), .reply = std::move(reply), .at = clock_.now()};
    {
      std::unique_lock lock(mutex_);
      const bool known = entries_.contains(job);
      if ((!known && entries_.size() >= kFeedbackJobsMax) || (known && entries_[job].queue.size() >= kFeedbackQueuedMax)) {
        lock.unlock();
        return item.reply(Status::exhausted("too many reports wait to be written; send them again later"));
      }
      Entry& entry = entries_[job];
      take_in(item, entry);
      entry.queue.push_back(std::move(item));
      tracked_.store(entries_.size(), std::memory_order_release);
    }
    pump(job);
  }

  void committed(const store::Committed& commit) {
    const bool tracks = tracked_.load(std::memory_order_acquire) != 0;
    if (!tracks && !readers_->any()) return;
    for (const JobChange& change : commit.jobs) {
      if (!is_finished(change.to)) continue;
      if (tracks) ended(change);
      readers_->changed(change.id);
    }
  }

  Duration tick() {
    const Ticks now = clock_.elapsed();
    std::vector<JobId> due;
    Duration next = kDeskTickMax;
    {
      const std::lock_guard lock(mutex_);
      while (!agenda_.empty() && agenda_.begin()->first <= now) {
        const JobId job = agenda_.begin()->second;
        agenda_.erase(agenda_.begin());
        Entry& entry = entries_.at(job);
        entry.due.reset();
        if (!entry.queue.empty())
          due.push_back(job);
        else if (!entry.busy)
          entries_.erase(job);
      }
      tracked_.store(entries_.size(), std::memory_order_release);
      if (!agenda_.empty()) next = std::min(next, std::chrono::ceil<Duration>(agenda_.begin()->first - now));
    }
    for (const JobId& job : due) pump(job);
    return next;
  }

  void stop() {
    std::vector<JobId> jobs;
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      for (const auto& [job, entry] : entries_) jobs.push_back(job);
    }
    for (const JobId& job : jobs) pump(job);
  }

 private:
  struct Item {
    FeedbackReport report;
    Reply<store::Renewed> reply;
    Instant at{};
    std::vector<std::uint64_t> lost{};  // by chunk: bytes of what there was no room for; empty: there was
    std::size_t bytes = 0;
    Status refused{};
  };
  // What the store holds, as of the last write.
  struct Kept {
    NamespaceName ns;
    Fence fence{};
    OutputIndex index;
    double fraction = 0;
    std::string message;
    std::string partial;
    std::optional<Ticks> kept_from{};  // when it was last written how long the chunks are kept
  };
  struct Entry {
    std::deque<Item> queue;
    std::size_t queued_bytes = 0;
    std::optional<Kept> kept;
    bool busy = false;  // its round is under way, and has `kept`
    Ticks not_before{};
    std::optional<Ticks> due;       // its place in the agenda
    std::optional<Duration> ended;  // the job is finished, and kept so long
  };
  struct Round {
    JobId job;
    LeaseRef lease;
    std::vector<Item> items;
    std::optional<Kept> kept;
    std::optional<Duration> ended;
  };
  using RoundPtr = std::shared_ptr<Round>;  // shared by the replies of the round, one after the other

  // While the job is unfinished; a retention of nothing is no reason to lose what it says.
  Duration kept_longest() const { return std::max({retention_.completed_kept, retention_.dead_kept, kKeptAtLeast}); }

  // Chunks without room are only counted. Under the mutex.
  void take_in(Item& item, Entry& entry) {
    for (std::size_t i = 0; i < item.report.chunks.size(); ++i) {
      OutputChunk& chunk = item.report.chunks[i];
      chunk.fence = item.report.lease.fence;
      chunk.at = item.at;
      const std::size_t bytes = chunk.bytes();
      if (entry.queued_bytes + bytes <= kFeedbackQueuedBytesMax && queued_bytes_ + bytes <= kFeedbackQueuedTotalBytesMax &&
          bytes <= limits::kOutputChunkBytesMax) {
        item.bytes += bytes;
        entry.queued_bytes += bytes;
        queued_bytes_ += bytes;
        continue;
      }
      item.lost.resize(item.report.chunks.size());
      item.lost[i] = std::max<std::uint64_t>(bytes, 1);
      chunk.data = chunk.metadata = chunk.mime_type = std::string();
    }
  }

  // Under the mutex.
  void put_in_agenda(JobId job, Entry& entry, Ticks due) {
    if (entry.due) agenda_.erase({*entry.due, job});
    entry.due = due;
    agenda_.emplace(due, job);
  }

  void pump(JobId job) {
    const Ticks now = clock_.elapsed();
    RoundPtr round;
    {
      const std::lock_guard lock(mutex_);
      const auto found = entries_.find(job);
      if (found == entries_.end()) return;
      Entry& entry = found->second;
      if (entry.busy || entry.queue.empty()) return;
      const bool urgent =
          stopped_ || entry.queue.size() >= kFeedbackEarly || entry.ended ||
          std::any_of(entry.queue.begin(), entry.queue.end(), [](const Item& item) { return item.report.at_once; });
      if (!urgent && now < entry.not_before) return put_in_agenda(job, entry, entry.not_before);
      entry.busy = true;
      round = begin_round(job, entry);
    }
    look_up(std::move(round));
  }

  RoundPtr begin_round(JobId job, Entry& entry) {
    auto round = std::make_shared<Round>();
    round->job = job;
    round->lease = entry.queue.front().report.lease;
    while (!entry.queue.empty() && entry.queue.front().report.lease == round->lease &&
           same_bounds(entry.queue.front().report.lease.bounds, round->lease.bounds)) {
      round->items.push_back(std::move(entry.queue.front()));
      entry.queue.pop_front();
    }
    round->kept = std::exchange(entry.kept, std::nullopt);
    return round;
  }

  // Another holder may have been on another node: what it wrote is read before anything is added to it.
  void look_up(RoundPtr round) {
    if (round->kept && round->kept->fence == round->lease.fence) return look_at_lease(std::move(round));
    store_.get_jobs({round->job}, [self = shared_from_this(), round](Result<store::Each<Job>> jobs) {
      if (!jobs.ok()) return self->finish(round, jobs.status());
      check(jobs->size() == 1, "one job has one answer");
      if (!jobs->front().ok()) return self->finish(round, jobs->front().status());
      self->read_kept(round, *jobs->front());
    });
  }

  void read_kept(const RoundPtr& round, const Job& job) {
    Kept kept;
    kept.ns = job.spec.ns;
    kept.fence = round->lease.fence;
    if (job.progress) {
      kept.fraction = job.progress->fraction;
      kept.message = job.progress->message;
      if (job.progress->partial && job.progress->partial->encoding == Encoding::json) kept.partial = job.progress->partial->data;
    }
    store::KeyBatch batch = batch_of(kept);
    batch.commands.emplace_back(store::key::Get{output_head_key(round->job)});
    batch.commands.emplace_back(store::key::HashAll{output_chunks_key(round->job), store::key::HashPart::fields});
    store_.keyspace(std::move(batch), [self = shared_from_this(), round,
                                       kept = std::move(kept)](Result<std::vector<store::KeyAnswer>> answers) mutable {
      if (!answers.ok()) return self->finish(round, answers.status());
      check(answers->size() == 2, "two commands have two answers");
      std::vector<std::string> fields;
      for (store::KeyAnswer& field : (*answers)[1].list) fields.push_back(std::move(field.text));
      kept.index = OutputIndex(decode_head((*answers)[0].text), fields);
      round->kept = std::move(kept);
      self->look_at_lease(round);
    });
  }

  // Progress renews the lease too; who has none to tell renews it alone.
  void look_at_lease(RoundPtr round) {
    Kept& kept = *round->kept;
    bool told = false;
    std::optional<std::string> partial;
    FeedbackPlace place = kept.index.head().place;
    for (Item& item : round->items) {
      if (!is_new(item, place)) continue;
      const FeedbackReport& report = item.report;
      if (!report.results.empty()) {
        std::string merged = merge_result(partial ? *partial : kept.partial, report.results).text;
        item.refused = too_long("the partial result", merged.size(), limits::kPartialBytesMax);
        if (!item.refused.ok()) continue;
        partial = std::move(merged);
      }
      told = told || report.fraction || report.message || partial;
      kept.fraction = report.fraction.value_or(kept.fraction);
      if (report.message) kept.message = *report.message;
    }
    auto then = [self = shared_from_this(), round](Result<store::Each<store::Renewed>> answers) {
      if (!answers.ok()) return self->finish(round, answers.status());
      check(answers->size() == 1, "one lease has one answer");
      if (!answers->front().ok()) return self->finish(round, answers->front().status());
      self->write(round, *answers->front());
    };
    if (!told) return store_.renew({store::Renewal{round->lease, std::nullopt}}, std::move(then));
    store::ProgressUpdate update{round->lease, kept.fraction, kept.message, std::nullopt};
    if (partial) {
      kept.partial = *partial;
      update.partial = Content{*std::move(partial), Encoding::json};
    }
    store_.report_progress({std::move(update)}, std::move(then));
  }

  // Marks what was kept before as such, by leaving nothing in it.
  static bool is_new(Item& item, FeedbackPlace& place) {
    if (!item.report.place) return true;
    if (item.report.place->stream == place.stream && item.report.place->number <= place.number) {
      item.report.chunks.clear();
      item.report.place.reset();
      return false;
    }
    place = *item.report.place;
    return true;
  }

  static store::KeyBatch batch_of(const Kept& kept) {
    store::KeyBatch batch;
    batch.ns = kept.ns;
    batch.space = store::KeySpace::internal;
    return batch;
  }

  void write(const RoundPtr& round, const store::Renewed& renewed) {
    Kept& kept = *round->kept;
    const OutputHead before = kept.index.head();
    store::KeyBatch batch = batch_of(kept);
    std::vector<ArrivedChunk> arrived;
    for (Item& item : round->items) {
      if (!item.refused.ok()) continue;
      FeedbackReport& report = item.report;
      for (std::size_t i = 0; i < report.chunks.size(); ++i) {
        ArrivedChunk& one = arrived.emplace_back();
        one.chunk = std::move(report.chunks[i]);
        if (!item.lost.empty() && item.lost[i] > 0) one.lost_bytes = item.lost[i];
      }
      if (!report.stage.empty()) kept.index.head().stage = report.stage;
      if (!report.metrics.empty()) kept.index.head().metrics = report.metrics;
      if (report.place) kept.index.head().place = *report.place;
      if (report.outcome) add_outcome(batch, round->lease, *report.outcome, kept_longest());
    }
    OutputIndex::Change change = kept.index.append(std::move(arrived));
    std::optional<OutputNews> news;
    const bool told_whole = change.removed.empty() && kept.index.head().lost == before.lost && !says_outcome(round->items);
    if (told_whole && readers_->waits_for(round->job))
      news = OutputNews{.behind = before.last, .head = kept.index.head(), .blocks = change.written};
    if (!change.removed.empty())
      batch.commands.emplace_back(store::key::HashDelete{output_chunks_key(round->job), std::move(change.removed)});
    if (!change.written.empty()) {
      store::key::HashSet set;
      set.key = output_chunks_key(round->job);
      set.fields = std::move(change.written);
      batch.commands.emplace_back(std::move(set));
      if (const Ticks now = clock_.elapsed(); !kept.kept_from || now - *kept.kept_from >= kKeptAgainEvery) {
        kept.kept_from = now;
        batch.commands.emplace_back(expiry(output_chunks_key(round->job), kept_longest() + kKeptAgainEvery));
      }
    }
    if (!(kept.index.head() == before)) {
      store::key::Set set;
      set.key = output_head_key(round->job);
      set.value = encode_head(kept.index.head());
      set.expires_at = Instant(kept_longest());
      set.relative = true;
      batch.commands.emplace_back(std::move(set));
    }
    if (batch.commands.empty()) return finish(round, renewed);
    store_.keyspace(std::move(batch), [self = shared_from_this(), round, renewed,
                                       news = std::move(news)](Result<std::vector<store::KeyAnswer>> answers) {
      if (!answers.ok()) return self->finish(round, answers.status());
      if (Status refused = refusal_in(*answers); !refused.ok()) return self->finish(round, refused);
      self->finish(round, renewed, news ? &*news : nullptr);
    });
  }

  static bool says_outcome(const std::vector<Item>& items) {
    return std::any_of(items.begin(), items.end(), [](const Item& item) { return item.report.outcome.has_value(); });
  }

  void finish(const RoundPtr& round, const Result<store::Renewed>& result, const OutputNews* news = nullptr) {
    const Ticks now = clock_.elapsed();
    const std::optional<NamespaceName> ns = round->kept ? std::optional(round->kept->ns) : std::nullopt;
    {
      const std::lock_guard lock(mutex_);
      Entry& entry = entries_.at(round->job);
      entry.busy = false;
      // After a failure nobody knows what was written.
      if (result.ok()) entry.kept = std::move(round->kept);
      for (const Item& item : round->items) {
        entry.queued_bytes -= item.bytes;
        queued_bytes_ -= item.bytes;
      }
      entry.not_before = now + kFeedbackEvery;
      if (entry.queue.empty()) {
        round->ended = entry.ended;
        if (entry.ended)
          forget(round->job, entry);
        else
          put_in_agenda(round->job, entry, now + kForgottenAfter);
      }
    }
    if (round->ended && ns) expire(*ns, round->job, *round->ended);
    readers_->changed(round->job, news);
    for (Item& item : round->items) {
      if (!item.refused.ok())
        item.reply(item.refused);
      else
        item.reply(result);
    }
    pump(round->job);
  }

  // Under the mutex.
  void forget(JobId job, Entry& entry) {
    if (entry.due) agenda_.erase({*entry.due, job});
    entries_.erase(job);
    tracked_.store(entries_.size(), std::memory_order_release);
  }

  // What is kept of a finished job goes when the job does.
  void ended(const JobChange& change) {
    const Duration kept = change.to == JobState::dead ? retention_.dead_kept : retention_.completed_kept;
    std::optional<NamespaceName> ns;
    {
      const std::lock_guard lock(mutex_);
      const auto found = entries_.find(change.id);
      if (found == entries_.end()) return;
      Entry& entry = found->second;
      entry.ended = kept;
      if (entry.busy || !entry.queue.empty()) return;
      if (entry.kept) ns = entry.kept->ns;
      forget(change.id, entry);
    }
    if (ns) expire(*ns, change.id, kept);
  }

  void expire(const NamespaceName& ns, JobId job, Duration kept) {
    store::KeyBatch batch;
    batch.ns = ns;
    batch.space = store::KeySpace::internal;
    for (auto key_of : {output_head_key, output_chunks_key, output_outcome_key})
      batch.commands.emplace_back(expiry(key_of(job), kept));
    store_.keyspace(std::move(batch), [](const Result<std::vector<store::KeyAnswer>>&) {});
  }

  // Filed under its fence: one of a lease that is over is never read.
  void keep_outcome(const FeedbackReport& report, Reply<store::Renewed> reply) {
    store::KeyBatch batch;
    batch.ns = report.in_namespace;
    batch.space = store::KeySpace::internal;
    add_outcome(batch, report.lease, *report.outcome, kept_longest());
    store_.keyspace(std::move(batch), [reply = std::move(reply)](Result<std::vector<store::KeyAnswer>> answers) mutable {
      if (!answers.ok()) return reply(answers.status());
      if (Status refused = refusal_in(*answers); !refused.ok()) return reply(refused);
      reply(store::Renewed{});
    });
  }

  store::Store& store_;
  const Clock& clock_;
  const store::Retention retention_;
  const std::shared_ptr<Readers> readers_;  // shared with its owner, and with answers that are on their way
  std::atomic<std::size_t> tracked_{0};     // entries_.size(), for those who only ask whether there are any
  std::mutex mutex_;                        // leaf; guards everything below
  std::unordered_map<JobId, Entry> entries_;
  std::set<std::pair<Ticks, JobId>> agenda_;  // when queues are written, and idle jobs forgotten
  std::size_t queued_bytes_ = 0;
  bool stopped_ = false;
};

Feedback::Feedback(store::Store& store, const Clock& clock, const Options& options)
    : readers_(std::make_shared<Readers>(store, clock)), desk_(std::make_shared<Desk>(store, clock, options, readers_)) {}
Feedback::~Feedback() { stop(); }

void Feedback::report(FeedbackReport report, Reply<store::Renewed> reply) { desk_->report(std::move(report), std::move(reply)); }

void Feedback::read(OutputQuery query, Reply<JobOutput> reply) {
  if (query.job.value.is_nil()) return reply(Status::invalid_argument("job id is nil; the id of a job is accepted"));
  if (query.limit < 1 || query.limit > limits::kOutputPageMax)
    return reply(Status::invalid_argument(fmt::format("limit is {}; 1 to {} is accepted", query.limit, limits::kOutputPageMax)));
  if (query.wait < Duration::zero() || query.wait > kOutputWaitMax)
    return reply(
        Status::invalid_argument(fmt::format("wait is {} ms; 0 to {} is accepted", query.wait.count(), kOutputWaitMax.count())));
  readers_->read(query, std::move(reply));
}

void Feedback::committed(const store::Committed& commit) { desk_->committed(commit); }
Duration Feedback::tick() { return std::min(desk_->tick(), readers_->tick()); }

void Feedback::stop() {
  desk_->stop();
  readers_->stop();
}

}  // namespace muster::engine
