// Sessions of browsers, which cannot keep a token where no script reads it: a token is shown once, and from then on a random id
// in a cookie stands for it. Links that sign in once are made and taken here too.
//
// What a session may do is what its token may; it ends when the token does, after kBrowserSessionLife, or when nobody uses it for
// kBrowserSessionIdle. Ids and codes are 256 random bits. They are kept as their SHA-256 alone and compared in a time that tells
// nothing, and nobody logs them. Everything is in memory and bounded: a restart ends all sessions. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "fronts/auth/authenticator.h"

namespace muster::auth {

inline constexpr Duration kBrowserSessionLife{12 * 60 * 60 * 1'000};
inline constexpr Duration kBrowserSessionIdle{2 * 60 * 60 * 1'000};
inline constexpr Duration kSignInLinkLife{5 * 60 * 1'000};
inline constexpr std::size_t kBrowserSessionsMax = 1'000;
inline constexpr std::size_t kBrowserSessionsPerTokenMax = 100;  // the one that was unused longest gives way
inline constexpr std::size_t kSignInLinksMax = 1'000;            // unused
inline constexpr std::size_t kSignInLinksPerTokenMax = 10;       // its oldest one gives way

class BrowserSessions {
 public:
  struct Opened {
    std::string id;  // for the cookie
    Credential credential;
    Ticks ends{};
  };
  // REQUIRES: a token's credential. exhausted: kBrowserSessionsMax of other tokens. unavailable: there is no randomness.
  Result<Opened> open(Credential credential, Ticks now);
  struct Found {
    Credential credential;
    Ticks ends{};
  };
  // nullopt: there is none, or it is over. Counts as a use.
  std::optional<Found> find(std::string_view id, Ticks now);
  bool is_open(const Digest& session, Ticks now) const;
  // Whether there was one.
  bool close(std::string_view id);

  // A code that signs in as this caller, once. exhausted: kSignInLinksMax of other tokens.
  Result<std::string> make_link(Credential credential, Ticks now);
  std::optional<Credential> take_link(std::string_view code, Ticks now);

  void forget_over(Ticks now);
  // Sessions and links of credentials that count no longer.
  void forget_unless(const std::function<bool(const Credential&)>& valid);
  bool empty() const { return sessions_.empty() && links_.empty(); }

 private:
  struct Session {
    Digest id{};
    Credential credential;
    Ticks ends{};
    Ticks used{};
  };
  struct Link {
    Digest code{};
    Credential credential;
    Ticks ends{};
  };
  static bool is_over(const Session& session, Ticks now);
  Status make_room(const Credential& credential);

  std::vector<Session> sessions_;
  std::vector<Link> links_;
};

}  // namespace muster::auth
