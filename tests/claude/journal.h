// Every request that the stand-in has received, in its order. Thread-safe.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/claude/stand_in.h"

namespace muster::stand_in {

class Journal {
 public:
  explicit Journal(bool keep_bodies) : keep_bodies_(keep_bodies) {}

  void add(Seen seen);  // its number, hash and custom ids are found here
  void forget();
  std::vector<Seen> all() const;
  std::size_t count(std::string_view path) const;
  std::string lines() const;  // one JSON object each

 private:
  const bool keep_bodies_;
  mutable std::mutex mutex_;  // leaf; guards the one below
  std::vector<Seen> seen_;
};

}  // namespace muster::stand_in
