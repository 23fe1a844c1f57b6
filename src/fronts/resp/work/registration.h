// What WORKER.REGISTER says, read into the registry's words. Pure: text in, values out; the messages are the dialect's own.
//
// Capabilities come as an object of tools and agentic units, as a flat array or as a comma list; all become `tool:<name>`. Tags
// that can be labels become labels; the whole text is kept as it came.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "model/worker.h"

namespace muster::resp::work {

inline constexpr std::size_t kWorkerIdMax = 64;
inline constexpr std::size_t kTagListMax = limits::kLabelBytesMax;

// What a worker may call itself. invalid_argument: the first two of the next, or that it is empty or begins as ours do.
Status validate_worker_id(std::string_view id);

// invalid_argument: "Invalid worker ID characters", "Worker ID too long", "Invalid capabilities format", "Invalid worker
// registration: <details>".
Result<WorkerSpec> read_registration(std::string_view json);

// `sort,uniq`: names of tools. invalid_argument: "Invalid capabilities format".
Result<CapabilitySet> read_tool_list(std::string_view list);
// `cpu,gpu`: kept as it is.
Status validate_tag_list(std::string_view list);

// A JSON object that a heartbeat brought. invalid_argument: "Invalid worker stats: <details>".
Status validate_stats(std::string_view json);

}  // namespace muster::resp::work
