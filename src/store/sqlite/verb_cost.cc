#include "store/sqlite/verb_cost.h"

#include <string>
#include <type_traits>
#include <variant>

namespace muster::store::sqlite {
namespace {

// To copy so many takes about as long as the rest of a verb.
constexpr std::size_t kBytesOfAVerb = 16 * 1024;

std::size_t of_bytes(std::size_t bytes) { return 1 + bytes / kBytesOfAVerb; }
std::size_t of_content(const Content& content) { return of_bytes(content.data.size()); }
std::size_t of_content(const std::optional<Content>& content) { return content ? of_content(*content) : 1; }

struct KeyCost {
  std::size_t operator()(const key::Get&) const { return 1; }
  std::size_t operator()(const key::Increment&) const { return 1; }
  std::size_t operator()(const key::ListLength&) const { return 1; }
  std::size_t operator()(const key::Set& set) const { return of_bytes(set.value.size()); }
  std::size_t operator()(const key::Append& append) const { return of_bytes(append.value.size()); }
  std::size_t operator()(const key::Push& push) const {
    std::size_t cost = 0;
    for (const std::string& value : push.values) cost += of_bytes(value.size());
    return cost;
  }
  std::size_t operator()(const key::Pop& pop) const { return pop.keys.size() + pop.count.value_or(1); }
  template <class Other>
  std::size_t operator()(const Other&) const {
    return kLongVerb;
  }
};

}  // namespace

std::size_t cost_of(const JobSpec& job) { return of_content(job.payload) + job.after.size(); }

std::size_t cost_of(const Completion& completion) { return of_content(completion.result); }

std::size_t cost_of(const StepCall& call) {
  struct Cost {
    std::size_t operator()(const step::Begin& begin) const { return of_content(begin.input); }
    std::size_t operator()(const step::Complete& complete) const { return of_content(complete.output); }
    std::size_t operator()(const step::Fail&) const { return 1; }
    std::size_t operator()(const step::Sleep&) const { return 1; }
    std::size_t operator()(const step::AwaitSignal&) const { return 1; }
    std::size_t operator()(const step::AwaitChild&) const { return 1; }
  };
  return std::visit(Cost{}, call);
}

std::size_t cost_of(const KeyBatch& batch) {
  if (batch.whole) return kLongVerb;
  std::size_t cost = 0;
  for (const KeyCommand& command : batch.commands) cost += std::visit(KeyCost{}, static_cast<const AnyKeyCommand&>(command));
  return cost;
}

}  // namespace muster::store::sqlite
