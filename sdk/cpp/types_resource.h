// Resources: what workers keep for later tasks.
//
// Fields are named as on the wire; absent ones are empty or std::nullopt. `document` is the object exactly as the server sent it,
// so that a program can show fields this version does not know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/time.h"

namespace muster::sdk {

struct Resource {
  std::string id, ns, type, scope;
  std::string state;                // active or evicted
  std::string worker_name, worker;  // worker: the instance; empty: whoever bears the name
  bool worker_live = false;
  std::optional<std::uint64_t> size_bytes;
  bool in_result = false;  // its value stands in the result of the job that made it
  std::string job;
  std::optional<Instant> created_at, expires_at;
  std::string document;
};

// `id`, `type` and `worker_name` are required.
struct ResourceRequest {
  std::string ns, id, type, scope, worker_name, worker, job;
  std::optional<std::uint64_t> size_bytes;
  std::optional<Instant> expires_at;
  std::string metadata;  // JSON object; empty: none
};

struct ResourceQuery {
  std::string ns, type, worker;  // worker: name or instance
  std::optional<std::uint32_t> limit;
  std::string cursor;
};

struct ResourcePage {
  std::vector<Resource> resources;  // by id
  std::string next;
};

// A frame that was handed over for a worker.
struct Sent {
  std::string ns, worker, type;
  std::uint64_t waiting = 0;  // frames it has to collect
  std::string document;
};

}  // namespace muster::sdk
