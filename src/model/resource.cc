#include "model/resource.h"

#include <fmt/format.h>

#include "base/json_reader.h"
#include "model/validate.h"

namespace muster {

std::string_view to_string(ResourceState state) { return state == ResourceState::active ? "active" : "evicted"; }

Status validate(const Resource& resource) {
  const auto text = [](std::string_view what, const std::string& value, std::size_t bytes_max, bool required) {
    return validate_text(what, value, {.bytes_max = bytes_max, .required = required});
  };
  if (Status status = validate_name("namespace", resource.ns.text()); !status.ok()) return status;
  if (Status status = text("resource id", resource.id, limits::kKeyBytesMax, true); !status.ok()) return status;
  if (Status status = text("type", resource.type, limits::kNameBytesMax, true); !status.ok()) return status;
  if (Status status = text("scope", resource.scope, limits::kNameBytesMax, false); !status.ok()) return status;
  if (Status status = text("worker_name", resource.worker_name, limits::kLabelBytesMax, true); !status.ok()) return status;
  if (Status status = text("job", resource.job, limits::kNameBytesMax, false); !status.ok()) return status;
  if (!resource.worker.empty())
    if (Status status = validate_name("worker", resource.worker.text()); !status.ok()) return status;
  if (resource.metadata.size() > limits::kMetadataBytesMax)
    return Status::invalid_argument(
        fmt::format("metadata has {} bytes; at most {} are accepted", resource.metadata.size(), limits::kMetadataBytesMax));
  if (!resource.metadata.empty() && !json::parse_object(resource.metadata))
    return Status::invalid_argument("metadata is no JSON object; one is accepted");
  return {};
}

void judge_holder(Resource& resource, const HolderFacts& facts) {
  using Own = HolderFacts::Own;
  const bool gone = facts.own == Own::unknown || (facts.own == Own::offline && facts.namesake_lives);
  resource.state = gone ? ResourceState::evicted : ResourceState::active;
  resource.worker_live = facts.own == Own::live || (facts.own == Own::unnamed && facts.namesake_lives);
}

}  // namespace muster
