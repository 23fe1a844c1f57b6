#include "fronts/resp/views/walks.h"

#include <utility>

namespace muster::resp::views {

void Walks::keep(std::string pattern, Names names, Ticks now) {
  std::erase_if(walks_, [&](const Walk& walk) { return walk.pattern == pattern || now - walk.listed_at >= kKept; });
  if (walks_.size() == kWalksMax) walks_.pop_front();
  walks_.push_back({std::move(pattern), std::move(names), now});
}

Names Walks::find(std::string_view pattern, Ticks now) const {
  for (const Walk& walk : walks_)
    if (walk.pattern == pattern && now - walk.listed_at < kKept) return walk.names;
  return nullptr;
}

}  // namespace muster::resp::views
