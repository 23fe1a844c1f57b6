#include "store/faults.h"

#include <utility>

#include <fmt/format.h>

#include "base/uuid.h"

namespace muster::store {

void FaultStore::set_policy(Verb verb, FaultPolicy policy) {
  check(policy.refuse + policy.unknown + policy.hold <= 1.0, "the shares of a fault policy are together at most 1");
  const std::lock_guard lock(mutex_);
  policies_[index_of(verb)] = policy;
}

void FaultStore::set_policy_of_all(FaultPolicy policy) {
  for (std::size_t i = 0; i < kVerbNames.size(); ++i) set_policy(static_cast<Verb>(i), policy);
}

void FaultStore::add_script(Verb verb, const std::vector<Fault>& faults) {
  const std::lock_guard lock(mutex_);
  auto& script = scripts_[index_of(verb)];
  script.insert(script.end(), faults.begin(), faults.end());
}

std::size_t FaultStore::held() const {
  const std::lock_guard lock(mutex_);
  return held_.size();
}

std::size_t FaultStore::deliver_held() {
  std::deque<Held> free;
  {
    const std::lock_guard lock(mutex_);
    free.swap(held_);
  }
  for (Held& held : free) held.deliver();
  return free.size();
}

std::uint64_t FaultStore::injected(Fault fault) const {
  const std::lock_guard lock(mutex_);
  return injected_[static_cast<std::size_t>(fault)];
}

Status FaultStore::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;  // answers that arrive from here on are not held
  }
  deliver_held();
  return inner_.close();
}

FaultStore::Decision FaultStore::decide(Verb verb) {
  std::vector<Delivery> due;
  Decision decision;
  {
    const std::lock_guard lock(mutex_);
    decision.call = ++calls_;
    // Answers come in the inner store's order, which need not be the order of the calls.
    for (auto held = held_.begin(); options_.hold_calls > 0 && held != held_.end();) {
      if (held->due_call > calls_) {
        ++held;
        continue;
      }
      due.push_back(std::move(held->deliver));
      held = held_.erase(held);
    }
    auto& script = scripts_[index_of(verb)];
    if (closed_) {
      decision.fault = Fault::none;  // the inner store has its own word for it
    } else if (!script.empty()) {
      decision.fault = script.front();
      script.pop_front();
    } else {
      const FaultPolicy& policy = policies_[index_of(verb)];
      constexpr double kUnit = 1.0 / static_cast<double>(std::uint64_t{1} << 53);
      const double draw = static_cast<double>(mix64(options_.seed + ++draws_) >> 11) * kUnit;  // even in [0, 1)
      if (draw < policy.refuse)
        decision.fault = Fault::refuse;
      else if (draw < policy.refuse + policy.unknown)
        decision.fault = Fault::unknown;
      else if (draw < policy.refuse + policy.unknown + policy.hold)
        decision.fault = Fault::hold;
    }
    ++injected_[static_cast<std::size_t>(decision.fault)];
  }
  for (Delivery& deliver : due) deliver();
  return decision;
}

void FaultStore::keep(std::uint64_t call, Delivery deliver) {
  {
    const std::lock_guard lock(mutex_);
    const std::uint64_t due_call = call + options_.hold_calls;
    // A slow inner store may answer after the calls it was to wait for: such an answer is late enough.
    const bool over = closed_ || (options_.hold_calls > 0 && due_call <= calls_);
    if (!over) {
      held_.push_back({due_call, std::move(deliver)});
      return;
    }
  }
  deliver();
}

Status FaultStore::refusal(Verb verb) {
  return Status::unavailable(fmt::format("{} was refused by the fault store", to_string(verb)));
}

Status FaultStore::doubt(Verb verb) {
  return Status::outcome_unknown(fmt::format("{} lost its answer in the fault store", to_string(verb)));
}

}  // namespace muster::store
