#include "fronts/resp/views/evaluate.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/glob.h"
#include "base/uuid.h"
#include "fronts/resp/plans/collect.h"
#include "fronts/resp/views/read.h"

namespace muster::resp::views {
namespace {

using store::KeyAnswer;
using store::KeyType;
using store::ScoredMember;
namespace key = store::key;

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

const char* name_of(KeyType type) {
  switch (type) {
    case KeyType::text: return "string";
    case KeyType::list: return "list";
    case KeyType::hash: return "hash";
    case KeyType::set: return "set";
    case KeyType::scores: return "zset";
  }
  return "none";
}

// --- texts, hashes ---

const std::string* field_of(const View& view, std::string_view name) {
  const auto it = std::lower_bound(view.hash.begin(), view.hash.end(), name,
                                   [](const store::KeyPair& pair, std::string_view wanted) { return pair.first < wanted; });
  return it != view.hash.end() && it->first == name ? &it->second : nullptr;
}

KeyAnswer text_or_none(const std::string* text) { return text != nullptr ? KeyAnswer::bytes(*text) : KeyAnswer::none(); }

KeyAnswer all_fields(const View& view, key::HashPart part) {
  std::vector<KeyAnswer> out;
  for (const store::KeyPair& pair : view.hash) {
    if (part != key::HashPart::values) out.push_back(KeyAnswer::bytes(pair.first));
    if (part != key::HashPart::fields) out.push_back(KeyAnswer::bytes(pair.second));
  }
  return KeyAnswer::all(std::move(out));
}

// --- lists ---

KeyAnswer items_between(const View& view, std::int64_t start, std::int64_t stop) {
  std::vector<KeyAnswer> out;
  const auto part = stretch(start, stop, view.count);
  for (std::uint64_t i = 0; part && i < part->count; ++i) {
    const std::uint64_t at = part->first + i;
    if (at >= view.first && at - view.first < view.items.size()) out.push_back(KeyAnswer::bytes(view.items[at - view.first]));
  }
  return KeyAnswer::all(std::move(out));
}

KeyAnswer item_at(const View& view, std::int64_t index) {
  KeyAnswer one = items_between(view, index, index);
  return one.list.empty() ? KeyAnswer::none() : std::move(one.list.front());
}

// --- sets ---

bool has_member(const View& view, const std::string& member) {
  return std::binary_search(view.items.begin(), view.items.end(), member);
}

KeyAnswer combined(key::Algebra how, std::span<const View> views) {
  std::set<std::string> members;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::vector<std::string>& items = views[i].items;
    if (i == 0 || how == key::Algebra::unite) {
      members.insert(items.begin(), items.end());
      continue;
    }
    const bool keep = how == key::Algebra::intersect;
    std::erase_if(members, [&](const std::string& member) { return has_member(views[i], member) != keep; });
  }
  std::vector<KeyAnswer> out;
  for (const std::string& member : members) out.push_back(KeyAnswer::bytes(member));
  return KeyAnswer::all(std::move(out));
}

// Members by lot. The lot is the instant's: whoever asks again gets others, which is all that is asked for.
KeyAnswer drawn(const View& view, const key::SetRandom& c, Instant now) {
  std::uint64_t lot = mix64(static_cast<std::uint64_t>(to_ms(now)));
  std::vector<std::string> left = view.items;
  if (!c.count) return left.empty() ? KeyAnswer::none() : KeyAnswer::bytes(left[lot % left.size()]);
  const bool repeats = *c.count < 0;
  // Nobody needs more repeats than would fit an answer.
  const std::uint64_t asked = repeats ? 0 - static_cast<std::uint64_t>(*c.count) : static_cast<std::uint64_t>(*c.count);
  if (repeats && asked > plans::kCollectedMax) return KeyAnswer::refuse(too_many(asked).message());
  std::vector<KeyAnswer> out;
  while (!left.empty() && out.size() < asked) {
    std::string& member = left[(lot = mix64(lot)) % left.size()];
    if (repeats) {
      out.push_back(KeyAnswer::bytes(member));
      continue;
    }
    std::swap(member, left.back());
    out.push_back(KeyAnswer::bytes(std::move(left.back())));
    left.pop_back();
  }
  return KeyAnswer::all(std::move(out));
}

// --- sorted sets ---

bool is_within(const store::ScoreRange& range, double score) {
  if (range.min && (range.min->exclusive ? score <= range.min->score : score < range.min->score)) return false;
  return !range.max || (range.max->exclusive ? score < range.max->score : score <= range.max->score);
}

bool is_within(const store::LexRange& range, const std::string& member) {
  if (range.min && (range.min->exclusive ? member <= range.min->member : member < range.min->member)) return false;
  return !range.max || (range.max->exclusive ? member < range.max->member : member <= range.max->member);
}

std::vector<const ScoredMember*> members_in(const View& view, const key::ScoresRange& c) {
  std::vector<const ScoredMember*> all;
  for (const ScoredMember& member : view.scores) all.push_back(&member);
  if (c.reverse) std::reverse(all.begin(), all.end());
  std::vector<const ScoredMember*> chosen;
  if (const auto* ranks = std::get_if<key::RankRange>(&c.range)) {
    if (const auto part = stretch(ranks->start, ranks->stop, all.size()))
      chosen.assign(all.begin() + number(part->first), all.begin() + number(part->first + part->count));
    return chosen;
  }
  for (const ScoredMember* member : all) {
    const auto* scores = std::get_if<store::ScoreRange>(&c.range);
    const auto* lexical = std::get_if<store::LexRange>(&c.range);
    if (scores != nullptr ? is_within(*scores, member->score) : is_within(*lexical, member->member)) chosen.push_back(member);
  }
  return chosen;
}

KeyAnswer range_of(const View& view, const key::ScoresRange& c) {
  const auto chosen = members_in(view, c);
  std::vector<KeyAnswer> out;
  for (std::uint64_t i = c.skip; i < chosen.size() && (!c.limit || i - c.skip < *c.limit); ++i) {
    out.push_back(KeyAnswer::bytes(chosen[i]->member));
    if (c.with_scores) out.push_back(KeyAnswer::score(chosen[i]->score));
  }
  return KeyAnswer::all(std::move(out));
}

KeyAnswer score_of(const View& view, const std::string& member) {
  for (const ScoredMember& each : view.scores)
    if (each.member == member) return KeyAnswer::score(each.score);
  return KeyAnswer::none();
}

KeyAnswer scores_of(const View& view, const std::vector<std::string>& members) {
  std::unordered_map<std::string_view, double> scores;
  for (const ScoredMember& each : view.scores) scores.try_emplace(each.member, each.score);
  std::vector<KeyAnswer> out;
  out.reserve(members.size());
  for (const std::string& member : members) {
    const auto found = scores.find(member);
    out.push_back(found == scores.end() ? KeyAnswer::none() : KeyAnswer::score(found->second));
  }
  return KeyAnswer::all(std::move(out));
}

KeyAnswer rank_of(const View& view, const key::RankOf& c) {
  for (std::size_t i = 0; i < view.scores.size(); ++i)
    if (view.scores[i].member == c.member) return KeyAnswer::count(number(c.reverse ? view.scores.size() - 1 - i : i));
  return KeyAnswer::none();
}

// --- pages: a view is small enough to be one ---

template <class Items, class Name, class Add>
KeyAnswer one_page(const Items& items, const std::string& pattern, Name name, Add add) {
  std::vector<KeyAnswer> out{KeyAnswer::bytes({})};
  for (const auto& item : items)
    if (pattern.empty() || glob_matches(pattern, name(item))) add(out, item);
  return KeyAnswer::all(std::move(out));
}

Want want(KeyType form, bool elements = false, std::int64_t start = 0, std::int64_t stop = -1) {
  return {.form = form, .elements = elements, .start = start, .stop = stop};
}

}  // namespace

std::optional<Stretch> stretch(std::int64_t start, std::int64_t stop, std::uint64_t count) {
  const std::int64_t size = number(count);
  if (start < 0) start = std::max<std::int64_t>(0, start + size);
  if (stop < 0) stop += size;
  stop = std::min(stop, size - 1);
  if (start > stop) return std::nullopt;
  return Stretch{static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(stop - start + 1)};
}

std::optional<Want> want_of(const store::KeyCommand& command) {
  using Wanted = std::optional<Want>;
  return std::visit(
      Overloaded{[](const key::Exists&) -> Wanted { return Want{}; },
                 [](const key::TypeOf&) -> Wanted { return Want{}; },
                 [](const key::TimeLeft&) -> Wanted { return Want{}; },
                 [](const key::Get&) -> Wanted { return want(KeyType::text); },
                 [](const key::GetMany&) -> Wanted { return want(KeyType::text); },
                 [](const key::Length&) -> Wanted { return want(KeyType::text); },
                 [](const key::GetRange&) -> Wanted { return want(KeyType::text); },
                 [](const key::HashGet&) -> Wanted { return want(KeyType::hash); },
                 [](const key::HashGetMany&) -> Wanted { return want(KeyType::hash); },
                 [](const key::HashAll&) -> Wanted { return want(KeyType::hash); },
                 [](const key::HashExists&) -> Wanted { return want(KeyType::hash); },
                 [](const key::HashLength&) -> Wanted { return want(KeyType::hash); },
                 [](const key::HashScan&) -> Wanted { return want(KeyType::hash); },
                 [](const key::ListLength&) -> Wanted { return want(KeyType::list); },
                 [](const key::ListRange& c) -> Wanted { return want(KeyType::list, true, c.start, c.stop); },
                 [](const key::ListAt& c) -> Wanted { return want(KeyType::list, true, c.index, c.index); },
                 [](const key::ListPosition&) -> Wanted { return want(KeyType::list, true); },
                 [](const key::SetMembers&) -> Wanted { return want(KeyType::set, true); },
                 [](const key::SetHas&) -> Wanted { return want(KeyType::set, true); },
                 [](const key::SetCount&) -> Wanted { return want(KeyType::set); },
                 [](const key::SetScan&) -> Wanted { return want(KeyType::set, true); },
                 [](const key::SetRandom&) -> Wanted { return want(KeyType::set, true); },
                 [](const key::SetCombine& c) -> Wanted { return c.into ? Wanted() : want(KeyType::set, true); },
                 [](const key::ScoreOf&) -> Wanted { return want(KeyType::scores, true); },
                 [](const key::ScoresCount& c) -> Wanted { return want(KeyType::scores, c.range.min || c.range.max); },
                 [](const key::ScoresRange&) -> Wanted { return want(KeyType::scores, true); },
                 [](const key::RankOf&) -> Wanted { return want(KeyType::scores, true); },
                 [](const key::ScoresScan&) -> Wanted { return want(KeyType::scores, true); },
                 [](const auto&) -> Wanted { return std::nullopt; }},
      command);
}

store::KeyAnswer evaluate(const store::KeyCommand& command, std::span<const View> views, Instant now) {
  const auto wanted = want_of(command);
  const bool many_texts = std::holds_alternative<key::GetMany>(command);
  if (wanted && wanted->form && !many_texts)
    for (const View& view : views)
      if (view.exists && !view.has(*wanted->form)) return KeyAnswer::refuse(kWrongType);
  const View& view = views.front();
  return std::visit(
      Overloaded{
          [&](const key::Exists&) {
            return KeyAnswer::count(std::count_if(views.begin(), views.end(), [](const View& each) { return each.exists; }));
          },
          [&](const key::TypeOf&) { return view.exists ? KeyAnswer::bytes(name_of(view.forms.front())) : KeyAnswer::none(); },
          [&](const key::TimeLeft& c) {
            if (!view.exists) return KeyAnswer::count(-2);
            if (!view.expires_at) return KeyAnswer::count(-1);
            return KeyAnswer::count(c.absolute ? to_ms(*view.expires_at) : (*view.expires_at - now).count());
          },
          [&](const key::Get&) { return view.exists ? KeyAnswer::bytes(view.text) : KeyAnswer::none(); },
          [&](const key::GetMany&) {
            std::vector<KeyAnswer> out;
            for (const View& each : views)
              out.push_back(each.exists && each.has(KeyType::text) ? KeyAnswer::bytes(each.text) : KeyAnswer::none());
            return KeyAnswer::all(std::move(out));
          },
          [&](const key::Length&) { return KeyAnswer::count(number(view.text.size())); },
          [&](const key::GetRange& c) {
            const auto part = stretch(c.start, c.stop, view.text.size());
            return KeyAnswer::bytes(part ? view.text.substr(part->first, part->count) : std::string());
          },
          [&](const key::HashGet& c) { return text_or_none(field_of(view, c.field)); },
          [&](const key::HashGetMany& c) {
            std::vector<KeyAnswer> out;
            for (const std::string& field : c.fields) out.push_back(text_or_none(field_of(view, field)));
            return KeyAnswer::all(std::move(out));
          },
          [&](const key::HashAll& c) { return all_fields(view, c.part); },
          [&](const key::HashExists& c) { return KeyAnswer::count(field_of(view, c.field) != nullptr ? 1 : 0); },
          [&](const key::HashLength&) { return KeyAnswer::count(number(view.hash.size())); },
          [&](const key::HashScan& c) {
            return one_page(
                view.hash, c.pattern, [](const store::KeyPair& pair) -> const std::string& { return pair.first; },
                [](std::vector<KeyAnswer>& out, const store::KeyPair& pair) {
                  out.push_back(KeyAnswer::bytes(pair.first));
                  out.push_back(KeyAnswer::bytes(pair.second));
                });
          },
          [&](const key::ListLength&) { return KeyAnswer::count(number(view.count)); },
          [&](const key::ListRange& c) { return items_between(view, c.start, c.stop); },
          [&](const key::ListAt& c) { return item_at(view, c.index); },
          [&](const key::ListPosition& c) {
            const auto it = std::find(view.items.begin(), view.items.end(), c.value);
            return it == view.items.end() ? KeyAnswer::none() : KeyAnswer::count(it - view.items.begin());
          },
          [&](const key::SetMembers&) {
            std::vector<KeyAnswer> out;
            for (const std::string& member : view.items) out.push_back(KeyAnswer::bytes(member));
            return KeyAnswer::all(std::move(out));
          },
          [&](const key::SetHas& c) {
            std::vector<KeyAnswer> out;
            for (const std::string& member : c.members) out.push_back(KeyAnswer::count(has_member(view, member) ? 1 : 0));
            return c.many ? KeyAnswer::all(std::move(out)) : std::move(out.front());
          },
          [&](const key::SetCount&) { return KeyAnswer::count(number(view.count)); },
          [&](const key::SetScan& c) {
            return one_page(
                view.items, c.pattern, [](const std::string& member) -> const std::string& { return member; },
                [](std::vector<KeyAnswer>& out, const std::string& member) { out.push_back(KeyAnswer::bytes(member)); });
          },
          [&](const key::SetCombine& c) { return combined(c.how, views); },
          [&](const key::SetRandom& c) { return drawn(view, c, now); },
          [&](const key::ScoreOf& c) {
            if (!c.many) return score_of(view, c.members.front());
            return scores_of(view, c.members);
          },
          [&](const key::ScoresCount& c) {
            if (!c.range.min && !c.range.max) return KeyAnswer::count(number(view.count));
            return KeyAnswer::count(std::count_if(view.scores.begin(), view.scores.end(),
                                                  [&](const ScoredMember& member) { return is_within(c.range, member.score); }));
          },
          [&](const key::ScoresRange& c) { return range_of(view, c); },
          [&](const key::RankOf& c) { return rank_of(view, c); },
          [&](const key::ScoresScan& c) {
            return one_page(
                view.scores, c.pattern, [](const ScoredMember& member) -> const std::string& { return member.member; },
                [](std::vector<KeyAnswer>& out, const ScoredMember& member) {
                  out.push_back(KeyAnswer::bytes(member.member));
                  out.push_back(KeyAnswer::score(member.score));
                });
          },
          [](const auto&) { return KeyAnswer::refuse("a view is only read"); }},
      command);
}

}  // namespace muster::resp::views
