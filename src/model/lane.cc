#include "model/lane.h"

#include <algorithm>

namespace muster {

bool may_serve(const Offer& offer, const Lane& lane) {
  if (offer.ns != lane.ns) return false;
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
