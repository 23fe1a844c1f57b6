// What a schema sees in a JSON value: its type, whether two are equal, and how it is shown to people.
//
// Equality is that of the specification: numbers by value (1 and 1.0 are equal, 2^64-1 and 2^64 are not), objects whatever the
// order of their members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_reader.h"

namespace muster::schema {

// A set of types, one bit each. An integer is any number without a fraction, 1.0 too.
using Types = std::uint8_t;
inline constexpr Types kNull = 1;
inline constexpr Types kBoolean = 2;
inline constexpr Types kInteger = 4;
inline constexpr Types kFraction = 8;
inline constexpr Types kString = 16;
inline constexpr Types kArray = 32;
inline constexpr Types kObject = 64;
inline constexpr Types kForeign = 128;  // what JSON has no text for; never accepted as any of the others
inline constexpr Types kNumber = kInteger | kFraction;
inline constexpr Types kAnyType = 255;

// One bit.
Types type_of(const json::Tree& value);

inline constexpr std::size_t kBytesPerStep = 64;  // of text that is looked at

// What one judgement may still spend. Once it could not pay, it stays spent.
class Budget {
 public:
  explicit Budget(std::uint64_t steps) : left_(steps) {}

  bool pay(std::uint64_t steps) {
    if (steps <= left_) {
      left_ -= steps;
      return true;
    }
    left_ = 0;
    spent_ = true;
    return false;
  }
  bool spent() const { return spent_; }

 private:
  std::uint64_t left_;
  bool spent_ = false;
};

// False as well when the budget is spent, or when both are equal down to more than json::kDepthMax levels; the budget is spent
// then.
bool equal(const json::Tree& a, const json::Tree& b, Budget& budget);

// Whether two items of an array are equal, and which. Not quadratic: the items are ordered by a hash.
struct EqualItems {
  bool found = false;
  std::size_t first = 0;
  std::size_t second = 0;
};
EqualItems equal_items(const json::Tree& array, Budget& budget);

std::size_t code_points(std::string_view utf8);

// Within a message: texts in quotes, cut where they get long; arrays and objects by their size.
std::string shown(const json::Tree& value);
std::string in_quotes(std::string_view text);
// "a string", "an integer or null".
std::string shown(Types types);
// Cut to kFaultTextMax bytes, between code points.
void cut(std::string& text);

}  // namespace muster::schema
