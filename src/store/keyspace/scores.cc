// Sorted sets: members with a score, ordered by score and then by member in byte order.
#include <cmath>

#include "store/keyspace/families.h"

namespace muster::store::keyspace {
namespace {

constexpr const char* kNotFinite = "Score must be a finite number";
constexpr const char* kNotANumber = "resulting score is not a number (NaN)";

std::int64_t size_of(const Look& set) { return set.head ? set.head->count : 0; }

// The score a member gets, or nothing when a condition keeps it as it is.
std::optional<double> target_of(const key::ScoresAdd& c, const std::optional<double>& old, double given) {
  if (old ? c.only_new : c.only_old) return std::nullopt;
  const double target = c.increment && old ? *old + given : given;
  if (old && c.only_greater && !(target > *old)) return std::nullopt;
  if (old && c.only_less && !(target < *old)) return std::nullopt;
  return target;
}

using Range = std::variant<key::RankRange, ScoreRange, LexRange>;

// One piece of a range: up to `limit` members after `skip` of them.
std::vector<ScoredMember> read_piece(Stage& stage, const KeyHead& head, const Range& range, bool reverse, std::uint64_t skip,
                                     std::size_t limit) {
  if (const auto* scores = std::get_if<ScoreRange>(&range)) return stage.rows.scores(head, *scores, reverse, skip, limit);
  if (const auto* lexical = std::get_if<LexRange>(&range)) return stage.rows.scores_between(head, *lexical, reverse, skip, limit);
  return stage.rows.scores(head, {}, reverse, skip, limit);
}

// Ranks become a stretch of the whole; the other ranges are stretches by themselves. Nothing: it is empty.
std::optional<Slice> stretch_of(const KeyHead& head, const Range& range) {
  const auto size = static_cast<std::uint64_t>(head.count);
  if (const auto* ranks = std::get_if<key::RankRange>(&range)) return slice(ranks->start, ranks->stop, size);
  return Slice{0, size};
}

template <class Take>
void walk_scores(Stage& stage, const KeyHead& head, const Range& range, bool reverse, Slice part, Take take) {
  Pace pace;
  while (part.count > 0) {
    const auto limit = static_cast<std::size_t>(std::min<std::uint64_t>(part.count, pace.rows()));
    auto members = read_piece(stage, head, range, reverse, part.first, limit);
    const std::size_t met = members.size();
    std::size_t bytes = 0;
    for (ScoredMember& member : members) {
      bytes += member.member.size();
      if (!take(std::move(member))) return;
    }
    if (met < limit) return;
    part.first += met;
    part.count -= met;
    pace.learn(met, bytes);
  }
}

bool add_member(Gathered& out, ScoredMember member, bool with_score) {
  return out.add(std::move(member.member)) && (!with_score || out.add(KeyAnswer::score(member.score)));
}

void remove_members(Stage& stage, const std::string& key, KeyHead head, const auto& members, auto name_of) {
  std::int64_t removed = 0;
  for (const auto& member : members) removed += stage.rows.remove_score(head, name_of(member));
  head.count -= removed;
  if (removed > 0) stage.save(key, head);
}

}  // namespace

KeyAnswer apply(Stage& stage, const key::ScoresAdd& c) {
  for (const ScoredMember& member : c.members) {
    if (std::isnan(member.score)) return KeyAnswer::refuse(kNotFinite);
    if (auto refused = refuse_value(member.member.size())) return *refused;
  }
  Look set = stage.look_to_write(c.key, KeyType::scores);
  if (set.wrong) return wrong_type();
  if (auto refused = refuse_count(static_cast<std::uint64_t>(size_of(set)) + c.members.size())) return *refused;
  std::int64_t added = 0;
  std::int64_t changed = 0;
  KeyAnswer incremented;
  for (const ScoredMember& member : c.members) {
    const auto old = set.head ? stage.rows.score(*set.head, member.member) : std::nullopt;
    const auto target = target_of(c, old, member.score);
    if (!target) continue;
    // Only an increment can get here, and it is the only member of its command: nothing was written yet.
    if (std::isnan(*target)) return KeyAnswer::refuse(kNotANumber);
    if (c.increment) incremented = KeyAnswer::score(*target);
    if (old && *old == *target) continue;
    if (!set.head) set.head = stage.create(c.key, KeyType::scores);
    const bool is_new = stage.rows.put_score(*set.head, member.member, *target);
    added += is_new;
    changed += !is_new;
  }
  if (added + changed > 0) {
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
  std::int64_t removed = 0;
  for (const std::string& member : c.members) removed += stage.rows.remove_score(*set.head, member);
  if (removed == 0) return KeyAnswer::count(0);
  set.head->count -= removed;
  stage.save(c.key, *set.head);
  return KeyAnswer::count(removed);
}

KeyAnswer apply(Stage& stage, const key::ScoreOf& c) {
  const Look set = stage.look(c.key, KeyType::scores);
  if (set.wrong) return wrong_type();
  const auto answer = [&](const std::string& member) {
    const auto score = set.head ? stage.rows.score(*set.head, member) : std::nullopt;
    return score ? KeyAnswer::score(*score) : KeyAnswer::none();
  };
  if (!c.many) return c.members.empty() ? KeyAnswer::none() : answer(c.members.front());
  std::vector<KeyAnswer> out;
  for (const std::string& member : c.members) out.push_back(answer(member));
  return KeyAnswer::all(std::move(out));
}

KeyAnswer apply(Stage& stage, const key::ScoresCount& c) {
  const Look set = stage.look(c.key, KeyType::scores);
  if (set.wrong) return wrong_type();
  if (!set.head) return KeyAnswer::count(0);
  if (!c.range.min && !c.range.max) return KeyAnswer::count(set.head->count);
  return KeyAnswer::count(stage.rows.count_scores(*set.head, c.range));
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
  std::vector<std::string> members;
  walk_scores(stage, *set.head, c.range, false, *part, [&](ScoredMember member) {
    members.push_back(std::move(member.member));
    return true;
  });
  remove_members(stage, c.key, *set.head, members, [](const std::string& member) -> const std::string& { return member; });
  return KeyAnswer::count(static_cast<std::int64_t>(members.size()));
}

KeyAnswer apply(Stage& stage, const key::RankOf& c) {
  const Look set = stage.look(c.key, KeyType::scores);
  if (set.wrong) return wrong_type();
  const auto score = set.head ? stage.rows.score(*set.head, c.member) : std::nullopt;
  if (!score) return KeyAnswer::none();
  const std::int64_t before = stage.rows.rank(*set.head, c.member, *score);
  return KeyAnswer::count(c.reverse ? set.head->count - 1 - before : before);
}

KeyAnswer apply(Stage& stage, const key::ScoresPop& c) {
  const Look set = stage.look_to_write(c.key, KeyType::scores);
  if (set.wrong) return wrong_type();
  if (!set.head) return KeyAnswer::all({});
  Gathered out;
  bool fits = true;
  const Slice part{0, std::min<std::uint64_t>(c.count, static_cast<std::uint64_t>(set.head->count))};
  walk_scores(stage, *set.head, key::RankRange{}, c.highest, part,
              [&](ScoredMember member) { return fits = add_member(out, std::move(member), true); });
  if (!fits) return refuse_answer();
  KeyAnswer answer = out.take();
  std::vector<std::string_view> members;
  for (std::size_t i = 0; i < answer.list.size(); i += 2) members.push_back(answer.list[i].text);
  remove_members(stage, c.key, *set.head, members, [](std::string_view member) { return member; });
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
    if (c.pattern.empty() || matches(c.pattern, member.member)) fits = fits && add_member(out, std::move(member), true);
  };
  // Nothing comes before the empty name, so no cursor leads to it.
  if (c.after.empty())
    if (const auto score = stage.rows.score(*set.head, {})) take({{}, *score});
  auto members = stage.rows.scores_after(*set.head, c.after, page_rows(c.limit));
  std::string next = members.size() == page_rows(c.limit) ? members.back().member : std::string();
  for (ScoredMember& member : members) take(std::move(member));
  if (!fits) return refuse_answer();
  KeyAnswer answer = out.take();
  answer.list.front().text = std::move(next);
  return answer;
}

}  // namespace muster::store::keyspace
