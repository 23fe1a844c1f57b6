// AUTH: which key makes a connection whom, and a brake on guessing.
//
// Keys are kept and compared as SHA-256 digests of the bytes they stand for (64 hexadecimal digits stand for 32 bytes, anything
// else for itself), so that neither their length nor their ends can be played with. Wrong keys above auth_failures_max in a
// minute make the answers to their address late, later with each one; nothing is ever closed for it. A key that has worked from
// an address is answered at once even then, so that one misconfigured worker does not lock its machine out.
//
// Core owns it; it lives on the loop's thread. Delays follow the engine's clock.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "fronts/resp/call.h"
#include "fronts/resp/options.h"
#include "net/io_loop.h"

namespace muster::resp {

inline constexpr std::size_t kFailingAddressesMax = 4'096;  // the one that has been quiet longest is forgotten
inline constexpr std::size_t kKnownAddressesMax = 256;      // per key
inline constexpr Duration kAuthFailureWindow{60'000};       // failures count for so long
inline constexpr Duration kAuthDelayMin{1'000};
inline constexpr std::size_t kFailuresKept = 64;  // of one address; more make no answer any later
inline constexpr Duration kLateTick{20};          // how exact late answers are

class Gatekeeper {
 public:
  // invalid_argument: a key without name or secret, one secret twice, a worker's name on a key that is no worker's.
  static Status validate(const std::vector<Key>& keys);

  explicit Gatekeeper(Core& core);
  ~Gatekeeper();

  // What the client gave. `user` empty or "default": only the key counts.
  struct Attempt {
    std::string user;
    std::string key;
  };
  // Judges, and calls `then` on the loop's thread with an empty text or what is wrong, now or late. On success the client is
  // authenticated before that; on failure it stays what it was.
  using Verdict = UniqueFunction<void(std::string)>;
  void authenticate(const CallRef& call, Attempt attempt, Verdict then);

  // The connection forgets who it was; RESET.
  static void forget(Client& client);

  void set_keys(std::vector<Key> keys);  // REQUIRES: validate() is ok
  // Would a client that authenticated be let in again?
  bool still_valid(const Client& client) const;

 private:
  using Digest = std::array<std::uint8_t, 32>;
  struct Entry {
    Digest digest{};
    Key key;  // without its secret
    std::set<std::string> known_addresses;
  };
  struct Failures {
    std::deque<Ticks> recent;  // within the window, at most kFailuresKept
    Ticks blocked_until{};
  };
  static Digest digest_of(std::string_view secret);
  Entry* find(const Digest& digest);
  static bool fits(const Entry& entry, const std::string& user);
  void admit(Client& client, Entry& entry, const std::string& user);
  Ticks note_failure(const std::string& address, Ticks now);
  Ticks blocked_until(const std::string& address, Ticks now);
  void forget_quiet(Ticks now);
  void answer_at(Ticks due, UniqueFunction<void()> tell);
  void answer_due();

  Core& core_;
  std::vector<Entry> entries_;
  std::map<std::string, Failures> failures_;
  std::multimap<Ticks, UniqueFunction<void()>> late_;
  net::Timer timer_;
};

}  // namespace muster::resp
