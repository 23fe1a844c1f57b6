#include "fronts/resp/keyspace/cursors.h"

#include <utility>

namespace muster::resp::keyspace {

std::uint64_t Cursors::add(Place place) {
  bytes_ += place.after.size();
  places_.push_back(std::move(place));
  const std::uint64_t cursor = first_ + places_.size() - 1;
  while (places_.size() > kPlacesMax || (bytes_ > kBytesMax && places_.size() > 1)) {
    bytes_ -= places_.front().after.size();
    places_.pop_front();
    ++first_;
  }
  return cursor;
}

std::optional<Place> Cursors::find(std::uint64_t cursor) const {
  if (cursor < first_ || cursor - first_ >= places_.size()) return std::nullopt;
  return places_[static_cast<std::size_t>(cursor - first_)];
}

}  // namespace muster::resp::keyspace
