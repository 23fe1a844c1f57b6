// Queues, namespaces, backups and the server as JSON, both ways.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "command/namespaces.h"
#include "command/queues.h"
#include "command/server.h"
#include "fronts/http/json/writer.h"
#include "fronts/http/target.h"

namespace muster::http {

Result<command::QueueListRequest> decode_queue_list(const std::vector<QueryParameter>& query);
Result<command::QueuePauseRequest> decode_queue_pause(std::string queue, std::string_view body);    // an empty body is accepted
Result<command::QueueResumeRequest> decode_queue_resume(std::string queue, std::string_view body);  // an empty body is accepted
Result<command::QueueLimitRequest> decode_queue_limit(std::string queue, std::string_view body);
Result<command::NamespaceCreateRequest> decode_namespace_create(std::string_view body);
Result<command::BackupCreateRequest> decode_backup_create(std::string_view body);

void write(JsonWriter& out, const QueueStats& queue);
void write(JsonWriter& out, const NamespaceInfo& info);
void write(JsonWriter& out, const store::BackupReport& report);
void write(JsonWriter& out, const command::ServerInfoReply& info);

}  // namespace muster::http
