// One word of the keyspace: its entry in the table of commands and how its arguments are read. A file per type of key brings its
// own.
#pragma once

#include <span>
#include <string_view>

#include "command/keys.h"
#include "fronts/resp/commands.h"
#include "fronts/resp/keyspace/request.h"

namespace muster::resp::keyspace {

using Reader = Result<Request> (*)(Call& call);

struct Word {
  Entry entry;
  Reader read = nullptr;  // null: the entry has a handler of its own
};

std::span<const Word> any_words();          // any.cc
std::span<const Word> listing_words();      // listing.cc
std::span<const Word> text_words();         // texts.cc
std::span<const Word> list_words();         // lists.cc
std::span<const Word> hash_words();         // hashes.cc
std::span<const Word> set_words();          // sets.cc
std::span<const Word> score_words();        // scores.cc
std::span<const Word> transaction_words();  // transaction.cc

// Where the keys stand among the arguments, as COMMAND INFO counts.
struct KeysAt {
  int first = 0;
  int last = 0;
  int step = 0;
};
inline constexpr KeysAt kOneKey{1, 1, 1};
inline constexpr KeysAt kTwoKeys{1, 2, 1};
inline constexpr KeysAt kAllKeys{1, -1, 1};
inline constexpr KeysAt kAllButLast{1, -2, 1};
inline constexpr KeysAt kEveryOther{1, -1, 2};
inline constexpr KeysAt kNoKeys{};

inline constexpr const command::Spec& kReads = command::kKeysRead;
inline constexpr const command::Spec& kWrites = command::kKeysWrite;
inline constexpr const command::Spec& kClears = command::kKeysClear;

struct Arity {
  std::size_t least;  // the name included
  std::size_t most;
  std::string_view error = {};  // empty: the usual text
};

constexpr Word word(std::string_view name, Arity arity, KeysAt keys, const command::Spec& command, std::string_view group,
                    std::string_view summary, Reader read) {
  Entry entry;
  entry.name = name;
  entry.least = arity.least;
  entry.most = arity.most;
  entry.arity_error = arity.error;
  entry.flow = Flow::keys;
  entry.command = &command;
  entry.first_key = keys.first;
  entry.last_key = keys.last;
  entry.key_step = keys.step;
  entry.group = group;
  entry.summary = summary;
  return {entry, read};
}

}  // namespace muster::resp::keyspace
