// Queues, namespaces, backups, the server and its cluster: what queues.h and cluster.h promise.
#include "fronts/http/codec/queues.h"

#include "command/namespaces.h"
#include "command/queues.h"
#include "command/server.h"
#include "fronts/http/codec/cluster.h"
#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/values.h"

namespace muster::http {
namespace {

using command::NamespaceCreateRequest;
using command::QueueLimitRequest;
using command::QueuePauseRequest;
using command::QueueResumeRequest;

constexpr std::array kPauseFields{
    given<&QueuePauseRequest::ns>("namespace"),
    given<&QueuePauseRequest::reason>("reason"),
};
constexpr Object<QueuePauseRequest> kPause{"", "", kPauseFields};

constexpr std::array kResumeFields{given<&QueueResumeRequest::ns>("namespace")};
constexpr Object<QueueResumeRequest> kResume{"", "", kResumeFields};

constexpr std::array kRateFields{
    field<&RateLimit::count>("count", "Claims; 0 removes the limit.").required().judged(0),
    field<&RateLimit::per>("per_ms", "In any such time.").judged(1),
    field<&RateLimit::burst>("burst").judged(1),
};
constexpr Object<RateLimit> kRate{"Rate", "", kRateFields};

}  // namespace

static const Object<RateLimit>& object_of(Of<RateLimit>) { return kRate; }

namespace {

constexpr std::array kLimitFields{
    given<&QueueLimitRequest::ns>("namespace"),
    given<&QueueLimitRequest::running_max>("running_max", "0 removes it.").judged(0),
    given<&QueueLimitRequest::running_max_by_type>("running_max_by_type", "0 removes one."),
    given<&QueueLimitRequest::rate>("rate"),
};
constexpr Object<QueueLimitRequest> kLimits{"LimitsRequest", "", kLimitFields};

constexpr std::array kNamespaceFields{
    given<&NamespaceCreateRequest::name>("name").required(),
    given<&NamespaceCreateRequest::description>("description"),
};
constexpr Object<NamespaceCreateRequest> kNamespaceRequest{"", "", kNamespaceFields};

constexpr std::array kBackupFields{
    Field<command::BackupCreateRequest>{.name = "name",
                                        .doc = "Of a file in the server's folder of backups.",
                                        .read = read_member<&command::BackupCreateRequest::name>,
                                        .draw =
                                            [](Schemas& out) {
                                              draw_type(out, "string");
                                              out.json.member("pattern", "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$");
                                            },
                                        .need = Need::judged},
    Field<command::BackupCreateRequest>{
        .name = "path",
        .read =
            [](JsonReader& in, command::BackupCreateRequest&, const Range&) {
              in.refuse("a place on the server is not accepted; give \"name\", that of a file in its folder of backups");
            }},
};
constexpr Object<command::BackupCreateRequest> kBackupRequest{"", "", kBackupFields};

constexpr std::array kQueueParameters{parameter<&command::QueueListRequest::ns>("namespace", "Empty: all.")};

constexpr std::array kSearchParameters{
    parameter<&command::SearchRequest::text>("q", "An id, a key, or a part of a name; 2 to 256 bytes."),
    parameter<&command::SearchRequest::ns>("namespace", "Empty: all."),
};

// --- replies -------------------------------------------------------------------------------------------------------

constexpr std::array kQueueFields{
    shown<&QueueStats::ns>("namespace"),
    shown<&QueueStats::queue>("name"),
    shown<&QueueStats::settings, &QueueSettings::paused>("paused"),
    shown_unless_blank<&QueueStats::settings, &QueueSettings::pause_reason>("pause_reason"),
    shown<&QueueStats::settings, &QueueSettings::running_max>("running_max"),
    shown_unless_blank<&QueueStats::settings, &QueueSettings::running_max_by_type>("running_max_by_type"),
    shown<&QueueStats::settings, &QueueSettings::rate>("rate"),
    shown<&QueueStats::scheduled>("scheduled"),
    shown<&QueueStats::ready>("ready"),
    shown<&QueueStats::running>("running"),
    shown<&QueueStats::dead>("dead", "Since the server started."),
    shown<&QueueStats::enqueued_total>("enqueued_total", "Since the server started."),
    shown<&QueueStats::completed_total>("completed_total", "Since the server started."),
    shown<&QueueStats::oldest_ready_at>("oldest_ready_at", "Due time of the job that is ready longest."),
    shown<&QueueStats::completed_per_second>("completed_per_second", "Over the last minute."),
};
constexpr Object<QueueStats> kQueue{
    "Queue", "", kQueueFields,
    R"({"namespace":"default","name":"mail","paused":false,"scheduled":0,"ready":3,"running":1,"dead":0,"enqueued_total":4,"completed_total":0,"completed_per_second":0})"};

constexpr std::array kNamespaceShown{
    shown<&NamespaceInfo::name>("name"),
    shown<&NamespaceInfo::description>("description"),
    shown<&NamespaceInfo::created_at>("created_at", "Creation."),
};
constexpr Object<NamespaceInfo> kNamespace{"Namespace", "", kNamespaceShown,
                                           R"({"name":"team-a","description":"Team A","created_at":%at%})"};

constexpr std::array kBackupShown{
    shown<&store::BackupReport::path>("path"),
    shown<&store::BackupReport::bytes>("bytes"),
    shown<&store::BackupReport::took>("took_ms", "How long it took."),
};
constexpr Object<store::BackupReport> kBackup{"Backup", "", kBackupShown,
                                              R"({"path":"/var/lib/muster/backups/copy.db","bytes":4096,"took_ms":12})"};

constexpr std::array kStoreFields{
    shown<&store::StoreInfo::kind>("kind"),
    shown<&store::StoreInfo::location>("location"),
    shown<&store::StoreInfo::schema_version>("schema_version"),
    shown<&store::StoreInfo::bytes>("bytes"),
    shown<&store::StoreInfo::jobs_live>("jobs_live"),
    shown<&store::StoreInfo::jobs_finished>("jobs_finished"),
    shown<&store::StoreInfo::commits>("commits"),
    shown<&store::StoreInfo::group_size_mean>("group_size_mean"),
};
constexpr Object<store::StoreInfo> kStore{"", "", kStoreFields};

constexpr std::array kFoundFields{
    shown<&command::Found::kind>("kind", "job, run, worker, queue, schedule, plan or action."),
    shown<&command::Found::ns>("namespace"),
    shown<&command::Found::id>("id"),
    shown<&command::Found::title>("title"),
    shown_unless_blank<&command::Found::state>("state"),
};
constexpr Object<command::Found> kFound{"Found", "", kFoundFields,
                                        R"({"kind":"worker","namespace":"default","id":"w1","title":"w1","state":"online"})"};

constexpr std::array kNodeFields{
    shown<&command::ClusterNode::name>("name", "Unique among the living."),
    shown_unless_blank<&command::ClusterNode::address>("address", "Where people reach it."),
    shown<&command::ClusterNode::version>("version"),
    shown<&command::ClusterNode::started_at>("started_at", "Start."),
    shown<&command::ClusterNode::seen_at>("seen_at", "Its last beat, by the store's clock."),
    shown<&command::ClusterNode::leader>("leader"),
    shown<&command::ClusterNode::listening>("listening", "Notifications reach it; otherwise it polls."),
    shown<&command::ClusterNode::pending>("pending", "Verbs waiting for the store, at its last beat."),
    shown<&command::ClusterNode::workers>("workers", "Live workers heard through it last."),
    shown<&command::ClusterNode::notify_lag>("notify_lag_ms", "Age of the last notification when it arrived."),
};
constexpr Object<command::ClusterNode> kNode{
    "ClusterNode", "", kNodeFields,
    R"({"name":"node-a","address":"10.0.0.1:8080","version":"0.2.0","started_at":%at%,"seen_at":%at%,"leader":true,"listening":true,"pending":3,"workers":12,"notify_lag_ms":2})"};

}  // namespace

static const Object<command::Found>& object_of(Of<command::Found>) { return kFound; }
static const Object<store::StoreInfo>& object_of(Of<store::StoreInfo>) { return kStore; }
static const Object<command::ClusterNode>& object_of(Of<command::ClusterNode>) { return kNode; }

namespace {

constexpr std::array kServerFields{
    shown<&command::ServerInfoReply::facts, &command::ServerFacts::version>("version"),
    shown<&command::ServerInfoReply::facts, &command::ServerFacts::started_at>("started_at", "Start."),
    shown<&command::ServerInfoReply::store>("store"),
    shown<&command::ServerInfoReply::health, &store::StoreHealth::writable>("writable"),
    shown_unless_blank<&command::ServerInfoReply::health, &store::StoreHealth::reason>("reason", "Why it cannot write."),
    shown<&command::ServerInfoReply::workers>("workers", "Online or draining."),
    shown<&command::ServerInfoReply::listeners>("listeners"),
};
constexpr Object<command::ServerInfoReply> kServer{
    "Server", "", kServerFields,
    R"({"version":"0.1.0","started_at":%at%,"store":{"kind":"sqlite","location":"/var/lib/muster/muster.db","schema_version":1,"bytes":4096,"jobs_live":0,"jobs_finished":0,"commits":1,"group_size_mean":1.0},"writable":true,"workers":0,"listeners":{"http":"127.0.0.1:8080"}})"};

constexpr std::array kSearchReplyFields{
    shown<&command::SearchReply::found>("found", "Ids first."),
    shown<&command::SearchReply::in_part>(
        "in_part", "Kinds of which only the first 1000 were looked through for names; ids are found anyway."),
};
constexpr Object<command::SearchReply> kSearchReply{"SearchReply", "", kSearchReplyFields, R"({"found":[%Found%],"in_part":[]})"};

constexpr std::array kClusterFields{
    shown<&command::Cluster::now>("now", "By the store's clock."),
    shown<&command::Cluster::self>("self", "The node that answers."),
    shown_unless_blank<&command::Cluster::leader>("leader", "Absent while nobody leads."),
    shown<&command::Cluster::term>("term", "Grows with every change of leader."),
    shown<&command::Cluster::leader_until>("leader_until", "When another node may take over, unless the leader refreshes."),
    shown<&command::Cluster::nodes>("nodes"),
};
constexpr Object<command::Cluster> kCluster{
    "Cluster", "", kClusterFields,
    R"({"now":%at%,"self":"node-b","leader":"node-a","term":7,"leader_until":"2026-11-15T09:00:15.000Z","nodes":[%ClusterNode%]})"};

constexpr std::array kQueueOperations{
    Operation{.id = "queue_list",
              .parameters = draw_parameters<kQueueParameters>,
              .answers = {ok_list<QueueStats>("queues", R"({"queues":[%Queue%]})")}},
    Operation{.id = "queue_pause", .body = optional_body<kPause>(R"({"reason":"maintenance"})"), .answers = {ok<QueueStats>()}},
    Operation{.id = "queue_resume", .body = optional_body<kResume>(R"({"namespace":"default"})"), .answers = {ok<QueueStats>()}},
    Operation{
        .id = "queue_limit",
        .body = body<kLimits>(
            R"({"running_max":10,"running_max_by_type":{"email.send":2},"rate":{"count":5,"per_ms":1000,"burst":5}})"),
        .answers = {ok<QueueStats>(
            R"({"namespace":"default","name":"mail","paused":false,"running_max":10,"running_max_by_type":{"email.send":2},"rate":{"count":5,"per_ms":1000,"burst":5},"scheduled":0,"ready":3,"running":1,"dead":0,"enqueued_total":4,"completed_total":0,"completed_per_second":0})")}},
    Operation{.id = "namespace_list", .answers = {ok_list<NamespaceInfo>("namespaces", R"({"namespaces":[%Namespace%]})")}},
    Operation{.id = "namespace_create",
              .body = body<kNamespaceRequest>(R"({"name":"team-a","description":"Team A"})"),
              .answers = {created<NamespaceInfo>()}},
    Operation{.id = "namespace_delete", .answers = {ok<NamespaceInfo>()}},
    Operation{.id = "backup_create",
              .body = body<kBackupRequest>(R"({"name":"copy.db"})"),
              .answers = {created<store::BackupReport>()}},
    Operation{.id = "cluster_status", .answers = {ok<command::Cluster>()}},
    Operation{.id = "server_info", .answers = {ok<command::ServerInfoReply>()}},
    Operation{.id = "server_search", .parameters = draw_parameters<kSearchParameters>, .answers = {ok<command::SearchReply>()}},
};

// `queue` comes from the path.
template <class T>
T about_queue(std::string queue) {
  T out;
  out.queue = QueueName(std::move(queue));
  return out;
}

}  // namespace

std::span<const Operation> queue_operations() { return kQueueOperations; }

const Object<QueueStats>& object_of(Of<QueueStats>) { return kQueue; }
const Object<NamespaceInfo>& object_of(Of<NamespaceInfo>) { return kNamespace; }
const Object<store::BackupReport>& object_of(Of<store::BackupReport>) { return kBackup; }
const Object<command::ServerInfoReply>& object_of(Of<command::ServerInfoReply>) { return kServer; }
const Object<command::Cluster>& object_of(Of<command::Cluster>) { return kCluster; }
const Object<command::SearchReply>& object_of(Of<command::SearchReply>) { return kSearchReply; }

Result<command::SearchRequest> decode_search(const std::vector<QueryParameter>& query) {
  return read_query(query, kSearchParameters);
}

Result<command::QueueListRequest> decode_queue_list(const std::vector<QueryParameter>& query) {
  return read_query(query, kQueueParameters);
}

Result<QueuePauseRequest> decode_queue_pause(std::string queue, std::string_view body) {
  auto initial = about_queue<QueuePauseRequest>(std::move(queue));
  if (body.empty()) return initial;
  return read_body(body, kPause, std::move(initial));
}

Result<QueueResumeRequest> decode_queue_resume(std::string queue, std::string_view body) {
  auto initial = about_queue<QueueResumeRequest>(std::move(queue));
  if (body.empty()) return initial;
  return read_body(body, kResume, std::move(initial));
}

Result<QueueLimitRequest> decode_queue_limit(std::string queue, std::string_view body) {
  return read_body(body, kLimits, about_queue<QueueLimitRequest>(std::move(queue)));
}

Result<NamespaceCreateRequest> decode_namespace_create(std::string_view body) { return read_body(body, kNamespaceRequest); }
Result<command::BackupCreateRequest> decode_backup_create(std::string_view body) { return read_body(body, kBackupRequest); }

}  // namespace muster::http
