// Numbers of JSON without rounding: every 64-bit integer, with or without a sign, compares exactly, also with fractions.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "base/json_reader.h"

namespace muster::schema {

// One representation a value: `1`, `1.0` and `1e0` are the same Number.
struct Number {
  bool negative = false;
  bool whole = true;            // an integer of less than 65 bits: `magnitude` is it
  std::uint64_t magnitude = 0;  // 0 when not whole
  double real = 0;              // 0 when whole

  // REQUIRES: a number.
  static Number of(const json::Tree& value);

  friend bool operator==(const Number&, const Number&) = default;
};

std::strong_ordering compare(const Number& a, const Number& b);
std::string shown(const Number& number);

// Digits and a power of ten, as the shortest text of the number has them; the sign is left out, since no multiple depends on it.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;

  static Decimal of(const Number& number);
};

// Whether `value` divided by `unit` is an integer, in decimal arithmetic: 0.07 is a multiple of 0.01, and nothing overflows.
// REQUIRES: the unit is not 0.
bool is_multiple(const Decimal& value, const Decimal& unit);

}  // namespace muster::schema
