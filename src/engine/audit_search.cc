#include "engine/audit_search.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace muster::engine {
namespace {

constexpr std::size_t kIndexLook = 128;  // entries of an index that are read at a time
constexpr std::size_t kTextsLook = 32;   // texts that are read at a time
constexpr std::size_t kRowsLook = 500;   // rows of these, however few are asked for: most of them may not fit
constexpr AuditStamp kNothingLeft = -1;  // below every stamp

class Search : public std::enable_shared_from_this<Search> {
 public:
  Search(store::Store& store, AuditQuery query, Reply<AuditPage> reply)
      : store_(store), query_(std::move(query)), reply_(std::move(reply)) {
    if (!query_.cursor.empty()) top_ = stamp_of(query_.cursor).value_or(top_);
    if (query_.filter.until) top_ = std::min(top_, first_stamp_of(*query_.filter.until) - 1);
    // A block whose newest row is too new may begin below.
    range_.max = {static_cast<double>(std::min(top_, kAuditStampMax - kAuditBlockSpan) + kAuditBlockSpan), false};
    if (query_.filter.since) range_.min = {static_cast<double>(first_stamp_of(*query_.filter.since)), false};
  }

  void step() {
    const bool unknown =
        std::ranges::any_of(shelves_, [](const Shelf& shelf) { return shelf.listed.empty() && !shelf.listed_all; });
    if (unknown) return look_at_index();
    if (is_answered()) return answer();
    read_texts();
  }

 private:
  struct Shelf {
    AuditShelf name;
    std::deque<AuditBlock> listed{};  // of the index, not read yet
    std::size_t passed = 0;           // entries of the index that were listed
    bool listed_all = false;
  };

  // What was not read is not newer than this.
  AuditStamp frontier() const {
    AuditStamp newest = kNothingLeft;
    for (const Shelf& shelf : shelves_)
      if (!shelf.listed.empty()) newest = std::max(newest, shelf.listed.front().last);
    return newest;
  }

  void look_at_index() {
    store::KeyBatch batch{.space = store::KeySpace::internal, .commands = {}};
    std::vector<Shelf*> asked;
    for (Shelf& shelf : shelves_) {
      if (!shelf.listed.empty() || shelf.listed_all) continue;
      // By place instead of by score: several nodes may have written blocks of one score. A block that is added meanwhile moves
      // the others down; then some are read twice, and none is missed.
      batch.commands.push_back(store::key::ScoresRange{.key = index_key(shelf.name),
                                                       .range = range_,
                                                       .reverse = true,
                                                       .skip = shelf.passed,
                                                       .limit = kIndexLook,
                                                       .with_scores = true});
      asked.push_back(&shelf);
    }
    run(std::move(batch), [this, asked](const std::vector<store::KeyAnswer>& answers) {
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const std::vector<store::KeyAnswer>& entries = answers[i].list;
        for (std::size_t at = 0; at + 1 < entries.size(); at += 2)
          if (auto block = read_member(entries[at].text, entries[at + 1].real)) asked[i]->listed.push_back(*std::move(block));
        asked[i]->passed += entries.size() / 2;
        asked[i]->listed_all = entries.size() / 2 < kIndexLook;
      }
      step();
    });
  }

  // The newest first, until the page may be full or an index has to be looked at again.
  void read_texts() {
    std::vector<std::string> keys;
    std::size_t rows = 0;
    while (keys.size() < kTextsLook && rows < std::max(query_.limit, kRowsLook)) {
      Shelf* const newest = newest_listed();
      if (newest == nullptr) break;
      const AuditBlock block = std::move(newest->listed.front());
      newest->listed.pop_front();
      if (block.first <= top_) {
        keys.push_back(text_key(newest->name, block));
        rows += block.count;
      }
      if (newest->listed.empty() && !newest->listed_all) break;
    }
    if (keys.empty()) return step();
    looked_at_ += rows;
    store::KeyBatch batch{.space = store::KeySpace::internal, .commands = {store::key::GetMany{std::move(keys)}}};
    run(std::move(batch), [this](const std::vector<store::KeyAnswer>& answers) {
      for (const store::KeyAnswer& text : answers.front().list) take(text.text);  // nothing: it was pruned meanwhile
      step();
    });
  }

  Shelf* newest_listed() {
    Shelf* newest = nullptr;
    for (Shelf& shelf : shelves_)
      if (!shelf.listed.empty() && (newest == nullptr || shelf.listed.front().last > newest->listed.front().last))
        newest = &shelf;
    return newest;
  }

  void take(std::string_view text) {
    for (AuditRow& row : read_lines(text))
      if ((query_.cursor.empty() || row.id < query_.cursor) && matches(query_.filter, row)) found_.push_back(std::move(row));
  }

  bool is_answered() {
    const AuditStamp unread = frontier();
    if (unread == kNothingLeft) return true;
    const auto sure = std::ranges::count_if(found_, [unread](const AuditRow& row) { return stamp_of(row.id) > unread; });
    if (static_cast<std::size_t>(sure) >= query_.limit) return true;
    return looked_at_ >= kAuditScanMax && unread < top_;  // the next page begins lower than this one
  }

  void answer() {
    const AuditStamp unread = frontier();
    std::ranges::sort(found_, std::ranges::greater(), &AuditRow::id);
    const auto repeated = std::ranges::unique(found_, {}, &AuditRow::id);
    found_.erase(repeated.begin(), repeated.end());
    const auto unsure = std::ranges::find_if(found_, [unread](const AuditRow& row) { return stamp_of(row.id) <= unread; });
    AuditPage page;
    const auto sure = static_cast<std::size_t>(unsure - found_.begin());
    const bool more = unread != kNothingLeft || found_.size() > query_.limit;
    page.rows.assign(std::make_move_iterator(found_.begin()),
                     std::make_move_iterator(found_.begin() + static_cast<std::ptrdiff_t>(std::min(sure, query_.limit))));
    if (more) page.next = page.rows.size() == query_.limit ? page.rows.back().id : fmt::format("{:016x}", unread + 1);
    reply_(std::move(page));
  }

  template <class Then>
  void run(store::KeyBatch batch, Then then) {
    const std::size_t expected = batch.commands.size();
    store_.keyspace(std::move(batch), [self = shared_from_this(), expected, then](Result<std::vector<store::KeyAnswer>> answers) {
      if (!answers.ok()) return self->reply_(answers.status());
      for (const store::KeyAnswer& each : *answers)
        if (each.kind == store::KeyAnswer::Kind::refused) return self->reply_(Status::internal("the audit book: " + each.text));
      if (answers->size() != expected) return self->reply_(Status::internal("the audit book was not read to its end"));
      then(*answers);
    });
  }

  store::Store& store_;
  const AuditQuery query_;
  Reply<AuditPage> reply_;
  AuditStamp top_ = kAuditStampMax;  // newer rows are not asked for
  store::ScoreRange range_;
  std::array<Shelf, kAuditShelves> shelves_{{{AuditShelf::deeds}, {AuditShelf::traffic}}};
  std::vector<AuditRow> found_;
  std::size_t looked_at_ = 0;
};

}  // namespace

void search_audit(store::Store& store, AuditQuery query, Reply<AuditPage> reply) {
  std::make_shared<Search>(store, std::move(query), std::move(reply))->step();
}

}  // namespace muster::engine
