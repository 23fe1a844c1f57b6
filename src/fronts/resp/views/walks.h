// The names of views that a SCAN is walking through. A walk takes many pages; the names are listed at its beginning and kept
// until it ends or is forgotten, so that a page costs no more than its own names.
//
// The plan cache owns it; it lives on the loop's thread. Bounded: so many walks, the oldest is forgotten first and lists
// again.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace muster::resp::views {

using Names = std::shared_ptr<const std::vector<std::string>>;

class Walks {
 public:
  static constexpr std::size_t kWalksMax = 4;
  static constexpr Ticks kKept = std::chrono::minutes(1);

  void keep(std::string pattern, Names names, Ticks now);
  Names find(std::string_view pattern, Ticks now) const;  // null: not kept

 private:
  struct Walk {
    std::string pattern;
    Names names;
    Ticks listed_at{};
  };
  std::deque<Walk> walks_;  // the oldest first
};

}  // namespace muster::resp::views
