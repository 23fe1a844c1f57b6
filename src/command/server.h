// The server itself: what runs, with whom it shares its store, and its backups.
#pragma once

#include "base/reply.h"
#include "command/cluster.h"
#include "command/context.h"
#include "command/inspection.h"
#include "command/spec.h"
#include "engine/setting_differences.h"

namespace muster::command {

// server.info: what is running, where it keeps its data, and whether it can write.
inline constexpr Spec kServerInfo{
    .name = "server.info",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show version, store, health and listeners.",
};

struct ServerInfoRequest {};

struct ServerInfoReply {
  ServerFacts facts;
  std::map<std::string, std::string> listeners;
  store::StoreInfo store;
  store::StoreHealth health;
  std::uint64_t workers = 0;  // online or draining
};

template <>
struct Record<ServerInfoRequest> : Command<kServerInfo, ServerInfoReply> {};

void handle(Context& context, ServerInfoRequest request, Reply<ServerInfoReply> reply);

// cluster.status: the nodes that share the store, and who leads.
inline constexpr Spec kClusterStatus{
    .name = "cluster.status",
    .since = "0.1",
    .auth = Auth::read_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "List the nodes of the cluster, the leader and how far behind each node is.",
};

struct ClusterStatusRequest {};
using ClusterStatusReply = Cluster;

template <>
struct Record<ClusterStatusRequest> : Command<kClusterStatus, ClusterStatusReply> {};

void handle(Context& context, ClusterStatusRequest request, Reply<ClusterStatusReply> reply);

// cluster.settings: where the configurations of the nodes differ. It shows what server.config would, so it is asked for alike.
inline constexpr Spec kClusterSettings{
    .name = "cluster.settings",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show the settings that differ between the nodes of the cluster; of secrets only that they differ.",
};

struct ClusterSettingsRequest {};
using ClusterSettingsReply = engine::SettingDifferences;

template <>
struct Record<ClusterSettingsRequest> : Command<kClusterSettings, ClusterSettingsReply> {};

void handle(Context& context, ClusterSettingsRequest request, Reply<ClusterSettingsReply> reply);

// server.config: the effective settings, secrets redacted.
inline constexpr Spec kServerConfig{
    .name = "server.config",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Show the effective configuration and where each value comes from; secrets are redacted.",
};

struct ServerConfigRequest {};
using ServerConfigReply = ConfigShown;

template <>
struct Record<ServerConfigRequest> : Command<kServerConfig, ServerConfigReply> {};

void handle(Context& context, ServerConfigRequest request, Reply<ServerConfigReply> reply);

// server.doctor: what a check-up of the server's machine finds, as `muster doctor` makes it.
inline constexpr Spec kServerDoctor{
    .name = "server.doctor",
    .since = "0.6",
    .auth = Auth::operator_only,
    .effect = Effect::read,
    .idempotent = true,
    .summary = "Check disk, clock, store, limits and files of the server, and say what to do.",
};

struct ServerDoctorRequest {};
using ServerDoctorReply = CheckUp;

// exhausted: too many wait for one.
template <>
struct Record<ServerDoctorRequest> : Command<kServerDoctor, ServerDoctorReply> {};

void handle(Context& context, ServerDoctorRequest request, Reply<ServerDoctorReply> reply);

// backup.create: a consistent copy of the store while work goes on. The caller gives a name, never a place: whoever holds a token
// may not choose where the server writes.
inline constexpr Spec kBackupCreate{
    .name = "backup.create",
    .since = "0.1",
    .auth = Auth::operator_only,
    .effect = Effect::write,
    .audited = true,
    .summary = "Write a consistent copy of the store to a file on the server.",
};

inline constexpr std::size_t kBackupNameBytesMax = 128;

struct BackupCreateRequest {
  std::string name;  // of a file in ServerFacts::backup_folder
};
using BackupCreateReply = store::BackupReport;

// invalid_argument: a name that is empty, too long, begins with a dot or holds more than letters, digits, '.', '_' and '-'.
Status validate_backup_name(std::string_view name);

// already_exists: a file of that name. unavailable: the folder cannot be made.
template <>
struct Record<BackupCreateRequest> : Command<kBackupCreate, BackupCreateReply> {};

void handle(Context& context, BackupCreateRequest request, Reply<BackupCreateReply> reply);

}  // namespace muster::command
