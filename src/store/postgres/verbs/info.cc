// What the store and the cluster say about themselves.
#include "store/codec/columns.h"
#include "store/postgres/node.h"
#include "store/postgres/verbs/verbs.h"

namespace muster::store::postgres {
namespace {

constexpr std::int64_t kCountedMax = 100'000;  // more than that are told as PostgreSQL's own statistics have them

std::uint64_t count(Tx& tx, Sql exact, std::int64_t about) {
  if (about > kCountedMax) return static_cast<std::uint64_t>(about);
  const Rows rows = tx.ask(exact);
  return rows.size() == 1 ? static_cast<std::uint64_t>(rows.integer(0, 0)) : 0;
}

}  // namespace

Result<StoreInfo> info(Tx& tx) {
  StoreInfo out;
  const Node& node = tx.node();
  out.kind = "postgres";
  out.location = without_secrets(node.options.url);
  const Rows rows = tx.ask("info_store"_sql);
  if (rows.size() != 1) return Status::unavailable("the database does not say what it holds");
  out.schema_version = static_cast<std::uint32_t>(rows.integer(0, 0));
  out.bytes = static_cast<std::uint64_t>(rows.integer(0, 1));
  out.jobs_live = count(tx, "info_count_live"_sql, rows.integer(0, 2));
  out.jobs_finished = count(tx, "info_count_finished"_sql, rows.integer(0, 3));
  out.workers_live = static_cast<std::uint64_t>(rows.integer(0, 4));
  out.commits = node.metrics.commits.value();
  if (const std::uint64_t groups = node.metrics.group_size.count(); groups > 0)
    out.group_size_mean = node.metrics.group_size.sum() / static_cast<double>(groups);
  return out;
}

Result<ClusterStatus> cluster_status(Tx& tx) {
  ClusterStatus out;
  out.now = tx.now();
  out.self = tx.node().options.node;
  tx.write("info_leader"_sql, Params().int8(tx.now_ms()));
  tx.write("info_nodes"_sql);
  const std::vector<Rows> answers = tx.ask_all();
  if (answers.size() < 2) return Status::unavailable("the database does not say who is in the cluster");
  const Rows& leader = answers[answers.size() - 2];
  const Rows& nodes = answers.back();
  if (leader.size() == 1) {
    out.leader = leader.text(0, 0);
    out.term = static_cast<std::uint64_t>(leader.integer(0, 1));
    out.leader_until = from_ms(leader.integer(0, 2));
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    NodeStatus node;
    read_columns(nodes.at(i), 0, node.name, node.address, node.version, node.started_at, node.seen_at, node.listening,
                 node.pending, node.notify_lag, node.workers);
    node.leader = node.name == out.leader;
    out.nodes.push_back(std::move(node));
  }
  return out;
}

void write_settings(Tx& tx) {
  const auto own = tx.node().own_settings();
  if (!own) return;
  const std::string& node = tx.node().options.node;
  const Rows marked = tx.ask("node_settings_mark"_sql, Params().text(node).text(own->mark).text(own->told.sealed_by));
  if (marked.size() != 1) return;
  tx.write("node_settings_clear"_sql, Params().text(node));
  Table rows({Type::text, Type::text, Type::text, Type::boolean});
  for (const NodeSetting& one : own->told.settings) rows.add(one.name, one.value, one.seal, one.own);
  tx.write("node_settings_put"_sql, rows.params().text(node));
}

Result<std::vector<NodeSettings>> node_settings(Tx& tx) {
  std::vector<NodeSettings> out;
  const Rows rows = tx.ask("info_node_settings"_sql, Params().int4(static_cast<std::int64_t>(kNodesComparedMax)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string node = rows.text(i, 0);
    if (out.empty() || out.back().node != node)
      out.push_back({.node = std::move(node), .sealed_by = rows.text(i, 1), .settings = {}});
    if (rows.null(i, 2)) continue;  // a node that tells nothing
    NodeSetting one;
    read_columns(rows.at(i), 2, one.name, one.value, one.seal, one.own);
    out.back().settings.push_back(std::move(one));
  }
  return out;
}

}  // namespace muster::store::postgres
