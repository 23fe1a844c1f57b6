// Signals as bytes of a pipe that a loop watches: a handler may do next to nothing, so it writes the signal's number. Private to
// net/. One at a time in a process.
#pragma once

#include <csignal>
#include <utility>
#include <vector>

#include "base/fd.h"

namespace muster::net {

class SignalPipe {
 public:
  explicit SignalPipe(const std::vector<int>& signals);
  ~SignalPipe();  // the signals do what they did before

  int descriptor() const { return out_.get(); }  // readable when a signal has come; does not block
  int take();                                    // the next signal; 0: none

 private:
  Fd out_;
  Fd in_;
  std::vector<std::pair<int, struct sigaction>> before_;
};

}  // namespace muster::net
