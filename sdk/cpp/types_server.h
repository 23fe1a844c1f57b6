// Queues, namespaces, the server itself, its cluster, backups and events.
//
// Fields are named as on the wire; absent ones are empty or std::nullopt. `document` is the object exactly as the server sent it,
// so that a program can show fields this version does not know.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cpp/time.h"

namespace muster::sdk {

struct Rate {
  double count = 0;
  Duration per{1'000};
  std::uint32_t burst = 1;
};

struct Queue {
  std::string ns, name;
  bool paused = false;
  std::string pause_reason;
  std::optional<std::uint32_t> running_max;
  std::map<std::string, std::uint32_t> running_max_by_type;
  std::optional<Rate> rate;
  std::uint64_t scheduled = 0, ready = 0, running = 0, dead = 0;
  std::uint64_t enqueued_total = 0, completed_total = 0;
  std::optional<Instant> oldest_ready_at;
  double completed_per_second = 0;
  std::string document;
};

// The live jobs of a queue that need the same, and who may take them.
struct Lane {
  std::string ns, queue;
  std::vector<std::string> needs;
  std::uint64_t scheduled = 0, ready = 0, running = 0;
  std::optional<Instant> oldest_ready_at;
  bool paused = false, served = false;
  std::uint64_t able_workers = 0;
  std::vector<std::string> workers;  // the first of them
  std::vector<std::string> missing;  // what no online worker offers
  std::string document;
};

struct LaneQuery {
  std::string ns, queue;  // empty: all
  bool unserved = false;  // only those
  std::optional<std::uint32_t> limit;
};

struct LaneList {
  std::vector<Lane> lanes;  // unserved first, then where most wait
  std::uint64_t total = 0, unserved = 0;
  bool more = false;
  std::string document;
};

// What is empty stays as it is; 0 removes a limit.
struct QueueLimits {
  std::string ns;
  std::optional<std::uint32_t> running_max;
  std::map<std::string, std::uint32_t> running_max_by_type;
  std::optional<Rate> rate;
};

struct Namespace {
  std::string name, description;
  std::optional<Instant> created_at;
  std::string document;
};

struct ServerInfo {
  std::string version;
  std::optional<Instant> started_at;
  std::string store_kind, store_location;
  std::uint32_t schema_version = 0;
  std::uint64_t store_bytes = 0, jobs_live = 0, jobs_finished = 0, commits = 0, workers = 0;
  double group_size_mean = 0;
  bool writable = true;
  std::string reason;
  std::map<std::string, std::string> listeners;
  std::string document;
};

struct SignInLink {
  std::string path;
  std::optional<Instant> expires_at;
  std::string document;
};

// As the server runs with it; secrets are redacted.
struct ServerSetting {
  std::string section, key, value, fallback, source, help;
  bool reloadable = false;
};

struct ServerConfig {
  std::string file;  // empty: none was given
  std::vector<ServerSetting> settings;
  std::string document;
};

struct Check {
  std::string name, state, text, remedy;  // state: ok, warn or fail
};

struct CheckUp {
  std::optional<Instant> at;
  std::vector<Check> checks;
  std::string document;
};

struct HistoryFiguresQuery {
  std::string span;              // "hour" or "day"; empty: hour
  std::optional<Instant> since;  // only what came after it
};

// Figures over time: as many values of each as there are points; nullopt is one that nobody knew.
struct HistoryFigures {
  std::string node;  // whose memory it is
  Duration step{0};
  std::optional<Instant> from;  // beginning of the first point
  std::size_t points = 0;
  std::map<std::string, std::vector<std::optional<double>>> series;
  std::string document;
};

struct ClusterNode {
  std::string name, address, version;
  std::optional<Instant> started_at, seen_at;
  bool leader = false, listening = false;
  std::uint32_t pending = 0;
  std::uint64_t workers = 0;
  Duration notify_lag{0};
  std::string document;
};

struct Cluster {
  std::optional<Instant> now;  // by the store's clock: compare seen_at with this, not with a clock of your own
  std::string self, leader;    // leader is empty while nobody leads
  std::uint64_t term = 0;
  std::optional<Instant> leader_until;
  std::vector<ClusterNode> nodes;
  std::string document;
};

struct ValueOfNode {
  std::string node, value;  // as that node shows it; a secret's is redacted
  std::uint32_t group = 0;  // nodes of the same group have the same value
};

struct SettingDifference {
  std::string name;
  bool own = false;   // rightly another one on each node
  bool known = true;  // false: secrets that cannot be compared before all nodes have the same auth.session_key
  std::vector<ValueOfNode> values;
  std::string document;
};

struct ClusterSettings {
  std::vector<std::string> nodes, silent;  // that told their settings; that are there and did not
  std::uint64_t differing = 0;             // settings that differ and should not
  std::vector<SettingDifference> settings;
  std::string document;
};

// Who did what, and what came of it.
struct AuditRow {
  std::string id;
  std::optional<Instant> at;
  std::string ns;               // empty: it belongs to none
  std::string who, role;        // the token's
  std::string address, worker;  // of the peer; that acted, or was given a task
  std::string action, target, corr, outcome;
  std::string document;
};

// What is empty asks for nothing.
struct AuditQuery {
  std::string ns, action, who, worker, target, outcome;
  std::optional<Instant> since, until;
  std::optional<std::uint32_t> limit;
  std::string cursor;
};

struct AuditPage {
  std::vector<AuditRow> rows;  // newest first
  std::string next;            // empty: the end. A page may be short while more follow
};

struct Backup {
  std::string path;
  std::uint64_t bytes = 0;
  Duration took{0};
  std::string document;
};

struct EventFilter {
  std::string ns, queue, type, job;
  std::string kinds;          // comma list of job, worker, queue, package; empty: all
  std::string last_event_id;  // resume after this one; empty: from now on
};

// One line of /events. Which fields are set depends on `kind`; `kind` "gap" means that events were missed.
struct Event {
  std::string number, kind;
  std::optional<Instant> at;
  std::string ns, id, queue, type, event, from, to, worker, cause;
  std::uint32_t attempt = 0;
  bool paused = false;
  std::string document;
};

}  // namespace muster::sdk
