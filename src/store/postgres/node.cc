#include "store/postgres/node.h"

#include <fmt/format.h>

#include "base/sha256.h"
#include "base/uuid.h"

namespace muster::store::postgres {
namespace {

std::vector<double> group_bounds() { return {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1'024, 4'096}; }

constexpr std::size_t kHeardMax = 100'000;  // workers whose calls are remembered; the list starts over when it is full
constexpr Duration kHeardEvery{1'000};      // calls about steps write a sign of life at most this often

std::int64_t monotonic_ms() { return std::chrono::floor<Duration>(RealClock().elapsed()).count(); }

std::uint64_t seed_of(std::uint64_t wanted) { return wanted != 0 ? wanted : random_seed(); }

}  // namespace

NodeMetrics::NodeMetrics(Metrics& metrics)
    : CommitMetrics(metrics),
      group_size(metrics.histogram("muster_postgres_group_size", "Requests that shared one exchange.", group_bounds())),
      queue_wait(metrics.histogram("muster_postgres_queue_wait_seconds", "How long a request waited for a connection.",
                                   latency_bounds())),
      reconnects(metrics.counter("muster_postgres_reconnects_total", "Connections that had to be made anew.")),
      connections(metrics.gauge("muster_postgres_connections", "Connections to the database that are open.")),
      leader(metrics.gauge("muster_postgres_leader", "1 while this node leads.")),
      notify_lag(metrics.gauge("muster_postgres_notify_lag_seconds", "Age of the last notification when it arrived.")),
      notifications(metrics.counter("muster_postgres_notifications_total", "Notifications received from other nodes.")),
      polls(metrics.counter("muster_postgres_polls_total", "Looks for work that nobody told of.")) {}

Node::Node(Options options_in, Metrics& metrics_in)
    : options(std::move(options_in)), metrics(metrics_in), incidents(metrics_in, "store"), random_(seed_of(options.seed)) {}

void Node::saw_time(Instant database_now) { clock_offset_ms_ = to_ms(database_now) - monotonic_ms(); }

bool Node::something_is_due() const { return next_due_ms.load() <= monotonic_ms() + clock_offset_ms_.load(); }

bool Node::heard_just_now(WorkerKey worker, std::int64_t now_ms) {
  const std::lock_guard lock(heard_mutex_);
  if (heard_at_.size() >= kHeardMax) heard_at_.clear();
  const auto [entry, fresh] = heard_at_.try_emplace(worker, now_ms);
  if (fresh) return false;
  // A clock that was set back must not keep a worker silent.
  const std::int64_t since = now_ms - entry->second;
  if (since >= 0 && since < kHeardEvery.count()) return true;
  entry->second = now_ms;
  return false;
}

void Node::keep_settings(NodeSettings settings) {
  Sha256 mark;
  const auto add = [&mark](std::string_view text) {
    mark.add(fmt::format("{}:", text.size()));
    mark.add(text);
  };
  add(settings.sealed_by);
  for (const NodeSetting& one : settings.settings) {
    add(one.name);
    add(one.value);
    add(one.seal);
    add(one.own ? "own" : "");
  }
  auto own = std::make_shared<const OwnSettings>(OwnSettings{std::move(settings), mark.hex()});
  const std::lock_guard lock(settings_mutex_);
  settings_ = std::move(own);
}

std::shared_ptr<const OwnSettings> Node::own_settings() const {
  const std::lock_guard lock(settings_mutex_);
  return settings_;
}

void Node::use_salt(std::uint64_t salt) {
  ids = IdCodec(salt);
  step_ids = StepIdCodec(salt);
}

double Node::spread() {
  const std::lock_guard lock(random_mutex_);
  return std::uniform_real_distribution<double>(0, 1)(random_);
}

}  // namespace muster::store::postgres
