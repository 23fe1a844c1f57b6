// What the threads of one node share: its options, its names, its metrics, and where changes are told.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <unordered_map>

#include "base/incident.h"
#include "base/metrics.h"
#include "store/codec/id_codec.h"
#include "store/commit_metrics.h"
#include "store/postgres/directory.h"
#include "store/postgres/store.h"

namespace muster::store::postgres {

class Outbox;

struct NodeMetrics : CommitMetrics {
  explicit NodeMetrics(Metrics& metrics);
  Histogram& group_size;
  Histogram& queue_wait;
  Counter& reconnects;
  Gauge& connections;
  Gauge& leader;
  Gauge& notify_lag;
  Counter& notifications;
  Counter& polls;
};

// Leadership as this node believes it; the database decides inside every sweep by comparing the term.
struct Leadership {
  std::atomic<std::int64_t> term{0};  // 0: not leading
};

struct OwnSettings {
  NodeSettings told;
  std::string mark;  // of what is told: what the node's row says when the database has it
};

struct Node {
  Node(Options options_in, Metrics& metrics_in);

  const Options options;
  NodeMetrics metrics;
  const Incidents incidents;
  Directory directory;
  IdCodec ids;  // set once, when the database was first reached
  StepIdCodec step_ids;
  Leadership leadership;
  Outbox* outbox = nullptr;
  std::atomic<std::int64_t> next_due_ms{INT64_MAX};  // earliest due time of a waiting job this node knows of
  std::atomic<std::int64_t> settle_from{0};          // behind which action the next pass over open ones goes on
  std::atomic<bool> listening{false};
  std::atomic<std::int64_t> notify_lag_ms{0};
  std::atomic<bool> lacks_settings{false};  // the last beat found the database without what this node tells of its settings

  // The database's time as this node guesses it: what it last said, and the time since. Decides when to look, never what is true.
  void saw_time(Instant database_now);
  bool something_is_due() const;
  double spread();  // an even random number in [0, 1)
  // Whether this worker's sign of life may be left out, because one was written just now; else this one counts as written.
  bool heard_just_now(WorkerKey worker, std::int64_t now_ms);
  // What this node tells of its settings; null: nothing yet. Replaced as a whole.
  void keep_settings(NodeSettings settings);
  std::shared_ptr<const OwnSettings> own_settings() const;
  void use_salt(std::uint64_t salt);
  // A job waits until then: whoever claims looks for due jobs first.
  void expect_due(std::int64_t at_ms) {
    std::int64_t known = next_due_ms.load();
    while (at_ms < known && !next_due_ms.compare_exchange_weak(known, at_ms)) continue;
  }

 private:
  std::atomic<std::int64_t> clock_offset_ms_{0};  // database time minus our monotonic time
  std::mutex heard_mutex_;
  std::unordered_map<WorkerKey, std::int64_t> heard_at_;
  mutable std::mutex settings_mutex_;            // leaf
  std::shared_ptr<const OwnSettings> settings_;  // shared with those that write it down just now
  std::mutex random_mutex_;
  std::mt19937_64 random_;
};

}  // namespace muster::store::postgres
