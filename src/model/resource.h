// A resource: what a worker keeps for later tasks (a file, a browser session, a loaded model), known by the handle it told.
//
// Handles come with the artifacts of results, or are told by a worker or an operator; engine/resources.h keeps them. A task that
// refers to one runs where it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "model/ids.h"
#include "model/limits.h"

namespace muster {

namespace limits {

inline constexpr std::size_t kResourcesMax = 100'000;      // known in one namespace
inline constexpr std::size_t kResourceBatchMax = 1'000;    // told or asked for at once
inline constexpr Duration kResourceKeptDefault = 24h * 7;  // of one that does not say when it ends

}  // namespace limits

// The label under which a worker's name is matched, beside its id.
inline constexpr const char* kWorkerNameLabel = "worker_name";

// evicted: whoever had it is gone for good, or another instance has taken its name.
enum class ResourceState : std::uint8_t { active, evicted };
std::string_view to_string(ResourceState state);

struct Resource {
  NamespaceName ns{kDefaultNamespace};
  std::string id;
  std::string type;
  std::string scope;        // empty: not said
  std::string worker_name;  // as tasks name the worker that has it
  WorkerId worker;          // the instance that has it; empty: whoever bears the name
  std::optional<std::uint64_t> size_bytes;
  bool in_result = false;  // its value stands in the result of the job that made it, and nowhere else
  std::string metadata;    // JSON object; empty: none
  std::string job;         // the one that made it; empty: not known
  Instant created_at{};
  std::optional<Instant> expires_at;
  // As of the moment it is read.
  ResourceState state = ResourceState::active;
  bool worker_live = false;
  friend bool operator==(const Resource&, const Resource&) = default;
};

// What is told: bounds of every text, a type, a worker, metadata that is an object.
Status validate(const Resource& resource);

// A page of the handles of one namespace, by id.
struct ResourceQuery {
  NamespaceName ns{kDefaultNamespace};
  std::string type;
  std::string worker;  // name or instance
  std::size_t limit = limits::kPageDefault;
  std::string cursor;
};

// May be short or empty while `next` is set.
struct ResourcePage {
  std::vector<Resource> resources;
  std::string next;
};

// What the registry of workers knows about whoever has a resource.
struct HolderFacts {
  enum class Own : std::uint8_t { live, offline, unknown, unnamed };
  Own own = Own::unnamed;       // the instance itself; unnamed: the resource names none
  bool namesake_lives = false;  // a live worker bears the name; asked for unless the instance lives
};

// Fills in state and worker_live.
void judge_holder(Resource& resource, const HolderFacts& facts);

}  // namespace muster
