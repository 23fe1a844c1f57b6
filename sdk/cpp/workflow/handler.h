// Any workflow function, plain or coroutine, typed as its author likes, as one type that the worker can keep.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sdk/cpp/workflow/context.h"

namespace muster::sdk::workflow {

// Input and output as JSON text. Throws what the workflow throws, BadInput, or Unwind.
using Handler = std::function<std::string(Context&, std::string_view)>;

// The input is not what the workflow takes. Trying again would not help.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

template <class F>
struct Signature : Signature<decltype(&std::remove_cvref_t<F>::operator())> {};
template <class R, class... A>
struct Signature<R (*)(Context&, A...)> {
  static_assert(sizeof...(A) <= 1, "a workflow takes its context and at most one input");
  using Result = R;
  using Inputs = std::tuple<A...>;
};
template <class R, class... A>
struct Signature<R(Context&, A...)> : Signature<R (*)(Context&, A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(Context&, A...)> : Signature<R (*)(Context&, A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(Context&, A...) const> : Signature<R (*)(Context&, A...)> {};

template <class R>
struct IsTask : std::false_type {
  using Value = R;
};
template <class T>
struct IsTask<Task<T>> : std::true_type {
  using Value = T;
};

// Drives a coroutine to its end, or throws Unwind when the run is left. Destroys what is left of it only when none of its steps
// is under way.
template <class T>
T drive(RunCore& core, Task<T> task) {
  core.loop().run(task.handle(), [&core] { return core.gone(); });
  if (!task.done()) throw Unwind{};
  return task.take();
}

// Calls the function and sees a coroutine through.
template <class R, class Call>
std::string ended(RunCore& core, Call&& call) {
  using Value = typename IsTask<R>::Value;
  const auto value = [&]() -> Value {
    if constexpr (IsTask<R>::value) {
      return drive(core, call());
    } else {
      return call();
    }
  };
  if constexpr (std::is_void_v<Value>) {
    value();
    return "null";
  } else {
    return encoded("the output of the workflow", value());
  }
}

}  // namespace detail

template <class F>
Handler handler(F&& function) {
  using Signature = detail::Signature<std::remove_pointer_t<std::decay_t<F>>>;
  using R = typename Signature::Result;
  using Inputs = typename Signature::Inputs;
  return [function = std::forward<F>(function)](Context& context, std::string_view text) mutable -> std::string {
    if constexpr (std::tuple_size_v<Inputs> == 0) {
      return detail::ended<R>(context.core(), [&]() -> R { return function(context); });
    } else {
      using Given = std::tuple_element_t<0, Inputs>;
      using In = std::remove_cvref_t<Given>;
      Result<In> input = decode<In>(text);
      if (!input.ok()) throw BadInput("the input does not fit the workflow: " + input.error().detail);
      return detail::ended<R>(context.core(), [&]() -> R { return function(context, static_cast<Given&&>(*input)); });
    }
  };
}

}  // namespace muster::sdk::workflow
