// How long tests wait for what must come, in one place.
//
// A wait ends as soon as what it waits for is there, so its length costs nothing while the test is green; it only decides how
// busy a machine may be before a right program looks wrong. tools/run_tests.py lengthens it for sanitizers.
#pragma once

#include <sys/time.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace muster {

inline std::chrono::seconds patience() {
  static const std::chrono::seconds kSeconds = [] {
    constexpr std::chrono::seconds kDefault{60};
    const char* const set = std::getenv("MUSTER_TEST_PATIENCE_SECONDS");
    return set == nullptr ? kDefault : std::chrono::seconds(std::atoi(set));
  }();
  return kSeconds;
}

// The same for SO_RCVTIMEO.
inline timeval socket_patience() { return {.tv_sec = patience().count(), .tv_usec = 0}; }

// Waits for what other threads bring about. False: it did not come.
template <class Condition>
bool eventually(Condition holds) {
  constexpr std::chrono::milliseconds kLookEvery{2};
  const auto end = std::chrono::steady_clock::now() + patience();
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kLookEvery);
  }
  return true;
}

}  // namespace muster
