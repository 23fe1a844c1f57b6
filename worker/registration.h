// Who this worker is, as WORKER.REGISTER says it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "worker/toolbox.h"

namespace muster::worker {

inline constexpr std::string_view kVersion = "0.1.0";
inline constexpr std::size_t kIdMax = 64;

struct Identity {
  std::string id;
  std::string name;
  std::map<std::string, std::string> tags;
  std::size_t max_concurrent = 1;
};

// 1 to 64 letters, digits, `-` and `_`.
Status validate_id(std::string_view id);
// `worker-<host>-<pid>-<chance>`.
std::string fresh_id();

std::string registration_json(const Identity& identity, const Toolbox& tools);
// How often the server wants to hear from it, out of `OK worker_id=… heartbeat_interval=30`.
std::optional<Duration> heartbeat_interval(std::string_view reply);

}  // namespace muster::worker
