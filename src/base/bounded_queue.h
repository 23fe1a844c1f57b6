// A bounded queue from many producers to one consumer, with an end.
//
// Full is an answer, not a wait: try_push says no and the producer tells its caller `exhausted`. After close() nothing more
// goes in and the consumer still takes out what is there, so that accepted work is finished before a thread ends.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "base/check.h"

namespace muster {

template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) { check(capacity > 0, "a queue holds at least one item"); }

  // False when full or closed; `item` is then unchanged.
  [[nodiscard]] bool try_push(T&& item) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || items_.size() >= capacity_) return false;
      items_.push_back(std::move(item));
    }
    filled_.notify_one();
    return true;
  }

  // Waits for an item. nullopt: closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return closed_ || !items_.empty(); });
    return take();
  }

  // nullopt: nothing there now.
  std::optional<T> try_pop() {
    const std::lock_guard lock(mutex_);
    return take();
  }

  // Waits for items and takes all of them at once. Empty: closed and empty.
  std::deque<T> pop_all() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return closed_ || !items_.empty(); });
    return std::exchange(items_, {});
  }

  // Idempotent.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    filled_.notify_all();
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return items_.size();
  }
  std::size_t capacity() const { return capacity_; }

 private:
  std::optional<T> take() {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  const std::size_t capacity_;
  mutable std::mutex mutex_;  // leaf; guards the two below
  std::deque<T> items_;
  bool closed_ = false;
  std::condition_variable filled_;
};

}  // namespace muster
