// What the front counts: commands by name, refusals, failed AUTH. INFO and /metrics show it.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/metrics.h"
#include "fronts/resp/commands.h"

namespace muster::resp {

class Meter {
 public:
  explicit Meter(Metrics& metrics);

  void count(const Entry* entry);  // null: a name that no command has
  void count_refusal();
  void count_auth_failure();

  std::uint64_t commands() const { return commands_; }
  std::uint64_t refusals() const { return refusals_.value(); }
  std::uint64_t auth_failures() const { return auth_failures_.value(); }

 private:
  Metrics& metrics_;
  Counter& refusals_;
  Counter& auth_failures_;
  std::unordered_map<const Entry*, Counter*> by_entry_;
  const Entry* last_entry_ = nullptr;  // clients repeat themselves
  Counter* last_ = nullptr;
  std::uint64_t commands_ = 0;
};

}  // namespace muster::resp
