// AUTH: which key makes a connection whom.
//
// Keys are kept and compared as SHA-256 digests of the bytes they stand for (64 hexadecimal digits stand for 32 bytes, anything
// else for itself), so that neither their length nor their ends can be played with. A key that is right is answered at once.
// Wrong ones are counted by the brake that all fronts share, and answered when it says so; nothing is ever closed for it.
//
// Core owns it; it lives on the loop's thread. Delays follow the engine's clock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "fronts/resp/call.h"
#include "fronts/resp/options.h"
#include "net/io_loop.h"

namespace muster::resp {

inline constexpr Duration kLateTick{20};  // how exact late answers are

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
  std::size_t answers_held_back() const { return late_.size(); }

 private:
  struct Entry {
    auth::Digest digest{};
    Key key;  // without its secret
  };
  static auth::Digest digest_of(std::string_view bytes);
  static auth::Digest digest_of(const Key& key);
  const Entry* find(std::string_view secret) const;
  static bool fits(const Entry& entry, const std::string& user);
  void admit(Client& client, const Entry& entry, const std::string& user);
  void answer_at(Ticks due, UniqueFunction<void()> tell);
  void answer_due();

  Core& core_;
  const std::shared_ptr<auth::Brake> brake_;  // shared with the other fronts
  std::vector<Entry> entries_;
  std::multimap<Ticks, UniqueFunction<void()>> late_;
  net::Timer timer_;
};

}  // namespace muster::resp
