#include "fronts/auth/authenticator.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/ascii.h"

namespace muster::auth {
namespace {

constexpr std::string_view kScheme = "bearer ";
constexpr const char* kAnonymous = "anonymous";  // the name of callers without a token

std::string_view bearer_secret(std::string_view authorization) {
  if (authorization.size() <= kScheme.size() || !same_in_any_case(authorization.substr(0, kScheme.size()), kScheme)) return {};
  authorization.remove_prefix(kScheme.size());
  const std::size_t from = authorization.find_first_not_of(' ');
  return from == std::string_view::npos ? std::string_view() : authorization.substr(from);
}

// REQUIRES: Authenticator::validate() is ok.
Digest digest_of(const Token& token) {
  return token.sha256.empty() ? secret_digest(token.secret) : parse_digest(token.sha256).value_or(Digest{});
}

}  // namespace

bool same(const Digest& a, const Digest& b) { return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0; }

Digest secret_digest(std::string_view secret) {
  Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), digest.data());
  return digest;
}

std::optional<Digest> parse_digest(std::string_view hex) {
  Digest digest{};
  if (hex.size() != 2 * digest.size()) return std::nullopt;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    const int high = hex_value(hex[2 * i]);
    const int low = hex_value(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return digest;
}

std::optional<Digest> parse_fingerprint(std::string_view text) {
  std::string hex;
  for (const char c : text)
    if (c != ':') hex += c;
  return parse_digest(hex);
}

Status Authenticator::validate(const AuthOptions& options) {
  if (options.required && options.tokens.empty())
    return Status::invalid_argument("authentication is required, but no token is configured");
  std::set<Digest> secrets;
  for (const Token& token : options.tokens) {
    if (token.name.empty()) return Status::invalid_argument("a token has no name");
    if (token.secret.empty() == token.sha256.empty())
      return Status::invalid_argument(fmt::format("token \"{}\" needs a secret or its SHA-256, one of them", token.name));
    if (!token.sha256.empty() && !parse_digest(token.sha256))
      return Status::invalid_argument(fmt::format("token \"{}\": a SHA-256 is 64 hexadecimal digits", token.name));
    if (!token.worker.empty() && token.role != command::Role::worker)
      return Status::invalid_argument(fmt::format("token \"{}\" names a worker; only the role worker may", token.name));
    if (token.namespaces && token.namespaces->empty())
      return Status::invalid_argument(fmt::format("token \"{}\" is bound to no namespace at all", token.name));
    if (!secrets.insert(digest_of(token)).second)
      return Status::invalid_argument(fmt::format("token \"{}\" has the same secret as another one", token.name));
  }
  std::set<Digest> fingerprints;
  for (const Certificate& certificate : options.certificates) {
    if (certificate.name.empty()) return Status::invalid_argument("a certificate has no name");
    const auto fingerprint = parse_fingerprint(certificate.sha256);
    if (!fingerprint)
      return Status::invalid_argument(fmt::format("certificate \"{}\": a SHA-256 is 64 hexadecimal digits", certificate.name));
    if (!certificate.worker.empty() && certificate.role != command::Role::worker)
      return Status::invalid_argument(
          fmt::format("certificate \"{}\" names a worker; only the role worker may", certificate.name));
    if (certificate.namespaces && certificate.namespaces->empty())
      return Status::invalid_argument(fmt::format("certificate \"{}\" is bound to no namespace at all", certificate.name));
    if (!fingerprints.insert(*fingerprint).second)
      return Status::invalid_argument(fmt::format("certificate \"{}\" stands under another name, too", certificate.name));
  }
  return {};
}

Authenticator::Authenticator(const AuthOptions& options, std::shared_ptr<Brake> brake)
    : required_(options.required), brake_(std::move(brake)) {
  for (const Token& token : options.tokens)
    entries_.push_back({.digest = digest_of(token),
                        .role = token.role,
                        .name = token.name,
                        .worker = token.worker,
                        .namespaces = token.namespaces});
  for (const Certificate& certificate : options.certificates)
    entries_.push_back({.digest = parse_fingerprint(certificate.sha256).value_or(Digest{}),
                        .certificate = true,
                        .role = certificate.role,
                        .name = certificate.name,
                        .worker = certificate.worker,
                        .namespaces = certificate.namespaces});
}

const Authenticator::Entry* Authenticator::find(const Digest& digest, bool certificate) const {
  const Entry* found = nullptr;
  // Every entry is compared, so that the time tells nothing about which one matched.
  for (const Entry& entry : entries_)
    if (same(entry.digest, digest) && entry.certificate == certificate) found = &entry;
  return found;
}

bool Authenticator::still_valid(const Credential& credential) const {
  if (credential.anonymous) return !required_;
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return same(entry.digest, credential.digest) && entry.certificate == credential.certificate &&
           entry.role == credential.caller.role && entry.worker == credential.caller.worker &&
           entry.namespaces == credential.caller.namespaces;
  });
}

Credential Authenticator::credential_of(const Entry& entry, const std::string& address) {
  return {.caller = {.role = entry.role,
                     .name = entry.name,
                     .address = address,
                     .worker = entry.worker,
                     .namespaces = entry.namespaces},
          .digest = entry.digest,
          .anonymous = false,
          .certificate = entry.certificate};
}

std::optional<Credential> Authenticator::by_name(std::string_view name) const {
  for (const Entry& entry : entries_)
    if (entry.name == name) return credential_of(entry, {});
  if (required_ || name != kAnonymous) return std::nullopt;
  return anonymous({});
}

Credential Authenticator::anonymous(const std::string& address) {
  return {.caller = {.role = command::Role::operator_role, .name = kAnonymous, .address = address, .worker = {}}};
}

Result<Credential> Authenticator::authenticate_certificate(const Digest& fingerprint, const std::string& address) const {
  if (const Entry* entry = find(fingerprint, true)) return credential_of(*entry, address);
  if (required_) return Status::unauthenticated("the certificate is not known");
  return anonymous(address);
}

Result<Credential> Authenticator::authenticate(std::string_view authorization, const std::string& address, Ticks now) const {
  if (authorization.empty()) {
    if (required_) return Status::unauthenticated("a token is needed: Authorization: Bearer TOKEN");
    return anonymous(address);
  }
  const std::string_view secret = bearer_secret(authorization);
  const Digest digest = secret_digest(secret);
  const Entry* entry = secret.empty() ? nullptr : find(digest, false);
  if (entry != nullptr) return credential_of(*entry, address);
  if (const Ticks blocked = brake_->blocked_until(address, now); blocked > now)
    return Status::exhausted(fmt::format("too many wrong tokens from {}; wait {} s", address,
                                         std::chrono::ceil<std::chrono::seconds>(blocked - now).count()));
  brake_->note_failure(address, now);
  return Status::unauthenticated(secret.empty() ? "the Authorization header is not of the form: Bearer TOKEN"
                                                : "the token is not known");
}

}  // namespace muster::auth
