// Numbers that clients keep as text: read strictly, written the way the wire knows them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::store::keyspace {

// Only what the number itself would be written as: no sign, space or zero too many.
std::optional<std::int64_t> exact_integer(std::string_view text);
std::optional<std::int64_t> sum(std::int64_t a, std::int64_t b);  // nothing: it overflows

// A number as text plus `by`, in decimal as people expect it (0.1 + 0.2 is 0.3).
struct RealSum {
  enum class Fault : std::uint8_t { none, not_a_number, not_finite };
  Fault fault = Fault::none;
  std::string text;
};
RealSum add_real(std::string_view text, double by);

}  // namespace muster::store::keyspace
