// Rows in memory, as plain as they can be: for fast tests of the rules, and as the other side of a comparison with a database's.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "store/key_rows.h"

namespace muster::store::keyspace {

class MemoryRows final : public KeyRows {
 public:
  std::optional<KeyHead> find(std::string_view key) override {
    const auto it = keys_.find(std::string(key));
    if (it == keys_.end()) return std::nullopt;
    return it->second;
  }
  KeyHead create(std::string_view key, KeyType type, std::optional<Instant> expires_at) override {
    KeyHead head;
    head.row = KeyRow{++last_row_};
    head.type = type;
    head.expires_at = expires_at;
    keys_[std::string(key)] = head;
    return head;
  }
  void write(const KeyHead& head) override {
    ++versions_[head.row];
    for (auto& [name, kept] : keys_)
      if (kept.row == head.row) kept = head;
  }
  std::string version(const KeyHead& head) override {
    return std::to_string(static_cast<std::int64_t>(head.row)) + "." + std::to_string(versions_[head.row]);
  }
  void remove(std::string_view key, const KeyHead& head) override {
    keys_.erase(std::string(key));
    contents_.erase(head.row);
  }
  void rename(std::string_view from, std::string_view to, const KeyHead& head) override {
    keys_.erase(std::string(from));
    keys_[std::string(to)] = head;
  }
  std::vector<KeyName> names(std::string_view after, std::size_t limit) override {
    std::vector<KeyName> out;
    for (auto it = keys_.upper_bound(std::string(after)); it != keys_.end() && out.size() < limit; ++it)
      out.push_back({it->first, it->second});
    visited_ += out.size();
    return out;
  }
  std::int64_t count(Instant now, std::size_t most) override {
    const auto all = std::count_if(keys_.begin(), keys_.end(),
                                   [now](const auto& key) { return !key.second.expires_at || *key.second.expires_at > now; });
    return std::min<std::int64_t>(all, static_cast<std::int64_t>(most));
  }
  std::size_t clear(std::size_t most) override {
    std::size_t removed = 0;
    for (; removed < most && !keys_.empty(); ++removed) {
      contents_.erase(keys_.begin()->second.row);
      keys_.erase(keys_.begin());
    }
    return removed;
  }

  std::string text(const KeyHead& head) override { return contents_[head.row].text; }
  void put_text(std::string_view, const KeyHead& head, std::string_view value) override {
    ++versions_[head.row];
    contents_[head.row].text = value;
  }

  std::vector<ListItem> items(const KeyHead& head, ListEnd from, std::uint64_t skip, std::size_t limit) override {
    std::vector<ListItem> all;
    for (const auto& [position, value] : contents_[head.row].items) all.push_back({position, value});
    if (from == ListEnd::right) std::reverse(all.begin(), all.end());
    return part_of(std::move(all), skip, limit);
  }
  std::vector<ListItem> items_past(const KeyHead& head, ListEnd from, std::int64_t position, std::size_t limit) override {
    const auto& items = contents_[head.row].items;
    std::vector<ListItem> out;
    if (from == ListEnd::left) {
      for (auto it = items.upper_bound(position); it != items.end() && out.size() < limit; ++it)
        out.push_back({it->first, it->second});
    } else {
      for (auto it = std::make_reverse_iterator(items.lower_bound(position)); it != items.rend() && out.size() < limit; ++it)
        out.push_back({it->first, it->second});
    }
    visited_ += out.size();
    return out;
  }
  std::vector<std::int64_t> positions(const KeyHead& head, ListEnd from, std::string_view value, std::size_t limit,
                                      std::size_t within) override {
    std::vector<std::int64_t> found;
    for (const ListItem& item : items(head, from, 0, within))
      if (item.value == value && found.size() < limit) found.push_back(item.position);
    return found;
  }
  void put_item(const KeyHead& head, std::int64_t position, std::string_view value) override {
    contents_[head.row].items[position] = value;
  }
  void remove_item(const KeyHead& head, std::int64_t position) override { contents_[head.row].items.erase(position); }
  void remove_items(const KeyHead& head, std::int64_t first, std::int64_t last) override {
    auto& items = contents_[head.row].items;
    items.erase(items.lower_bound(first), items.upper_bound(last));
  }

  std::optional<std::string> field(const KeyHead& head, std::string_view name) override {
    const auto& fields = contents_[head.row].fields;
    const auto it = fields.find(std::string(name));
    if (it == fields.end()) return std::nullopt;
    return it->second;
  }
  bool put_field(const KeyHead& head, std::string_view name, std::string_view value) override {
    return contents_[head.row].fields.insert_or_assign(std::string(name), std::string(value)).second;
  }
  bool remove_field(const KeyHead& head, std::string_view name) override {
    return contents_[head.row].fields.erase(std::string(name)) > 0;
  }
  std::vector<KeyPair> fields(const KeyHead& head, std::string_view after, std::size_t limit) override {
    const auto& fields = contents_[head.row].fields;
    std::vector<KeyPair> out;
    for (auto it = fields.upper_bound(std::string(after)); it != fields.end() && out.size() < limit; ++it)
      out.push_back({it->first, it->second});
    visited_ += out.size();
    return out;
  }
  std::optional<KeyPair> field_at(const KeyHead& head, std::uint64_t skip) override {
    const auto& fields = contents_[head.row].fields;
    visited_ += std::min<std::uint64_t>(skip + 1, fields.size());
    if (skip >= fields.size()) return std::nullopt;
    const auto it = std::next(fields.begin(), static_cast<std::ptrdiff_t>(skip));
    return KeyPair{it->first, it->second};
  }

  std::optional<double> score(const KeyHead& head, std::string_view member) override {
    const auto& scores = contents_[head.row].scores;
    const auto it = scores.find(std::string(member));
    if (it == scores.end()) return std::nullopt;
    return it->second;
  }
  bool put_score(const KeyHead& head, std::string_view member, double score) override {
    return contents_[head.row].scores.insert_or_assign(std::string(member), score).second;
  }
  bool remove_score(const KeyHead& head, std::string_view member) override {
    return contents_[head.row].scores.erase(std::string(member)) > 0;
  }
  std::vector<ScoredMember> scores(const KeyHead& head, const ScoreRange& range, bool reverse, const ScorePlace& place,
                                   std::size_t limit) override {
    return part_of(in_order(head, reverse, place, [&range](const ScoredMember& member) { return inside(range, member.score); }),
                   place.skip, limit);
  }
  std::vector<ScoredMember> scores_between(const KeyHead& head, const LexRange& range, bool reverse, const ScorePlace& place,
                                           std::size_t limit) override {
    return part_of(in_order(head, reverse, place, [&range](const ScoredMember& member) { return inside(range, member.member); }),
                   place.skip, limit);
  }
  std::int64_t count_scores(const KeyHead& head, const ScoreRange& range, std::size_t most) override {
    const auto& scores = contents_[head.row].scores;
    const auto all =
        std::count_if(scores.begin(), scores.end(), [&range](const auto& each) { return inside(range, each.second); });
    return std::min<std::int64_t>(all, static_cast<std::int64_t>(most));
  }
  std::int64_t rank(const KeyHead& head, const ScoredMember& member, std::size_t most) override {
    const auto& scores = contents_[head.row].scores;
    const std::pair<double, std::string> self(member.score, member.member);
    const auto all = std::count_if(scores.begin(), scores.end(),
                                   [&self](const auto& other) { return std::pair(other.second, other.first) < self; });
    return std::min<std::int64_t>(all, static_cast<std::int64_t>(most));
  }
  std::vector<ScoredMember> scores_after(const KeyHead& head, std::string_view member, std::size_t limit) override {
    const auto& scores = contents_[head.row].scores;
    std::vector<ScoredMember> out;
    for (auto it = scores.upper_bound(std::string(member)); it != scores.end() && out.size() < limit; ++it)
      out.push_back({it->first, it->second});
    return out;
  }

  // Elements that were passed by or handed out.
  std::uint64_t visited() const { return visited_; }
  // Whether anything is left of keys that are gone.
  bool has_leftovers() const {
    return std::any_of(contents_.begin(), contents_.end(), [this](const auto& content) {
      return std::none_of(keys_.begin(), keys_.end(), [&](const auto& key) { return key.second.row == content.first; });
    });
  }
  // Every head's count and ends are as its elements are.
  bool heads_are_right() const {
    return std::all_of(keys_.begin(), keys_.end(), [this](const auto& key) {
      const KeyHead& head = key.second;
      const auto it = contents_.find(head.row);
      if (head.type == KeyType::text) return true;
      if (it == contents_.end() || head.count <= 0) return false;
      const Content& content = it->second;
      const std::size_t size = content.items.size() + content.fields.size() + content.scores.size();
      if (static_cast<std::size_t>(head.count) != size) return false;
      if (head.type != KeyType::list) return true;
      return head.head <= content.items.begin()->first && content.items.rbegin()->first <= head.tail;
    });
  }

 private:
  struct Content {
    std::string text;
    std::map<std::int64_t, std::string> items;
    std::map<std::string, std::string> fields;
    std::map<std::string, double> scores;
  };

  template <class T>
  std::vector<T> part_of(std::vector<T> all, std::uint64_t skip, std::size_t limit) {
    visited_ += std::min<std::uint64_t>(all.size(), skip + limit);
    if (skip >= all.size()) return {};
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(skip);
    const auto count = std::min<std::uint64_t>(limit, all.size() - skip);
    return std::vector<T>(first, first + static_cast<std::ptrdiff_t>(count));
  }
  template <class Range, class Value>
  static bool inside(const Range& range, const Value& value) {
    const auto bound_of = [](const auto& bound) {
      if constexpr (requires { bound.score; })
        return bound.score;
      else
        return bound.member;
    };
    if (range.min && (value < bound_of(*range.min) || (range.min->exclusive && value == bound_of(*range.min)))) return false;
    if (range.max && (value > bound_of(*range.max) || (range.max->exclusive && value == bound_of(*range.max)))) return false;
    return true;
  }
  template <class Inside>
  std::vector<ScoredMember> in_order(const KeyHead& head, bool reverse, const ScorePlace& place, Inside is_inside) {
    const auto is_before = [](const ScoredMember& a, const ScoredMember& b) {
      return std::tie(a.score, a.member) < std::tie(b.score, b.member);
    };
    std::vector<ScoredMember> all;
    for (const auto& [member, score] : contents_[head.row].scores)
      if (is_inside(ScoredMember{member, score})) all.push_back({member, score});
    if (place.after)
      std::erase_if(all, [&](const ScoredMember& member) {
        return reverse ? !is_before(member, *place.after) : !is_before(*place.after, member);
      });
    std::sort(all.begin(), all.end(), is_before);
    if (reverse) std::reverse(all.begin(), all.end());
    return all;
  }

  std::map<std::string, KeyHead> keys_;
  std::map<KeyRow, Content> contents_;
  std::int64_t last_row_ = 0;
  std::map<KeyRow, std::uint64_t> versions_;
  std::uint64_t visited_ = 0;
};

}  // namespace muster::store::keyspace
