// The audit book as JSON: queries in, pages out.
#pragma once

#include <vector>

#include "base/status.h"
#include "command/audit.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/writer.h"
#include "fronts/http/target.h"

namespace muster::http {

Result<command::AuditListRequest> decode_audit_list(const std::vector<QueryParameter>& query);

const Object<engine::AuditRow>& object_of(Of<engine::AuditRow>);
const Object<engine::AuditPage>& object_of(Of<engine::AuditPage>);

}  // namespace muster::http
