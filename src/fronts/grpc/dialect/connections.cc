#include "fronts/grpc/dialect/connections.h"

#include <algorithm>
#include <utility>

namespace muster::rpc {

void Connections::registered(const std::string& connection, const WorkerId& worker) { note(connection, worker, 1); }

void Connections::heard(const std::string& connection, const WorkerId& worker) { note(connection, worker, 0); }

void Connections::note(const std::string& connection, const WorkerId& worker, int registrations) {
  if (connection.empty()) return;
  const std::lock_guard lock(mutex_);
  if (open_.size() >= kConnectionsKnownMax && !open_.contains(connection)) {
    open_.clear();
    of_.clear();
  }
  open_[connection] = true;
  std::vector<Place>& places = of_[worker];
  const auto at = std::find_if(places.begin(), places.end(), [&](const Place& place) { return place.connection == connection; });
  if (at != places.end()) {
    at->registrations += registrations;
    std::rotate(at, at + 1, places.end());
    return;
  }
  if (places.size() == kConnectionsPerWorkerMax) places.erase(places.begin());
  places.push_back({connection, registrations});
}

void Connections::left(const std::string& connection, const WorkerId& worker) {
  const std::lock_guard lock(mutex_);
  const auto found = of_.find(worker);
  if (found == of_.end()) return;
  std::vector<Place>& places = found->second;
  const auto at = std::find_if(places.begin(), places.end(), [&](const Place& place) { return place.connection == connection; });
  if (at == places.end() || --at->registrations > 0) return;
  places.erase(at);
  if (places.empty()) of_.erase(found);
}

void Connections::broke(const std::string& connection) {
  const std::lock_guard lock(mutex_);
  if (const auto at = open_.find(connection); at != open_.end()) at->second = false;
}

command::ActsAs Connections::acts_as(const std::string& connection, const WorkerId& holder) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = of_.find(holder); found != of_.end())
    for (const Place& place : found->second)
      if (place.connection == connection) return command::ActsAs::holder;
  return open_.contains(connection) ? command::ActsAs::others : command::ActsAs::nobody;
}

bool Connections::is_connected(const WorkerId& worker) const {
  const std::lock_guard lock(mutex_);
  const auto found = of_.find(worker);
  return found != of_.end() && std::any_of(found->second.begin(), found->second.end(), [this](const Place& place) {
           const auto at = open_.find(place.connection);
           return at != open_.end() && at->second;
         });
}

}  // namespace muster::rpc
