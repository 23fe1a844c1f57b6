// Checks of a value as a whole: what it is, how large, how long. Parts are judged in walk_parts.cc.
#include <fmt/format.h>

#include <algorithm>

#include "schema/format.h"
#include "schema/walk.h"

namespace muster::schema {
namespace {

using Tree = json::Tree;

constexpr std::size_t kCodePointBytes = 4;  // at most

// Whether a text of `utf8` has at least `least` code points; counted only when its bytes leave that open.
bool has_code_points(std::string_view utf8, std::uint64_t least) {
  if (utf8.size() < least) return false;
  if ((utf8.size() + kCodePointBytes - 1) / kCodePointBytes >= least) return true;
  return code_points(utf8) >= least;
}

std::string_view plural(std::uint64_t count, std::string_view one, std::string_view many) { return count == 1 ? one : many; }

}  // namespace

bool Walk::is_chosen(const Op& op, const Tree& value) {
  const Choices& choices = program_.choices[op.index];
  if (const auto* text = value.get_ptr<const std::string*>())
    return std::binary_search(choices.texts.begin(), choices.texts.end(), *text);
  return std::any_of(choices.others.begin(), choices.others.end(),
                     [&](const Tree& choice) { return equal(choice, value, budget_); });
}

bool Walk::number(const Node& node, const Op& op, const Subject& subject) {
  const Number value = Number::of(subject.value);
  const auto bound = [&](std::string_view relation) {
    return
        [&, relation] { return fmt::format("{} is {} {}", shown(subject.value), relation, shown(program_.numbers[op.index])); };
  };
  switch (op.check) {
    case Check::minimum:
      return compare(value, program_.numbers[op.index]) >= 0 ||
             refuse(node, "minimum", subject.place, bound("below the minimum"));
    case Check::exclusive_minimum:
      return compare(value, program_.numbers[op.index]) > 0 ||
             refuse(node, "exclusiveMinimum", subject.place, bound("not above"));
    case Check::maximum:
      return compare(value, program_.numbers[op.index]) <= 0 ||
             refuse(node, "maximum", subject.place, bound("above the maximum"));
    case Check::exclusive_maximum:
      return compare(value, program_.numbers[op.index]) < 0 ||
             refuse(node, "exclusiveMaximum", subject.place, bound("not below"));
    default: break;
  }
  const auto& [unit, unit_number] = program_.units[op.index];
  return is_multiple(Decimal::of(value), unit) || refuse(node, "multipleOf", subject.place, [&, &shown_unit = unit_number] {
           return fmt::format("{} is not a multiple of {}", shown(subject.value), shown(shown_unit));
         });
}

bool Walk::text(const Node& node, const Op& op, const Subject& subject) {
  const auto& text = *subject.value.get_ptr<const std::string*>();
  const auto length = [&](std::string_view bound) {
    return [&, bound] {
      const std::size_t count = code_points(text);
      return fmt::format("{} has {} {}; accepted: {} {}", shown(subject.value), count, plural(count, "character", "characters"),
                         bound, op.count);
    };
  };
  if (!budget_.pay(text.size() / kBytesPerStep)) return false;
  switch (op.check) {
    case Check::length_min:
      return has_code_points(text, op.count) || refuse(node, "minLength", subject.place, length("at least"));
    case Check::length_max:
      return op.count == UINT64_MAX || !has_code_points(text, op.count + 1) ||
             refuse(node, "maxLength", subject.place, length("at most"));
    case Check::format: {
      const auto format = static_cast<Format>(op.index);
      return is_format(format, text) || refuse(node, "format", subject.place,
                                               [&] { return fmt::format("{} is no {}", shown(subject.value), name_of(format)); });
    }
    default: break;
  }
  const Pattern& pattern = program_.patterns[op.index];
  if (!budget_.pay(pattern.cost(text.size()))) return false;
  return pattern.matches(text) || refuse(node, "pattern", subject.place, [&] {
           return fmt::format("{} does not match the pattern {}", shown(subject.value), pattern.source());
         });
}

bool Walk::size(const Node& node, const Op& op, const Subject& subject) {
  const std::size_t parts = subject.value.size();
  const bool least = op.check == Check::items_min || op.check == Check::properties_min;
  if (least ? parts >= op.count : parts <= op.count) return true;
  return refuse(node, keyword_of(op.check), subject.place, [&] {
    const bool items = subject.type == kArray;
    return fmt::format("has {} {}; accepted: at {} {}", parts,
                       items ? plural(parts, "item", "items") : plural(parts, "member", "members"), least ? "least" : "most",
                       op.count);
  });
}

bool Walk::unique(const Node& node, const Op& /*op*/, const Subject& subject) {
  const EqualItems items = equal_items(subject.value, budget_);
  if (!items.found) return !gave_up();
  return refuse(node, "uniqueItems", subject.place,
                [&] { return fmt::format("items {} and {} are equal; accepted: no two alike", items.first, items.second); });
}

}  // namespace muster::schema
