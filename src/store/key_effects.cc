#include "store/key_effects.h"

#include <algorithm>
#include <type_traits>
#include <variant>

namespace muster::store {
namespace {

template <class Command, class... Readers>
inline constexpr bool kIsOneOf = (std::is_same_v<Command, Readers> || ...);

template <class Command>
inline constexpr bool kOnlyReads =
    kIsOneOf<Command, key::Exists, key::TypeOf, key::Version, key::TimeLeft, key::RandomKey, key::Names, key::Count, key::Get,
             key::GetMany, key::Length, key::GetRange, key::ListLength, key::ListRange, key::ListAt, key::ListPosition,
             key::HashGet, key::HashGetMany, key::HashAll, key::HashExists, key::HashLength, key::HashScan, key::SetMembers,
             key::SetHas, key::SetCount, key::SetRandom, key::SetScan, key::ScoreOf, key::ScoresCount, key::ScoresRange,
             key::RankOf, key::ScoresScan>;

}  // namespace

bool writes(const KeyBatch& batch) {
  return std::any_of(batch.commands.begin(), batch.commands.end(), [](const KeyCommand& command) { return writes(command); });
}

bool writes(const KeyCommand& command) {
  return std::visit(
      [](const auto& c) {
        using Command = std::decay_t<decltype(c)>;
        if constexpr (std::is_same_v<Command, key::SetCombine>)
          return c.into.has_value();
        else
          return !kOnlyReads<Command>;
      },
      command);
}

bool clears(const KeyBatch& batch) {
  return std::any_of(batch.commands.begin(), batch.commands.end(),
                     [](const KeyCommand& command) { return std::holds_alternative<key::Clear>(command); });
}

}  // namespace muster::store
