#include "cli/cluster_table.h"

#include <fmt/format.h>

#include "cli/format.h"

namespace muster::cli {
namespace {

using namespace std::chrono_literals;

// A few missed beats at the default interval of five seconds.
constexpr sdk::Duration kSeenLate = 15s;
constexpr sdk::Duration kSeenLost = 60s;

Color color_of_seen(const sdk::ClusterNode& node, sdk::Instant now) {
  if (!node.seen_at || now - *node.seen_at < kSeenLate) return Color::none;
  return now - *node.seen_at < kSeenLost ? Color::yellow : Color::red;
}

sdk::Instant now_of(const sdk::Cluster& cluster) { return cluster.now.value_or(sdk::Instant{}); }

}  // namespace

Table cluster_table(const sdk::Cluster& cluster) {
  Table table({{"NODE"},
               {"LEADER"},
               {"ADDRESS"},
               {"VERSION"},
               {"SEEN", Align::right},
               {"UP", Align::right},
               {"LAG", Align::right},
               {"PENDING", Align::right},
               {"WORKERS", Align::right}});
  const sdk::Instant now = now_of(cluster);
  for (const sdk::ClusterNode& node : cluster.nodes)
    table.add({{node.name},
               {node.leader ? "leader" : "", Color::green},
               {node.address.empty() ? "-" : node.address},
               {node.version},
               {format_age(node.seen_at, now), color_of_seen(node, now)},
               {format_age(node.started_at, now)},
               {node.listening ? format_duration(node.notify_lag) : "polls", node.listening ? Color::none : Color::yellow},
               {format_count(node.pending)},
               {format_count(node.workers)}});
  return table;
}

std::string cluster_summary(const sdk::Cluster& cluster) {
  if (cluster.leader.empty()) return fmt::format("nobody leads at the moment; answered by {}", cluster.self);
  const std::string until =
      cluster.leader_until ? fmt::format(", for {} unless refreshed", format_duration(*cluster.leader_until - now_of(cluster)))
                           : std::string();
  return fmt::format("{} leads in term {}{}; answered by {}", cluster.leader, cluster.term, until, cluster.self);
}

}  // namespace muster::cli
