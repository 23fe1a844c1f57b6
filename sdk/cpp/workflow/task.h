// C++20 coroutines for workflows: Task<T>, which begins when it is awaited, and when_all(), which runs several side by side.
//
// The coroutine code of one run is always resumed by the run's own thread, so it needs no locks; what runs side by side are the
// functions of its steps. Write coroutines as named functions that take their parameters by value (a capturing lambda is safe
// only when it is the handler itself, which the worker keeps).
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace muster::sdk::workflow {

template <class T>
class Task;

namespace detail {

// Resumes whoever awaited the task, or nobody when it was the outermost.
struct FinalAwaiter {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
    if (ended.promise().continuation) return ended.promise().continuation;
    return std::noop_coroutine();
  }
  void await_resume() const noexcept {}
};

struct PromiseBase {
  std::coroutine_handle<> continuation;
  std::exception_ptr failure;
  std::suspend_always initial_suspend() noexcept { return {}; }
  FinalAwaiter final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { failure = std::current_exception(); }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() {
    if (failure) std::rethrow_exception(failure);
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() {}
  void take() {
    if (failure) std::rethrow_exception(failure);
  }
};

}  // namespace detail

// Movable, awaited once. Destroying it destroys the coroutine where it stands.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this == &other) return *this;
    if (handle_) handle_.destroy();
    handle_ = std::exchange(other.handle_, nullptr);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
    handle_.promise().continuation = awaiting;
    return handle_;
  }
  T await_resume() { return handle_.promise().take(); }

  // For the one who drives the outermost task.
  std::coroutine_handle<> handle() const { return handle_; }
  bool done() const { return handle_.done(); }
  T take() { return handle_.promise().take(); }

 private:
  Handle handle_;
};

namespace detail {

template <class T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

// How many branches are still under way, and who waits for them.
struct Join {
  std::size_t left = 0;
  std::coroutine_handle<> waiting;
};

// One branch of a when_all: ends by counting itself off.
struct Branch {
  struct promise_type {
    Join* join = nullptr;
    Branch get_return_object() { return Branch{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct CountOff {
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) const noexcept {
        Join& of = *ended.promise().join;
        if (--of.left == 0) return of.waiting;
        return std::noop_coroutine();
      }
      void await_resume() const noexcept {}
    };
    CountOff final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() noexcept { std::terminate(); }  // the body catches everything
  };

  explicit Branch(std::coroutine_handle<promise_type> given) : handle(given) {}
  Branch(Branch&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Branch& operator=(Branch&&) = delete;
  ~Branch() {
    if (handle) handle.destroy();
  }
  std::coroutine_handle<promise_type> handle;
};

// Void branches give a monostate, so that every branch has a value.
template <class T>
using ValueOf = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
struct Slot {
  std::optional<ValueOf<T>> value;
  std::exception_ptr failure;
};

template <class T>
Branch settle(Task<T>& task, Slot<T>& slot) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await task;
      slot.value.emplace();
    } else {
      slot.value.emplace(co_await task);
    }
  } catch (...) {
    slot.failure = std::current_exception();
  }
}

struct AwaitBranches {
  std::vector<Branch>& branches;
  Join& join;
  bool await_ready() const noexcept { return branches.empty(); }
  // The count is held up by one until every branch has begun, so that none of them resumes the waiting one too early.
  bool await_suspend(std::coroutine_handle<> waiting) {
    join.waiting = waiting;
    join.left = branches.size() + 1;
    for (Branch& branch : branches) {
      branch.handle.promise().join = &join;
      branch.handle.resume();
    }
    return --join.left != 0;
  }
  void await_resume() const noexcept {}
};

template <class T>
ValueOf<T> taken(Slot<T>& slot) {
  if (slot.failure) std::rethrow_exception(slot.failure);
  return std::move(*slot.value);
}

}  // namespace detail

// Waits for all of them, also when one fails; then gives their values in order, or the first failure in order.
template <class T>
Task<std::vector<detail::ValueOf<T>>> when_all(std::vector<Task<T>> tasks) {
  std::vector<detail::Slot<T>> slots(tasks.size());
  std::vector<detail::Branch> branches;
  branches.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) branches.push_back(detail::settle(tasks[i], slots[i]));
  detail::Join join;
  co_await detail::AwaitBranches{branches, join};
  std::vector<detail::ValueOf<T>> values;
  values.reserve(slots.size());
  for (detail::Slot<T>& slot : slots) values.push_back(detail::taken(slot));
  co_return values;
}

// The same for tasks of different types: a tuple, with std::monostate where a task gives nothing.
template <class... Ts>
Task<std::tuple<detail::ValueOf<Ts>...>> when_all(Task<Ts>... tasks) {
  std::tuple<detail::Slot<Ts>...> slots;
  std::tuple<Task<Ts>&...> all(tasks...);
  std::vector<detail::Branch> branches;
  branches.reserve(sizeof...(Ts));
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (branches.push_back(detail::settle(std::get<I>(all), std::get<I>(slots))), ...);
  }
  (std::index_sequence_for<Ts...>{});
  detail::Join join;
  co_await detail::AwaitBranches{branches, join};
  // Braces, because they are evaluated in order: the first failure is the one that is thrown.
  co_return std::apply([](auto&... slot) { return std::tuple<detail::ValueOf<Ts>...>{detail::taken(slot)...}; }, slots);
}

}  // namespace muster::sdk::workflow
