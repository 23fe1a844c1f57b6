// The smallest store: it remembers which verbs it was asked for and answers each with an empty value or a set failure.
// For the unit tests of the decorators.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "store/funnel.h"

namespace muster::store {

class EchoStore final : public Funnel<EchoStore> {
 public:
  std::vector<Verb> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  void fail_with(Status status) { failure_ = std::move(status); }
  // One element with this failure in every batch answer.
  void fail_elements_with(Status status) { element_failure_ = std::move(status); }
  bool closed() const { return closed_; }
  Listener* listener() const { return listener_; }

  StoreHealth health() const override { return {.writable = false, .reason = "echo"}; }
  KeyGlance glance(std::string_view) const override { return {}; }
  void set_listener(Listener* listener) override { listener_ = listener; }
  Status close() override {
    closed_ = true;
    return {};
  }

 private:
  friend class Funnel<EchoStore>;

  template <class T, class Method, class... Args>
  void pass(Verb verb, Method, Reply<T> reply, Args...) {
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back(verb);
    }
    if (failure_) return reply(*failure_);
    T value{};
    add_element(value);
    reply(std::move(value));
  }

  template <class T>
  void add_element(T&) {}
  template <class T>
  void add_element(Each<T>& batch) {
    if (element_failure_) batch.push_back(*element_failure_);
  }

  mutable std::mutex mutex_;  // leaf; guards asked_
  std::vector<Verb> asked_;
  std::optional<Status> failure_;
  std::optional<Status> element_failure_;
  std::atomic<bool> closed_ = false;
  Listener* listener_ = nullptr;
};

}  // namespace muster::store
