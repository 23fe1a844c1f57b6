#include "engine/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/uuid.h"
#include "engine/audit_search.h"
#include "engine/pass_pauses.h"
#include "engine/requests.h"

namespace muster::engine {
namespace {

constexpr std::array kShelves{AuditShelf::deeds, AuditShelf::traffic};
constexpr std::size_t kBlocksPerBatch = 16;
constexpr std::size_t kCommandsPerBlock = 3;
constexpr std::size_t kRowOverhead = 64;  // of a line, beside its texts

std::size_t bytes_of(const AuditRow& row) {
  return kRowOverhead + row.ns.text().size() + row.who.size() + row.role.size() + row.address.size() + row.worker.size() +
         row.action.size() + row.target.size() + row.correlation.size() + row.outcome.size();
}

std::size_t place_of(AuditShelf shelf) { return static_cast<std::size_t>(shelf); }

// A block on its way to the store.
struct Unwritten {
  AuditShelf shelf = AuditShelf::deeds;
  AuditBlock block;
  std::string text;
  std::size_t bytes = 0;  // that its rows count for
};

bool is_full(const Unwritten& open, AuditStamp next) {
  return open.block.count >= kAuditBlockRowsMax || open.text.size() >= kAuditBlockBytesMax ||
         next - open.block.first > kAuditBlockSpan;
}

std::vector<Unwritten> blocks_of(AuditShelf shelf, const std::vector<AuditRow>& rows) {
  std::vector<Unwritten> out;
  for (const AuditRow& row : rows) {
    const AuditStamp stamp = *stamp_of(row.id);
    if (out.empty() || is_full(out.back(), stamp)) {
      out.emplace_back().shelf = shelf;
      out.back().block.first = stamp;
    }
    Unwritten& open = out.back();
    append_line(open.text, row);
    open.bytes += bytes_of(row);
    open.block.id = row.id;
    open.block.last = stamp;
    ++open.block.count;
  }
  return out;
}

}  // namespace

// Everything behind a mutex; the store is called without it.
class Audit::Book : public std::enable_shared_from_this<Audit::Book> {
 public:
  Book(store::Store& store, const Clock& clock, Metrics& metrics, const Options& options)
      : store_(store),
        clock_(clock),
        kept_{AuditKept{options.audit_kept, options.audit_deeds_max}, AuditKept{options.audit_kept, options.audit_traffic_max}},
        rows_(metrics.counter("muster_audit_rows_total", "Audit rows that were written.")),
        dropped_(metrics.counter("muster_audit_dropped_total", "Audit rows that could not be written.")),
        node_(static_cast<std::uint32_t>(random_seed())),
        prune_at_(clock.elapsed() + kAuditPruneEvery) {}

  void add(AuditRow row, AuditShelf shelf) {
    shorten(row);
    const std::size_t bytes = bytes_of(row);
    bool now = false;
    {
      const std::lock_guard lock(mutex_);
      if (held_rows_ >= kAuditPendingMax || held_bytes_ + bytes > kAuditPendingBytesMax) return dropped_.add();
      last_stamp_ = std::max(last_stamp_ + 1, first_stamp_of(clock_.now()));
      row.id = audit_id(last_stamp_, node_);
      if (!has_pending()) pending_since_ = clock_.elapsed();
      pending_[place_of(shelf)].push_back(std::move(row));
      ++held_rows_;
      held_bytes_ += bytes;
      now = stopped_;
    }
    if (now) write_all();
  }

  void list(AuditQuery query, Reply<AuditPage> reply) {
    if (Status status = validate_page(query.limit, query.cursor); !status.ok()) return reply(std::move(status));
    if (!query.cursor.empty() && !stamp_of(query.cursor))
      return reply(Status::invalid_argument(fmt::format("cursor \"{}\" is not one of the audit list", query.cursor)));
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back([&store = store_, query = std::move(query), reply = std::move(reply)]() mutable {
        search_audit(store, std::move(query), std::move(reply));
      });
      ++out_;  // those who wait are not called while the writes begin
    }
    begin_writing();
    ended();
  }

  Duration tick() {
    const Ticks now = clock_.elapsed();
    bool write = false;
    bool prune = false;
    {
      const std::lock_guard lock(mutex_);
      write = out_ == 0 && now >= retry_at_ && (!failed_.empty() || (has_pending() && now >= pending_since_ + kAuditDelay));
      prune = !pruning_ && now >= prune_at_;
      pruning_ = pruning_ || prune;
    }
    if (write) begin_writing();
    if (prune) look_for_old();
    return pause(now);
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    write_all();
  }

 private:
  using Answers = Result<std::vector<store::KeyAnswer>>;

  bool has_pending() const {
    return std::ranges::any_of(pending_, [](const std::vector<AuditRow>& rows) { return !rows.empty(); });
  }

  Duration pause(Ticks now) const {
    const std::lock_guard lock(mutex_);
    Ticks next = std::min<Ticks>(kIdleSleep, pruning_ ? Ticks(kBusyPause) : prune_at_ - now);
    if (out_ > 0) next = std::min<Ticks>(next, kBusyPause);
    if (out_ == 0 && !failed_.empty()) next = std::min(next, retry_at_ - now);
    if (out_ == 0 && has_pending()) next = std::min(next, std::max<Ticks>(pending_since_ + kAuditDelay, retry_at_) - now);
    return std::chrono::ceil<Duration>(std::max(next, Ticks(0)));
  }

  // --- writing ---

  // How many rows were written before is asked once; then what each write answers says it.
  void begin_writing() {
    bool known = false;
    {
      const std::lock_guard lock(mutex_);
      if (failed_.empty() && !has_pending()) return;
      known = known_;
      out_ += known ? 0 : 1;
    }
    if (known) return write_all();
    store::KeyBatch batch{.space = store::KeySpace::internal, .commands = {}};
    for (const AuditShelf shelf : kShelves) batch.commands.push_back(store::key::Get{written_key(shelf)});
    store_.keyspace(std::move(batch), [self = shared_from_this()](const Answers& answers) {
      if (answers.ok()) {
        self->learn(*answers);
        self->write_all();
      } else {
        self->refused(answers.status(), {});
      }
      self->ended();
    });
  }

  void learn(const std::vector<store::KeyAnswer>& counters) {
    const std::lock_guard lock(mutex_);
    known_ = true;
    for (std::size_t i = 0; i < std::min(counters.size(), kShelves.size()); ++i) {
      if (counters[i].kind != store::KeyAnswer::Kind::text) continue;  // nothing was written yet
      std::uint64_t count = 0;
      for (const char digit : counters[i].text)
        if (digit >= '0' && digit <= '9') count = count * 10 + static_cast<std::uint64_t>(digit - '0');
      written_[i] = std::max(written_[i], count);
    }
  }

  void write_all() {
    std::vector<Unwritten> blocks;
    std::array<std::vector<AuditRow>, kAuditShelves> rows;
    {
      const std::lock_guard lock(mutex_);
      blocks = std::exchange(failed_, {});
      rows = std::exchange(pending_, {});
      ++out_;
    }
    for (const AuditShelf shelf : kShelves) {
      std::vector<Unwritten> made = blocks_of(shelf, rows[place_of(shelf)]);
      const std::lock_guard lock(mutex_);
      for (Unwritten& each : made) {
        each.block.written = written_[place_of(shelf)] += each.block.count;
        blocks.push_back(std::move(each));
      }
    }
    for (std::size_t at = 0; at < blocks.size(); at += kBlocksPerBatch) {
      const std::size_t end = std::min(blocks.size(), at + kBlocksPerBatch);
      write(std::vector<Unwritten>(std::make_move_iterator(blocks.begin() + static_cast<std::ptrdiff_t>(at)),
                                   std::make_move_iterator(blocks.begin() + static_cast<std::ptrdiff_t>(end))));
    }
    ended();
  }

  // Safe to repeat: the second time the same text and the same entry are put, and the counter alone grows once more.
  void write(std::vector<Unwritten> blocks) {
    store::KeyBatch batch{.space = store::KeySpace::internal, .commands = {}};
    for (const Unwritten& each : blocks) {
      batch.commands.push_back(store::key::Increment{written_key(each.shelf), static_cast<std::int64_t>(each.block.count)});
      batch.commands.push_back(store::key::Set{.key = text_key(each.shelf, each.block), .value = each.text, .expires_at = {}});
      batch.commands.push_back(store::key::ScoresAdd{.key = index_key(each.shelf),
                                                     .members = {{member_of(each.block), static_cast<double>(each.block.last)}}});
    }
    {
      const std::lock_guard lock(mutex_);
      ++out_;
    }
    store_.keyspace(std::move(batch), [self = shared_from_this(), blocks = std::move(blocks)](const Answers& answers) mutable {
      answers.ok() ? self->written(blocks, *answers) : self->refused(answers.status(), std::move(blocks));
      self->ended();
    });
  }

  void written(const std::vector<Unwritten>& blocks, const std::vector<store::KeyAnswer>& answers) {
    bool recovered = false;
    std::string refusal;
    {
      const std::lock_guard lock(mutex_);
      recovered = std::exchange(failing_, false);
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        const Unwritten& each = blocks[i];
        held_rows_ -= each.block.count;
        held_bytes_ -= each.bytes;
        bool taken = answers.size() >= (i + 1) * kCommandsPerBlock;
        for (std::size_t at = i * kCommandsPerBlock; taken && at < (i + 1) * kCommandsPerBlock; ++at)
          if (answers[at].kind == store::KeyAnswer::Kind::refused) {
            refusal = answers[at].text;
            taken = false;
          }
        taken ? rows_.add(each.block.count) : dropped_.add(each.block.count);
        if (!taken) continue;
        std::uint64_t& known = written_[place_of(each.shelf)];
        known = std::max(known, static_cast<std::uint64_t>(answers[i * kCommandsPerBlock].number));
      }
    }
    if (!refusal.empty()) log::error("audit rows were refused by the store", {{"reason", refusal}});
    if (recovered) log::info("audit rows are written again");
  }

  void refused(const Status& status, std::vector<Unwritten> blocks) {
    bool first = false;
    std::uint64_t lost = 0;
    {
      const std::lock_guard lock(mutex_);
      first = !std::exchange(failing_, true);
      retry_at_ = clock_.elapsed() + kAuditRetryAfter;
      for (Unwritten& each : blocks) {
        if (!stopped_) {
          failed_.push_back(std::move(each));
          continue;
        }
        held_rows_ -= each.block.count;
        held_bytes_ -= each.bytes;
        lost += each.block.count;
      }
    }
    dropped_.add(lost);
    if (first)
      log::warn("audit rows cannot be written; they are kept in memory and tried again",
                {{"code", std::string(to_string(status.code()))}, {"error", status.message()}});
    if (lost > 0) log::error("audit rows are lost as the server stops", {{"count", static_cast<std::int64_t>(lost)}});
  }

  // One thing less is under way; those who waited for all of it go on.
  void ended() {
    std::vector<UniqueFunction<void()>> waited;
    {
      const std::lock_guard lock(mutex_);
      if (--out_ > 0) return;
      waited = std::exchange(waiting_, {});
    }
    for (UniqueFunction<void()>& each : waited) each();
  }

  // --- pruning ---

  void look_for_old() {
    store::KeyBatch batch{.space = store::KeySpace::internal, .commands = {}};
    for (const AuditShelf shelf : kShelves) batch.commands.push_back(store::key::Get{written_key(shelf)});
    for (const AuditShelf shelf : kShelves)
      batch.commands.push_back(
          store::key::ScoresRange{.key = index_key(shelf),
                                  .range = store::key::RankRange{0, static_cast<std::int64_t>(kAuditPruneBlocksMax) - 1},
                                  .with_scores = true});
    store_.keyspace(std::move(batch), [self = shared_from_this()](const Answers& answers) {
      const bool read = answers.ok() && answers->size() == 2 * kShelves.size();
      if (read) self->learn(*answers);
      read ? self->remove_old(*answers) : self->pruned({.more = false});
    });
  }

  void remove_old(const std::vector<store::KeyAnswer>& answers) {
    const Instant now = clock_.now();
    store::KeyBatch batch{.space = store::KeySpace::internal, .commands = {}};
    bool more = false;
    for (const AuditShelf shelf : kShelves) {
      const std::vector<store::KeyAnswer>& entries = answers[kShelves.size() + place_of(shelf)].list;
      std::vector<std::string> texts;
      std::vector<std::string> members;
      for (std::size_t at = 0; at + 1 < entries.size(); at += 2) {
        const auto block = read_member(entries[at].text, entries[at + 1].real);
        // By time: a block stays as long as an older one does. What cannot be read is nobody's, and goes with the others.
        if (block && !is_over(*block, kept_[place_of(shelf)], written(shelf), now)) break;
        if (block) texts.push_back(text_key(shelf, *block));
        members.push_back(entries[at].text);
      }
      more = more || members.size() == kAuditPruneBlocksMax;
      if (members.empty()) continue;
      batch.commands.push_back(store::key::Delete{std::move(texts)});
      batch.commands.push_back(store::key::ScoresRemove{index_key(shelf), std::move(members)});
    }
    if (batch.commands.empty()) return pruned({.more = false});
    store_.keyspace(std::move(batch),
                    [self = shared_from_this(), more](const Answers& removed) { self->pruned({.more = more && removed.ok()}); });
  }

  std::uint64_t written(AuditShelf shelf) const {
    const std::lock_guard lock(mutex_);
    return written_[place_of(shelf)];
  }

  struct Pruned {
    bool more = false;
  };
  void pruned(Pruned how) {
    const Ticks now = clock_.elapsed();
    const std::lock_guard lock(mutex_);
    pruning_ = false;
    prune_at_ = how.more ? now + kPassPause : now + kAuditPruneEvery;
  }

  store::Store& store_;
  const Clock& clock_;
  const std::array<AuditKept, kAuditShelves> kept_;  // by shelf
  Counter& rows_;
  Counter& dropped_;
  const std::uint32_t node_;  // tells the ids of this process from those of others

  mutable std::mutex mutex_;  // leaf; guards what follows
  std::array<std::vector<AuditRow>, kAuditShelves> pending_;
  Ticks pending_since_{};
  std::vector<Unwritten> failed_;                       // to be tried again
  std::size_t held_rows_ = 0;                           // pending, under way and failed
  std::size_t held_bytes_ = 0;                          // of these
  AuditStamp last_stamp_ = 0;                           // that was given
  std::array<std::uint64_t, kAuditShelves> written_{};  // rows since the beginning, as far as is known here
  bool known_ = false;                                  // the store was asked for it
  std::size_t out_ = 0;                                 // calls of the store about writing
  std::vector<UniqueFunction<void()>> waiting_;         // until out_ is zero
  Ticks retry_at_{};
  bool failing_ = false;  // so that a lasting trouble is logged once
  Ticks prune_at_;
  bool pruning_ = false;
  bool stopped_ = false;
};

Audit::Audit(store::Store& store, const Clock& clock, Metrics& metrics, const Options& options)
    : book_(std::make_shared<Book>(store, clock, metrics, options)) {}

Audit::~Audit() { stop(); }

void Audit::add(AuditRow row, AuditShelf shelf) { book_->add(std::move(row), shelf); }
void Audit::list(AuditQuery query, Reply<AuditPage> reply) { book_->list(std::move(query), std::move(reply)); }
Duration Audit::tick() { return book_->tick(); }
void Audit::stop() { book_->stop(); }

}  // namespace muster::engine
