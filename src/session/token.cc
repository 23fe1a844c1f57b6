#include "session/token.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "base/base64.h"
#include "base/check.h"
#include "base/json_reader.h"

namespace muster::session {
namespace {

std::string sign(std::string_view secret, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac;
  unsigned size = 0;
  const unsigned char* done = HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
                                   reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac.data(), &size);
  check(done != nullptr, "HMAC-SHA256 is there");
  return {reinterpret_cast<const char*>(mac.data()), size};
}

bool is_same_secretly(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool is_valid(const KnownSession& known, const ResumeClaim& claim, std::string_view secret, Instant now) {
  const std::optional<TokenClaims> claims = open_token(secret, claim.token);
  return claims && claims->sid == known.session_id && claims->wid == known.instance_id && claims->tenant == claim.tenant &&
         claims->exp >= std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
}

}  // namespace

std::string make_token(std::string_view secret, const TokenClaims& claims) {
  const json::Tree tree{
      {"exp", claims.exp}, {"iat", claims.iat}, {"sid", claims.sid}, {"tenant", claims.tenant}, {"wid", claims.wid}};
  // Letters beyond ASCII are escaped, as the reference server does it.
  const std::string text = tree.dump(-1, ' ', true, json::Tree::error_handler_t::replace);
  return to_base64url(text) + "." + to_base64url(sign(secret, text));
}

std::optional<TokenClaims> open_token(std::string_view secret, std::string_view token) {
  if (token.size() > kSessionTokenBytesMax) return std::nullopt;
  const std::size_t dot = token.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::optional<std::string> text = from_base64url(token.substr(0, dot));
  const std::optional<std::string> mac = from_base64url(token.substr(dot + 1));
  if (!text || !mac || !is_same_secretly(*mac, sign(secret, *text))) return std::nullopt;
  const std::optional<json::Tree> tree = json::parse_object(*text);
  if (!tree) return std::nullopt;
  const std::optional<std::int64_t> exp = json::integer(*tree, "exp");
  const std::string* sid = json::text(*tree, "sid");
  const std::string* tenant = json::text(*tree, "tenant");
  const std::string* wid = json::text(*tree, "wid");
  if (!exp || sid == nullptr || tenant == nullptr || wid == nullptr) return std::nullopt;
  return TokenClaims{.exp = *exp, .iat = json::integer(*tree, "iat").value_or(0), .sid = *sid, .tenant = *tenant, .wid = *wid};
}

std::optional<ResumeFault> judge_resume(const KnownSession* known, const ResumeClaim& claim, std::string_view secret,
                                        Instant now) {
  if (known == nullptr) return ResumeFault::unknown;
  if (known->tenant != claim.tenant) return ResumeFault::tenant_mismatch;
  if (!known->registered || known->session_id.empty()) return ResumeFault::not_registered;
  if (known->session_id != claim.session_id) return ResumeFault::mismatch;
  if (!is_valid(*known, claim, secret, now)) return ResumeFault::invalid_token;
  return std::nullopt;
}

}  // namespace muster::session
