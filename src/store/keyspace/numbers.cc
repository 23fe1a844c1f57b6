#include "store/keyspace/numbers.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace muster::store::keyspace {
namespace {

constexpr std::size_t kRealTextMax = 5 * 1'024;  // as long as the largest number is with all its digits

// strtold would also skip spaces and take hexadecimal; neither is a number here.
std::optional<long double> read_real(std::string_view text) {
  if (text.empty() || text.size() > kRealTextMax || text.find_first_not_of("0123456789+-.eEinfINF") != std::string_view::npos)
    return std::nullopt;
  const std::string copy(text);
  char* end = nullptr;
  const long double value = std::strtold(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || std::isnan(value)) return std::nullopt;
  return value;
}

// With 17 decimals, then without the zeros that say nothing.
std::string write_real(long double value) {
  std::string out = fmt::format("{:.17f}", value);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.')) out.pop_back();
  return out == "-0" ? "0" : out;
}

}  // namespace

std::optional<std::int64_t> exact_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const bool padded = text != "0" && (text.starts_with('0') || text.starts_with("-0"));
  if (padded) return std::nullopt;
  return value;
}

std::optional<std::int64_t> sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

RealSum add_real(std::string_view text, double by) {
  const auto before = read_real(text);
  if (!before) return {RealSum::Fault::not_a_number, {}};
  // By way of its shortest text, since 0.1 as a double is not 0.1 any more once it is given more digits.
  const auto step = read_real(fmt::format("{}", by));
  if (!step) return {RealSum::Fault::not_finite, {}};
  const long double after = *before + *step;
  if (!std::isfinite(after)) return {RealSum::Fault::not_finite, {}};
  return {RealSum::Fault::none, write_real(after)};
}

}  // namespace muster::store::keyspace
