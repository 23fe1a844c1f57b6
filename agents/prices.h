// What the model's tokens cost, by the beginning of its name. Read from the configuration once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/agent.h"

namespace muster::agents {

// Dollars for a million tokens, which are microdollars for one.
struct Price {
  std::string prefix;  // of the model's name
  double input = 0;
  double output = 0;
  double cache_creation = 0;
  double cache_read = 0;
};

class Prices {
 public:
  Prices() = default;
  explicit Prices(std::vector<Price> prices) : prices_(std::move(prices)) {}

  // "claude-sonnet-4=3/15/3.75/0.3": input, output and, where they differ from input, writing and reading the cache.
  static Result<Prices> parse(const std::vector<std::string>& rows);

  // By the longest prefix that fits; 0: no price is known.
  std::uint64_t microdollars(std::string_view model, const TokenUsage& usage) const;

 private:
  std::vector<Price> prices_;
};

}  // namespace muster::agents
