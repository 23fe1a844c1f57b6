// Workers, queues, plans and the server itself: requests and replies as tables.
#include "sdk/cpp/fields.h"

namespace muster::sdk {
namespace fields {

// --- workers -------------------------------------------------------------------------------------------------------

template <>
constexpr auto kFields<WorkerSpec> = std::array{
    field<&WorkerSpec::ns>("namespace"),
    field<&WorkerSpec::id>("id"),
    field<&WorkerSpec::capabilities>("capabilities"),
    field<&WorkerSpec::queues>("queues"),
    field<&WorkerSpec::labels>("labels"),
    field<&WorkerSpec::slots>("slots"),
    field<&WorkerSpec::hostname>("hostname"),
    field<&WorkerSpec::version>("version"),
    field<&WorkerSpec::heartbeat>("heartbeat_ms"),
    field<&WorkerSpec::dead_after>("dead_after_ms"),
    field<&WorkerSpec::resume>("resume"),
};
template <>
constexpr auto kFields<Beat> = std::array{
    field<&Beat::ns>("namespace"),
    field<&Beat::session>("session"),
    field<&Beat::stats>("stats"),
    Field<Beat>{.name = "held",
                .write =
                    [](Writing& out, const char* name, const Beat& beat) {
                      if (beat.names_all || !beat.held.empty()) out.json[name] = put(out, beat.held);
                    }},
    field<&Beat::accepting>("accepting"),
};
template <>
constexpr auto kFields<Registered> = std::array{
    field<&Registered::id>("id").must(),           field<&Registered::session>("session").must(),
    field<&Registered::heartbeat>("heartbeat_ms"), field<&Registered::dead_after>("dead_after_ms"),
    field<&Registered::replaced>("replaced"),
};
template <>
constexpr auto kFields<BeatReply> = std::array{
    field<&BeatReply::state>("state").must(),
    field<&BeatReply::drain_deadline>("drain_deadline"),
    field<&BeatReply::drain_reason>("drain_reason"),
    field<&BeatReply::next_beat_in>("next_beat_in_ms"),
    field<&BeatReply::cancel>("cancel"),
    field<&BeatReply::lost>("lost"),
};
template <>
constexpr auto kFields<WorkerInfo> = std::array{
    field<&WorkerInfo::ns>("namespace"),
    field<&WorkerInfo::id>("id").must(),
    field<&WorkerInfo::dialect>("dialect"),
    field<&WorkerInfo::state>("state"),
    field<&WorkerInfo::health>("health"),
    field<&WorkerInfo::capabilities>("capabilities"),
    field<&WorkerInfo::queues>("queues"),
    field<&WorkerInfo::labels>("labels"),
    field<&WorkerInfo::slots>("slots"),
    field<&WorkerInfo::running>("running"),
    field<&WorkerInfo::completed>("completed"),
    field<&WorkerInfo::failed>("failed"),
    field<&WorkerInfo::hostname>("hostname"),
    field<&WorkerInfo::version>("version"),
    field<&WorkerInfo::registered_at>("registered_at"),
    field<&WorkerInfo::last_seen_at>("last_seen_at"),
    field<&WorkerInfo::offline_at>("offline_at"),
    field<&WorkerInfo::drain_deadline>("drain_deadline"),
    field<&WorkerInfo::offline_cause>("offline_cause"),
    field<&WorkerInfo::drain_reason>("drain_reason"),
    field<&WorkerInfo::drain_origin>("drain_origin"),
    document<&WorkerInfo::document>(),
};

// --- queues and namespaces -----------------------------------------------------------------------------------------

template <>
constexpr auto kFields<Rate> = std::array{
    field<&Rate::count>("count"),
    field<&Rate::per>("per_ms"),
    field<&Rate::burst>("burst"),
};
template <>
constexpr auto kFields<Namespace> = std::array{
    field<&Namespace::name>("name").must(),
    field<&Namespace::description>("description"),
    field<&Namespace::created_at>("created_at"),
    document<&Namespace::document>(),
};

template <>
constexpr auto kFields<WorkerPage> = std::array{field<&WorkerPage::workers>("workers").must(), field<&WorkerPage::next>("next")};
template <>
constexpr auto kFields<QueueLimits> = std::array{
    field<&QueueLimits::ns>("namespace"),
    field<&QueueLimits::running_max>("running_max"),
    field<&QueueLimits::running_max_by_type>("running_max_by_type"),
    field<&QueueLimits::rate>("rate"),
};
template <>
constexpr auto kFields<Queue> = std::array{
    field<&Queue::ns>("namespace"),
    field<&Queue::name>("name").must(),
    field<&Queue::paused>("paused"),
    field<&Queue::pause_reason>("pause_reason"),
    field<&Queue::running_max>("running_max"),
    field<&Queue::running_max_by_type>("running_max_by_type"),
    field<&Queue::rate>("rate"),
    field<&Queue::scheduled>("scheduled"),
    field<&Queue::ready>("ready"),
    field<&Queue::running>("running"),
    field<&Queue::dead>("dead"),
    field<&Queue::enqueued_total>("enqueued_total"),
    field<&Queue::completed_total>("completed_total"),
    field<&Queue::oldest_ready_at>("oldest_ready_at"),
    field<&Queue::completed_per_second>("completed_per_second"),
    document<&Queue::document>(),
};

template <>
constexpr auto kFields<Lane> = std::array{
    field<&Lane::ns>("namespace"),
    field<&Lane::queue>("queue").must(),
    field<&Lane::needs>("needs"),
    field<&Lane::scheduled>("scheduled"),
    field<&Lane::ready>("ready"),
    field<&Lane::running>("running"),
    field<&Lane::oldest_ready_at>("oldest_ready_at"),
    field<&Lane::paused>("paused"),
    field<&Lane::served>("served"),
    field<&Lane::able_workers>("able_workers"),
    field<&Lane::workers>("workers"),
    field<&Lane::missing>("missing"),
    document<&Lane::document>(),
};
template <>
constexpr auto kFields<LaneList> = std::array{
    field<&LaneList::lanes>("lanes").must(), field<&LaneList::total>("total"), field<&LaneList::unserved>("unserved"),
    field<&LaneList::more>("more"),          document<&LaneList::document>(),
};

// --- the server ----------------------------------------------------------------------------------------------------

constexpr std::array kStoreFields{
    field<&ServerInfo::store_kind>("kind"),
    field<&ServerInfo::store_location>("location"),
    field<&ServerInfo::schema_version>("schema_version"),
    field<&ServerInfo::store_bytes>("bytes"),
    field<&ServerInfo::jobs_live>("jobs_live"),
    field<&ServerInfo::jobs_finished>("jobs_finished"),
    field<&ServerInfo::commits>("commits"),
    field<&ServerInfo::group_size_mean>("group_size_mean"),
};
template <>
constexpr auto kFields<ServerInfo> = std::array{
    field<&ServerInfo::version>("version").must(),
    field<&ServerInfo::started_at>("started_at"),
    group<kStoreFields, ServerInfo>("store"),
    field<&ServerInfo::writable>("writable"),
    field<&ServerInfo::reason>("reason"),
    field<&ServerInfo::workers>("workers"),
    // A newer server may say more of a listener than its address.
    Field<ServerInfo>{.name = "listeners",
                      .read =
                          [](const Json& object, const char* name, ServerInfo& out) {
                            if (const Json* listeners = find(object, name))
                              for (const auto& [listener, address] : listeners->items())
                                if (address.is_string()) out.listeners[listener] = address.get<std::string>();
                          }},
    document<&ServerInfo::document>(),
};
template <>
constexpr auto kFields<SignInLink> = std::array{
    field<&SignInLink::path>("path").must(),
    field<&SignInLink::expires_at>("expires_at"),
    document<&SignInLink::document>(),
};
template <>
constexpr auto kFields<ServerSetting> = std::array{
    field<&ServerSetting::section>("section").must(),
    field<&ServerSetting::key>("key").must(),
    field<&ServerSetting::value>("value"),
    field<&ServerSetting::fallback>("default"),
    field<&ServerSetting::source>("source"),
    field<&ServerSetting::help>("help"),
    field<&ServerSetting::reloadable>("reloadable"),
};
template <>
constexpr auto kFields<ServerConfig> = std::array{
    field<&ServerConfig::file>("file"),
    field<&ServerConfig::settings>("settings").must(),
    document<&ServerConfig::document>(),
};
template <>
constexpr auto kFields<Check> = std::array{
    field<&Check::name>("name").must(),
    field<&Check::state>("state").must(),
    field<&Check::text>("text"),
    field<&Check::remedy>("remedy"),
};
template <>
constexpr auto kFields<CheckUp> = std::array{
    field<&CheckUp::at>("at"),
    field<&CheckUp::checks>("checks").must(),
    document<&CheckUp::document>(),
};
template <>
constexpr auto kFields<HistoryFigures> = std::array{
    field<&HistoryFigures::node>("node"),
    field<&HistoryFigures::step>("step_ms").must(),
    field<&HistoryFigures::from>("from"),
    field<&HistoryFigures::points>("points"),
    // null is a value here, and not an absent one.
    Field<HistoryFigures>{.name = "series",
                          .read =
                              [](const Json& object, const char* name, HistoryFigures& out) {
                                const Json* series = find(object, name);
                                if (series == nullptr) return;
                                for (const auto& [figure, values] : series->items())
                                  for (const Json& value : values)
                                    out.series[figure].push_back(value.is_null() ? std::nullopt
                                                                                 : std::optional(value.get<double>()));
                              }},
    document<&HistoryFigures::document>(),
};
template <>
constexpr auto kFields<ClusterNode> = std::array{
    field<&ClusterNode::name>("name").must(),    field<&ClusterNode::address>("address"),
    field<&ClusterNode::version>("version"),     field<&ClusterNode::started_at>("started_at"),
    field<&ClusterNode::seen_at>("seen_at"),     field<&ClusterNode::leader>("leader"),
    field<&ClusterNode::listening>("listening"), field<&ClusterNode::pending>("pending"),
    field<&ClusterNode::workers>("workers"),     field<&ClusterNode::notify_lag>("notify_lag_ms"),
    document<&ClusterNode::document>(),
};
template <>
constexpr auto kFields<ValueOfNode> = std::array{
    field<&ValueOfNode::node>("node").must(),
    field<&ValueOfNode::value>("value"),
    field<&ValueOfNode::group>("group"),
};
template <>
constexpr auto kFields<SettingDifference> = std::array{
    field<&SettingDifference::name>("name").must(), field<&SettingDifference::own>("own"),
    field<&SettingDifference::known>("known"),      field<&SettingDifference::values>("values"),
    document<&SettingDifference::document>(),
};
template <>
constexpr auto kFields<ClusterSettings> = std::array{
    field<&ClusterSettings::nodes>("nodes"),         field<&ClusterSettings::silent>("silent"),
    field<&ClusterSettings::differing>("differing"), field<&ClusterSettings::settings>("settings").must(),
    document<&ClusterSettings::document>(),
};
template <>
constexpr auto kFields<Backup> = std::array{
    field<&Backup::path>("path").must(),
    field<&Backup::bytes>("bytes"),
    field<&Backup::took>("took_ms"),
    document<&Backup::document>(),
};
template <>
constexpr auto kFields<AuditRow> = std::array{
    field<&AuditRow::id>("id").must(),  field<&AuditRow::at>("at"),           field<&AuditRow::ns>("namespace"),
    field<&AuditRow::who>("who"),       field<&AuditRow::role>("role"),       field<&AuditRow::address>("address"),
    field<&AuditRow::worker>("worker"), field<&AuditRow::action>("action"),   field<&AuditRow::target>("target"),
    field<&AuditRow::corr>("corr"),     field<&AuditRow::outcome>("outcome"), document<&AuditRow::document>(),
};
template <>
constexpr auto kFields<AuditPage> = std::array{field<&AuditPage::rows>("audit").must(), field<&AuditPage::next>("next")};
constexpr std::array kEventFields{
    field<&Event::at>("at"),       field<&Event::ns>("namespace"),    field<&Event::id>("id"),
    field<&Event::queue>("queue"), field<&Event::type>("type"),       field<&Event::event>("event"),
    field<&Event::from>("from"),   field<&Event::to>("to"),           field<&Event::worker>("worker"),
    field<&Event::cause>("cause"), field<&Event::attempt>("attempt"), field<&Event::paused>("paused"),
    document<&Event::document>(),
};

// --- resources -----------------------------------------------------------------------------------------------------

template <>
constexpr auto kFields<Resource> = std::array{
    field<&Resource::id>("id").must(),
    field<&Resource::ns>("namespace"),
    field<&Resource::type>("type"),
    field<&Resource::scope>("scope"),
    field<&Resource::state>("state"),
    field<&Resource::worker_name>("worker_name"),
    field<&Resource::worker>("worker"),
    field<&Resource::worker_live>("worker_live"),
    field<&Resource::size_bytes>("size_bytes"),
    field<&Resource::in_result>("inline"),
    field<&Resource::job>("job"),
    field<&Resource::created_at>("created_at"),
    field<&Resource::expires_at>("expires_at"),
    document<&Resource::document>(),
};
template <>
constexpr auto kFields<ResourcePage> =
    std::array{field<&ResourcePage::resources>("resources").must(), field<&ResourcePage::next>("next")};
constexpr std::array kResourceRequestFields{
    field<&ResourceRequest::ns>("namespace"),          field<&ResourceRequest::type>("type"),
    field<&ResourceRequest::scope>("scope"),           field<&ResourceRequest::worker_name>("worker_name"),
    field<&ResourceRequest::worker>("worker"),         field<&ResourceRequest::job>("job"),
    field<&ResourceRequest::size_bytes>("size_bytes"), field<&ResourceRequest::expires_at>("expires_at"),
};
template <>
constexpr auto kFields<Sent> = std::array{
    field<&Sent::ns>("namespace"),    field<&Sent::worker>("worker").must(), field<&Sent::type>("type"),
    field<&Sent::waiting>("waiting"), document<&Sent::document>(),
};

// --- plans ---------------------------------------------------------------------------------------------------------

template <>
constexpr auto kFields<Plan> = std::array{
    field<&Plan::id>("id").must(),
    field<&Plan::ns>("namespace"),
    field<&Plan::description>("description"),
    field<&Plan::tasks>("tasks"),
    field<&Plan::needs>("needs"),
    field<&Plan::created_at>("created_at"),
    field<&Plan::last_used_at>("last_used_at"),
    field<&Plan::actions>("actions"),
    field<&Plan::jobs>("jobs"),
    field<&Plan::existed>("existed"),
    Field<Plan>{.name = "document",
                .read =
                    [](const Json& object, const char* name, Plan& out) {
                      if (const Json* own = find(object, name)) out.text = text_of(*own);
                    }},
    document<&Plan::document>(),
};
template <>
constexpr auto kFields<ActionCounts> = std::array{
    field<&ActionCounts::waiting>("waiting"),     field<&ActionCounts::running>("running"),
    field<&ActionCounts::completed>("completed"), field<&ActionCounts::failed>("failed"),
    field<&ActionCounts::dead>("dead"),           field<&ActionCounts::cancelled>("cancelled"),
};
constexpr std::array kActionRequestFields{
    field<&ActionRequest::ns>("namespace"),
    field<&ActionRequest::id>("id"),
    field<&ActionRequest::plan>("plan"),
    field<&ActionRequest::job_unit>("job_unit"),
    field<&ActionRequest::priority>("priority"),
    field<&ActionRequest::timeout>("timeout_ms"),
    field<&ActionRequest::attempts_max>("attempts_max"),
    field<&ActionRequest::rescues_max>("rescues_max"),
};

// A stream is text, or bytes in base64.
template <auto kMember>
static constexpr Field<JobLogs> stream(const char* name) {
  return {.name = name, .read = [](const Json& object, const char* key, JobLogs& out) {
            const std::string coded_key = std::string(key) + "_base64";
            if (const Json* coded = find(object, coded_key.c_str()); coded != nullptr && !coded->get<std::string>().empty())
              out.*kMember = from_base64(coded->get<std::string>()).value_or("");
            else
              read_member<kMember>(object, key, out);
          }};
}
template <>
constexpr auto kFields<JobLogs> = std::array{
    field<&JobLogs::id>("id").must(),   field<&JobLogs::state>("state"), stream<&JobLogs::output>("stdout"),
    stream<&JobLogs::errors>("stderr"), document<&JobLogs::document>(),
};

template <>
constexpr auto kFields<Cluster> = std::array{
    field<&Cluster::now>("now"),
    field<&Cluster::self>("self"),
    field<&Cluster::leader>("leader"),
    field<&Cluster::term>("term"),
    field<&Cluster::leader_until>("leader_until"),
    field<&Cluster::nodes>("nodes").must(),
    document<&Cluster::document>(),
};
template <>
constexpr auto kFields<Action> = std::array{
    field<&Action::id>("id").must(),  field<&Action::ns>("namespace"),          field<&Action::plan>("plan"),
    field<&Action::state>("state"),   field<&Action::created_at>("created_at"), field<&Action::jobs>("jobs"),
    field<&Action::counts>("counts"), field<&Action::job_ids>("job_ids"),       document<&Action::document>(),
};
template <>
constexpr auto kFields<PlanPage> = std::array{field<&PlanPage::plans>("plans").must(), field<&PlanPage::total>("total")};

template <>
constexpr auto kFields<ActionPage> =
    std::array{field<&ActionPage::actions>("actions").must(), field<&ActionPage::total>("total")};

}  // namespace fields

using namespace fields;

std::string encode(const WorkerSpec& spec) { return encoded_plain(spec); }
std::string encode(const Beat& beat) { return encoded_plain(beat); }
std::string encode(const QueueLimits& limits) { return encoded_plain(limits); }

std::string encode_drain(std::string_view ns, std::optional<Duration> deadline, std::string_view reason) {
  Json json = Json::object();
  if (!ns.empty()) json["namespace"] = ns;
  if (deadline) json["deadline_ms"] = deadline->count();
  if (!reason.empty()) json["reason"] = reason;
  return text_of(json);
}

// A text of JSON under a name, as it is.
static std::optional<Error> put_json(Json& out, const char* name, std::string_view text) {
  if (text.empty()) return std::nullopt;
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) return not_accepted(fmt::format("{} is not JSON: `{}`", name, text.substr(0, kShownBytes)));
  out[name] = std::move(value);
  return std::nullopt;
}

Result<std::string> encode(const ResourceRequest& request) {
  Writing out;
  write_fields(out, Fields<ResourceRequest>(kResourceRequestFields), request);
  if (auto error = put_json(out.json, "metadata", request.metadata)) return *error;
  return text_of(out.json);
}

Result<std::string> encode_send(std::string_view ns, std::string_view type, std::string_view payload) {
  Json json{{"type", type}};
  if (!ns.empty()) json["namespace"] = ns;
  if (auto error = put_json(json, "payload", payload)) return *error;
  return text_of(json);
}

Result<std::string> encode(const ActionRequest& request) {
  Writing out;
  write_fields(out, Fields<ActionRequest>(kActionRequestFields), request);
  std::string text = text_of(out.json);
  // Inputs go out as they came: a number keeps its digits, however many it has.
  text.back() = text.size() > 2 ? ',' : ' ';
  text += "\"inputs\":[";
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    if (!Json::accept(request.inputs[i]))
      return not_accepted(fmt::format("input {} is not JSON: `{}`", i, request.inputs[i].substr(0, 60)));
    if (i > 0) text.push_back(',');
    text += request.inputs[i];
  }
  return text + "]}";
}

Result<Registered> decode_registered(std::string_view body) { return decoded<Registered>(body); }
Result<BeatReply> decode_beat(std::string_view body) { return decoded<BeatReply>(body); }
Result<WorkerInfo> decode_worker(std::string_view body) { return decoded<WorkerInfo>(body); }
Result<WorkerPage> decode_worker_page(std::string_view body) { return decoded<WorkerPage>(body); }
Result<Resource> decode_resource(std::string_view body) { return decoded<Resource>(body); }
Result<ResourcePage> decode_resource_page(std::string_view body) { return decoded<ResourcePage>(body); }
Result<Sent> decode_sent(std::string_view body) { return decoded<Sent>(body); }
Result<Queue> decode_queue(std::string_view body) { return decoded<Queue>(body); }
Result<std::vector<Queue>> decode_queues(std::string_view body) { return decoded_list<Queue>(body, "queues"); }
Result<Namespace> decode_namespace(std::string_view body) { return decoded<Namespace>(body); }
Result<std::vector<Namespace>> decode_namespaces(std::string_view body) { return decoded_list<Namespace>(body, "namespaces"); }
Result<ServerInfo> decode_server(std::string_view body) { return decoded<ServerInfo>(body); }
Result<LaneList> decode_lanes(std::string_view body) { return decoded<LaneList>(body); }
Result<SignInLink> decode_sign_in_link(std::string_view body) { return decoded<SignInLink>(body); }
Result<ServerConfig> decode_server_config(std::string_view body) { return decoded<ServerConfig>(body); }
Result<CheckUp> decode_check_up(std::string_view body) { return decoded<CheckUp>(body); }
Result<HistoryFigures> decode_figures(std::string_view body) { return decoded<HistoryFigures>(body); }
Result<Cluster> decode_cluster(std::string_view body) { return decoded<Cluster>(body); }
Result<ClusterSettings> decode_cluster_settings(std::string_view body) { return decoded<ClusterSettings>(body); }
Result<AuditPage> decode_audit_page(std::string_view body) { return decoded<AuditPage>(body); }
Result<Backup> decode_backup(std::string_view body) { return decoded<Backup>(body); }
Result<Plan> decode_plan(std::string_view body) { return decoded<Plan>(body); }
Result<PlanPage> decode_plan_page(std::string_view body) { return decoded<PlanPage>(body); }
Result<Action> decode_action(std::string_view body) { return decoded<Action>(body); }
Result<ActionPage> decode_action_page(std::string_view body) { return decoded<ActionPage>(body); }
Result<JobLogs> decode_logs(std::string_view body) { return decoded<JobLogs>(body); }

Result<Event> decode_event(const ServerEvent& event) {
  Event out;
  out.number = event.id;
  out.kind = event.event;
  if (event.event == "gap") {
    out.document = R"({"event":"gap"})";
    return out;
  }
  return read_text(event.data, [&out](const Json& json) {
    read_fields(json, Fields<Event>(kEventFields), out);
    return std::move(out);
  });
}

}  // namespace muster::sdk
