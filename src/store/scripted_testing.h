// A store that answers as a test says, verb by verb, and writes down what it was asked.
//
// What the test says nothing about goes to the store behind it; where there is none, it is answered at once with one plain value
// for each element of the batch.
#pragma once

#include <any>
#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "store/funnel.h"

namespace muster::store {

// Thread-safe.
class ScriptedStore : public Funnel<ScriptedStore> {
 public:
  ScriptedStore() = default;
  explicit ScriptedStore(Store& inner) : inner_(&inner) {}  // which outlives it

  // `act` takes the verb's arguments and gives its Result, or takes its Reply besides and gives nothing: it may then keep it. Its
  // parameters and what it returns are written out, since they are how the verb's own are known.
  template <class Act>
  void on(Verb verb, Act act) {
    const std::lock_guard lock(mutex_);
    acts_[index_of(verb)] = std::function(std::move(act));
  }
  void off(Verb verb) {
    const std::lock_guard lock(mutex_);
    acts_[index_of(verb)].reset();
  }
  // Every verb without a script is answered with it; nothing: no longer.
  void fail_with(std::optional<Status> failure) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
  }
  void set_health(StoreHealth health) {
    const std::lock_guard lock(mutex_);
    health_ = std::move(health);
  }

  // Calls wait from now on, before anything is done about them; let_go() does them in their order, and later ones at once.
  void hold() {
    const std::lock_guard lock(mutex_);
    holds_ = true;
  }
  std::size_t held() const {
    const std::lock_guard lock(mutex_);
    return held_.size();
  }
  void let_go() {
    std::vector<UniqueFunction<void()>> held;
    {
      const std::lock_guard lock(mutex_);
      holds_ = false;
      held.swap(held_);
    }
    for (UniqueFunction<void()>& call : held) call();
  }

  std::vector<Verb> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  std::size_t asked(Verb verb) const {
    const std::lock_guard lock(mutex_);
    return calls_[index_of(verb)].size();
  }
  // The argument of this type of each call of the verb.
  template <class Argument>
  std::vector<Argument> given(Verb verb) const {
    const std::lock_guard lock(mutex_);
    std::vector<Argument> out;
    for (const std::vector<std::any>& call : calls_[index_of(verb)])
      for (const std::any& each : call)
        if (const auto* const found = std::any_cast<Argument>(&each)) out.push_back(*found);
    return out;
  }
  // The elements of all its batches.
  template <class Element>
  std::vector<Element> elements(Verb verb) const {
    std::vector<Element> out;
    for (const std::vector<Element>& batch : given<std::vector<Element>>(verb)) out.insert(out.end(), batch.begin(), batch.end());
    return out;
  }
  Listener* listener() const { return listener_; }
  bool closed() const { return closed_; }

  StoreHealth health() const override {
    {
      const std::lock_guard lock(mutex_);
      if (health_) return *health_;
    }
    return inner_ != nullptr ? inner_->health() : StoreHealth();
  }
  KeyGlance glance(std::string_view key) const override { return inner_ != nullptr ? inner_->glance(key) : KeyGlance(); }
  void set_listener(Listener* listener) override {
    listener_ = listener;
    if (inner_ != nullptr) inner_->set_listener(listener);
  }
  Status close() override {
    closed_ = true;
    return inner_ != nullptr ? inner_->close() : Status();
  }

 private:
  friend class Funnel<ScriptedStore>;

  template <class T, class Method, class... Args>
  void pass(Verb verb, Method method, Reply<T> reply, Args... args) {
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back(verb);
      calls_[index_of(verb)].push_back({std::any(args)...});
      if (holds_) {
        held_.push_back([this, verb, method, reply = std::move(reply), ... args = std::move(args)]() mutable {
          answer<T>(verb, method, std::move(reply), std::move(args)...);
        });
        return;
      }
    }
    answer<T>(verb, method, std::move(reply), std::move(args)...);
  }

  template <class T, class Method, class... Args>
  void answer(Verb verb, Method method, Reply<T> reply, Args... args) {
    std::optional<Status> failure;
    std::any act;
    {
      const std::lock_guard lock(mutex_);
      failure = failure_;
      act = acts_[index_of(verb)];
    }
    if (auto* const answers = std::any_cast<std::function<Result<T>(const Args&...)>>(&act)) return reply((*answers)(args...));
    if (auto* const keeps = std::any_cast<std::function<void(Args..., Reply<T>)>>(&act))
      return (*keeps)(std::move(args)..., std::move(reply));
    check(!act.has_value(), "a script has the parameters and the result of its verb");
    if (failure) return reply(*failure);
    if (inner_ != nullptr) return (inner_->*method)(std::move(args)..., std::move(reply));
    T value{};
    fill(value, (std::size_t{0} + ... + size_of(args)));
    reply(std::move(value));
  }

  template <class T>
  static std::size_t size_of(const T&) {
    return 0;
  }
  template <class T>
  static std::size_t size_of(const std::vector<T>& batch) {
    return batch.size();
  }
  static std::size_t size_of(const KeyBatch& batch) { return batch.commands.size(); }

  template <class T>
  static void fill(T&, std::size_t) {}
  template <class T>
  static void fill(std::vector<T>& answers, std::size_t count) {
    answers.resize(count);
  }
  template <class T>
  static void fill(Each<T>& answers, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) answers.emplace_back(T());
  }

  Store* inner_ = nullptr;
  mutable std::mutex mutex_;  // leaf; guards the seven below
  std::array<std::any, kVerbNames.size()> acts_;
  std::vector<Verb> asked_;
  std::array<std::vector<std::vector<std::any>>, kVerbNames.size()> calls_;  // their arguments
  std::vector<UniqueFunction<void()>> held_;
  bool holds_ = false;
  std::optional<Status> failure_;
  std::optional<StoreHealth> health_;
  std::atomic<bool> closed_ = false;
  Listener* listener_ = nullptr;
};

}  // namespace muster::store
