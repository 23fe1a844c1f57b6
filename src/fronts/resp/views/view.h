// A view as it is read: what a key holds at this instant, in the forms a command may ask for.
//
// One key may have two forms: job:<id> is a document and a hash of the same job, queue:scheduled a list and a sorted set.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "command/keys.h"

namespace muster::resp::views {

// What a command is going to look at; what it will not need need not be read.
struct Want {
  std::optional<store::KeyType> form;  // nothing: whether it is there, its type, its time
  bool elements = false;               // of a list, set or sorted set; false: their number is enough
  std::int64_t start = 0;              // of a list: which of them, as LRANGE counts
  std::int64_t stop = -1;
};

struct View {
  bool exists = false;
  std::vector<store::KeyType> forms;  // the first is its type
  std::string text;
  std::vector<store::KeyPair> hash;         // in byte order of the fields
  std::uint64_t count = 0;                  // elements of a list, set or sorted set
  std::uint64_t first = 0;                  // of a list: the place of items[0]
  std::vector<std::string> items;           // of a list, or a set in byte order
  std::vector<store::ScoredMember> scores;  // by score, then by member
  std::optional<Instant> expires_at;

  bool has(store::KeyType form) const {
    for (const store::KeyType each : forms)
      if (each == form) return true;
    return false;
  }
};

// A stretch of `count` elements as Redis counts it: negative from the end, cut to what is there. Nothing: it is empty.
struct Stretch {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};
std::optional<Stretch> stretch(std::int64_t start, std::int64_t stop, std::uint64_t count);

}  // namespace muster::resp::views
