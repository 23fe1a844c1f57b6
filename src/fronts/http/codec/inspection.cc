#include "fronts/http/codec/inspection.h"

#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/values.h"

namespace muster::http {
namespace words {
inline constexpr std::array<std::string_view, 3> kCheckStates{"ok", "warn", "fail"};
}
template <>
constexpr std::span<const std::string_view> kWords<command::CheckState> = words::kCheckStates;

namespace {

using command::Check;
using command::CheckUp;
using command::ConfigShown;
using command::CredentialShown;
using command::NamespaceSettingShown;
using command::SettingShown;
using engine::SettingDifference;
using engine::SettingDifferences;
using engine::ValueOfNode;

constexpr std::array kSettingFields{
    shown<&SettingShown::section>("section"),
    shown<&SettingShown::key>("key"),
    shown<&SettingShown::value>("value", "As a user would write it; `(redacted)` of a secret."),
    shown<&SettingShown::fallback>("default"),
    shown<&SettingShown::source>("source", "`default`, or the place that said it."),
    shown<&SettingShown::reloadable>("reloadable", "SIGHUP applies it."),
    shown<&SettingShown::help>("help"),
};
constexpr Object<SettingShown> kSetting{
    "Setting", "", kSettingFields,
    R"({"section":"listen","key":"http","value":"127.0.0.1:8080","default":"127.0.0.1:8080","source":"default","reloadable":false,"help":"HTTP and WebSocket"})"};

constexpr std::array kNamespaceSettingFields{
    shown<&NamespaceSettingShown::ns>("namespace"),  shown<&NamespaceSettingShown::section>("section"),
    shown<&NamespaceSettingShown::key>("key"),       shown<&NamespaceSettingShown::value>("value"),
    shown<&NamespaceSettingShown::source>("source"),
};
constexpr Object<NamespaceSettingShown> kNamespaceSetting{"", "", kNamespaceSettingFields};

constexpr std::array kCredentialFields{
    shown<&CredentialShown::name>("name"),
    shown<&CredentialShown::role>("role"),
    shown_unless_blank<&CredentialShown::worker>("worker", "The only one it may act as."),
    shown<&CredentialShown::namespaces>("namespaces", "Absent: all."),
    shown<&CredentialShown::source>("source"),
};
constexpr Object<CredentialShown> kCredential{"", "", kCredentialFields};

constexpr std::array kValueFields{
    shown<&ValueOfNode::node>("node"),
    shown<&ValueOfNode::value>("value", "As that node shows it; `(redacted)` of a secret."),
    shown<&ValueOfNode::group>("group", "Nodes of the same group have the same value."),
};
constexpr Object<ValueOfNode> kValue{"", "", kValueFields};

constexpr std::array kCheckFields{
    shown<&Check::name>("name"),
    shown<&Check::state>("state"),
    shown<&Check::text>("text", "What was seen."),
    shown_unless_blank<&Check::remedy>("remedy", "What to do."),
};
constexpr Object<Check> kCheck{
    "Check", "", kCheckFields,
    R"({"name":"disk space","state":"warn","text":"812 MiB free in /var/lib/muster","remedy":"keep at least 1 GiB free for the database and its log"})"};

}  // namespace

static const Object<SettingShown>& object_of(Of<SettingShown>) { return kSetting; }
static const Object<NamespaceSettingShown>& object_of(Of<NamespaceSettingShown>) { return kNamespaceSetting; }
static const Object<CredentialShown>& object_of(Of<CredentialShown>) { return kCredential; }
static const Object<Check>& object_of(Of<Check>) { return kCheck; }
static const Object<ValueOfNode>& object_of(Of<ValueOfNode>) { return kValue; }

namespace {

constexpr std::array kDifferenceFields{
    shown<&SettingDifference::name>("name"),
    shown<&SettingDifference::own>("own", "Rightly another one on each node, such as an address."),
    shown<&SettingDifference::known>("known", "False: secrets that cannot be compared before `auth.session_key` is the same."),
    shown<&SettingDifference::values>("values", "Of the nodes that have it."),
};
constexpr Object<SettingDifference> kDifference{
    "SettingDifference", "", kDifferenceFields,
    R"({"name":"retention.completed_kept","own":false,"known":true,"values":[{"node":"node-a","value":"7d","group":1},{"node":"node-b","value":"30d","group":2}]})"};

}  // namespace

static const Object<SettingDifference>& object_of(Of<SettingDifference>) { return kDifference; }

namespace {

constexpr std::array kDifferencesFields{
    shown<&SettingDifferences::nodes>("nodes", "That told their settings; none on a store of one node."),
    shown<&SettingDifferences::silent>("silent", "That are there and told nothing, such as programs of an older version."),
    shown<&SettingDifferences::differing>("differing", "Settings that differ and should not."),
    shown<&SettingDifferences::settings>("settings", "Those that should not differ first."),
};
constexpr Object<SettingDifferences> kDifferences{
    "ClusterSettings", "", kDifferencesFields,
    R"({"nodes":["node-a","node-b"],"silent":[],"differing":1,"settings":[%SettingDifference%]})"};

constexpr std::array kConfigFields{
    shown_unless_blank<&ConfigShown::file>("file"),
    shown<&ConfigShown::settings>("settings", "Every setting."),
    shown<&ConfigShown::namespaces>("namespaces", "Settings that are others in a namespace."),
    shown<&ConfigShown::credentials>("credentials", "Tokens, workers' keys and certificates, without their secrets."),
};
constexpr Object<ConfigShown> kConfig{
    "ServerConfig", "", kConfigFields,
    R"({"settings":[%Setting%],"namespaces":[],"credentials":[{"name":"ci","role":"operator","source":"muster.toml:3"}]})"};

constexpr std::array kCheckUpFields{
    shown<&CheckUp::at>("at", "When it was made; one is told for ten seconds."),
    shown<&CheckUp::checks>("checks"),
};
constexpr Object<CheckUp> kCheckUp{"CheckUp", "", kCheckUpFields, R"({"at":%at%,"checks":[%Check%]})"};

constexpr std::array kInspectionOperations{
    Operation{.id = "cluster_settings", .answers = {ok<SettingDifferences>()}},
    Operation{.id = "server_config", .answers = {ok<ConfigShown>()}},
    Operation{.id = "server_doctor", .answers = {ok<CheckUp>()}},
};

}  // namespace

std::span<const Operation> inspection_operations() { return kInspectionOperations; }

const Object<ConfigShown>& object_of(Of<ConfigShown>) { return kConfig; }
const Object<CheckUp>& object_of(Of<CheckUp>) { return kCheckUp; }
const Object<SettingDifferences>& object_of(Of<SettingDifferences>) { return kDifferences; }

}  // namespace muster::http
