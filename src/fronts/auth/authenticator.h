// Who sends a request: bearer tokens, kept and compared as SHA-256 digests.
//
// A token that is right is accepted at once, whatever others sent from its address. Wrong ones are counted by the brake, and
// refused as exhausted while their address has to wait. Each front has an Authenticator of its own and shares the brake.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "command/context.h"
#include "fronts/auth/brake.h"

namespace muster::auth {

struct Token {
  std::string name;  // for the audit log; not secret
  command::Role role = command::Role::read_only;
  std::string secret;  // kept as its SHA-256 only; empty: `sha256` is given instead
  WorkerId worker;     // role worker: the one worker it may act as; empty: any
  // Those it may use; empty: all.
  std::optional<std::vector<NamespaceName>> namespaces{};
  std::string sha256{};  // of the secret, 64 hexadecimal digits
};

// A certificate of a client, which names its caller as a token does, where a wire has mTLS.
struct Certificate {
  std::string name;
  command::Role role = command::Role::read_only;
  std::string sha256;  // its fingerprint, as parse_fingerprint() reads it
  WorkerId worker;
  std::optional<std::vector<NamespaceName>> namespaces{};
};

struct AuthOptions {
  std::vector<Token> tokens;
  std::vector<Certificate> certificates{};
  bool required = false;  // false: a request without a token is the operator's. A wrong token is refused either way.
};

using Digest = std::array<std::uint8_t, 32>;

// What is kept of a secret.
Digest secret_digest(std::string_view secret);

// In a time that does not tell where they differ.
bool same(const Digest& a, const Digest& b);

// Of 64 hexadecimal digits; nothing: they are none.
std::optional<Digest> parse_digest(std::string_view hex);

// The same with colons in between, as openssl prints it.
std::optional<Digest> parse_fingerprint(std::string_view text);

// What is remembered of a caller beyond one request: whether it would still be let in.
struct Credential {
  command::Caller caller;
  Digest digest{};  // all zero: no token was needed
  bool anonymous = true;
  bool certificate = false;  // `digest` is the fingerprint of one
  Digest session{};          // of a browser (browser_sessions.h); all zero: the token itself was shown
};

class Authenticator {
 public:
  // invalid_argument: a token without name, without secret or with two forms of it, one secret twice, or tokens required and none
  // given.
  static Status validate(const AuthOptions& options);
  // The brake is shared by all fronts.
  Authenticator(const AuthOptions& options, std::shared_ptr<Brake> brake);

  // unauthenticated: no token, or a wrong one. exhausted: a wrong one from an address that has to wait.
  Result<Credential> authenticate(std::string_view authorization, const std::string& address, Ticks now) const;
  // Of a caller whose certificate was verified. Where a token is needed, a certificate must be a known one. unauthenticated: it
  // is not.
  Result<Credential> authenticate_certificate(const Digest& fingerprint, const std::string& address) const;
  bool still_valid(const Credential& credential) const;
  // Of a caller that was let in before, by its name. nullopt: it would not be let in now.
  std::optional<Credential> by_name(std::string_view name) const;
  bool required() const { return required_; }

 private:
  struct Entry {
    Digest digest{};
    bool certificate = false;  // a fingerprint is no secret: it opens nothing as a token
    command::Role role = command::Role::read_only;
    std::string name;
    WorkerId worker;
    std::optional<std::vector<NamespaceName>> namespaces;
  };

  const Entry* find(const Digest& digest, bool certificate) const;
  static Credential credential_of(const Entry& entry, const std::string& address);
  static Credential anonymous(const std::string& address);

  bool required_ = false;
  std::vector<Entry> entries_;
  std::shared_ptr<Brake> brake_;
};

}  // namespace muster::auth
