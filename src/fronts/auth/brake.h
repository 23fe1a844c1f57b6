// The brake on guessing: how long wrong tokens of one address wait. Every front that takes tokens shares one, so that a guesser
// gains nothing by changing wires. It never judges a token that is right: whoever knows one is let in at once.
//
// The first failures_max wrong tokens are answered at once, later ones after a wait that doubles. An address is counted by what
// one subscriber has: a whole IPv4 address, or the /64 of an IPv6 one. A quiet kGuessesForgotten after the last wait forgets it.
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace muster::auth {

inline constexpr std::size_t kFailingPrefixesMax = 4'096;  // the one that has been quiet longest is forgotten
inline constexpr Duration kGuessDelayMin{1'000};
inline constexpr Duration kGuessesForgotten{60'000};

struct BrakeOptions {
  std::size_t failures_max = 5;  // answered at once
  Duration delay_max{60'000};
};

class Brake {
 public:
  explicit Brake(BrakeOptions options = {}) : options_(options) {}

  // Until when wrong tokens from there wait; not after `now`: they do not.
  Ticks blocked_until(std::string_view address, Ticks now) const;
  // Counts a wrong token. Returns when it may be answered: `now`, or the end of its wait.
  Ticks note_failure(std::string_view address, Ticks now);

 private:
  struct Failures {
    std::uint32_t count = 0;
    Ticks last{};
    Ticks blocked_until{};
    bool forgotten(Ticks now) const;
  };
  void make_room(Ticks now);
  Duration delay_after(std::uint32_t failures) const;

  const BrakeOptions options_;
  mutable std::mutex mutex_;  // leaf; guards failures_
  std::map<std::string, Failures, std::less<>> failures_;
};

// What is counted as one: "192.0.2.1" for itself and for ::ffff:192.0.2.1, "2001:db8:0:1::/64" for an address in it. What is no
// address, such as the peer of a Unix socket, stands for itself.
std::string address_prefix(std::string_view address);

}  // namespace muster::auth
