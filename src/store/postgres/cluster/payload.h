// The words of a notification: what waits to be told, and its JSON on the wire, both ways.
//
// Channels, each `muster_…`, or `<schema>_…` when the schema has another name, so that two installations in one database do not
// mix:
//
//   muster_jobs     {"node", "sent_at", "changes": [{"id", "event", "state", "from"?, "ns", "queue", "type", "lane"?, "attempt",
//   "fence",
//                    "worker"?, "cause"?, "at"}], "more"?}
//   muster_workers  {"node", "sent_at", "changes": [{"ns", "id", "session", "from"?, "state", "cause"?, "at"}], "more"?}
//   muster_queues   {"node", "sent_at", "changes": [{"ns", "queue", "paused", "at"}], "more"?}
//   muster_lanes    {"node", "sent_at", "version", "lanes": [7, [9, 3]], "more"?}      a lane, or a lane and how many jobs of it
//   muster_keys     {"node", "sent_at", "keys": [["ns", "bGlzdA=="]], "more"?}         lists that got elements, base64
//   muster_test     {"node", "sent_at", "probe"}                                       a node asks itself whether it is heard
//
// Times are milliseconds since 1970: `at` by the database's clock, `sent_at` by the sender's. `more` says that changes of this
// kind were left out: whoever needs them all asks the store. The parent of a run that ended is not told: the node that ended the
// child wakes it, and N nodes would do so N times. Receivers ignore keys they do not know. The agentpg_* channels of
// agent runs and tool executions belong beside these as soon as there are such objects.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/postgres/directory.h"

namespace muster::store::postgres {

inline constexpr std::size_t kNotifyBytesMax = 7'900;     // of one payload; PostgreSQL refuses 8,000
inline constexpr std::size_t kNotifyPayloadsMax = 8;      // of one batch
inline constexpr std::size_t kBacklogChangesMax = 1'000;  // of each kind, waiting for the next batch
inline constexpr std::size_t kBacklogLanesMax = 10'000;   // different lanes that wait to be woken elsewhere
inline constexpr std::size_t kBacklogKeysMax = 1'000;     // different lists whose waiters elsewhere are to look
inline constexpr std::size_t kKeyToldBytesMax = 1'024;    // waiters of a longer key look for themselves
inline constexpr std::size_t kWakesHeardMax = 10'000;     // wake-ups that one payload may cause
inline constexpr std::size_t kCauseToldBytesMax = 256;    // a longer cause is cut: notifications carry identifiers, not stories

struct Channels {
  explicit Channels(const std::string& schema);
  std::string jobs;
  std::string workers;
  std::string queues;
  std::string lanes;
  std::string keys;
  std::string test;
};

// What was committed and not yet told to others. Holds no more than its bounds; what is left out is remembered as `more`.
struct Backlog {
  std::vector<JobChange> jobs;
  std::vector<WorkerChange> workers;
  std::vector<QueueChanged> queues;
  std::map<LaneKey, std::uint32_t> wakes;
  std::set<std::pair<std::string, std::string>> keys;  // namespace and key
  std::string probe;                                   // of this node to itself; empty: none
  bool more_jobs = false;
  bool more_workers = false;
  bool more_queues = false;
  bool more_wakes = false;
  bool more_keys = false;

  void add(const Changes& changes);
  bool empty() const {
    return jobs.empty() && workers.empty() && queues.empty() && wakes.empty() && keys.empty() && probe.empty() && !more_jobs &&
           !more_workers && !more_queues && !more_wakes && !more_keys;
  }
  // What could not be sent is told as `more` of the next batch.
  void lost(const Backlog& sent);
};

struct Payload {
  std::string channel;
  std::string text;
};

struct Sender {
  std::string node;
  std::int64_t sent_at_ms = 0;
  std::int64_t directory_version = 0;
  std::function<LaneKey(const LaneRef&)> lane_number;  // 0: unknown
};

// At most kNotifyPayloadsMax payloads of at most kNotifyBytesMax bytes: probes and wake-ups of lanes and keys first, then queues,
// workers and jobs, as far as they fit.
std::vector<Payload> to_payloads(const Backlog& backlog, const Channels& channels, const Sender& sender);

// The sender's time if this is a payload of `node`, found without parsing the rest.
std::optional<std::int64_t> sent_by(std::string_view text, const std::string& node);

struct Heard {
  Changes changes;
  bool look = false;  // a lane is not known here, or wake-ups were left out: look for ready jobs
};
// Anybody who may connect can notify anything: what does not read as documented is skipped.
Heard from_payload(std::string_view channel, std::string_view text, const Channels& channels, const Directory& directory);
// The probe of a payload on the test channel; empty: none.
std::string probe_of(std::string_view text);

}  // namespace muster::store::postgres
