// A store that misbehaves on purpose: the decorator with which callers prove that they survive a bad day.
//
// Tests and the simulation put it in front of a real store. It can refuse a verb (`unavailable`, nothing is done), do it and
// say `outcome_unknown`, or do it and hold the answer back. What happens to a call is decided by the verb's script while
// it lasts, else by the verb's policy and a seeded random sequence: the same seed and calls give the same faults.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "store/funnel.h"

namespace muster::store {

enum class Fault : std::uint8_t { none, refuse, unknown, hold };

// Shares of the calls, each 0 to 1, together at most 1.
struct FaultPolicy {
  double refuse = 0;
  double unknown = 0;
  double hold = 0;
};

// Thread-safe. The inner store outlives it. Replies leave on the inner store's threads, on the thread that refuses, or on
// the one whose call or deliver_held() lets a held one go; never while the mutex is held.
class FaultStore final : public Funnel<FaultStore> {
 public:
  // hold_calls: a held answer leaves with the n-th later call of any verb; 0 keeps it until deliver_held().
  struct Options {
    std::uint64_t seed = 1;
    std::size_t hold_calls = 0;
  };
  FaultStore(Store& inner, Options options) : inner_(inner), options_(options) {}

  void set_policy(Verb verb, FaultPolicy policy);
  void set_policy_of_all(FaultPolicy policy);
  // The next calls of the verb meet these, in order, whatever its policy says. Adds to a script that is not used up.
  void add_script(Verb verb, const std::vector<Fault>& faults);

  std::size_t held() const;                   // answers that are known and kept back
  std::size_t deliver_held();                 // lets all of them go, in the order they came in; says how many
  std::uint64_t injected(Fault fault) const;  // how often it happened

  StoreHealth health() const override { return inner_.health(); }
  KeyGlance glance(std::string_view key) const override { return inner_.glance(key); }
  void set_listener(Listener* listener) override { inner_.set_listener(listener); }
  Status close() override;  // nothing stays held

 private:
  friend class Funnel<FaultStore>;
  using Delivery = UniqueFunction<void()>;
  struct Held {
    std::uint64_t due_call = 0;
    Delivery deliver;
  };
  struct Decision {
    Fault fault = Fault::none;
    std::uint64_t call = 0;
  };

  template <class T, class Method, class... Args>
  void pass(Verb verb, Method method, Reply<T> reply, Args... args) {
    const Decision decision = decide(verb);
    switch (decision.fault) {
      case Fault::none: return (inner_.*method)(std::move(args)..., std::move(reply));
      case Fault::refuse: return reply(refusal(verb));
      case Fault::unknown:
        return (inner_.*method)(std::move(args)...,
                                Reply<T>([verb, told = std::move(reply)](Result<T>) mutable { told(doubt(verb)); }));
      case Fault::hold:
        return (inner_.*method)(
            std::move(args)..., Reply<T>([this, call = decision.call, told = std::move(reply)](Result<T> answer) mutable {
              keep(call, [late = std::move(told), value = std::move(answer)]() mutable { late(std::move(value)); });
            }));
    }
    unreachable();
  }

  // Counts the call, lets held answers go that waited for it, and says what it meets.
  Decision decide(Verb verb);
  void keep(std::uint64_t call, Delivery deliver);
  static Status refusal(Verb verb);
  static Status doubt(Verb verb);

  Store& inner_;
  const Options options_;
  mutable std::mutex mutex_;  // leaf; guards everything below
  std::array<FaultPolicy, kVerbNames.size()> policies_{};
  std::array<std::deque<Fault>, kVerbNames.size()> scripts_{};
  std::array<std::uint64_t, 4> injected_{};
  std::deque<Held> held_;
  std::uint64_t calls_ = 0;
  std::uint64_t draws_ = 0;
  bool closed_ = false;
};

}  // namespace muster::store
