#include "store/keyspace/sliced_batch.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace muster::store::keyspace {

std::span<const KeyCommand> SlicedBatch::reads() const {
  const auto left = rest();
  const auto end = std::find_if(left.begin(), left.end(), [](const KeyCommand& command) { return store::writes(command); });
  return left.first(static_cast<std::size_t>(end - left.begin()));
}

bool SlicedBatch::writes() const {
  const auto left = rest();
  return std::any_of(left.begin(), left.end(), [](const KeyCommand& command) { return store::writes(command); });
}

Run SlicedBatch::slice() const {
  // What is not taken apart takes the time it takes, its reads included.
  return {.commands = rest(),
          .divisible = is_divisible(),
          .quick = is_divisible() || !writes(),
          .whole = batch_.whole,
          .unchanged = batch_.unchanged};
}

void SlicedBatch::next_slice() {
  run_slice([self = shared_from_this()](Result<Part> part) { self->take(std::move(part)); });
}

void SlicedBatch::next_long() {
  run_long([self = shared_from_this()](Result<Part> part) { self->take(std::move(part)); });
}

void SlicedBatch::take(Result<Part> part) {
  if (!part.ok()) {
    if (!wrote_) return reply_(part.status());
    return reply_(Status::outcome_unknown(fmt::format("the first {} of {} commands are done; then: {}", answers_.size(),
                                                      batch_.commands.size(), part.status().message())));
  }
  const bool one = !is_divisible();
  // Whoever asked for one look gets one, from its first command on.
  if (one && part->long_read) return next_long();
  wrote_ = wrote_ || writes();
  for (const KeyAnswer& answer : part->answers) answer_bytes_ += bytes_of(answer);
  std::move(part->answers.begin(), part->answers.end(), std::back_inserter(answers_));
  const bool is_enough = is_divisible() && answer_bytes_ > Bounds::kBatchAnswerBytesMax;
  if (is_enough || answers_.size() >= batch_.commands.size()) return reply_(std::move(answers_));
  part->long_read ? next_long() : next_slice();
}

}  // namespace muster::store::keyspace
