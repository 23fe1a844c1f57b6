// A callable that is owned, not shared: move-only, so it can carry a socket, a promise or another reply.
//
// std::function needs copyable targets, and C++20 has no move_only_function. Small targets live inside the object, so a
// reply that only carries a pointer or two costs no allocation on the hot path.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "base/check.h"

namespace muster {

template <class Signature>
class UniqueFunction;

template <class R, class... Args>
class UniqueFunction<R(Args...)> {
 public:
  UniqueFunction() = default;

  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, UniqueFunction> && std::is_invocable_r_v<R, F&, Args...>)
      UniqueFunction(F&& target) {  // NOLINT: implicit on purpose, as with std::function
    using Target = std::remove_cvref_t<F>;
    if constexpr (sizeof(Target) <= kInlineBytes && alignof(Target) <= alignof(std::max_align_t) &&
                  std::is_nothrow_move_constructible_v<Target>) {
      ::new (static_cast<void*>(storage_.data())) Target(std::forward<F>(target));
      table_ = &kInline<Target>;
    } else {
      ::new (static_cast<void*>(storage_.data())) Target*(new Target(std::forward<F>(target)));
      table_ = &kHeap<Target>;
    }
  }

  UniqueFunction(UniqueFunction&& other) noexcept { take(other); }
  UniqueFunction& operator=(UniqueFunction&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  UniqueFunction(const UniqueFunction&) = delete;
  UniqueFunction& operator=(const UniqueFunction&) = delete;
  ~UniqueFunction() { reset(); }

  explicit operator bool() const { return table_ != nullptr; }

  // REQUIRES: a target.
  R operator()(Args... args) {
    check(table_ != nullptr, "an empty UniqueFunction was called");
    return table_->call(storage_.data(), std::forward<Args>(args)...);
  }

 private:
  static constexpr std::size_t kInlineBytes = 48;

  struct Table {
    R (*call)(void*, Args&&...);
    void (*move)(void* from, void* to);
    void (*destroy)(void*);
  };

  template <class Target>
  static constexpr Table kInline{
      [](void* self, Args&&... args) -> R { return (*static_cast<Target*>(self))(std::forward<Args>(args)...); },
      [](void* from, void* to) {
        ::new (to) Target(std::move(*static_cast<Target*>(from)));
        static_cast<Target*>(from)->~Target();
      },
      [](void* self) { static_cast<Target*>(self)->~Target(); }};

  template <class Target>
  static constexpr Table kHeap{
      [](void* self, Args&&... args) -> R { return (**static_cast<Target**>(self))(std::forward<Args>(args)...); },
      [](void* from, void* to) { ::new (to) Target*(*static_cast<Target**>(from)); },
      [](void* self) { delete *static_cast<Target**>(self); }};

  void take(UniqueFunction& other) noexcept {
    table_ = std::exchange(other.table_, nullptr);
    if (table_ != nullptr) table_->move(other.storage_.data(), storage_.data());
  }
  void reset() noexcept {
    if (table_ != nullptr) std::exchange(table_, nullptr)->destroy(storage_.data());
  }

  const Table* table_ = nullptr;
  alignas(std::max_align_t) std::array<std::byte, kInlineBytes> storage_{};
};

}  // namespace muster
