// The arguments that SCAN and its kin share.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "command/keys.h"
#include "fronts/resp/call.h"
#include "fronts/resp/keyspace/cursors.h"

namespace muster::resp::keyspace {

inline constexpr std::size_t kScanCountDefault = 10;

struct PageRequest {
  Place place;
  std::string pattern;
  std::size_t count = kScanCountDefault;
  std::optional<store::KeyType> type;  // SCAN alone
  bool no_values = false;              // HSCAN alone
};

// `cursor_at`: where the cursor stands; options follow it.
Result<PageRequest> read_page(Call& call, std::size_t cursor_at);

}  // namespace muster::resp::keyspace
