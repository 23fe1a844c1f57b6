// Sets: members without values, in byte order.
#include <map>
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

bool has(Stage& stage, const Look& set, const std::string& member) {
  return set.head && stage.rows.field(*set.head, member).has_value();
}

// REQUIRES: the members were judged and are not too many.
std::int64_t add(Stage& stage, const std::string& key, const Look& set, const auto& members) {
  KeyHead head = set.head ? *set.head : stage.create(key, KeyType::set);
  const std::set<std::string_view> different(members.begin(), members.end());
  std::vector<FieldView> fields;
  fields.reserve(different.size());
  for (const std::string_view member : different) fields.push_back({member, {}});
  const std::int64_t added = stage.rows.put_fields(head, fields);
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

// Members at these places in byte order, by place; one walk for all of them.
std::map<std::uint64_t, std::string> walk_to(Stage& stage, const KeyHead& head, const std::set<std::uint64_t>& places) {
  std::map<std::uint64_t, std::string> found;
  std::uint64_t place = 0;
  auto next = places.begin();
  walk_fields(stage, head, [&](KeyPair field) {
    if (place++ == *next) found.emplace_hint(found.end(), *next++, std::move(field.first));
    return next != places.end();
  });
  return found;
}

// In the order of the places, which may be met more than once.
std::optional<KeyAnswer> members_at(Stage& stage, const KeyHead& head, const std::vector<std::uint64_t>& places) {
  Gathered out;
  if (places.size() == 1) {
    auto found = stage.rows.field_at(head, places.front());
    if (found && !out.add(std::move(found->first))) return std::nullopt;
    return out.take();
  }
  if (places.empty()) return out.take();
  const auto found = walk_to(stage, head, {places.begin(), places.end()});
  for (const std::uint64_t place : places) {
    const auto member = found.find(place);
    if (member != found.end() && !out.add(member->second)) return std::nullopt;
  }
  return out.take();
}

// How many members a lot is drawn from, so that it need not walk through a large set.
std::uint64_t drawn_from(std::uint64_t size, std::uint64_t wanted) {
  return std::min<std::uint64_t>(size, std::max<std::uint64_t>(wanted, Bounds::kDrawnFromMax));
}

struct Combined {
  bool wrong = false;
  std::optional<KeyAnswer> refused;
  Members members;
};

// Keeps the members that are in the other set, or those that are not.
void keep(Stage& stage, const Look& other, Members& members, bool common) {
  if (!other.head) {
    if (common) members.clear();
    return;
  }
  for (auto next = members.begin(); next != members.end();) {
    std::vector<std::string_view> piece;
    const auto first = next;
    for (; next != members.end() && piece.size() < kPieceRowsMax; ++next) piece.push_back(*next);
    const auto there = stage.rows.fields_of(*other.head, piece);
    auto member = first;
    for (const auto& found : there) member = found.has_value() == common ? std::next(member) : members.erase(member);
  }
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

// Rows that are looked at: those of the sets that are walked, and one for each member that is asked about in another.
std::uint64_t rows_to_combine(const std::vector<Look>& sets, key::Algebra how) {
  std::uint64_t rows = 0;
  for (const Look& set : sets) rows += static_cast<std::uint64_t>(size_of(how == key::Algebra::unite ? set : sets.front()));
  return rows;
}

Combined combine(Stage& stage, const key::SetCombine& c) {
  std::vector<Look> sets;
  for (const std::string& key : c.keys) {
    sets.push_back(stage.look(key, KeyType::set));
    if (sets.back().wrong) return {true, {}, {}};
  }
  // An intersection begins with its smallest set, so that a large one is only asked about members, never walked.
  if (c.how == key::Algebra::intersect && !sets.empty())
    std::iter_swap(sets.begin(), std::min_element(sets.begin(), sets.end(),
                                                  [](const Look& a, const Look& b) { return size_of(a) < size_of(b); }));
  Combined out;
  if (c.into) out.refused = refuse_search(rows_to_combine(sets, c.how));
  if (out.refused) return out;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (i > 0 && c.how != key::Algebra::unite) {
      keep(stage, sets[i], out.members, c.how == key::Algebra::intersect);
    } else if (sets[i].head && !unite(stage, *sets[i].head, out.members)) {
      out.refused = refuse_answer();
      return out;
    }
  }
  if (c.into) out.refused = refuse_changes(out.members.size());
  return out;
}

}  // namespace

KeyAnswer apply(Stage& stage, const key::SetAdd& c) {
  if (auto refused = refuse_members(c.members)) return *refused;
  const Look set = stage.look_to_write(c.key, KeyType::set);
  if (set.wrong) return wrong_type();
  if (c.members.empty()) return KeyAnswer::count(0);
  if (auto refused = refuse_changes(c.members.size())) return *refused;
  if (auto refused = refuse_count(static_cast<std::uint64_t>(size_of(set)) + c.members.size())) return *refused;
  return KeyAnswer::count(add(stage, c.key, set, c.members));
}

KeyAnswer apply(Stage& stage, const key::SetRemove& c) {
  Look set = stage.look_to_write(c.key, KeyType::set);
  if (set.wrong) return wrong_type();
  if (!set.head) return KeyAnswer::count(0);
  if (auto refused = refuse_changes(c.members.size())) return *refused;
  const std::int64_t removed = stage.rows.remove_fields(*set.head, {c.members.begin(), c.members.end()});
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
  if (!set.head) return KeyAnswer::all(std::vector<KeyAnswer>(c.members.size(), KeyAnswer::count(0)));
  Gathered out;
  bool fits = true;
  ask_in_pieces(c.members, kPieceRowsMax, [&](const std::vector<std::string_view>& names) {
    for (const auto& found : stage.rows.fields_of(*set.head, names)) fits = fits && out.add(KeyAnswer::count(found.has_value()));
    return fits;
  });
  return fits ? out.take() : refuse_answer();
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
  if (auto refused = refuse_changes(wanted)) return *refused;
  auto drawn = members_at(stage, *set.head, draw_places(stage, drawn_from(size, wanted), wanted));
  if (!drawn) return refuse_answer();
  std::vector<std::string_view> names;
  for (const KeyAnswer& member : drawn->list) names.push_back(member.text);
  set.head->count -= stage.rows.remove_fields(*set.head, names);
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
    for (std::uint64_t i = 0; i < wanted; ++i) places.push_back(stage.draw(drawn_from(size, 1)));
  else
    places = draw_places(stage, drawn_from(size, wanted), wanted);
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
  if (combined.refused) return std::move(*combined.refused);
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
