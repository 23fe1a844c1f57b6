#include "fronts/http/codec/packages.h"

#include "fronts/http/codec/operations.h"
#include "fronts/http/codec/values.h"

namespace muster::http {

namespace words {
constexpr std::array<std::string_view, 2> kPackageOps{"install", "uninstall"};
constexpr std::array<std::string_view, 6> kPackageStatuses{"requested", "sent", "installed", "removed", "missing", "failed"};
}  // namespace words
template <>
constexpr std::span<const std::string_view> kWords<PackageOp> = words::kPackageOps;
template <>
constexpr std::span<const std::string_view> kWords<PackageStatus> = words::kPackageStatuses;

namespace {

using command::PackageInstallRequest;
using command::PackageTarget;
using command::PackageUninstallRequest;

constexpr std::string_view kPackageWorkerDoc = "This one alone.";
constexpr std::string_view kPackageSelectorDoc = "Those with all of these labels, also those that come later.";
constexpr std::string_view kPackageAllDoc = "Every worker. One of worker, selector and all is said.";

// --- requests ------------------------------------------------------------------------------------------------------

constexpr std::array kPackageInstallFields{
    given<&PackageInstallRequest::ns>("namespace"),
    given<&PackageInstallRequest::version>("version", "Such as 1.2.3.").required(),
    given<&PackageInstallRequest::target, &PackageTarget::worker>("worker", kPackageWorkerDoc),
    given<&PackageInstallRequest::target, &PackageTarget::selector>("selector", kPackageSelectorDoc),
    given<&PackageInstallRequest::target, &PackageTarget::everybody>("all", kPackageAllDoc),
    given<&PackageInstallRequest::url>("url", "Where workers find it, sent as it is; absent: an archive of the server's folder."),
    given<&PackageInstallRequest::file>("file", "Of the server's folder; absent: the only one there."),
    given<&PackageInstallRequest::sha256>("sha256", "64 hexadecimal digits; checked where the server can read the bytes."),
};
constexpr Object<PackageInstallRequest> kPackageInstall{"PackageInstall", "", kPackageInstallFields};

constexpr std::array kPackageUninstallFields{
    given<&PackageUninstallRequest::ns>("namespace"),
    given<&PackageUninstallRequest::version>("version", "Absent: every version."),
    given<&PackageUninstallRequest::target, &PackageTarget::worker>("worker", kPackageWorkerDoc),
    given<&PackageUninstallRequest::target, &PackageTarget::selector>("selector", kPackageSelectorDoc),
    given<&PackageUninstallRequest::target, &PackageTarget::everybody>("all", kPackageAllDoc),
    given<&PackageUninstallRequest::forget>("forget", "Only drops what was wanted; workers keep what they have."),
};
constexpr Object<PackageUninstallRequest> kPackageUninstall{"PackageUninstall", "", kPackageUninstallFields};

// --- wishes --------------------------------------------------------------------------------------------------------

constexpr std::array kPackageWishFields{
    shown<&PackageWish::op>("op"),
    shown<&PackageWish::name>("name"),
    shown_unless_blank<&PackageWish::version>("version", "Absent: every one."),
    shown_unless_blank<&PackageWish::url>("url"),
    shown_unless_blank<&PackageWish::sha256>("sha256"),
    shown_unless_blank<&PackageWish::worker>("worker", kPackageWorkerDoc),
    shown_unless_blank<&PackageWish::selector>("selector", "Those with all of these labels; without it and worker: all."),
    shown_unless_blank<&PackageWish::by>("by", "Whose token."),
    shown<&PackageWish::at>("at"),
};
constexpr std::string_view kPackageWishExample =
    R"({"op":"install","name":"example.pkg","version":"1.1.0","url":"file:///srv/packages/example.pkg/1.1.0/example.zip","selector":{"worker_name":"worker-local"},"by":"operator","at":%at%})";
constexpr Object<PackageWish> kPackageWish{"PackageWish", "What workers shall have.", kPackageWishFields, kPackageWishExample};

}  // namespace

static const Object<PackageWish>& object_of(Of<PackageWish>) { return kPackageWish; }

namespace {

constexpr std::array kPackageWishedHead{
    shown<&command::PackageWished::ns>("namespace"),
    shown<&command::PackageWished::workers>("workers", "Known ones that it is about."),
    shown<&command::PackageWished::drift>("drift", "Of these, those that are not so yet."),
    shown_unless_blank<&command::PackageWished::forgotten>("forgotten", "It is not wanted any more."),
};
constexpr auto kPackageWishedFields = joined(kPackageWishedHead, fields_of<kPackageWishFields, &command::PackageWished::wish>());
constexpr Object<command::PackageWished> kPackageWished{
    "PackageWished", "", kPackageWishedFields,
    R"({"namespace":"default","workers":2,"drift":2,"op":"install","name":"example.pkg","version":"1.1.0","url":"file:///srv/packages/example.pkg/1.1.0/example.zip","selector":{"worker_name":"worker-local"},"by":"operator","at":%at%})"};

// --- pages ---------------------------------------------------------------------------------------------------------

constexpr std::array kPackageSummaryFields{
    shown<&command::PackageSummary::name>("name"),
    shown_unless_blank<&command::PackageSummary::description>("description"),
    shown_unless_blank<&command::PackageSummary::latest>("latest_version"),
    shown<&command::PackageSummary::versions>("versions", "Oldest first."),
    shown<&command::PackageSummary::workers>("workers", "That have some version installed."),
    shown<&command::PackageSummary::wishes>("wishes"),
    shown<&command::PackageSummary::drift>("drift", "Workers that differ from what they shall have."),
};
constexpr Object<command::PackageSummary> kPackageSummary{
    "PackageSummary", "", kPackageSummaryFields,
    R"({"name":"example.pkg","description":"Samples.","latest_version":"1.0.0","versions":["1.0.0"],"workers":2,"wishes":1,"drift":2})"};

}  // namespace

static const Object<command::PackageSummary>& object_of(Of<command::PackageSummary>) { return kPackageSummary; }

namespace {

constexpr std::array kPackagePageFields{
    shown<&command::PackagePage::packages>("packages", "By name."),
    shown_unless_blank<&command::PackagePage::next>("next", "Cursor of the next page; absent at the end."),
};
constexpr Object<command::PackagePage> kPackagePage{"PackagePage", "", kPackagePageFields, R"({"packages":[%PackageSummary%]})"};

// --- one package ---------------------------------------------------------------------------------------------------

constexpr std::array kPackageVersionFields{
    shown<&command::PackageVersion::version>("version"),
    shown<&command::PackageVersion::nodes>("nodes", "Types."),
    shown<&command::PackageVersion::installed>("installed", "Workers that say so."),
    shown<&command::PackageVersion::missing>("missing"),
    shown<&command::PackageVersion::failed>("failed"),
    shown_unless_blank<&command::PackageVersion::problem>("manifest_problem", "Why its manifest is not kept."),
    shown<&command::PackageVersion::seen_at>("seen_at", "First."),
};
constexpr Object<command::PackageVersion> kPackageVersion{
    "PackageVersion", "", kPackageVersionFields,
    R"({"version":"1.0.0","nodes":["example.pkg.echo"],"installed":2,"missing":0,"failed":0,"seen_at":%at%})"};

constexpr std::array kPackageHasFields{
    shown<&WorkerPackage::version>("version"),
    shown<&WorkerPackage::status>("status"),
};
constexpr Object<WorkerPackage> kPackageHas{"WorkerPackage", "", kPackageHasFields,
                                            R"({"version":"1.0.0","status":"installed"})"};

constexpr std::array kPackageOperationFields{
    shown<&PackageOperation::op>("op"),
    shown_unless_blank<&PackageOperation::version>("version"),
    shown<&PackageOperation::failed>("failed", "Else it was sent, and no registration agrees with it yet."),
    shown<&PackageOperation::attempts>("attempts"),
    shown<&PackageOperation::due>("due_at", "Given up then; of a failed one: sent again, at the earliest."),
    shown_unless_blank<&PackageOperation::message>("message"),
};
constexpr Object<PackageOperation> kPackageOperation{
    "PackageOperation", "", kPackageOperationFields,
    R"({"op":"install","version":"1.1.0","failed":false,"attempts":1,"due_at":%at%})"};

}  // namespace

static const Object<command::PackageVersion>& object_of(Of<command::PackageVersion>) { return kPackageVersion; }
static const Object<WorkerPackage>& object_of(Of<WorkerPackage>) { return kPackageHas; }
static const Object<PackageOperation>& object_of(Of<PackageOperation>) { return kPackageOperation; }

namespace {

constexpr std::array kPackageAtFields{
    shown<&command::PackageAt::worker>("worker"),
    shown_unless_blank<&command::PackageAt::worker_name>("worker_name"),
    shown<&command::PackageAt::has>("has"),
    shown<&command::PackageAt::wanted>("wanted", "What applies to it; absent: nothing."),
    shown_unless_blank<&command::PackageAt::wanted_version>("wanted_version"),
    shown<&command::PackageAt::drift>("drift", "It is not as wanted."),
    shown<&command::PackageAt::operation>("operation", "On its way to it, or failed."),
    shown<&command::PackageAt::seen_at>("seen_at"),
};
constexpr Object<command::PackageAt> kPackageAt{
    "PackageAt", "One worker and the package.", kPackageAtFields,
    R"({"worker":"7a9c624c-a264-4858-819a-dd086d283261","worker_name":"worker-local","has":[%WorkerPackage%],"wanted":"install","wanted_version":"1.1.0","drift":true,"operation":%PackageOperation%,"seen_at":%at%})"};

}  // namespace

static const Object<command::PackageAt>& object_of(Of<command::PackageAt>) { return kPackageAt; }

namespace {

constexpr std::array kPackageViewFields{
    shown<&command::PackageView::ns>("namespace"),
    shown<&command::PackageView::name>("name"),
    shown_unless_blank<&command::PackageView::description>("description"),
    shown_unless_blank<&command::PackageView::latest>("latest_version"),
    shown<&command::PackageView::versions>("versions", "Oldest first."),
    shown<&command::PackageView::drift>("drift", "Workers that differ from what they shall have."),
    shown<&command::PackageView::wishes>("wishes"),
    shown<&command::PackageView::workers>("workers", "That have it or shall have it; the first thousand."),
    shown<&command::PackageView::workers_total>("workers_total"),
    shown_unless_blank<&command::PackageView::manifest_version>("manifest_version"),
    json_object<&command::PackageView::manifest>("manifest", "As the package says; absent: none is kept."),
};
constexpr Object<command::PackageView> kPackageView{
    "Package", "", kPackageViewFields,
    R"({"namespace":"default","name":"example.pkg","description":"Samples.","latest_version":"1.0.0","versions":[%PackageVersion%],"drift":1,"wishes":[%PackageWish%],"workers":[%PackageAt%],"workers_total":1,"manifest_version":"1.0.0","manifest":{"name":"example.pkg","version":"1.0.0"}})"};

// --- events --------------------------------------------------------------------------------------------------------

constexpr std::array kPackageEventFields{
    shown<&PackageChange::at>("at"),
    shown<&PackageChange::ns>("namespace"),
    shown_unless_blank<&PackageChange::worker>("worker"),
    shown_unless_blank<&PackageChange::worker_name>("worker_name", "Of a request about many: whom it is about."),
    shown<&PackageChange::package>("package"),
    shown_unless_blank<&PackageChange::version>("version"),
    shown<&PackageChange::op>("op", "Absent: the worker changed by itself."),
    shown<&PackageChange::status>("status"),
    shown_unless_blank<&PackageChange::message>("message"),
    shown_unless_blank<&PackageChange::by>("by", "Who asked for it."),
};
constexpr Object<PackageChange> kPackageEvent{
    "PackageEvent", "", kPackageEventFields,
    R"({"at":%at%,"namespace":"default","worker":"7a9c624c-a264-4858-819a-dd086d283261","worker_name":"worker-local","package":"example.pkg","version":"1.1.0","op":"install","status":"installed","by":"operator"})"};

}  // namespace

const Object<PackageChange>& object_of(Of<PackageChange>) { return kPackageEvent; }

namespace {

constexpr std::array kPackageEventsFields{shown<&command::PackageEvents::events>("events", "Newest first.")};
constexpr Object<command::PackageEvents> kPackageEvents{"PackageEvents", "", kPackageEventsFields,
                                                        R"({"events":[%PackageEvent%]})"};

constexpr std::array kPackageListParameters{
    parameter<&command::PackageListRequest::ns>("namespace", kDefaultNamespaceDoc),
    parameter<&command::PackageListRequest::worker>("worker", "Only what this one has or shall have."),
    parameter<&command::PackageListRequest::limit>("limit", kLimitDoc).within(1, limits::kPageMax),
    parameter<&command::PackageListRequest::cursor>("cursor", kCursorDoc),
};
constexpr std::array kPackageGetParameters{
    parameter<&command::PackageGetRequest::ns>("namespace", kDefaultNamespaceDoc),
    parameter<&command::PackageGetRequest::version>("version", "Whose manifest is shown; absent: the latest."),
};
constexpr std::array kPackageEventsParameters{
    parameter<&command::PackageEventsRequest::ns>("namespace", kDefaultNamespaceDoc),
    parameter<&command::PackageEventsRequest::package>("package", "Only of this one."),
    parameter<&command::PackageEventsRequest::worker>("worker", "Only of this one."),
    parameter<&command::PackageEventsRequest::limit>("limit", kLimitDoc).within(1, command::kPackageEventsMax),
};

constexpr std::array kPackageOperations{
    Operation{
        .id = "package_list", .parameters = draw_parameters<kPackageListParameters>, .answers = {ok<command::PackagePage>()}},
    Operation{.id = "package_get", .parameters = draw_parameters<kPackageGetParameters>, .answers = {ok<command::PackageView>()}},
    Operation{
        .id = "package_install",
        .body = body<kPackageInstall>(
            R"({"version":"1.1.0","selector":{"worker_name":"worker-local"},"url":"https://packages.example/example-1.1.0.zip"})"),
        .answers = {ok<command::PackageWished>()}},
    Operation{.id = "package_uninstall",
              .body = body<kPackageUninstall>(R"({"version":"1.0.0","selector":{"worker_name":"worker-local"}})"),
              .answers = {ok<command::PackageWished>()}},
    Operation{.id = "package_events",
              .parameters = draw_parameters<kPackageEventsParameters>,
              .answers = {ok<command::PackageEvents>()}},
    Operation{.id = "package_archive",
              .answers = {Answer{.status = 200, .doc = "The bytes of the archive.", .type = "application/octet-stream"}}},
};

}  // namespace

std::span<const Operation> package_operations() { return kPackageOperations; }

const Object<command::PackagePage>& object_of(Of<command::PackagePage>) { return kPackagePage; }
const Object<command::PackageView>& object_of(Of<command::PackageView>) { return kPackageView; }
const Object<command::PackageWished>& object_of(Of<command::PackageWished>) { return kPackageWished; }
const Object<command::PackageEvents>& object_of(Of<command::PackageEvents>) { return kPackageEvents; }

Result<command::PackageListRequest> decode_package_list(const std::vector<QueryParameter>& query) {
  return read_query(query, kPackageListParameters);
}

Result<command::PackageGetRequest> decode_package_get(std::string package, const std::vector<QueryParameter>& query) {
  command::PackageGetRequest initial;
  initial.name = std::move(package);
  return read_query(query, kPackageGetParameters, std::move(initial));
}

Result<PackageInstallRequest> decode_package_install(std::string package, std::string_view body) {
  PackageInstallRequest initial;
  initial.name = std::move(package);
  return read_body(body, kPackageInstall, std::move(initial));
}

Result<PackageUninstallRequest> decode_package_uninstall(std::string package, std::string_view body) {
  PackageUninstallRequest initial;
  initial.name = std::move(package);
  return read_body(body, kPackageUninstall, std::move(initial));
}

Result<command::PackageEventsRequest> decode_package_events(const std::vector<QueryParameter>& query) {
  return read_query(query, kPackageEventsParameters);
}

}  // namespace muster::http
