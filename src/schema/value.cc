#include "schema/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "base/json_depth.h"
#include "base/utf8.h"
#include "base/uuid.h"
#include "schema/number.h"
#include "schema/schema.h"

namespace muster::schema {
namespace {

using Tree = json::Tree;
using Kind = Tree::value_t;

constexpr std::size_t kShownBytes = 64;
constexpr std::size_t kPairwiseItems = 12;  // fewer are compared with each other, without an allocation

bool is_whole(double real) { return std::trunc(real) == real && std::isfinite(real); }

// Numbers are one type here.
Types equality_class(const Tree& value) {
  const Types type = type_of(value);
  return (type & kNumber) != 0 ? kNumber : type;
}

std::uint64_t text_hash(std::string_view text) { return std::hash<std::string_view>{}(text); }

class Comparison {
 public:
  explicit Comparison(Budget& budget) : budget_(budget) {}

  bool equal(const Tree& a, const Tree& b, std::size_t depth) {
    const Types type = equality_class(a);
    if (!budget_.pay(1) || type != equality_class(b)) return false;
    switch (type) {
      case kNull: return true;
      case kBoolean: return a.get<bool>() == b.get<bool>();
      case kNumber: return Number::of(a) == Number::of(b);
      case kString: return equal_texts(a.get_ref<const std::string&>(), b.get_ref<const std::string&>());
      case kArray: return enter(depth) && equal_arrays(a, b, depth + 1);
      case kObject: return enter(depth) && equal_objects(a, b, depth + 1);
      default: return false;
    }
  }

  std::uint64_t hash(const Tree& value, std::size_t depth) {
    if (!budget_.pay(1)) return 0;
    const Types type = equality_class(value);
    std::uint64_t out = mix64(type);
    if (type == kBoolean) return mix64(out + (value.get<bool>() ? 1 : 0));
    if (type == kNumber) {
      const Number number = Number::of(value);
      return mix64(out ^ mix64(number.magnitude) ^ std::bit_cast<std::uint64_t>(number.real) ^ (number.negative ? 1 : 0));
    }
    if (type == kString) {
      const auto& text = value.get_ref<const std::string&>();
      return budget_.pay(text.size() / kBytesPerStep) ? mix64(out ^ text_hash(text)) : 0;
    }
    if ((type != kArray && type != kObject) || !enter(depth)) return out;
    for (auto at = value.begin(); at != value.end() && !budget_.spent(); ++at) {
      if (type == kObject) out = mix64(out ^ text_hash(at.key()));
      out = mix64(out ^ hash(*at, depth + 1));
    }
    return out;
  }

 private:
  bool enter(std::size_t depth) { return depth < json::kDepthMax || budget_.pay(kStepsMax + 1); }

  bool equal_texts(std::string_view a, std::string_view b) {
    return a.size() == b.size() && budget_.pay(a.size() / kBytesPerStep) && a == b;
  }

  bool equal_arrays(const Tree& a, const Tree& b, std::size_t depth) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!equal(a[i], b[i], depth)) return false;
    return true;
  }

  // Both are ordered by name.
  bool equal_objects(const Tree& a, const Tree& b, std::size_t depth) {
    if (a.size() != b.size()) return false;
    for (auto left = a.begin(), right = b.begin(); left != a.end(); ++left, ++right)
      if (!equal_texts(left.key(), right.key()) || !equal(*left, *right, depth)) return false;
    return true;
  }

  Budget& budget_;
};

EqualItems equal_pair(const Tree& array, Budget& budget) {
  for (std::size_t second = 1; second < array.size(); ++second)
    for (std::size_t first = 0; first < second; ++first)
      if (equal(array[first], array[second], budget)) return {true, first, second};
  return {};
}

}  // namespace

Types type_of(const Tree& value) {
  switch (value.type()) {
    case Kind::null: return kNull;
    case Kind::boolean: return kBoolean;
    case Kind::number_integer:
    case Kind::number_unsigned: return kInteger;
    case Kind::number_float: return is_whole(*value.get_ptr<const Tree::number_float_t*>()) ? kInteger : kFraction;
    case Kind::string: return kString;
    case Kind::array: return kArray;
    case Kind::object: return kObject;
    case Kind::binary:
    case Kind::discarded: return kForeign;
  }
  return kForeign;
}

bool equal(const Tree& a, const Tree& b, Budget& budget) { return Comparison(budget).equal(a, b, 0); }

EqualItems equal_items(const Tree& array, Budget& budget) {
  if (array.size() <= kPairwiseItems) return equal_pair(array, budget);
  Comparison comparison(budget);
  std::vector<std::pair<std::uint64_t, std::size_t>> items;
  items.reserve(array.size());
  for (std::size_t i = 0; i < array.size() && !budget.spent(); ++i) items.emplace_back(comparison.hash(array[i], 0), i);
  std::sort(items.begin(), items.end());
  for (std::size_t i = 0; i < items.size() && !budget.spent(); ++i)
    for (std::size_t next = i + 1; next < items.size() && items[next].first == items[i].first && !budget.spent(); ++next)
      if (comparison.equal(array[items[i].second], array[items[next].second], 0))
        return {true, items[i].second, items[next].second};
  return {};
}

std::size_t code_points(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string in_quotes(std::string_view text) {
  if (text.size() <= kShownBytes) return json::dump(std::string(text));
  std::size_t end = kShownBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return json::dump(std::string(text.substr(0, end)) + "...");
}

std::string shown(const Tree& value) {
  if (const auto* text = value.get_ptr<const std::string*>()) return in_quotes(std::string_view(*text));
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  if (value.is_object()) return fmt::format("an object of {}", value.size());
  return json::dump(value);
}

std::string shown(Types types) {
  struct Name {
    Types types;
    std::string_view name;
  };
  constexpr std::array kNames{Name{kNumber, "a number"},  Name{kInteger, "an integer"}, Name{kFraction, "a fraction"},
                              Name{kString, "a string"},  Name{kBoolean, "a boolean"},  Name{kArray, "an array"},
                              Name{kObject, "an object"}, Name{kNull, "null"},          Name{kForeign, "no JSON"}};
  std::string out;
  for (const Name& entry : kNames) {
    if ((types & entry.types) != entry.types) continue;
    types &= static_cast<Types>(~entry.types);
    out.append(out.empty() ? "" : " or ").append(entry.name);
  }
  return out;
}

void cut(std::string& text) {
  if (text.size() <= kFaultTextMax) return;
  constexpr std::string_view kMore = "...";
  std::size_t end = kFaultTextMax - kMore.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  text += kMore;
}

}  // namespace muster::schema
