// Events as server-sent events, and the filter of `GET /events`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "command/door.h"
#include "fronts/http/target.h"
#include "model/ids.h"

namespace muster::http {

inline constexpr Duration kCoalesceMin{50};  // of a stream that is paced
inline constexpr Duration kCoalesceMax{10'000};

// All conditions must hold; an empty one always does. Conditions about jobs (type, job) let no other kind pass.
struct EventFilter {
  std::string ns;
  std::vector<std::string> only_namespaces;  // empty: all; what the caller may see
  std::string queue;
  std::string type;
  std::optional<JobId> job;
  bool jobs = true;
  bool workers = true;
  bool queues = true;
  bool extensions = true;
  bool packages = true;
  bool operator==(const EventFilter&) const = default;
};

struct EventRequest {
  EventFilter filter;
  std::optional<std::uint64_t> after;  // empty: from now on
  Duration pace{};                     // zero: every event, at once
};

// `last_event_id` is the header; the query parameter of that name is for browsers that cannot set it first.
Result<EventRequest> decode_event_request(const std::vector<QueryParameter>& query, const std::string& last_event_id);

bool passes(const EventFilter& filter, const command::Event& event);
// `id:`, `event:` and `data:` lines with the empty line that ends them.
void append_event(std::string& out, const command::Event& event);
void append_gap(std::string& out, std::uint64_t number);

}  // namespace muster::http
