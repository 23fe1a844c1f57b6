#include "agents/prices.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <optional>

namespace muster::agents {
namespace {

constexpr double kPriceMax = 1'000'000;

std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || !(value >= 0 && value <= kPriceMax)) return std::nullopt;
  return value;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at)
      parts.emplace_back();
    else
      parts.back().push_back(c);
  }
  return parts;
}

}  // namespace

Result<Prices> Prices::parse(const std::vector<std::string>& rows) {
  std::vector<Price> prices;
  for (const std::string& row : rows) {
    const auto refuse = [&row] {
      return Status::invalid_argument(
          fmt::format("price '{}' is not MODEL=INPUT/OUTPUT[/CACHE_WRITE/CACHE_READ] in dollars for a million tokens, 0 to {}",
                      row, kPriceMax));
    };
    const std::size_t equals = row.find('=');
    if (equals == std::string::npos || equals == 0) return refuse();
    std::vector<double> values;
    for (const std::string& part : split(row.substr(equals + 1), '/')) {
      const auto value = number_of(part);
      if (!value) return refuse();
      values.push_back(*value);
    }
    if (values.size() != 2 && values.size() != 4) return refuse();
    Price price{.prefix = row.substr(0, equals), .input = values[0], .output = values[1]};
    price.cache_creation = values.size() == 4 ? values[2] : values[0];
    price.cache_read = values.size() == 4 ? values[3] : values[0];
    prices.push_back(std::move(price));
  }
  return Prices(std::move(prices));
}

std::uint64_t Prices::microdollars(std::string_view model, const TokenUsage& usage) const {
  const Price* best = nullptr;
  for (const Price& price : prices_)
    if (model.starts_with(price.prefix) && (best == nullptr || price.prefix.size() > best->prefix.size())) best = &price;
  if (best == nullptr) return 0;
  const double cost = static_cast<double>(usage.input) * best->input + static_cast<double>(usage.output) * best->output +
                      static_cast<double>(usage.cache_creation) * best->cache_creation +
                      static_cast<double>(usage.cache_read) * best->cache_read;
  // Rounded up: what was spent is never less than what is counted.
  return static_cast<std::uint64_t>(std::ceil(cost));
}

}  // namespace muster::agents
