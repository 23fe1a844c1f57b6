// The numbers that SCAN and its kin hand out. The keyspace pages by name, but clients take a cursor for a whole number, so each
// number stands for a place and is remembered for a while.
//
// Lives on the loop's thread, one for the front: a pool of connections may go on with the cursor of another connection. Bounded;
// the oldest places are forgotten first, and a forgotten cursor is refused. 0 is the beginning and the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace muster::resp::keyspace {

// Where a listing goes on: behind this name, among the views or among the ordinary keys.
struct Place {
  bool in_views = false;
  std::string after;
};

class Cursors {
 public:
  static constexpr std::size_t kPlacesMax = 100'000;
  static constexpr std::size_t kBytesMax = 16 * 1024 * 1024;

  std::uint64_t add(Place place);
  // Nothing: it was never handed out, or is forgotten.
  std::optional<Place> find(std::uint64_t cursor) const;

 private:
  std::deque<Place> places_;  // of consecutive cursors
  std::uint64_t first_ = 1;   // cursor of places_.front()
  std::size_t bytes_ = 0;
};

}  // namespace muster::resp::keyspace
