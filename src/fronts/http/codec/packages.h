// Packages of workers as JSON, both ways.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "command/packages.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/writer.h"
#include "fronts/http/target.h"

namespace muster::http {

Result<command::PackageListRequest> decode_package_list(const std::vector<QueryParameter>& query);
Result<command::PackageGetRequest> decode_package_get(std::string package, const std::vector<QueryParameter>& query);
Result<command::PackageInstallRequest> decode_package_install(std::string package, std::string_view body);
Result<command::PackageUninstallRequest> decode_package_uninstall(std::string package, std::string_view body);
Result<command::PackageEventsRequest> decode_package_events(const std::vector<QueryParameter>& query);

const Object<command::PackagePage>& object_of(Of<command::PackagePage>);
const Object<command::PackageView>& object_of(Of<command::PackageView>);
const Object<command::PackageWished>& object_of(Of<command::PackageWished>);
const Object<command::PackageEvents>& object_of(Of<command::PackageEvents>);
const Object<PackageChange>& object_of(Of<PackageChange>);  // also of the stream of events

}  // namespace muster::http
