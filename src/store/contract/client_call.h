// How the suite's client calls a verb: waits for the reply, and repeats as the contract documents. For the client's own files.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <tuple>

#include <fmt/format.h>

#include "base/check.h"
#include "base/patience_testing.h"
#include "store/contract/client.h"

namespace muster::store::contract {

inline constexpr int kTriesMax = 60;  // at 16 % faults a run of this length does not happen

// Where a reply lands. Shared with the store, because a reply that comes too late must still find its place.
template <class T>
struct Landing {
  std::mutex mutex;
  std::condition_variable arrived;
  std::optional<Result<T>> answer;
};

template <class Method>
struct VerbShape;
template <class Noun, class... Params>
struct VerbShape<void (Noun::*)(Params...)> {
  using Last = std::tuple_element_t<sizeof...(Params) - 1, std::tuple<Params...>>;
};
template <class ReplyType>
struct ReplyShape;
template <class T>
struct ReplyShape<UniqueFunction<void(Result<T>)>> {
  using Value = T;
};
template <class Method>
using AnswerOf = typename ReplyShape<typename VerbShape<Method>::Last>::Value;

template <class T>
Result<T> first_of(Result<Each<T>> batch) {
  if (!batch.ok()) return batch.status();
  if (batch->size() != 1) return Status::internal(fmt::format("{} answers to a batch of one", batch->size()));
  return std::move(batch->front());
}

template <class Method, class... Args>
auto Client::once(Method method, const Args&... args) {
  using T = AnswerOf<Method>;
  auto landing = std::make_shared<Landing<T>>();
  Reply<T> reply = [landing](Result<T> answer) {
    const std::lock_guard lock(landing->mutex);
    check(!landing->answer, "a reply is called once");
    landing->answer.emplace(std::move(answer));
    landing->arrived.notify_all();
  };
  (harness_.store().*method)(Args(args)..., std::move(reply));
  while (!harness_.threaded() && !landing->answer && harness_.pump()) continue;
  std::unique_lock lock(landing->mutex);
  const auto limit = harness_.threaded() ? patience() : std::chrono::seconds(0);
  if (!landing->arrived.wait_for(lock, limit, [&] { return landing->answer.has_value(); }))
    return Result<T>(Status::internal("the store never replied"));
  return std::move(*landing->answer);
}

template <class Method, class... Args>
auto Client::call(Method method, const Args&... args) {
  in_doubt_ = false;
  for (int tries = 1;; ++tries) {
    auto answer = once(method, args...);
    const bool again = answer.code() == Code::unavailable || answer.code() == Code::outcome_unknown;
    if (!harness_.faulty() || !again || tries == kTriesMax) return answer;
    in_doubt_ = in_doubt_ || answer.code() == Code::outcome_unknown;
  }
}

template <class Method, class Element>
auto Client::single(Method method, Element one) {
  return first_of(call(method, std::vector<Element>{std::move(one)}));
}

}  // namespace muster::store::contract
