// Names between the Kagzi wires, where every text is one, and the registry, where names have a form.
//
// What the registry would refuse is percent-encoded, `%` itself too, so that every text has exactly one name and comes back as it
// was sent; the empty text is `%00`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/uuid.h"
#include "fronts/grpc/methods.h"
#include "model/ids.h"
#include "model/schedule.h"

namespace muster::rpc {

// For namespaces, queues and types.
std::string encode_name(std::string_view text);
// For steps, which may hold spaces and slashes.
std::string encode_step(std::string_view text);
// Of either; a name that other wires made and that is no encoding is shown as it is.
std::string decode_name(std::string_view name);

// Hyphenated, simple, braced or urn:uuid:, in any case.
std::optional<Uuid> parse_uuid(std::string_view text);
// invalid_argument names the field.
Result<Uuid> require_uuid(std::string_view field, std::string_view text);
Result<JobId> require_run(std::string_view field, std::string_view text);
Result<ScheduleId> require_schedule(std::string_view text);

// The same for the same name, on every node.
Uuid uuid_of_name(std::string_view name);

}  // namespace muster::rpc
