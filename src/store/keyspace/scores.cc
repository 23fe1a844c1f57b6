// Sorted sets: members with a score, ordered by score and then by member in byte order.
#include <cmath>
#include <map>

#include "base/glob.h"
#include "store/keyspace/families.h"

namespace muster::store::keyspace {
namespace {

constexpr const char* kNotFinite = "Score must be a finite number";
constexpr const char* kNotANumber = "resulting score is not a number (NaN)";

// The score a member gets, or nothing when a condition keeps it as it is.
std::optional<double> target_of(const key::ScoresAdd& c, const std::optional<double>& old, double given) {
  if (old ? c.only_new : c.only_old) return std::nullopt;
  const double target = c.increment && old ? *old + given : given;
  if (old && c.only_greater && !(target > *old)) return std::nullopt;
  if (old && c.only_less && !(target < *old)) return std::nullopt;
  return target;
}

using Range = std::variant<key::RankRange, ScoreRange, LexRange>;

// One piece of a range: up to `limit` members from that place on.
std::vector<ScoredMember> read_piece(Stage& stage, const KeyHead& head, const Range& range, bool reverse, const ScorePlace& place,
                                     std::size_t limit) {
  if (const auto* scores = std::get_if<ScoreRange>(&range)) return stage.rows.scores(head, *scores, reverse, place, limit);
  if (const auto* lexical = std::get_if<LexRange>(&range))
    return stage.rows.scores_between(head, *lexical, reverse, place, limit);
  return stage.rows.scores(head, {}, reverse, place, limit);
}

// Ranks become a stretch of the whole; the other ranges are stretches by themselves. Nothing: it is empty.
std::optional<Slice> stretch_of(const KeyHead& head, const Range& range) {
  const auto size = static_cast<std::uint64_t>(head.count);
  if (const auto* ranks = std::get_if<key::RankRange>(&range)) return slice(ranks->start, ranks->stop, size);
  return Slice{0, size};
}

template <class Take>
void walk_scores(Stage& stage, const KeyHead& head, const Range& range, bool reverse, Slice part, Take take) {
  ScorePlace place{.skip = part.first, .after = std::nullopt};
  while (part.count > 0) {
    const auto limit = static_cast<std::size_t>(std::min<std::uint64_t>(part.count, kPieceRowsMax));
    auto members = read_piece(stage, head, range, reverse, place, limit);
    if (members.empty()) return;
    place = {.skip = 0, .after = members.back()};
    part.count -= members.size();
    std::size_t bytes = 0;
    for (const ScoredMember& member : members) bytes += member.member.size();
    const bool more = may_follow(members.size(), limit, bytes);
    for (ScoredMember& member : members)
      if (!take(std::move(member))) return;
    if (!more) return;
  }
}

// Is every member inside, as far as that is quickly known?
bool is_whole(Stage& stage, const KeyHead& head, const Range& range, Slice part) {
  if (std::holds_alternative<key::RankRange>(range)) return part.count == static_cast<std::uint64_t>(head.count);
  const auto* scores = std::get_if<ScoreRange>(&range);
  if (scores == nullptr || part.count > Bounds::kSearchedRowsMax) return false;
  return stage.rows.count_scores(head, *scores, Bounds::kSearchedRowsMax) == head.count;
}

// Elements that are looked at and stay: those before the first rank, and all of them for members, whose order is by score.
std::uint64_t rows_to_find(const KeyHead& head, const Range& range, Slice part) {
  return std::holds_alternative<LexRange>(range) ? static_cast<std::uint64_t>(head.count) : part.first;
}

// The scores that members have now.
std::map<std::string_view, std::optional<double>> scores_known(Stage& stage, const Look& set,
                                                               const std::vector<ScoredMember>& members) {
  std::map<std::string_view, std::optional<double>> known;
  if (!set.head) return known;
  std::vector<std::string_view> names;
  names.reserve(members.size());
  for (const ScoredMember& member : members) names.push_back(member.member);
  auto scores = stage.rows.scores_of(*set.head, names);
  for (std::size_t i = 0; i < names.size(); ++i) known[names[i]] = scores[i];
  return known;
}

bool add_member(Gathered& out, ScoredMember member, bool with_score) {
  return out.add(std::move(member.member)) && (!with_score || out.add(KeyAnswer::score(member.score)));
}

std::int64_t remove_members(Stage& stage, const std::string& key, KeyHead head, const std::vector<std::string_view>& members) {
  const std::int64_t removed = stage.rows.remove_scores(head, members);
  head.count -= removed;
  if (removed > 0) stage.save(key, head);
  return removed;
}

}  // namespace

KeyAnswer apply(Stage& stage, const key::ScoresAdd& c) {
  for (const ScoredMember& member : c.members) {
    if (std::isnan(member.score)) return KeyAnswer::refuse(kNotFinite);
    if (auto refused = refuse_value(member.member.size())) return *refused;
  }
  Look set = stage.look_to_write(c.key, KeyType::scores);
  if (set.wrong) return wrong_type();
  if (auto refused = refuse_changes(c.members.size())) return *refused;
  if (auto refused = refuse_count(static_cast<std::uint64_t>(size_of(set)) + c.members.size())) return *refused;
  auto known = scores_known(stage, set, c.members);
  std::int64_t changed = 0;
  KeyAnswer incremented;
  std::map<std::string_view, double> targets;
  for (const ScoredMember& member : c.members) {
    std::optional<double>& old = known[member.member];
    const auto target = target_of(c, old, member.score);
    if (!target) continue;
    // Only an increment can get here, and it is the only member of its command.
    if (std::isnan(*target)) return KeyAnswer::refuse(kNotANumber);
    if (c.increment) incremented = KeyAnswer::score(*target);
    if (old && *old == *target) continue;
    changed += old.has_value();
    targets[member.member] = *target;
    old = target;
  }
  std::int64_t added = 0;
  if (!targets.empty()) {
    if (!set.head) set.head = stage.create(c.key, KeyType::scores);
    std::vector<ScoredMember> put;
    for (const auto& [member, score] : targets) put.push_back({std::string(member), score});
    added = stage.rows.put_scores(*set.head, put);
    set.head->count += added;
    stage.save(c.key, *set.head);
  }
  if (c.increment) return incremented;
  return KeyAnswer::count(c.count_changed ? added + changed : added);
}

KeyAnswer apply(Stage& stage, const key::ScoresRemove& c) {
  Look set = stage.look_to_write(c.key, KeyType::scores);
  if (set.wrong) return wrong_type();
  if (!set.head) return KeyAnswer::count(0);
  if (auto refused = refuse_changes(c.members.size())) return *refused;
  return KeyAnswer::count(remove_members(stage, c.key, *set.head, {c.members.begin(), c.members.end()}));
}

KeyAnswer apply(Stage& stage, const key::ScoreOf& c) {
  const Look set = stage.look(c.key, KeyType::scores);
  if (set.wrong) return wrong_type();
  Gathered out;
  bool fits = true;
  ask_in_pieces(c.members, kPieceRowsMax, [&](const std::vector<std::string_view>& members) {
    std::vector<std::optional<double>> scores(members.size());
    if (set.head) scores = stage.rows.scores_of(*set.head, members);
    for (const auto& score : scores) fits = fits && out.add(score ? KeyAnswer::score(*score) : KeyAnswer::none());
    return fits;
  });
  if (!fits) return refuse_answer();
  KeyAnswer answer = out.take();
  if (c.many) return answer;
  return answer.list.empty() ? KeyAnswer::none() : std::move(answer.list.front());
}

KeyAnswer apply(Stage& stage, const key::ScoresCount& c) {
  const Look set = stage.look(c.key, KeyType::scores);
  if (set.wrong) return wrong_type();
  if (!set.head) return KeyAnswer::count(0);
  if (!c.range.min && !c.range.max) return KeyAnswer::count(set.head->count);
  const std::int64_t count = stage.rows.count_scores(*set.head, c.range, Bounds::kReadRowsMax + 1);
  return count > static_cast<std::int64_t>(Bounds::kReadRowsMax) ? refuse_read() : KeyAnswer::count(count);
}

KeyAnswer apply(Stage& stage, const key::ScoresRange& c) {
  const Look set = stage.look(c.key, KeyType::scores);
  if (set.wrong) return wrong_type();
  auto part = set.head ? stretch_of(*set.head, c.range) : std::nullopt;
  if (!part || c.skip >= part->count) return KeyAnswer::all({});
  part->first += c.skip;
  part->count -= c.skip;
  if (c.limit) part->count = std::min<std::uint64_t>(part->count, *c.limit);
  Gathered out;
  bool fits = true;
  walk_scores(stage, *set.head, c.range, c.reverse, *part,
              [&](ScoredMember member) { return fits = add_member(out, std::move(member), c.with_scores); });
  return fits ? out.take() : refuse_answer();
}

KeyAnswer apply(Stage& stage, const key::ScoresRemoveRange& c) {
  const Look set = stage.look_to_write(c.key, KeyType::scores);
  if (set.wrong) return wrong_type();
  const auto part = set.head ? stretch_of(*set.head, c.range) : std::nullopt;
  if (!part) return KeyAnswer::count(0);
  // Everything goes: then nothing has to be walked.
  if (is_whole(stage, *set.head, c.range, *part)) {
    stage.remove(c.key, *set.head);
    return KeyAnswer::count(set.head->count);
  }
  if (auto refused = refuse_search(rows_to_find(*set.head, c.range, *part))) return *refused;
  std::vector<std::string> members;
  walk_scores(stage, *set.head, c.range, false, *part, [&](ScoredMember member) {
    members.push_back(std::move(member.member));
    return members.size() <= Bounds::kChangedRowsMax;
  });
  if (auto refused = refuse_changes(members.size())) return *refused;
  return KeyAnswer::count(remove_members(stage, c.key, *set.head, {members.begin(), members.end()}));
}

KeyAnswer apply(Stage& stage, const key::RankOf& c) {
  const Look set = stage.look(c.key, KeyType::scores);
  if (set.wrong) return wrong_type();
  const auto score = set.head ? stage.rows.score(*set.head, c.member) : std::nullopt;
  if (!score) return KeyAnswer::none();
  const std::int64_t before = stage.rows.rank(*set.head, {c.member, *score}, Bounds::kReadRowsMax + 1);
  if (before > static_cast<std::int64_t>(Bounds::kReadRowsMax)) return refuse_read();
  return KeyAnswer::count(c.reverse ? set.head->count - 1 - before : before);
}

KeyAnswer apply(Stage& stage, const key::ScoresPop& c) {
  const Look set = stage.look_to_write(c.key, KeyType::scores);
  if (set.wrong) return wrong_type();
  if (!set.head) return KeyAnswer::all({});
  Gathered out;
  bool fits = true;
  const Slice part{0, std::min<std::uint64_t>(c.count, static_cast<std::uint64_t>(set.head->count))};
  if (auto refused = refuse_changes(part.count)) return *refused;
  walk_scores(stage, *set.head, key::RankRange{}, c.highest, part,
              [&](ScoredMember member) { return fits = add_member(out, std::move(member), true); });
  if (!fits) return refuse_answer();
  KeyAnswer answer = out.take();
  std::vector<std::string_view> members;
  for (std::size_t i = 0; i < answer.list.size(); i += 2) members.push_back(answer.list[i].text);
  remove_members(stage, c.key, *set.head, members);
  return answer;
}

KeyAnswer apply(Stage& stage, const key::ScoresScan& c) {
  if (auto refused = refuse_pattern(c.pattern)) return *refused;
  const Look set = stage.look(c.key, KeyType::scores);
  if (set.wrong) return wrong_type();
  Gathered out;
  out.add(std::string());
  if (!set.head) return out.take();
  bool fits = true;
  const auto take = [&](ScoredMember member) {
    if (c.pattern.empty() || glob_matches(c.pattern, member.member)) fits = fits && add_member(out, std::move(member), true);
  };
  // Nothing comes before the empty name, so no cursor leads to it.
  if (c.after.empty())
    if (const auto score = stage.rows.score(*set.head, {})) take({{}, *score});
  auto members = stage.rows.scores_after(*set.head, c.after, page_rows(c.limit));
  std::size_t bytes = 0;
  for (const ScoredMember& member : members) bytes += member.member.size();
  std::string next = may_follow(members.size(), page_rows(c.limit), bytes) ? members.back().member : std::string();
  for (ScoredMember& member : members) take(std::move(member));
  if (!fits) return refuse_answer();
  KeyAnswer answer = out.take();
  answer.list.front().text = std::move(next);
  return answer;
}

}  // namespace muster::store::keyspace
