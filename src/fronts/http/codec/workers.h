// Workers as JSON, both ways.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "command/workers.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/writer.h"
#include "fronts/http/target.h"
#include "model/worker.h"

namespace muster::http {

Result<WorkerSpec> decode_registration(std::string_view body);
Result<store::Beat> decode_beat(std::string worker, std::string_view body);
Result<store::Drain> decode_drain(std::string worker, std::string_view body);  // an empty body is accepted
Result<store::Resume> decode_worker_resume(std::string worker, std::string_view body);
Result<store::Unregister> decode_unregister(std::string worker, const std::vector<QueryParameter>& query);
Result<store::WorkerQuery> decode_worker_query(const std::vector<QueryParameter>& query);
Result<command::WorkerGetRequest> decode_worker_get(std::string worker, const std::vector<QueryParameter>& query);

Result<command::WorkerSendRequest> decode_worker_send(std::string worker, std::string_view body);

const Object<store::Registered>& object_of(Of<store::Registered>);
const Object<store::BeatReply>& object_of(Of<store::BeatReply>);
const Object<command::WorkerSendReply>& object_of(Of<command::WorkerSendReply>);
void write_worker(JsonWriter& out, const Worker& worker, Instant now);  // health is graded at `now`
void write_workers(JsonWriter& out, const store::WorkerPage& page, Instant now);

}  // namespace muster::http
