// One function per command, in a file per type of key. run() picks by the command's own type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/keyspace/stage.h"

namespace muster::store::keyspace {

// any.cc
KeyAnswer apply(Stage& stage, const key::Delete& c);
KeyAnswer apply(Stage& stage, const key::Exists& c);
KeyAnswer apply(Stage& stage, const key::TypeOf& c);
KeyAnswer apply(Stage& stage, const key::Version& c);
KeyAnswer apply(Stage& stage, const key::Expire& c);
KeyAnswer apply(Stage& stage, const key::Persist& c);
KeyAnswer apply(Stage& stage, const key::TimeLeft& c);
KeyAnswer apply(Stage& stage, const key::Rename& c);
KeyAnswer apply(Stage& stage, const key::RandomKey& c);
KeyAnswer apply(Stage& stage, const key::Names& c);
KeyAnswer apply(Stage& stage, const key::Count& c);
KeyAnswer apply(Stage& stage, const key::Clear& c);

// texts.cc
KeyAnswer apply(Stage& stage, const key::Get& c);
KeyAnswer apply(Stage& stage, const key::GetMany& c);
KeyAnswer apply(Stage& stage, const key::Set& c);
KeyAnswer apply(Stage& stage, const key::SetMany& c);
KeyAnswer apply(Stage& stage, const key::GetDelete& c);
KeyAnswer apply(Stage& stage, const key::GetExpire& c);
KeyAnswer apply(Stage& stage, const key::Append& c);
KeyAnswer apply(Stage& stage, const key::Length& c);
KeyAnswer apply(Stage& stage, const key::GetRange& c);
KeyAnswer apply(Stage& stage, const key::SetRange& c);
KeyAnswer apply(Stage& stage, const key::Increment& c);
KeyAnswer apply(Stage& stage, const key::IncrementReal& c);

// lists.cc
KeyAnswer apply(Stage& stage, const key::Push& c);
KeyAnswer apply(Stage& stage, const key::Pop& c);
KeyAnswer apply(Stage& stage, const key::Move& c);
KeyAnswer apply(Stage& stage, const key::ListLength& c);
KeyAnswer apply(Stage& stage, const key::ListRange& c);
KeyAnswer apply(Stage& stage, const key::ListAt& c);
KeyAnswer apply(Stage& stage, const key::ListSet& c);
KeyAnswer apply(Stage& stage, const key::ListInsert& c);
KeyAnswer apply(Stage& stage, const key::ListRemove& c);
KeyAnswer apply(Stage& stage, const key::ListTrim& c);
KeyAnswer apply(Stage& stage, const key::ListPosition& c);

// hashes.cc
KeyAnswer apply(Stage& stage, const key::HashSet& c);
KeyAnswer apply(Stage& stage, const key::HashGet& c);
KeyAnswer apply(Stage& stage, const key::HashGetMany& c);
KeyAnswer apply(Stage& stage, const key::HashDelete& c);
KeyAnswer apply(Stage& stage, const key::HashAll& c);
KeyAnswer apply(Stage& stage, const key::HashExists& c);
KeyAnswer apply(Stage& stage, const key::HashLength& c);
KeyAnswer apply(Stage& stage, const key::HashIncrement& c);
KeyAnswer apply(Stage& stage, const key::HashIncrementReal& c);
KeyAnswer apply(Stage& stage, const key::HashScan& c);

// sets.cc
KeyAnswer apply(Stage& stage, const key::SetAdd& c);
KeyAnswer apply(Stage& stage, const key::SetRemove& c);
KeyAnswer apply(Stage& stage, const key::SetMembers& c);
KeyAnswer apply(Stage& stage, const key::SetHas& c);
KeyAnswer apply(Stage& stage, const key::SetCount& c);
KeyAnswer apply(Stage& stage, const key::SetPop& c);
KeyAnswer apply(Stage& stage, const key::SetRandom& c);
KeyAnswer apply(Stage& stage, const key::SetMove& c);
KeyAnswer apply(Stage& stage, const key::SetCombine& c);
KeyAnswer apply(Stage& stage, const key::SetScan& c);

// scan.cc
struct FieldPage {
  const std::string& after;
  const std::string& pattern;
  std::size_t limit = 0;
  bool with_values = false;
};
KeyAnswer scan_fields(Stage& stage, const Look& container, const FieldPage& page);
std::size_t page_rows(std::size_t limit);  // 0: as many as there may be

// scores.cc
KeyAnswer apply(Stage& stage, const key::ScoresAdd& c);
KeyAnswer apply(Stage& stage, const key::ScoresRemove& c);
KeyAnswer apply(Stage& stage, const key::ScoreOf& c);
KeyAnswer apply(Stage& stage, const key::ScoresCount& c);
KeyAnswer apply(Stage& stage, const key::ScoresRange& c);
KeyAnswer apply(Stage& stage, const key::ScoresRemoveRange& c);
KeyAnswer apply(Stage& stage, const key::RankOf& c);
KeyAnswer apply(Stage& stage, const key::ScoresPop& c);
KeyAnswer apply(Stage& stage, const key::ScoresScan& c);

// Numbers that clients keep as text: read strictly, written the way the wire knows them.

// Only what the number itself would be written as: no sign, space or zero too many.
std::optional<std::int64_t> exact_integer(std::string_view text);
std::optional<std::int64_t> sum(std::int64_t a, std::int64_t b);  // nothing: it overflows

// A number as text plus `by`, in decimal as people expect it (0.1 + 0.2 is 0.3).
struct RealSum {
  enum class Fault : std::uint8_t { none, not_a_number, not_finite };
  Fault fault = Fault::none;
  std::string text;
};
RealSum add_real(std::string_view text, double by);

}  // namespace muster::store::keyspace
