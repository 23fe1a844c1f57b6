#include "engine/history.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/job_moves.h"
#include "engine/pass_pauses.h"
#include "store/commit_metrics.h"

namespace muster::engine {
namespace {

using Figures = std::vector<std::pair<Figure, double>>;

// The counters that rates are made of, and their values when they were last looked at.
class Rates {
 public:
  Rates(Metrics& metrics, std::function<Ticks()> processor_time)
      : enqueued_(job_moves(metrics, JobEvent::enqueued)),
        redriven_(job_moves(metrics, JobEvent::redriven)),
        ended_{&job_moves(metrics, JobEvent::completed), &job_moves(metrics, JobEvent::exhausted),
               &job_moves(metrics, JobEvent::cancelled), &job_moves(metrics, JobEvent::expired)},
        failed_(job_moves(metrics, JobEvent::failed)),
        exhausted_(job_moves(metrics, JobEvent::exhausted)),
        commits_(store::CommitMetrics(metrics).commit_seconds),
        processor_time_(std::move(processor_time)) {}

  // What has happened since the last call, in `passed`; nothing the first time.
  Figures take(Ticks passed) {
    const Seen seen = look();
    const Seen before = std::exchange(seen_, seen);
    const double seconds = std::chrono::duration<double>(passed).count();
    if (!std::exchange(looked_, true) || seconds <= 0) return {};
    Figures out{{Figure::jobs_in, (seen.in - before.in) / seconds},
                {Figure::jobs_out, (seen.out - before.out) / seconds},
                {Figure::jobs_failed, (seen.failed - before.failed) / seconds}};
    if (processor_time_) out.emplace_back(Figure::cpu, (seen.processor - before.processor) / seconds);
    if (seen.commits > before.commits)
      out.emplace_back(Figure::store_commit,
                       1'000 * (seen.commit_seconds - before.commit_seconds) / (seen.commits - before.commits));
    return out;
  }

 private:
  struct Seen {
    double in = 0;
    double out = 0;
    double failed = 0;
    double commits = 0;
    double commit_seconds = 0;
    double processor = 0;
  };

  Seen look() const {
    Seen seen;
    seen.in = number(enqueued_) + number(redriven_);
    for (const Counter* counter : ended_) seen.out += number(*counter);
    seen.failed = number(failed_) + number(exhausted_);
    seen.commits = static_cast<double>(commits_.count());
    seen.commit_seconds = commits_.sum();
    if (processor_time_) seen.processor = std::chrono::duration<double>(processor_time_()).count();
    return seen;
  }
  static double number(const Counter& counter) { return static_cast<double>(counter.value()); }

  const Counter& enqueued_;
  const Counter& redriven_;
  const std::array<const Counter*, 4> ended_;
  const Counter& failed_;
  const Counter& exhausted_;
  const Histogram& commits_;
  const std::function<Ticks()> processor_time_;
  Seen seen_;
  bool looked_ = false;
};

Figures figures_of(const std::vector<QueueStats>& queues, Instant now) {
  double ready = 0, running = 0, dead = 0;
  std::optional<Instant> oldest;
  for (const QueueStats& queue : queues) {
    ready += static_cast<double>(queue.ready);
    running += static_cast<double>(queue.running);
    dead += static_cast<double>(queue.dead);
    if (queue.oldest_ready_at) oldest = std::min(oldest.value_or(*queue.oldest_ready_at), *queue.oldest_ready_at);
  }
  const Duration age = oldest ? std::max(now - *oldest, Duration(0)) : Duration(0);
  return {{Figure::ready, ready},
          {Figure::running, running},
          {Figure::dead, dead},
          {Figure::oldest_ready, static_cast<double>(age.count())}};
}

struct Crew {
  double live = 0;
  double draining = 0;
  double unhealthy = 0;
};

void count(Crew& crew, const std::vector<Worker>& workers, Instant now) {
  for (const Worker& worker : workers) {
    ++crew.live;
    if (worker.state == WorkerState::draining) ++crew.draining;
    if (grade(worker, now) != Health::healthy) ++crew.unhealthy;
  }
}

// Something the store is asked for now and then, and what it answered last.
struct Reading {
  bool is_out = false;
  Ticks asked_at{};
  std::optional<Ticks> due_at;  // empty: at once
  std::optional<Ticks> read_at;
  Figures figures;

  bool begin(Ticks now) {
    if (is_out || (due_at && now < *due_at)) return false;
    is_out = true;
    asked_at = now;
    return true;
  }
  void end(Ticks now, Duration every) {
    is_out = false;
    due_at = std::max(asked_at + Ticks(every), now + kHistoryRest * (now - asked_at));
  }
};

}  // namespace

class History::Recorder : public std::enable_shared_from_this<Recorder> {
 public:
  Recorder(store::Store& store, const Clock& clock, Metrics& metrics, const Options& options)
      : store_(store), clock_(clock), is_on_(options.history), rates_(metrics, options.processor_time) {}

  HistoryPoints read(HistorySpan span, std::optional<Instant> since) const {
    const std::lock_guard lock(mutex_);
    return book_.read(span, since);
  }
  std::string image() const {
    const std::lock_guard lock(mutex_);
    return book_.image();
  }
  Status restore(std::string_view image) {
    auto book = HistoryBook::from_image(image, clock_.now());
    if (!book.ok()) return book.status();
    const std::lock_guard lock(mutex_);
    book_ = *std::move(book);
    return {};
  }

  Duration tick() {
    if (!is_on_) return kIdleSleep;
    const Instant now = clock_.now();
    const Ticks elapsed = clock_.elapsed();
    const Instant step = now - (now.time_since_epoch() % kHistoryStep);
    bool queues_due = false;
    bool workers_due = false;
    {
      const std::lock_guard lock(mutex_);
      if (step_ == step) return step + kHistoryStep - now;
      Figures rates = rates_.take(elapsed - stepped_at_);
      if (step_) book_.put(*step_, row_of(std::move(rates), elapsed));
      step_ = step;
      stepped_at_ = elapsed;
      queues_due = queues_.begin(elapsed);
      workers_due = workers_.begin(elapsed);
    }
    if (queues_due) ask_queues();
    if (workers_due) ask_workers({}, {});
    return step + kHistoryStep - now;
  }

 private:
  HistoryRow row_of(Figures rates, Ticks elapsed) const {
    HistoryRow row;
    for (const auto& [figure, value] : rates) row[figure] = static_cast<float>(value);
    for (const Reading* reading : {&queues_, &workers_})
      if (reading->read_at && elapsed - *reading->read_at <= kHistoryReadKept)
        for (const auto& [figure, value] : reading->figures) row[figure] = static_cast<float>(value);
    return row;
  }

  void ask_queues() {
    store_.list_queues(NamespaceName(), [self = shared_from_this()](const Result<std::vector<QueueStats>>& queues) {
      self->note(self->queues_, Duration(0), queues.ok() ? figures_of(*queues, self->clock_.now()) : Figures());
    });
  }

  void ask_workers(std::string cursor, Crew crew) {
    store::WorkerQuery query;
    query.states = {WorkerState::online, WorkerState::draining};
    query.limit = limits::kPageMax;
    query.cursor = std::move(cursor);
    store_.list_workers(std::move(query), [self = shared_from_this(), crew](Result<store::WorkerPage> page) mutable {
      if (page.ok()) count(crew, page->workers, self->clock_.now());
      if (page.ok() && !page->next.empty()) return self->ask_workers(std::move(page->next), crew);
      self->note(self->workers_, kHistoryWorkersEvery,
                 page.ok() ? Figures{{Figure::workers_live, crew.live},
                                     {Figure::workers_draining, crew.draining},
                                     {Figure::workers_unhealthy, crew.unhealthy}}
                           : Figures());
    });
  }

  // A store that could not answer leaves what was read before.
  void note(Reading& reading, Duration every, Figures figures) {
    const std::lock_guard lock(mutex_);
    const Ticks now = clock_.elapsed();
    reading.end(now, every);
    if (figures.empty()) return;
    reading.figures = std::move(figures);
    reading.read_at = now;
  }

  store::Store& store_;
  const Clock& clock_;
  const bool is_on_;
  mutable std::mutex mutex_;  // leaf; guards what follows
  Rates rates_;
  HistoryBook book_;
  std::optional<Instant> step_;  // whose row is written when it ends
  Ticks stepped_at_{};
  Reading queues_;
  Reading workers_;
};

History::History(store::Store& store, const Clock& clock, Metrics& metrics, const Options& options)
    : recorder_(std::make_shared<Recorder>(store, clock, metrics, options)) {}
History::~History() = default;

HistoryPoints History::read(HistorySpan span, std::optional<Instant> since) const { return recorder_->read(span, since); }
std::string History::image() const { return recorder_->image(); }
Status History::restore(std::string_view image) { return recorder_->restore(image); }
Duration History::tick() { return recorder_->tick(); }

}  // namespace muster::engine
