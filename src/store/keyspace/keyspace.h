// The rules of the keyspace, written once over KeyRows: both stores run them inside a transaction of theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "store/key_rows.h"
#include "store/keys.h"

namespace muster::store::keyspace {

// Names the wires know these refusals by.
inline constexpr const char* kWrongType = "WRONGTYPE Operation against a key holding the wrong kind of value";

struct Bounds {
  static constexpr std::size_t kKeyBytesMax = 1024 * 1024;
  static constexpr std::size_t kValueBytesMax = 10 * 1024 * 1024;
  static constexpr std::size_t kFieldsMax = 10'000;             // of a hash
  static constexpr std::size_t kElementsMax = 10'000'000;       // of a list, set or sorted set
  static constexpr std::size_t kAnswerElementsMax = 1'000'000;  // of one answer
  static constexpr std::size_t kAnswerBytesMax = 64 * 1024 * 1024;
  static constexpr std::size_t kNamesPageMax = 10'000;    // rows one page of names looks at; a lot is drawn from as many
  static constexpr std::size_t kPatternBytesMax = 1'024;  // of a glob
};

struct Ran {
  std::vector<KeyAnswer> answers;    // one per command
  std::vector<std::string> pushed;   // lists that got elements
  std::vector<std::string> touched;  // keys that were written or removed; for caches
  bool cleared = false;              // all of them
  bool wrote = false;
};

// `random` feeds what is to be drawn by lot.
Ran run(KeyRows& rows, const std::vector<KeyCommand>& commands, Instant now, std::uint64_t random);

bool writes(const KeyCommand& command);
// Every key a command names, for stores that lock before they look.
std::vector<std::string> keys_of(const KeyCommand& command);
// Redis-like globs: * ? [a-z] [^x] and backslash; over bytes.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace muster::store::keyspace
