// The rules of the keyspace, written once over KeyRows: both stores run them inside a transaction of theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "store/key_effects.h"
#include "store/key_rows.h"
#include "store/keys.h"

namespace muster::store::keyspace {

// Names the wires know these refusals by.
inline constexpr const char* kWrongType = "WRONGTYPE Operation against a key holding the wrong kind of value";

struct Bounds {
  static constexpr std::size_t kKeyBytesMax = 1024 * 1024;
  static constexpr std::size_t kValueBytesMax = 10 * 1024 * 1024;
  static constexpr std::size_t kFieldsMax = 10'000;           // of a hash
  static constexpr std::size_t kElementsMax = 10'000'000;     // of a list, set or sorted set
  static constexpr std::size_t kAnswerElementsMax = 250'000;  // of one answer
  static constexpr std::size_t kAnswerBytesMax = 64 * 1024 * 1024;
  // Of all answers to clients' commands in one batch; it ends with the command that passes it. Larger than any one text, so that
  // two commands always fit.
  static constexpr std::size_t kBatchAnswerBytesMax = 16 * 1024 * 1024;
  static constexpr std::size_t kNamesPageMax = 10'000;    // rows one page of names looks at; a lot is drawn from as many
  static constexpr std::size_t kPatternBytesMax = 1'024;  // of a glob

  // What one command may cost, in rows of the database.
  static constexpr std::size_t kKeysNamedMax = 20'000;      // keys it names
  static constexpr std::size_t kChangedRowsMax = 20'000;    // that it changes
  static constexpr std::size_t kSearchedRowsMax = 100'000;  // that it looks at in order to change some
  static constexpr std::size_t kReadRowsMax = 1'000'000;    // that it looks at and changes none
  static constexpr std::size_t kDrawnFromMax = 100'000;     // members a lot is drawn from: the first in byte order
  static constexpr std::size_t kWholeRowsMax = 100'000;     // that all commands of a whole batch look at and change
  static constexpr std::size_t kCountedMax = 1'000'000;     // keys that are counted; the number stays there

  // What a read may cost where others wait for it; beyond, it is done elsewhere.
  static constexpr std::size_t kQuickRowsMax = 2'000;
  static constexpr std::size_t kQuickBytesMax = 1024 * 1024;
  // After so much a divisible batch lets others go first.
  static constexpr std::size_t kSliceRowsMax = 10'000;
  static constexpr std::size_t kSliceBytesMax = 4 * 1024 * 1024;
};

struct Ran {
  std::vector<KeyAnswer> answers;    // one per command that was run
  std::vector<std::string> pushed;   // lists that got elements
  std::vector<std::string> touched;  // keys that were written or removed; for caches
  bool cleared = false;              // all of them
  bool wrote = false;
  bool long_read = false;   // the first command without an answer reads more than is quick: it is to be run by itself
  bool unfinished = false;  // the first command without an answer did a part of its work: it is to be run again
  Status refused;           // why nothing of it may stay; what was written is to be undone
};

struct Run {
  std::span<const KeyCommand> commands;
  Instant now{};
  std::uint64_t random = 0;  // feeds what is to be drawn by lot
  bool divisible = false;    // may end early, after a part of it
  bool quick = false;        // a read that is not quick ends it: then long_read
  bool whole = false;        // as in KeyBatch
  std::span<const KeyVersion> unchanged{};
};
Ran run(KeyRows& rows, const Run& what);

std::size_t bytes_of(const KeyAnswer& answer);
// Every key a command names, for stores that lock before they look.
std::vector<std::string> keys_of(const KeyCommand& command);

}  // namespace muster::store::keyspace
