#include "model/lane.h"

#include <algorithm>

#include "base/check.h"
#include "model/run.h"

namespace muster {

bool takes_kind(const Offer& offer, const Lane& lane) {
  switch (offer.takes) {
    case JobKind::any: return true;
    case JobKind::run: return lane.needs.contains(workflow_capability(lane.type.text()));
    case JobKind::node: return lane.needs.contains(node_capability(lane.type.text()));
  }
  unreachable();
}

bool may_serve(const Offer& offer, const Lane& lane) {
  if (offer.ns != lane.ns || !takes_kind(offer, lane)) return false;
  if (!offer.queues.empty() && !std::binary_search(offer.queues.begin(), offer.queues.end(), lane.queue)) return false;
  return offer.capabilities.covers(lane.needs);
}

CapabilitySet plain_needs(const JobSpec& spec) {
  if (spec.selector.empty()) return spec.needs;
  std::vector<std::string> names(spec.needs.names().begin(), spec.needs.names().end());
  for (const auto& [key, value] : spec.selector) names.push_back(label_capability(key, value));
  return CapabilitySet(std::move(names));
}

}  // namespace muster
