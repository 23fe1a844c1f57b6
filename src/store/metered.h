// A store that keeps time: how long each verb took until its answer, and what failed with which code.
//
// The server puts it between the engine and the real store. Recording an answer costs one atomic addition; only a failure
// looks its counter up. A reply that throws ends here, as an incident: it never reaches a thread of the store.
#pragma once

#include <array>
#include <utility>

#include "base/clock.h"
#include "base/incident.h"
#include "base/metrics.h"
#include "store/funnel.h"

namespace muster::store {

inline constexpr const char* kVerbDurationMetric = "muster_store_verb_duration_seconds";
inline constexpr const char* kVerbFailuresMetric = "muster_store_verb_failures_total";

// Thread-safe. Inner store, metrics and clock outlive it and every reply.
class MeteredStore final : public Funnel<MeteredStore> {
 public:
  MeteredStore(Store& inner, Metrics& metrics, const Clock& clock);

  StoreHealth health() const override { return inner_.health(); }
  KeyGlance glance(std::string_view key) const override { return inner_.glance(key); }
  void set_listener(Listener* listener) override { inner_.set_listener(listener); }
  Status close() override { return inner_.close(); }

 private:
  friend class Funnel<MeteredStore>;

  template <class T, class Method, class... Args>
  void pass(Verb verb, Method method, Reply<T> reply, Args... args) {
    (inner_.*method)(std::move(args)...,
                     Reply<T>([this, verb, begun = clock_.elapsed(), told = std::move(reply)](Result<T> answer) mutable {
                       durations_[index_of(verb)]->observe(std::chrono::duration<double>(clock_.elapsed() - begun).count());
                       count_failures(verb, answer);
                       deliver(verb, told, std::move(answer));
                     }));
  }

  template <class T>
  void deliver(Verb verb, Reply<T>& reply, Result<T> answer) {
    try {
      reply(std::move(answer));
    } catch (...) {
      const Incident incident(incidents_, to_string(verb));
      reply = {};  // a request that it holds is answered under this incident
    }
  }

  template <class T>
  void count_failures(Verb verb, const Result<T>& answer) {
    if (!answer.ok()) count_failure(verb, answer.code());
  }
  template <class T>
  void count_failures(Verb verb, const Result<Each<T>>& answer) {
    if (!answer.ok()) return count_failure(verb, answer.code());
    for (const Result<T>& element : *answer) count_failures(verb, element);
  }
  void count_failure(Verb verb, Code code);

  Store& inner_;
  Metrics& metrics_;
  const Clock& clock_;
  const Incidents incidents_;
  std::array<Histogram*, kVerbNames.size()> durations_{};
};

}  // namespace muster::store
