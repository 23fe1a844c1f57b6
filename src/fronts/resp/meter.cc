#include "fronts/resp/meter.h"

namespace muster::resp {

Meter::Meter(Metrics& metrics)
    : metrics_(metrics),
      refusals_(metrics.counter("muster_resp_refusals_total", "Commands that were not begun: unknown, not allowed, malformed.")),
      auth_failures_(metrics.counter("muster_resp_auth_failures_total", "AUTH with a wrong key.")) {}

void Meter::count(const Entry* entry) {
  ++commands_;
  if (entry == last_entry_ && last_ != nullptr) return last_->add();
  Counter*& counter = by_entry_[entry];
  if (counter == nullptr)
    counter = &metrics_.counter("muster_resp_commands_total", "Commands received, by name.",
                                {{"command", entry == nullptr ? "unknown" : std::string(entry->name)}});
  counter->add();
  last_entry_ = entry;
  last_ = counter;
}

void Meter::count_refusal() { refusals_.add(); }
void Meter::count_auth_failure() { auth_failures_.add(); }

}  // namespace muster::resp
