// What lies on a worker for later tasks: the registry that dispatches with `resource_refs` are judged by.
//
// A task leases what it refers to before it begins and releases it afterwards. What has expired is not leased any more, and is
// removed when nobody holds it. What removal does to the file behind it is said by whoever made the registry. Thread-safe;
// `on_evict` is called without a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/cpp/ws/task.h"

namespace muster::sdk::ws {

inline constexpr std::size_t kResourcesMax = 10'000;

class ResourceRegistry {
 public:
  explicit ResourceRegistry(std::function<void(const Resource&)> on_evict = {}) : on_evict_(std::move(on_evict)) {}

  // invalid_argument: no id or no type. already_exists: the id is there. exhausted: there are kResourcesMax.
  Result<Nothing> add(Resource resource);
  // Gone for later tasks; those that hold it keep it until they release it. False: there is none.
  bool remove(std::string_view resource_id);

  // All of them, or none. not_found: which one is not here for `worker_name` at `now`, and why.
  Result<std::vector<Resource>> lease(const std::vector<ResourceRef>& refs, std::string_view worker_name, Instant now);
  void release(const std::vector<Resource>& leased);

  // Removes what has expired and is not in use.
  void expire(Instant now);

  std::size_t handles() const;
  std::uint64_t bytes() const;

 private:
  struct Entry {
    Resource resource;
    std::size_t in_use = 0;
    bool removed = false;  // evicted once nobody holds it
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  std::string why_not(const ResourceRef& ref, std::string_view worker_name, Instant now) const;
  void evict(std::vector<Resource> gone) const;

  const std::function<void(const Resource&)> on_evict_;
  mutable std::mutex mutex_;  // leaf; guards what follows
  Entries entries_;
  std::uint64_t bytes_ = 0;
};

}  // namespace muster::sdk::ws
