#include "command/packages.h"
#include "fronts/http/codec/packages.h"
#include "fronts/http/endpoint.h"
#include "fronts/http/endpoints.h"

namespace muster::http::endpoints {
namespace {

Result<command::PackageArchiveRequest> archive_of_path(const Exchange& exchange) {
  const std::vector<std::string>& path = exchange.parameters;
  return command::PackageArchiveRequest{{.name = path[0], .version = path[1], .file = path[2]}};
}

// Bytes that somebody put there: a browser keeps them, and takes them for nothing else.
Response archive(command::ArchiveBytes& value, const Exchange&) {
  return {.status = 200,
          .content_type = "application/octet-stream",
          .body = std::move(value.bytes),
          .headers = {{"X-Content-Type-Options", "nosniff"}, {"Content-Disposition", "attachment"}}};
}

}  // namespace

void package_list(ExchangePtr exchange) { serve<decode_package_list, as_json<command::PackagePage>>(std::move(exchange)); }
void package_get(ExchangePtr exchange) { serve<decode_package_get, as_json<command::PackageView>>(std::move(exchange)); }
void package_install(ExchangePtr exchange) {
  serve<decode_package_install, as_json<command::PackageWished>>(std::move(exchange));
}
void package_uninstall(ExchangePtr exchange) {
  serve<decode_package_uninstall, as_json<command::PackageWished>>(std::move(exchange));
}
void package_events(ExchangePtr exchange) { serve<decode_package_events, as_json<command::PackageEvents>>(std::move(exchange)); }
void package_archive(ExchangePtr exchange) { serve<archive_of_path, archive>(std::move(exchange)); }

}  // namespace muster::http::endpoints
