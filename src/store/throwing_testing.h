// A store whose verbs throw when a test says so, as our own code would by mistake. For the tests of the guards.
#pragma once

#include <atomic>
#include <stdexcept>
#include <utility>

#include "store/funnel.h"

namespace muster::store {

class ThrowingStore final : public Funnel<ThrowingStore> {
 public:
  explicit ThrowingStore(Store& inner) : inner_(inner) {}  // which outlives it

  // Every call of the verb throws from now on, before anything is asked of the inner store.
  void throw_at(Verb verb) { throws_at_ = static_cast<int>(index_of(verb)); }
  void heal() { throws_at_ = kNone; }

  StoreHealth health() const override { return inner_.health(); }
  KeyGlance glance(std::string_view key) const override { return inner_.glance(key); }
  void set_listener(Listener* listener) override { inner_.set_listener(listener); }
  Status close() override { return inner_.close(); }

 private:
  friend class Funnel<ThrowingStore>;
  static constexpr int kNone = -1;

  template <class T, class Method, class... Args>
  void pass(Verb verb, Method method, Reply<T> reply, Args... args) {
    if (throws_at_ == static_cast<int>(index_of(verb))) throw std::runtime_error("a test throws");
    (inner_.*method)(std::move(args)..., std::move(reply));
  }

  Store& inner_;
  std::atomic<int> throws_at_{kNone};
};

}  // namespace muster::store
