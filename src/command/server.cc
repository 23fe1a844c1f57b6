#include "command/server.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "model/limits.h"

namespace muster::command {
namespace {

// The listener of everything serves HTTP where nobody else does.
std::string address_of_http(const Listeners& listeners) {
  std::map<std::string, std::string> all = listeners.all();
  const std::string& own = all["http"];
  return (own.empty() || own == "off") && all.contains("listen") ? all["listen"] : own;
}

// A server that is alone on its store leads it, in the one term there is.
Cluster alone(const ServerFacts& facts, const Listeners& listeners, Instant now) {
  ClusterNode node;
  node.name = facts.node;
  node.address = address_of_http(listeners);
  node.version = facts.version;
  node.started_at = facts.started_at;
  node.seen_at = now;
  node.leader = true;
  node.listening = true;
  Cluster cluster;
  cluster.now = now;
  cluster.self = node.name;
  cluster.leader = node.name;
  cluster.term = 1;
  cluster.nodes.push_back(std::move(node));
  return cluster;
}

constexpr std::string_view kNameCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

Status make_folder(const std::string& folder) {
  if (folder.empty()) return Status::unavailable("this server has no folder for backups");
  if (::mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST) return {};
  return Status::unavailable(fmt::format("cannot make the folder of backups: {}", std::strerror(errno)));
}

}  // namespace

void handle(Context& context, ServerInfoRequest, Reply<ServerInfoReply> reply) {
  ServerInfoReply answer;
  answer.facts = context.facts;
  answer.listeners = context.listeners.all();
  answer.health = context.engine.admin().health();
  context.engine.admin().info([answer = std::move(answer), reply = std::move(reply)](Result<store::StoreInfo> info) mutable {
    if (!info.ok()) return reply(info.status());
    answer.workers = info->workers_live;
    answer.store = *std::move(info);
    reply(std::move(answer));
  });
}

void handle(Context& context, ClusterStatusRequest, Reply<ClusterStatusReply> reply) {
  if (context.facts.cluster) return context.facts.cluster(std::move(reply));
  context.engine.admin().info([cluster = alone(context.facts, context.listeners, context.engine.clock().now()),
                               reply = std::move(reply)](Result<store::StoreInfo> info) mutable {
    if (!info.ok()) return reply(info.status());
    cluster.nodes.front().workers = info->workers_live;
    reply(std::move(cluster));
  });
}

void handle(Context& context, ClusterSettingsRequest, Reply<ClusterSettingsReply> reply) {
  if (Status allowed = authorize_everywhere(context.caller, kClusterSettings.name); !allowed.ok()) return reply(allowed);
  context.engine.admin().node_settings([reply = std::move(reply)](Result<std::vector<store::NodeSettings>> nodes) mutable {
    reply(nodes.ok() ? Result(engine::setting_differences(*nodes)) : nodes.status());
  });
}

namespace {

// A caller that is bound to namespaces is not told about the machine.
Result<std::shared_ptr<Inspection>> inspection_for(const Context& context, std::string_view what) {
  if (Status allowed = authorize_everywhere(context.caller, what); !allowed.ok()) return allowed;
  if (!context.facts.inspection) return Status::unavailable("this server does not show its configuration");
  return context.facts.inspection;
}

}  // namespace

void handle(Context& context, ServerConfigRequest, Reply<ServerConfigReply> reply) {
  const auto inspection = inspection_for(context, kServerConfig.name);
  reply(inspection.ok() ? Result((*inspection)->config()) : inspection.status());
}

void handle(Context& context, ServerDoctorRequest, Reply<ServerDoctorReply> reply) {
  const auto inspection = inspection_for(context, kServerDoctor.name);
  if (!inspection.ok()) return reply(inspection.status());
  (*inspection)->check(std::move(reply));
}

Status validate_backup_name(std::string_view name) {
  if (!name.empty() && name.size() <= kBackupNameBytesMax && name.front() != '.' &&
      name.find_first_not_of(kNameCharacters) == std::string_view::npos)
    return {};
  return Status::invalid_argument(fmt::format(
      "name: 1 to {} of letters, digits, '.', '_' and '-' are accepted, not beginning with a dot; the file is written "
      "into the server's folder of backups",
      kBackupNameBytesMax));
}

void handle(Context& context, BackupCreateRequest request, Reply<BackupCreateReply> reply) {
  if (Status allowed = authorize_everywhere(context.caller, kBackupCreate.name); !allowed.ok()) return reply(allowed);
  if (Status valid = validate_backup_name(request.name); !valid.ok()) return reply(valid);
  if (Status made = make_folder(context.facts.backup_folder); !made.ok()) return reply(made);
  context.engine.admin().backup(context.facts.backup_folder + "/" + request.name, std::move(reply));
}

}  // namespace muster::command
