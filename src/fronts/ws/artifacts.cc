#include "fronts/ws/artifacts.h"

#include "base/time_text.h"
#include "fronts/ws/member_text.h"

namespace muster::ws {

std::vector<Resource> artifacts_of(const Identity& worker, const json::Tree& result, const JobId& job) {
  std::vector<Resource> out;
  const json::Tree* artifacts = json::array(result, "artifacts");
  if (artifacts == nullptr) return out;
  for (const json::Tree& artifact : *artifacts) {
    if (out.size() == kArtifactsMax) break;
    const std::string holder = text_of(artifact, worker.protocol == session::Protocol::v1 ? "worker_id" : "worker_name");
    if (holder != worker.name && holder != worker.instance) continue;
    Resource resource;
    resource.ns = NamespaceName(worker.tenant);
    resource.id = text_of(artifact, "resource_id");
    resource.type = text_of(artifact, "type");
    resource.worker_name = worker.name;
    resource.worker = WorkerId(worker.instance);
    resource.size_bytes = json::natural(artifact, "size_bytes");
    resource.in_result = json::flag(artifact, "inline").value_or(false);
    resource.expires_at = parse_rfc3339(text_of(artifact, "expires_at"));
    if (const json::Tree* metadata = json::member(artifact, "metadata"); metadata != nullptr && metadata->is_object())
      resource.metadata = json::dump(*metadata);
    // More than is kept about it says nothing; the result has it all.
    if (resource.metadata.size() > limits::kMetadataBytesMax) resource.metadata.clear();
    resource.job = job.text();
    out.push_back(std::move(resource));
  }
  return out;
}

}  // namespace muster::ws
