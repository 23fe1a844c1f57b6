#include "store/metered.h"

#include <string>

namespace muster::store {

MeteredStore::MeteredStore(Store& inner, Metrics& metrics, const Clock& clock)
    : inner_(inner), metrics_(metrics), clock_(clock), incidents_(metrics, "store") {
  for (std::size_t i = 0; i < kVerbNames.size(); ++i)
    durations_[i] = &metrics_.histogram(kVerbDurationMetric, "Time from the call of a store verb to its answer.",
                                        latency_bounds(), {{"verb", std::string(kVerbNames[i])}});
}

void MeteredStore::count_failure(Verb verb, Code code) {
  metrics_
      .counter(kVerbFailuresMetric, "Failed answers of store verbs, elements of a batch counted one by one.",
               {{"verb", std::string(to_string(verb))}, {"code", std::string(to_string(code))}})
      .add();
}

}  // namespace muster::store
