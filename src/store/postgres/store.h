// The clustered store: any number of nodes on one PostgreSQL, which alone holds the truth.
//
// A node keeps nothing that could be lost: a cache of names (namespaces, queues, lanes, workers), checked against the database
// inside every statement that relies on it, and requests on their way. Requests of the hot verbs that arrive while a group is in
// flight become the next group: a few multi-row statements with one sync. Everything else is a short transaction of its
// own. Time is the database's. docs/cluster.md has the picture and what happens in each fault.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/status.h"
#include "store/store.h"

namespace muster::store::postgres {

// Whether statements are prepared once per connection. A pooler in transaction mode hands every transaction to another
// server connection, so nothing may be prepared behind it.
enum class Preparing : std::uint8_t { automatic, always, never };

struct Options {
  std::string url;         // postgres://… or a libpq connection text; may hold a password
  std::string listen_url;  // for the one connection that listens; empty: url. Behind a pooler it names the server itself
  std::string schema = "muster";
  std::string node;             // this node's name, unique among the living; empty: host, process, chance
  std::string address;          // where people reach this node; shown by `muster cluster status`
  std::string version;          // of the program, shown there too
  std::size_t connections = 3;  // for verbs: kConnectionsMin to kConnectionsMax; the listener is one more
  Preparing preparing = Preparing::automatic;
  Duration connect_timeout{5'000};
  Duration statement_timeout{10'000};  // one round trip; longer means the connection is given up
  Duration leader_ttl{30'000};         // refreshed at half
  Duration node_beat_every{5'000};
  Duration poll_every{1'000};             // looks for work of other nodes when notifications do not arrive
  Duration poll_every_listening{30'000};  // the same when they do
  std::size_t pending_max = 200'000;      // verbs waiting for a connection; one more is answered `exhausted`
  std::uint64_t seed = 0;                 // of backoff jitter; 0: from the operating system
};

inline constexpr std::size_t kConnectionsMin = 2;
inline constexpr std::size_t kConnectionsMax = 4;

// What `muster migrate status` shows.
struct SchemaStatus {
  std::uint32_t version = 0;  // of the schema; 0: there is none yet
  std::uint32_t newest = 0;   // of this program
};
Result<SchemaStatus> schema_status(const Options& options);
// Under an advisory lock, one transaction a step. invalid_argument: the schema is newer than this program.
Status migrate(const Options& options);

struct NodeStatus {
  std::string name;
  std::string address;
  std::string version;
  Instant started_at{};
  Instant seen_at{};
  bool leader = false;
  bool listening = false;     // notifications reach it
  std::uint32_t pending = 0;  // verbs waiting for a connection, at its last beat
  std::uint32_t workers = 0;  // live workers that registered or beat through it last
  Duration notify_lag{};      // age of the last notification when it arrived
};

struct ClusterStatus {
  Instant now{};  // the database's
  std::string self;
  std::string leader;  // empty: nobody leads at the moment
  std::uint64_t term = 0;
  std::optional<Instant> leader_until;
  std::vector<NodeStatus> nodes;
};

// One line of `muster doctor` about the database.
struct Finding {
  enum class Grade : std::uint8_t { good, warning, bad };
  Grade grade = Grade::good;
  std::string name;    // "server version", "clock skew", …
  std::string text;    // what was found
  std::string advice;  // what to do; empty when good
};
// Connects by itself, changes nothing (a notification to itself aside), and needs no running node.
std::vector<Finding> examine(const Options& options);

class PostgresStore : public Store {
 public:
  // A database that cannot be reached at the moment is no error: the store opens, answers `unavailable` and says why in
  // health(), and connects by itself. What no waiting can mend is refused at once. invalid_argument: a bad URL, a wrong password,
  // an unknown database, missing rights, a server older than 14, a schema newer than this program.
  static Result<std::unique_ptr<PostgresStore>> open(Options options, Metrics& metrics);

  virtual void cluster(Reply<ClusterStatus> reply) = 0;
  virtual bool leading() const = 0;  // as far as this node knows; the database decides inside every sweep
};

// The URL without its password, for people.
std::string without_secrets(const std::string& url);

}  // namespace muster::store::postgres
