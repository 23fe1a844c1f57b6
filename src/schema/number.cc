#include "schema/number.h"

#include <array>
#include <charconv>
#include <cmath>

namespace muster::schema {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr double kTwoTo64 = 18446744073709551616.0;

Number of_real(double real) {
  Number out;
  out.negative = std::signbit(real) && real != 0;
  if (std::abs(real) < kTwoTo64 && std::trunc(real) == real) {
    out.magnitude = static_cast<std::uint64_t>(std::abs(real));
    return out;
  }
  out.whole = false;
  out.real = real;
  return out;
}

std::strong_ordering compare_reals(double a, double b) {
  if (a < b) return std::strong_ordering::less;
  return a > b ? std::strong_ordering::greater : std::strong_ordering::equal;
}

std::strong_ordering compare_whole(const Number& a, const Number& b) {
  if (a.negative != b.negative) return a.negative ? std::strong_ordering::less : std::strong_ordering::greater;
  return a.negative ? b.magnitude <=> a.magnitude : a.magnitude <=> b.magnitude;
}

// A whole number is never equal to one that is not: it lies beyond it, or on one side of its fraction.
std::strong_ordering compare_whole_to_real(const Number& whole, double real) {
  if (real >= kTwoTo64) return std::strong_ordering::less;
  if (real <= -kTwoTo64) return std::strong_ordering::greater;
  return compare_whole(whole, of_real(std::floor(real))) <= 0 ? std::strong_ordering::less : std::strong_ordering::greater;
}

std::uint64_t times(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % modulus);
}

std::uint64_t power_of_ten(int exponent, std::uint64_t modulus) {
  std::uint64_t out = 1 % modulus;
  for (std::uint64_t base = 10 % modulus; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) out = times(out, base, modulus);
    base = times(base, base, modulus);
  }
  return out;
}

}  // namespace

Number Number::of(const json::Tree& value) {
  if (value.is_number_float()) return of_real(value.get<double>());
  Number out;
  if (value.is_number_unsigned()) {
    out.magnitude = value.get<std::uint64_t>();
  } else {
    const auto number = value.get<std::int64_t>();
    out.negative = number < 0;
    out.magnitude = number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  }
  return out;
}

std::strong_ordering compare(const Number& a, const Number& b) {
  if (a.whole && b.whole) return compare_whole(a, b);
  if (a.whole) return compare_whole_to_real(a, b.real);
  if (b.whole) return 0 <=> compare_whole_to_real(b, a.real);
  return compare_reals(a.real, b.real);
}

std::string shown(const Number& number) {
  if (!number.whole) return json::dump(number.real);
  return (number.negative ? "-" : "") + std::to_string(number.magnitude);
}

Decimal Decimal::of(const Number& number) {
  if (number.whole) return {.digits = number.magnitude};
  std::array<char, 32> text{};
  const char* const end =
      std::to_chars(text.data(), text.data() + text.size(), std::abs(number.real), std::chars_format::scientific).ptr;
  Decimal out;
  const char* at = text.data();
  for (bool fraction = false; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
      continue;
    }
    out.digits = out.digits * 10 + static_cast<std::uint64_t>(*at - '0');  // 17 digits at most
    if (fraction) --out.exponent;
  }
  if (at != end) ++at;  // the 'e'; from_chars wants no '+' behind it
  if (at != end && *at == '+') ++at;
  int power = 0;
  std::from_chars(at, end, power);
  out.exponent += power;
  return out;
}

bool is_multiple(const Decimal& value, const Decimal& unit) {
  if (value.digits == 0) return true;
  const int shift = value.exponent - unit.exponent;
  if (shift >= 0) return times(value.digits % unit.digits, power_of_ten(shift, unit.digits), unit.digits) == 0;
  std::uint64_t divisor = unit.digits;
  for (int i = shift; i < 0; ++i)
    if (__builtin_mul_overflow(divisor, std::uint64_t{10}, &divisor)) return false;  // larger than any digits
  return value.digits % divisor == 0;
}

}  // namespace muster::schema
