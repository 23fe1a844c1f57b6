// Packages of workers: requests and replies as tables.
#include "sdk/cpp/fields.h"

namespace muster::sdk {
namespace fields {

template <>
constexpr auto kFields<PackageSummary> = std::array{
    field<&PackageSummary::name>("name").must(),
    field<&PackageSummary::description>("description"),
    field<&PackageSummary::latest_version>("latest_version"),
    field<&PackageSummary::versions>("versions"),
    field<&PackageSummary::workers>("workers"),
    field<&PackageSummary::wishes>("wishes"),
    field<&PackageSummary::drift>("drift"),
    document<&PackageSummary::document>(),
};
template <>
constexpr auto kFields<PackagePage> =
    std::array{field<&PackagePage::packages>("packages").must(), field<&PackagePage::next>("next")};
template <>
constexpr auto kFields<PackageVersion> = std::array{
    field<&PackageVersion::version>("version").must(), field<&PackageVersion::nodes>("nodes"),
    field<&PackageVersion::installed>("installed"),    field<&PackageVersion::missing>("missing"),
    field<&PackageVersion::failed>("failed"),          field<&PackageVersion::manifest_problem>("manifest_problem"),
    field<&PackageVersion::seen_at>("seen_at"),
};
template <>
constexpr auto kFields<PackageWish> = std::array{
    field<&PackageWish::ns>("namespace"),
    field<&PackageWish::op>("op").must(),
    field<&PackageWish::name>("name").must(),
    field<&PackageWish::version>("version"),
    field<&PackageWish::url>("url"),
    field<&PackageWish::sha256>("sha256"),
    field<&PackageWish::worker>("worker"),
    field<&PackageWish::selector>("selector"),
    field<&PackageWish::by>("by"),
    field<&PackageWish::at>("at"),
    field<&PackageWish::workers>("workers"),
    field<&PackageWish::drift>("drift"),
    field<&PackageWish::forgotten>("forgotten"),
    document<&PackageWish::document>(),
};
template <>
constexpr auto kFields<PackageOperation> = std::array{
    field<&PackageOperation::op>("op"),
    field<&PackageOperation::version>("version"),
    field<&PackageOperation::message>("message"),
    field<&PackageOperation::failed>("failed"),
    field<&PackageOperation::attempts>("attempts"),
    field<&PackageOperation::due_at>("due_at"),
};
template <>
constexpr auto kFields<PackageHas> = std::array{field<&PackageHas::version>("version"), field<&PackageHas::status>("status")};
template <>
constexpr auto kFields<PackageAt> = std::array{
    field<&PackageAt::worker>("worker").must(),
    field<&PackageAt::worker_name>("worker_name"),
    field<&PackageAt::wanted>("wanted"),
    field<&PackageAt::wanted_version>("wanted_version"),
    field<&PackageAt::has>("has"),
    field<&PackageAt::drift>("drift"),
    field<&PackageAt::operation>("operation"),
    field<&PackageAt::seen_at>("seen_at"),
};
template <>
constexpr auto kFields<Package> = std::array{
    field<&Package::ns>("namespace"),
    field<&Package::name>("name").must(),
    field<&Package::description>("description"),
    field<&Package::latest_version>("latest_version"),
    field<&Package::manifest_version>("manifest_version"),
    field<&Package::versions>("versions"),
    field<&Package::wishes>("wishes"),
    field<&Package::workers>("workers"),
    field<&Package::workers_total>("workers_total"),
    field<&Package::drift>("drift"),
    Field<Package>{.name = "manifest",
                   .read =
                       [](const Json& object, const char* name, Package& out) {
                         if (const Json* own = find(object, name)) out.manifest = text_of(*own);
                       }},
    document<&Package::document>(),
};
template <>
constexpr auto kFields<PackageInstall> = std::array{
    field<&PackageInstall::ns>("namespace"),  field<&PackageInstall::version>("version"),
    field<&PackageInstall::worker>("worker"), field<&PackageInstall::selector>("selector"),
    field<&PackageInstall::all>("all"),       field<&PackageInstall::url>("url"),
    field<&PackageInstall::file>("file"),     field<&PackageInstall::sha256>("sha256"),
};
template <>
constexpr auto kFields<PackageUninstall> = std::array{
    field<&PackageUninstall::ns>("namespace"),  field<&PackageUninstall::version>("version"),
    field<&PackageUninstall::worker>("worker"), field<&PackageUninstall::selector>("selector"),
    field<&PackageUninstall::all>("all"),       field<&PackageUninstall::forget>("forget"),
};
template <>
constexpr auto kFields<PackageEvent> = std::array{
    field<&PackageEvent::at>("at"),
    field<&PackageEvent::ns>("namespace"),
    field<&PackageEvent::worker>("worker"),
    field<&PackageEvent::worker_name>("worker_name"),
    field<&PackageEvent::package>("package").must(),
    field<&PackageEvent::version>("version"),
    field<&PackageEvent::op>("op"),
    field<&PackageEvent::status>("status"),
    field<&PackageEvent::message>("message"),
    field<&PackageEvent::by>("by"),
    document<&PackageEvent::document>(),
};

}  // namespace fields

using namespace fields;

std::string encode(const PackageInstall& request) { return encoded_plain(request); }
std::string encode(const PackageUninstall& request) { return encoded_plain(request); }

Result<PackagePage> decode_package_page(std::string_view body) { return decoded<PackagePage>(body); }
Result<Package> decode_package(std::string_view body) { return decoded<Package>(body); }
Result<PackageWish> decode_package_wish(std::string_view body) { return decoded<PackageWish>(body); }
Result<std::vector<PackageEvent>> decode_package_events(std::string_view body) {
  return decoded_list<PackageEvent>(body, "events");
}

}  // namespace muster::sdk
