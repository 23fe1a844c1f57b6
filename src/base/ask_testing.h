// The answer of an asynchronous verb, for tests that want to go on only with it.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/patience_testing.h"
#include "base/reply.h"
#include "base/wake.h"

namespace muster {

// Starts a verb and waits: ask<Job>([&](auto reply) { store.get(id, std::move(reply)); }).
template <class T, class Start>
Result<T> ask(Start start) {
  const auto answer = std::make_shared<std::promise<Result<T>>>();  // shared with a reply that comes after the wait
  auto future = answer->get_future();
  start(Reply<T>([answer](Result<T> result) { answer->set_value(std::move(result)); }));
  wake_all_asked();  // this may be a loop's thread, in a round that only ends after the wait
  if (future.wait_for(patience()) != std::future_status::ready) return Status::internal("no answer came");
  return future.get();
}

// The same where nothing happens by itself: `work` does some, and says whether there was any.
template <class T, class Start, class Work>
Result<T> ask(Start start, Work work) {
  const auto answer = std::make_shared<std::optional<Result<T>>>();
  start(Reply<T>([answer](Result<T> result) { answer->emplace(std::move(result)); }));
  while (!*answer && work()) {
  }
  if (!*answer) return Status::internal("no answer came");
  return std::move(**answer);
}

// A reply that keeps what it got, for what is answered at once or not at all.
template <class T>
struct Caught {
  std::optional<Result<T>> result;
  Reply<T> reply() {
    return [this](Result<T> got) { result = std::move(got); };
  }
  Code code() const { return result ? result->code() : Code::internal; }
  std::string message() const { return result ? result->status().message() : "no answer"; }
};

}  // namespace muster
