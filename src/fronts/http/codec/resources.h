// Resources as JSON, both ways.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "command/resources.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/target.h"

namespace muster::http {

Result<command::ResourcePutRequest> decode_resource_put(std::string id, std::string_view body);
Result<command::ResourceListRequest> decode_resource_list(const std::vector<QueryParameter>& query);
Result<command::ResourceGetRequest> decode_resource_get(std::string id, const std::vector<QueryParameter>& query);
Result<command::ResourceDeleteRequest> decode_resource_delete(std::string id, const std::vector<QueryParameter>& query);

const Object<Resource>& object_of(Of<Resource>);
const Object<ResourcePage>& object_of(Of<ResourcePage>);

}  // namespace muster::http
