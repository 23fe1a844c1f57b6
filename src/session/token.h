// Session tokens: what a server signs when it accepts a session and asks for when the worker resumes it.
//
// token = base64url(P) "." base64url(HMAC-SHA256(secret, P)), no padding; P is the JSON of the claims, keys sorted, no blanks.
// The MAC covers P itself, and there is no header: these are no JWTs. Tokens of the reference server and ours are the same bytes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "session/codes.h"

namespace muster::session {

inline constexpr std::size_t kSessionTokenBytesMax = 16 * 1024;
inline constexpr std::chrono::seconds kSessionTokenLife{3'600};

struct TokenClaims {
  std::int64_t exp = 0;  // seconds since 1970
  std::int64_t iat = 0;
  std::string sid;  // session id
  std::string tenant;
  std::string wid;  // worker instance id
};

std::string make_token(std::string_view secret, const TokenClaims& claims);
// The claims of a token that carries our signature, expired or not. nullopt: malformed, or signed by somebody else. The
// comparison takes the same time wherever the signatures differ. Unknown claims are ignored, and so is a missing iat.
std::optional<TokenClaims> open_token(std::string_view secret, std::string_view token);

// What is kept of a session between connections.
struct KnownSession {
  std::string_view instance_id;
  std::string_view tenant;
  std::string_view session_id;  // empty: none was accepted
  bool registered = false;
};

struct ResumeClaim {
  std::string_view tenant;  // of the envelope
  std::string_view session_id;
  std::string_view token;
};

enum class ResumeFault : std::uint8_t { unknown, tenant_mismatch, not_registered, mismatch, invalid_token };

// Whether a worker may resume: nullopt, it may. `known` is what is kept for the instance that sender.id names; nullptr: nothing.
// The first check that fails decides, in the order of the enumerators.
std::optional<ResumeFault> judge_resume(const KnownSession* known, const ResumeClaim& claim, std::string_view secret,
                                        Instant now);

// The code and reason of the reset frame; the reason is also that of the close that follows.
constexpr ErrorCode code_of(ResumeFault fault) {
  switch (fault) {
    case ResumeFault::unknown: return kSessionUnknown;
    case ResumeFault::tenant_mismatch: return kSessionTenantMismatch;
    case ResumeFault::not_registered: return kSessionNotRegistered;
    case ResumeFault::mismatch: return kSessionMismatch;
    case ResumeFault::invalid_token: return kSessionInvalidToken;
  }
  return kInternal;
}

}  // namespace muster::session
