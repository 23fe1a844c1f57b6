#include "sdk/cpp/ws/resources.h"

#include <fmt/format.h>

#include <utility>

#include "sdk/cpp/ws/errors.h"

namespace muster::sdk::ws {
namespace {

bool is_over(const Resource& resource, Instant now) { return resource.expires_at && *resource.expires_at <= now; }

}  // namespace

Result<Nothing> ResourceRegistry::add(Resource resource) {
  if (resource.resource_id.empty() || resource.type.empty())
    return error_of(Code::invalid_argument, "a resource has a resource_id and a type");
  const std::lock_guard lock(mutex_);
  if (entries_.contains(resource.resource_id))
    return error_of(Code::already_exists, fmt::format("resource `{}` is registered already", resource.resource_id));
  if (entries_.size() >= kResourcesMax)
    return error_of(Code::exhausted, fmt::format("{} resources are registered, the most there may be", kResourcesMax));
  bytes_ += resource.size_bytes;
  std::string id = resource.resource_id;
  entries_.emplace(std::move(id), Entry{.resource = std::move(resource)});
  return Nothing{};
}

bool ResourceRegistry::remove(std::string_view resource_id) {
  std::vector<Resource> gone;
  {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(resource_id);
    if (at == entries_.end() || at->second.removed) return false;
    at->second.removed = true;
    if (at->second.in_use > 0) return true;
    bytes_ -= at->second.resource.size_bytes;
    gone.push_back(std::move(at->second.resource));
    entries_.erase(at);
  }
  evict(std::move(gone));
  return true;
}

std::string ResourceRegistry::why_not(const ResourceRef& ref, std::string_view worker_name, Instant now) const {
  if (ref.worker_name != worker_name) return fmt::format("it is on worker `{}`, this is `{}`", ref.worker_name, worker_name);
  const auto at = entries_.find(ref.resource_id);
  if (at == entries_.end() || at->second.removed) return "it is not registered here";
  if (is_over(at->second.resource, now)) return "it has expired";
  if (at->second.resource.type != ref.type)
    return fmt::format("it is of type `{}`, not `{}`", at->second.resource.type, ref.type);
  return "";
}

Result<std::vector<Resource>> ResourceRegistry::lease(const std::vector<ResourceRef>& refs, std::string_view worker_name,
                                                      Instant now) {
  const std::lock_guard lock(mutex_);
  for (const ResourceRef& ref : refs)
    if (const std::string why = why_not(ref, worker_name, now); !why.empty())
      return error_of(Code::not_found, fmt::format("resource `{}`: {}", ref.resource_id, why));
  std::vector<Resource> leased;
  for (const ResourceRef& ref : refs) {
    Entry& entry = entries_.find(ref.resource_id)->second;
    ++entry.in_use;
    leased.push_back(entry.resource);
  }
  return leased;
}

void ResourceRegistry::release(const std::vector<Resource>& leased) {
  std::vector<Resource> gone;
  {
    const std::lock_guard lock(mutex_);
    for (const Resource& resource : leased) {
      const auto at = entries_.find(resource.resource_id);
      if (at == entries_.end() || at->second.in_use == 0 || --at->second.in_use > 0 || !at->second.removed) continue;
      bytes_ -= at->second.resource.size_bytes;
      gone.push_back(std::move(at->second.resource));
      entries_.erase(at);
    }
  }
  evict(std::move(gone));
}

void ResourceRegistry::expire(Instant now) {
  std::vector<Resource> gone;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = entries_.begin(); at != entries_.end();) {
      if (at->second.in_use > 0 || !is_over(at->second.resource, now)) {
        ++at;
        continue;
      }
      bytes_ -= at->second.resource.size_bytes;
      gone.push_back(std::move(at->second.resource));
      at = entries_.erase(at);
    }
  }
  evict(std::move(gone));
}

void ResourceRegistry::evict(std::vector<Resource> gone) const {
  if (!on_evict_) return;
  for (const Resource& resource : gone) on_evict_(resource);
}

std::size_t ResourceRegistry::handles() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

std::uint64_t ResourceRegistry::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace muster::sdk::ws
