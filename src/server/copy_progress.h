// How a copy shows its way on stderr: a bar that moves on a terminal, one line for each kind elsewhere.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "store/transfer/copy.h"

namespace muster::server {

class CopyProgress {
 public:
  CopyProgress(const Clock& clock, bool terminal) : clock_(clock), terminal_(terminal) {}
  // What to write now; empty: nothing.
  std::string text_for(const store::transfer::Step& step);

 private:
  const Clock& clock_;
  const bool terminal_;
  Ticks drawn_at_{};
};

}  // namespace muster::server
