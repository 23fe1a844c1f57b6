// Who sends a request: bearer tokens, kept and compared as SHA-256 digests, and a brake on guessing.
//
// Each wrong token from an address costs the address a wait that doubles; while it waits its requests are refused unread, except
// with a token that has worked from there before, so that one misconfigured worker does not lock its whole machine out.
// The fronts that take tokens share these rules; each has an Authenticator of its own, which is not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "command/context.h"

namespace muster::auth {

struct Token {
  std::string name;  // for the audit log; not secret
  command::Role role = command::Role::read_only;
  std::string secret;  // kept as its SHA-256 only
  WorkerId worker;     // role worker: the one worker it may act as; empty: any
};

struct AuthOptions {
  std::vector<Token> tokens;
  bool required = false;  // false: a request without a token is the operator's. A wrong token is refused either way.
};

inline constexpr std::size_t kFailingAddressesMax = 4'096;  // the one that has been quiet longest is forgotten
inline constexpr std::size_t kKnownAddressesMax = 256;      // per token
inline constexpr std::uint32_t kFreeFailures = 5;           // before the first wait
inline constexpr Duration kFailureWaitMin{1'000};
inline constexpr Duration kFailureWaitMax{60'000};
inline constexpr Duration kFailureForgotten{10 * 60'000};

using Digest = std::array<std::uint8_t, 32>;

// What is remembered of a caller beyond one request: whether it would still be let in.
struct Credential {
  command::Caller caller;
  Digest digest{};  // all zero: no token was needed
  bool anonymous = true;
};

class Authenticator {
 public:
  // invalid_argument: a token without secret or name, one secret twice, or tokens required and none given.
  static Status validate(const AuthOptions& options);
  explicit Authenticator(const AuthOptions& options);

  // unauthenticated: no token, or a wrong one. exhausted: the address has to wait.
  Result<Credential> authenticate(std::string_view authorization, const std::string& address, Ticks now);
  bool still_valid(const Credential& credential) const;
  bool required() const { return required_; }

 private:
  struct Entry {
    Digest digest{};
    command::Role role = command::Role::read_only;
    std::string name;
    WorkerId worker;
    std::set<std::string> known_addresses;
  };
  struct Failures {
    std::uint32_t count = 0;
    Ticks last{};
    Ticks blocked_until{};
  };

  Entry* find(const Digest& digest);
  void note_failure(const std::string& address, Ticks now);
  void forget_old_failures(Ticks now);

  bool required_ = false;
  std::vector<Entry> entries_;
  std::map<std::string, Failures> failures_;
};

}  // namespace muster::auth
