// Queues, namespaces, backups and the server as JSON, both ways.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "command/namespaces.h"
#include "command/queues.h"
#include "command/server.h"
#include "command/watch/search.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/writer.h"
#include "fronts/http/target.h"

namespace muster::http {

Result<command::QueueListRequest> decode_queue_list(const std::vector<QueryParameter>& query);
Result<command::QueuePauseRequest> decode_queue_pause(std::string queue, std::string_view body);    // an empty body is accepted
Result<command::QueueResumeRequest> decode_queue_resume(std::string queue, std::string_view body);  // an empty body is accepted
Result<command::QueueLimitRequest> decode_queue_limit(std::string queue, std::string_view body);
Result<command::NamespaceCreateRequest> decode_namespace_create(std::string_view body);
Result<command::BackupCreateRequest> decode_backup_create(std::string_view body);
Result<command::SearchRequest> decode_search(const std::vector<QueryParameter>& query);

const Object<QueueStats>& object_of(Of<QueueStats>);
const Object<NamespaceInfo>& object_of(Of<NamespaceInfo>);
const Object<store::BackupReport>& object_of(Of<store::BackupReport>);
const Object<command::ServerInfoReply>& object_of(Of<command::ServerInfoReply>);
const Object<command::SearchReply>& object_of(Of<command::SearchReply>);

}  // namespace muster::http
