// The durable keyspace as values: what can be asked of keys (KeyCommand) and what comes back (KeyAnswer).
//
// A key holds a text, a list, a hash, a set or a sorted set, and may expire. Commands are checked for form before they get here
// (the fronts know arity and numbers); what only the rows can tell, such as a key of another type, is answered by keyspace/.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "model/ids.h"

namespace muster::store {

enum class KeyType : std::uint8_t { text, list, hash, set, scores };

// Where keys live: those of clients, and the fronts' own records, which no client can name.
enum class KeySpace : std::uint8_t { clients, internal };

struct KeyPair {
  std::string first;
  std::string second;
};

struct ScoredMember {
  std::string member;
  double score = 0;
};

struct ScoreBound {
  double score = 0;
  bool exclusive = false;
};

// Between two scores, or between two members of one score (a lexical range). Absent ends are open.
struct ScoreRange {
  std::optional<ScoreBound> min;
  std::optional<ScoreBound> max;
};

struct LexBound {
  std::string member;
  bool exclusive = false;
};

struct LexRange {
  std::optional<LexBound> min;
  std::optional<LexBound> max;
};

enum class ListEnd : std::uint8_t { left, right };

namespace key {

// --- any type ---
struct Delete {
  std::vector<std::string> keys;
};
struct Exists {
  std::vector<std::string> keys;
};
struct TypeOf {
  std::string key;
};
enum class ExpireWhen : std::uint8_t { always, if_none, if_some, if_later, if_earlier };
// An instant that has passed deletes the key.
struct Expire {
  std::string key;
  Instant at{};
  bool relative = false;  // `at` counts from the store's now instead of from 1970
  ExpireWhen when = ExpireWhen::always;
};
struct Persist {
  std::string key;
};
// A text that changes with every write of the key, for KeyBatch::unchanged.
struct Version {
  std::string key;
};
struct TimeLeft {  // milliseconds; -1 never expires, -2 no such key. absolute: the instant itself
  std::string key;
  bool absolute = false;
};
struct Rename {
  std::string from;
  std::string to;
  bool only_if_missing = false;
};
struct RandomKey {};
// One page of names in byte order after `after`, with a bound on the rows looked at; the answer is [next, name, name, …], `next`
// empty at the end.
struct Names {
  std::string after;
  std::string pattern;  // a glob; empty: all
  std::optional<KeyType> type;
  std::size_t limit = 0;
};
struct Count {};
struct Clear {};

// --- texts ---
struct Get {
  std::string key;
};
struct GetMany {
  std::vector<std::string> keys;  // another type reads as nothing
};
enum class SetWhen : std::uint8_t { always, if_missing, if_present };
struct Set {
  std::string key;
  std::string value;
  std::optional<Instant> expires_at;
  bool relative = false;  // expires_at counts from the store's now
  bool keep_expiry = false;
  SetWhen when = SetWhen::always;
  bool answer_old = false;  // the old value instead of done or nothing
};
struct SetMany {
  std::vector<KeyPair> pairs;
  bool only_if_all_missing = false;
};
struct GetDelete {
  std::string key;
};
struct GetExpire {
  std::string key;
  std::optional<Instant> expires_at;
  bool relative = false;
  bool persist = false;
};
struct Append {
  std::string key;
  std::string value;
};
struct Length {
  std::string key;
};
struct GetRange {
  std::string key;
  std::int64_t start = 0;
  std::int64_t stop = -1;
};
struct SetRange {
  std::string key;
  std::uint64_t offset = 0;
  std::string value;
};
struct Increment {
  std::string key;
  std::int64_t by = 1;
};
struct IncrementReal {
  std::string key;
  double by = 0;
};

// --- lists ---
struct Push {
  std::string key;
  ListEnd end = ListEnd::left;
  std::vector<std::string> values;
  bool only_if_exists = false;
};
// Without a count one element or nothing; with one a list or nothing.
struct Pop {
  std::vector<std::string> keys;  // the first that holds an element
  ListEnd end = ListEnd::right;
  std::optional<std::size_t> count;
  bool with_key = false;  // [key, element]
};
struct Move {
  std::string from;
  std::string to;
  ListEnd take = ListEnd::right;
  ListEnd put = ListEnd::left;
};
struct ListLength {
  std::string key;
};
struct ListRange {
  std::string key;
  std::int64_t start = 0;
  std::int64_t stop = -1;
};
struct ListAt {
  std::string key;
  std::int64_t index = 0;
};
struct ListSet {
  std::string key;
  std::int64_t index = 0;
  std::string value;
};
struct ListInsert {
  std::string key;
  bool before = true;
  std::string pivot;
  std::string value;
};
// count > 0 from the left, < 0 from the right, 0 all of them.
struct ListRemove {
  std::string key;
  std::int64_t count = 0;
  std::string value;
};
struct ListTrim {
  std::string key;
  std::int64_t start = 0;
  std::int64_t stop = -1;
};
struct ListPosition {
  std::string key;
  std::string value;
};

// --- hashes ---
struct HashSet {
  std::string key;
  std::vector<KeyPair> fields;
  bool only_if_missing = false;
  bool answer_done = false;  // done instead of how many are new
};
struct HashGet {
  std::string key;
  std::string field;
};
struct HashGetMany {
  std::string key;
  std::vector<std::string> fields;
};
struct HashDelete {
  std::string key;
  std::vector<std::string> fields;
};
enum class HashPart : std::uint8_t { pairs, fields, values };
struct HashAll {  // in byte order of the fields
  std::string key;
  HashPart part = HashPart::pairs;
};
struct HashExists {
  std::string key;
  std::string field;
};
struct HashLength {
  std::string key;
};
struct HashIncrement {
  std::string key;
  std::string field;
  std::int64_t by = 1;
};
struct HashIncrementReal {
  std::string key;
  std::string field;
  double by = 0;
};
struct HashScan {  // [next, field, value, …]
  std::string key;
  std::string after;
  std::string pattern;
  std::size_t limit = 0;
};

// --- sets ---
struct SetAdd {
  std::string key;
  std::vector<std::string> members;
};
struct SetRemove {
  std::string key;
  std::vector<std::string> members;
};
struct SetMembers {  // in byte order
  std::string key;
};
struct SetHas {
  std::string key;
  std::vector<std::string> members;
  bool many = false;  // a list of 0 and 1 instead of one number
};
struct SetCount {
  std::string key;
};
struct SetPop {
  std::string key;
  std::optional<std::size_t> count;
};
struct SetRandom {
  std::string key;
  std::optional<std::int64_t> count;  // negative: repeats allowed
};
struct SetMove {
  std::string from;
  std::string to;
  std::string member;
};
enum class Algebra : std::uint8_t { unite, intersect, subtract };
struct SetCombine {
  Algebra how = Algebra::unite;
  std::vector<std::string> keys;
  std::optional<std::string> into;  // stores the result and answers its size
};
struct SetScan {  // [next, member, …]
  std::string key;
  std::string after;
  std::string pattern;
  std::size_t limit = 0;
};

// --- sorted sets ---
struct ScoresAdd {
  std::string key;
  std::vector<ScoredMember> members;
  bool only_new = false;
  bool only_old = false;
  bool only_greater = false;
  bool only_less = false;
  bool count_changed = false;  // answers changed ones too, not only new ones
  bool increment = false;      // one member; answers its new score, or nothing when a condition kept it
};
struct ScoresRemove {
  std::string key;
  std::vector<std::string> members;
};
struct ScoreOf {
  std::string key;
  std::vector<std::string> members;
  bool many = false;  // a list
};
struct ScoresCount {
  std::string key;
  ScoreRange range;  // all open: every member
};
struct RankRange {
  std::int64_t start = 0;
  std::int64_t stop = -1;
};
// Members, or member and score by turns.
struct ScoresRange {
  std::string key;
  std::variant<RankRange, ScoreRange, LexRange> range;
  bool reverse = false;
  std::uint64_t skip = 0;
  std::optional<std::size_t> limit;
  bool with_scores = false;
};
struct ScoresRemoveRange {
  std::string key;
  std::variant<RankRange, ScoreRange, LexRange> range;
};
struct RankOf {
  std::string key;
  std::string member;
  bool reverse = false;
};
struct ScoresPop {  // member and score by turns
  std::string key;
  bool highest = false;
  std::size_t count = 1;
};
struct ScoresScan {  // [next, member, score, …]
  std::string key;
  std::string after;
  std::string pattern;
  std::size_t limit = 0;
};

}  // namespace key

using AnyKeyCommand =
    std::variant<key::Delete, key::Exists, key::TypeOf, key::Version, key::Expire, key::Persist, key::TimeLeft, key::Rename,
                 key::RandomKey, key::Names, key::Count, key::Clear, key::Get, key::GetMany, key::Set, key::SetMany,
                 key::GetDelete, key::GetExpire, key::Append, key::Length, key::GetRange, key::SetRange, key::Increment,
                 key::IncrementReal, key::Push, key::Pop, key::Move, key::ListLength, key::ListRange, key::ListAt, key::ListSet,
                 key::ListInsert, key::ListRemove, key::ListTrim, key::ListPosition, key::HashSet, key::HashGet, key::HashGetMany,
                 key::HashDelete, key::HashAll, key::HashExists, key::HashLength, key::HashIncrement, key::HashIncrementReal,
                 key::HashScan, key::SetAdd, key::SetRemove, key::SetMembers, key::SetHas, key::SetCount, key::SetPop,
                 key::SetRandom, key::SetMove, key::SetCombine, key::SetScan, key::ScoresAdd, key::ScoresRemove, key::ScoreOf,
                 key::ScoresCount, key::ScoresRange, key::ScoresRemoveRange, key::RankOf, key::ScoresPop, key::ScoresScan>;

// One command. Its constructors and its end are written once, in keys.cc: sixty kinds in every source that passes a command on
// would be minutes of compiling.
class KeyCommand : public AnyKeyCommand {
 public:
  KeyCommand();
  template <class Kind>
  requires(!std::derived_from<Kind, AnyKeyCommand>)
      KeyCommand(Kind kind);  // NOLINT: implicit on purpose, as in `commands.push_back(key::Get{"k"})`
  KeyCommand(const KeyCommand& other);
  KeyCommand(KeyCommand&& other) noexcept;
  KeyCommand& operator=(const KeyCommand& other);
  KeyCommand& operator=(KeyCommand&& other) noexcept;
  ~KeyCommand();
};

// What key::Version answered; nothing: there was no such key.
struct KeyVersion {
  std::string key;
  std::optional<std::string> version;
};

// Run in order. Each is answered by itself; a refused one changes nothing and the others go on. The fronts' own are run as one:
// nobody sees the keyspace between two of them. Clients' are pipelines: a long one is done in slices, with others in between.
struct KeyBatch {
  NamespaceName ns{kDefaultNamespace};
  KeySpace space = KeySpace::clients;
  std::vector<KeyCommand> commands;
  // Clients': all of it happens, or nothing, and nobody sees the keyspace in between. exhausted: it is about more rows or bytes
  // than one may be.
  bool whole = false;
  // Nothing is done, and the answer is conflict, when one of these keys is no longer what it was. REQUIRES: whole.
  std::vector<KeyVersion> unchanged{};
};

// What a command answers, free of any wire's form.
struct KeyAnswer {
  enum class Kind : std::uint8_t {
    nothing,  // no such key, field or member
    done,
    number,
    real,
    text,
    list,
    refused,  // text says why; nothing was changed
  };
  Kind kind = Kind::nothing;
  std::int64_t number = 0;
  double real = 0;
  std::string text;
  std::vector<KeyAnswer> list;

  static KeyAnswer none() { return {}; }
  static KeyAnswer ok() { return of(Kind::done); }
  static KeyAnswer count(std::int64_t value) {
    KeyAnswer answer = of(Kind::number);
    answer.number = value;
    return answer;
  }
  static KeyAnswer score(double value) {
    KeyAnswer answer = of(Kind::real);
    answer.real = value;
    return answer;
  }
  static KeyAnswer bytes(std::string value) {
    KeyAnswer answer = of(Kind::text);
    answer.text = std::move(value);
    return answer;
  }
  static KeyAnswer all(std::vector<KeyAnswer> values) {
    KeyAnswer answer = of(Kind::list);
    answer.list = std::move(values);
    return answer;
  }
  static KeyAnswer refuse(std::string why) {
    KeyAnswer answer = of(Kind::refused);
    answer.text = std::move(why);
    return answer;
  }

 private:
  static KeyAnswer of(Kind kind) {
    KeyAnswer answer;
    answer.kind = kind;
    return answer;
  }
};

// A list that may have an element now, told after the commit: for those who wait for one.
struct KeyPushed {
  NamespaceName ns;
  std::string key;
};

// What memory knows about a text without asking the rows.
struct KeyGlance {
  bool known = false;                       // false: ask with keyspace()
  std::shared_ptr<const std::string> text;  // null: no such key
};

}  // namespace muster::store
