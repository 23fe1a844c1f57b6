#include "store/keys.h"

namespace muster::store {

KeyCommand::KeyCommand() = default;
KeyCommand::KeyCommand(const KeyCommand& other) = default;
KeyCommand::KeyCommand(KeyCommand&& other) noexcept = default;
KeyCommand& KeyCommand::operator=(const KeyCommand& other) = default;
KeyCommand& KeyCommand::operator=(KeyCommand&& other) noexcept = default;
KeyCommand::~KeyCommand() = default;

template <class Kind>
requires(!std::derived_from<Kind, AnyKeyCommand>) KeyCommand::KeyCommand(Kind kind)
    : AnyKeyCommand(std::in_place_type<Kind>, std::move(kind)) {}

template KeyCommand::KeyCommand(key::Delete);
template KeyCommand::KeyCommand(key::Exists);
template KeyCommand::KeyCommand(key::TypeOf);
template KeyCommand::KeyCommand(key::Version);
template KeyCommand::KeyCommand(key::Expire);
template KeyCommand::KeyCommand(key::Persist);
template KeyCommand::KeyCommand(key::TimeLeft);
template KeyCommand::KeyCommand(key::Rename);
template KeyCommand::KeyCommand(key::RandomKey);
template KeyCommand::KeyCommand(key::Names);
template KeyCommand::KeyCommand(key::Count);
template KeyCommand::KeyCommand(key::Clear);
template KeyCommand::KeyCommand(key::Get);
template KeyCommand::KeyCommand(key::GetMany);
template KeyCommand::KeyCommand(key::Set);
template KeyCommand::KeyCommand(key::SetMany);
template KeyCommand::KeyCommand(key::GetDelete);
template KeyCommand::KeyCommand(key::GetExpire);
template KeyCommand::KeyCommand(key::Append);
template KeyCommand::KeyCommand(key::Length);
template KeyCommand::KeyCommand(key::GetRange);
template KeyCommand::KeyCommand(key::SetRange);
template KeyCommand::KeyCommand(key::Increment);
template KeyCommand::KeyCommand(key::IncrementReal);
template KeyCommand::KeyCommand(key::Push);
template KeyCommand::KeyCommand(key::Pop);
template KeyCommand::KeyCommand(key::Move);
template KeyCommand::KeyCommand(key::ListLength);
template KeyCommand::KeyCommand(key::ListRange);
template KeyCommand::KeyCommand(key::ListAt);
template KeyCommand::KeyCommand(key::ListSet);
template KeyCommand::KeyCommand(key::ListInsert);
template KeyCommand::KeyCommand(key::ListRemove);
template KeyCommand::KeyCommand(key::ListTrim);
template KeyCommand::KeyCommand(key::ListPosition);
template KeyCommand::KeyCommand(key::HashSet);
template KeyCommand::KeyCommand(key::HashGet);
template KeyCommand::KeyCommand(key::HashGetMany);
template KeyCommand::KeyCommand(key::HashDelete);
template KeyCommand::KeyCommand(key::HashAll);
template KeyCommand::KeyCommand(key::HashExists);
template KeyCommand::KeyCommand(key::HashLength);
template KeyCommand::KeyCommand(key::HashIncrement);
template KeyCommand::KeyCommand(key::HashIncrementReal);
template KeyCommand::KeyCommand(key::HashScan);
template KeyCommand::KeyCommand(key::SetAdd);
template KeyCommand::KeyCommand(key::SetRemove);
template KeyCommand::KeyCommand(key::SetMembers);
template KeyCommand::KeyCommand(key::SetHas);
template KeyCommand::KeyCommand(key::SetCount);
template KeyCommand::KeyCommand(key::SetPop);
template KeyCommand::KeyCommand(key::SetRandom);
template KeyCommand::KeyCommand(key::SetMove);
template KeyCommand::KeyCommand(key::SetCombine);
template KeyCommand::KeyCommand(key::SetScan);
template KeyCommand::KeyCommand(key::ScoresAdd);
template KeyCommand::KeyCommand(key::ScoresRemove);
template KeyCommand::KeyCommand(key::ScoreOf);
template KeyCommand::KeyCommand(key::ScoresCount);
template KeyCommand::KeyCommand(key::ScoresRange);
template KeyCommand::KeyCommand(key::ScoresRemoveRange);
template KeyCommand::KeyCommand(key::RankOf);
template KeyCommand::KeyCommand(key::ScoresPop);
template KeyCommand::KeyCommand(key::ScoresScan);

}  // namespace muster::store
