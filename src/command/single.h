// Commands about one thing over verbs that take batches: wraps one element and unwraps its one answer.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/reply.h"
#include "store/store.h"

namespace muster::command {

template <class T>
std::vector<std::remove_cvref_t<T>> just(T&& element) {
  std::vector<std::remove_cvref_t<T>> batch;
  batch.push_back(std::forward<T>(element));
  return batch;
}

// Answers `reply` with the failure of the batch, or with the answer of its only element.
template <class T>
Reply<store::Each<T>> unwrap(Reply<T> reply) {
  return [reply = std::move(reply)](Result<store::Each<T>> answers) mutable {
    if (!answers.ok()) return reply(answers.status());
    check(answers->size() == 1, "a batch of one has one answer");
    reply(std::move(answers->front()));
  };
}

}  // namespace muster::command
