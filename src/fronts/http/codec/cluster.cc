#include "fronts/http/codec/cluster.h"

namespace muster::http {
namespace {

void write_node(JsonWriter& out, const command::ClusterNode& node) {
  out.begin_object();
  out.member("name", node.name);
  out.member_unless_empty("address", node.address);
  out.member("version", node.version);
  out.member("started_at", node.started_at);
  out.member("seen_at", node.seen_at);
  out.member("leader", node.leader);
  out.member("listening", node.listening);
  out.member("pending", node.pending);
  out.member("workers", node.workers);
  out.member("notify_lag_ms", node.notify_lag);
  out.end_object();
}

}  // namespace

void write(JsonWriter& out, const command::Cluster& cluster) {
  out.begin_object();
  out.member("now", cluster.now);
  out.member("self", cluster.self);
  out.member_unless_empty("leader", cluster.leader);
  out.member("term", cluster.term);
  out.member("leader_until", cluster.leader_until);
  out.key("nodes");
  out.begin_array();
  for (const command::ClusterNode& node : cluster.nodes) write_node(out, node);
  out.end_array();
  out.end_object();
}

}  // namespace muster::http
