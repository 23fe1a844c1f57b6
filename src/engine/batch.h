// A batch whose elements are judged one by one: the valid ones are forwarded, the others answered in their places.
//
// Used by Jobs and Workers for the verbs that answer with store::Each. A batch in which all is well, the usual one, is
// forwarded as it is, without another list.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/reply.h"
#include "model/limits.h"
#include "store/store.h"

namespace muster::engine {

// The whole call is refused when the batch is too large; an empty batch is answered at once.
inline Status validate_batch(std::string_view what, std::size_t size, std::size_t most) {
  if (size <= most) return {};
  return Status::invalid_argument(fmt::format("a batch of {} {} is too large; at most {} are accepted", size, what, most));
}

// Puts the store's answers between the refusals that were already known. REQUIRES: one answer for each ok refusal.
template <class Answer>
store::Each<Answer> merge_answers(std::vector<Status> refusals, store::Each<Answer> answers) {
  store::Each<Answer> merged;
  merged.reserve(refusals.size());
  auto answer = answers.begin();
  for (Status& refusal : refusals) {
    if (!refusal.ok()) {
      merged.emplace_back(std::move(refusal));
      continue;
    }
    check(answer != answers.end(), "a store answers every element of a batch");
    merged.push_back(std::move(*answer++));
  }
  return merged;
}

// judge: Status(Element&), may complete the element. forward: void(std::vector<Element>, Reply<Each<Answer>>).
template <class Answer, class Element, class Judge, class Forward>
void forward_valid(std::vector<Element> batch, Judge judge, Forward forward, Reply<store::Each<Answer>> reply) {
  std::vector<Status> refusals;  // empty while all is well
  std::size_t kept = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Status status = judge(batch[i]);
    if (!status.ok() && refusals.empty()) refusals.resize(i);
    const bool valid = status.ok();
    if (!valid || !refusals.empty()) refusals.push_back(std::move(status));
    if (!valid) continue;
    if (kept != i) batch[kept] = std::move(batch[i]);
    ++kept;
  }
  if (batch.empty()) return reply(store::Each<Answer>());
  if (kept == batch.size()) return forward(std::move(batch), std::move(reply));
  if (kept == 0) return reply(merge_answers<Answer>(std::move(refusals), {}));
  batch.erase(batch.begin() + static_cast<std::ptrdiff_t>(kept), batch.end());
  forward(std::move(batch),
          [refusals = std::move(refusals), reply = std::move(reply)](Result<store::Each<Answer>> answers) mutable {
            if (!answers.ok()) return reply(answers.status());
            reply(merge_answers<Answer>(std::move(refusals), std::move(*answers)));
          });
}

}  // namespace muster::engine
