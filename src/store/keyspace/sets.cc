// Sets: members without values, in byte order.
#include <set>

#include "store/keyspace/families.h"

namespace muster::store::keyspace {
namespace {

using Members = std::set<std::string>;

std::optional<KeyAnswer> refuse_members(const std::vector<std::string>& members) {
  for (const std::string& member : members)
    if (auto refused = refuse_value(member.size())) return refused;
  return std::nullopt;
}

std::int64_t size_of(const Look& set) { return set.head ? set.head->count : 0; }
bool has(Stage& stage, const Look& set, const std::string& member) {
  return set.head && stage.rows.field(*set.head, member).has_value();
}

// REQUIRES: the members were judged and are not too many.
std::int64_t add(Stage& stage, const std::string& key, const Look& set, const auto& members) {
  KeyHead head = set.head ? *set.head : stage.create(key, KeyType::set);
  std::int64_t added = 0;
  for (const std::string& member : members) added += stage.rows.put_field(head, member, {});
  head.count += added;
  stage.save(key, head);
  return added;
}

// Different places below `size`, in the order drawn. Floyd's way: as many draws as places, whatever the size.
std::vector<std::uint64_t> draw_places(Stage& stage, std::uint64_t size, std::uint64_t count) {
  std::set<std::uint64_t> seen;
  std::vector<std::uint64_t> out;
  for (std::uint64_t top = size - count; top < size; ++top) {
    std::uint64_t place = stage.draw(top + 1);
    if (!seen.insert(place).second) {
      place = top;
      seen.insert(place);
    }
    out.push_back(place);
  }
  return out;
}

std::optional<KeyAnswer> members_at(Stage& stage, const KeyHead& head, const std::vector<std::uint64_t>& places) {
  Gathered out;
  for (const std::uint64_t place : places) {
    auto found = stage.rows.field_at(head, place);
    if (found && !out.add(std::move(found->first))) return std::nullopt;
  }
  return out.take();
}

struct Combined {
  bool wrong = false;
  bool too_large = false;
  Members members;
};

void subtract(Stage& stage, const KeyHead& head, Members& from) {
  std::erase_if(from, [&](const std::string& member) { return stage.rows.field(head, member).has_value(); });
}

void keep_common(Stage& stage, const Look& set, Members& members) {
  std::erase_if(members, [&](const std::string& member) { return !has(stage, set, member); });
}

bool unite(Stage& stage, const KeyHead& head, Members& into) {
  std::size_t bytes = 0;
  bool fits = true;
  walk_fields(stage, head, [&](KeyPair field) {
    bytes += field.first.size();
    into.insert(std::move(field.first));
    return fits = into.size() <= Bounds::kAnswerElementsMax && bytes <= Bounds::kAnswerBytesMax;
  });
  return fits;
}

Combined combine(Stage& stage, const key::SetCombine& c) {
  std::vector<Look> sets;
  for (const std::string& key : c.keys) {
    sets.push_back(stage.look(key, KeyType::set));
    if (sets.back().wrong) return {true, false, {}};
  }
  // An intersection begins with its smallest set, so that a large one is only asked about members, never walked.
  if (c.how == key::Algebra::intersect && !sets.empty())
    std::iter_swap(sets.begin(), std::min_element(sets.begin(), sets.end(),
                                                  [](const Look& a, const Look& b) { return size_of(a) < size_of(b); }));
  Combined out;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (i > 0 && c.how == key::Algebra::intersect) {
      keep_common(stage, sets[i], out.members);
    } else if (i > 0 && c.how == key::Algebra::subtract) {
      if (sets[i].head) subtract(stage, *sets[i].head, out.members);
    } else if (sets[i].head && !unite(stage, *sets[i].head, out.members)) {
      out.too_large = true;
      return out;
    }
  }
  return out;
}

}  // namespace

KeyAnswer apply(Stage& stage, const key::SetAdd& c) {
  if (auto refused = refuse_members(c.members)) return *refused;
  const Look set = stage.look_to_write(c.key, KeyType::set);
  if (set.wrong) return wrong_type();
  if (c.members.empty()) return KeyAnswer::count(0);
  if (auto refused = refuse_count(static_cast<std::uint64_t>(size_of(set)) + c.members.size())) return *refused;
  return KeyAnswer::count(add(stage, c.key, set, c.members));
}

KeyAnswer apply(Stage& stage, const key::SetRemove& c) {
  Look set = stage.look_to_write(c.key, KeyType::set);
  if (set.wrong) return wrong_type();
  if (!set.head) return KeyAnswer::count(0);
  std::int64_t removed = 0;
  for (const std::string& member : c.members) removed += stage.rows.remove_field(*set.head, member);
  if (removed == 0) return KeyAnswer::count(0);
  set.head->count -= removed;
  stage.save(c.key, *set.head);
  return KeyAnswer::count(removed);
}

KeyAnswer apply(Stage& stage, const key::SetMembers& c) {
  const Look set = stage.look(c.key, KeyType::set);
  if (set.wrong) return wrong_type();
  if (!set.head) return KeyAnswer::all({});
  Gathered out;
  bool fits = true;
  walk_fields(stage, *set.head, [&](KeyPair field) { return fits = out.add(std::move(field.first)); });
  return fits ? out.take() : refuse_answer();
}

KeyAnswer apply(Stage& stage, const key::SetHas& c) {
  const Look set = stage.look(c.key, KeyType::set);
  if (set.wrong) return wrong_type();
  if (!c.many) return KeyAnswer::count(!c.members.empty() && has(stage, set, c.members.front()));
  std::vector<KeyAnswer> out;
  for (const std::string& member : c.members) out.push_back(KeyAnswer::count(has(stage, set, member)));
  return KeyAnswer::all(std::move(out));
}

KeyAnswer apply(Stage& stage, const key::SetCount& c) {
  const Look set = stage.look(c.key, KeyType::set);
  if (set.wrong) return wrong_type();
  return KeyAnswer::count(size_of(set));
}

KeyAnswer apply(Stage& stage, const key::SetPop& c) {
  Look set = stage.look_to_write(c.key, KeyType::set);
  if (set.wrong) return wrong_type();
  if (!set.head) return c.count ? KeyAnswer::all({}) : KeyAnswer::none();
  const auto size = static_cast<std::uint64_t>(set.head->count);
  const std::uint64_t wanted = std::min<std::uint64_t>(c.count.value_or(1), size);
  if (wanted > Bounds::kAnswerElementsMax) return refuse_answer();
  auto drawn = members_at(stage, *set.head, draw_places(stage, size, wanted));
  if (!drawn) return refuse_answer();
  for (const KeyAnswer& member : drawn->list) set.head->count -= stage.rows.remove_field(*set.head, member.text);
  if (!drawn->list.empty()) stage.save(c.key, *set.head);
  if (c.count) return std::move(*drawn);
  return drawn->list.empty() ? KeyAnswer::none() : std::move(drawn->list.front());
}

KeyAnswer apply(Stage& stage, const key::SetRandom& c) {
  const Look set = stage.look(c.key, KeyType::set);
  if (set.wrong) return wrong_type();
  if (!set.head) return c.count ? KeyAnswer::all({}) : KeyAnswer::none();
  const auto size = static_cast<std::uint64_t>(set.head->count);
  const bool repeats = c.count && *c.count < 0;
  const std::int64_t asked = c.count.value_or(1);
  const std::uint64_t wanted =
      repeats ? 0 - static_cast<std::uint64_t>(asked) : std::min(static_cast<std::uint64_t>(asked), size);
  if (wanted > Bounds::kAnswerElementsMax) return refuse_answer();
  std::vector<std::uint64_t> places;
  if (repeats)
    for (std::uint64_t i = 0; i < wanted; ++i) places.push_back(stage.draw(size));
  else
    places = draw_places(stage, size, wanted);
  auto drawn = members_at(stage, *set.head, places);
  if (!drawn) return refuse_answer();
  if (c.count) return std::move(*drawn);
  return drawn->list.empty() ? KeyAnswer::none() : std::move(drawn->list.front());
}

KeyAnswer apply(Stage& stage, const key::SetMove& c) {
  Look from = stage.look_to_write(c.from, KeyType::set);
  if (from.wrong) return wrong_type();
  const Look to = stage.look_to_write(c.to, KeyType::set);
  if (to.wrong) return wrong_type();
  if (!has(stage, from, c.member)) return KeyAnswer::count(0);
  if (c.from == c.to) return KeyAnswer::count(1);
  if (auto refused = refuse_count(static_cast<std::uint64_t>(size_of(to)) + 1)) return *refused;
  from.head->count -= stage.rows.remove_field(*from.head, c.member);
  stage.save(c.from, *from.head);
  add(stage, c.to, to, std::vector<std::string>{c.member});
  return KeyAnswer::count(1);
}

KeyAnswer apply(Stage& stage, const key::SetCombine& c) {
  Combined combined = combine(stage, c);
  if (combined.wrong) return wrong_type();
  if (combined.too_large) return refuse_answer();
  if (!c.into) {
    std::vector<KeyAnswer> out;
    for (const std::string& member : combined.members) out.push_back(KeyAnswer::bytes(member));
    return KeyAnswer::all(std::move(out));
  }
  // Whatever stood there makes room, also when the result is empty.
  if (const auto there = stage.find_to_write(*c.into)) stage.remove(*c.into, *there);
  if (!combined.members.empty()) add(stage, *c.into, {}, combined.members);
  return KeyAnswer::count(static_cast<std::int64_t>(combined.members.size()));
}

KeyAnswer apply(Stage& stage, const key::SetScan& c) {
  const Look set = stage.look(c.key, KeyType::set);
  if (set.wrong) return wrong_type();
  return scan_fields(stage, set, {c.after, c.pattern, c.limit, false});
}

}  // namespace muster::store::keyspace
