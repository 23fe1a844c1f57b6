#include "fronts/auth/authenticator.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>

namespace muster::auth {
namespace {

constexpr std::string_view kScheme = "bearer ";

Digest digest_of(std::string_view secret) {
  Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), digest.data());
  return digest;
}

bool same(const Digest& a, const Digest& b) { return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0; }

std::string_view bearer_secret(std::string_view authorization) {
  if (authorization.size() <= kScheme.size()) return {};
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    const char c = authorization[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != kScheme[i]) return {};
  }
  authorization.remove_prefix(kScheme.size());
  const std::size_t from = authorization.find_first_not_of(' ');
  return from == std::string_view::npos ? std::string_view() : authorization.substr(from);
}

// 1 s, 2 s, 4 s, … from the first failure after the free ones.
Duration wait_after(std::uint32_t failures) {
  if (failures < kFreeFailures) return Duration::zero();
  const std::uint32_t doublings = std::min<std::uint32_t>(failures - kFreeFailures, 16);
  return std::min<Duration>(kFailureWaitMin * (std::int64_t{1} << doublings), kFailureWaitMax);
}

}  // namespace

Status Authenticator::validate(const AuthOptions& options) {
  if (options.required && options.tokens.empty())
    return Status::invalid_argument("authentication is required, but no token is configured");
  std::set<std::string_view> secrets;
  for (const Token& token : options.tokens) {
    if (token.name.empty()) return Status::invalid_argument("a token has no name");
    if (token.secret.empty()) return Status::invalid_argument(fmt::format("token \"{}\" has no secret", token.name));
    if (!token.worker.empty() && token.role != command::Role::worker)
      return Status::invalid_argument(fmt::format("token \"{}\" names a worker; only the role worker may", token.name));
    if (!secrets.insert(token.secret).second)
      return Status::invalid_argument(fmt::format("token \"{}\" has the same secret as another one", token.name));
  }
  return {};
}

Authenticator::Authenticator(const AuthOptions& options) : required_(options.required) {
  for (const Token& token : options.tokens)
    entries_.push_back({.digest = digest_of(token.secret),
                        .role = token.role,
                        .name = token.name,
                        .worker = token.worker,
                        .known_addresses = {}});
}

Authenticator::Entry* Authenticator::find(const Digest& digest) {
  Entry* found = nullptr;
  // Every entry is compared, so that the time tells nothing about which one matched.
  for (Entry& entry : entries_)
    if (same(entry.digest, digest)) found = &entry;
  return found;
}

bool Authenticator::still_valid(const Credential& credential) const {
  if (credential.anonymous) return !required_;
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return same(entry.digest, credential.digest) && entry.role == credential.caller.role &&
           entry.worker == credential.caller.worker;
  });
}

Result<Credential> Authenticator::authenticate(std::string_view authorization, const std::string& address, Ticks now) {
  if (authorization.empty()) {
    if (required_) return Status::unauthenticated("a token is needed: Authorization: Bearer TOKEN");
    return Credential{.caller = {.role = command::Role::operator_role, .name = "anonymous", .address = address, .worker = {}}};
  }
  const std::string_view secret = bearer_secret(authorization);
  const Digest digest = digest_of(secret);
  Entry* entry = secret.empty() ? nullptr : find(digest);
  const auto failed = failures_.find(address);
  if (failed != failures_.end() && now < failed->second.blocked_until &&
      (entry == nullptr || !entry->known_addresses.contains(address)))
    return Status::exhausted(fmt::format("too many wrong tokens from {}; wait {} s", address,
                                         std::chrono::ceil<std::chrono::seconds>(failed->second.blocked_until - now).count()));
  if (entry == nullptr) {
    note_failure(address, now);
    return Status::unauthenticated(secret.empty() ? "the Authorization header is not of the form: Bearer TOKEN"
                                                  : "the token is not known");
  }
  if (entry->known_addresses.size() < kKnownAddressesMax) entry->known_addresses.insert(address);
  return Credential{.caller = {.role = entry->role, .name = entry->name, .address = address, .worker = entry->worker},
                    .digest = digest,
                    .anonymous = false};
}

void Authenticator::note_failure(const std::string& address, Ticks now) {
  forget_old_failures(now);
  Failures& failures = failures_[address];
  if (now - failures.last > kFailureForgotten) failures.count = 0;
  ++failures.count;
  failures.last = now;
  failures.blocked_until = now + wait_after(failures.count);
}

void Authenticator::forget_old_failures(Ticks now) {
  if (failures_.size() < kFailingAddressesMax) {
    // Only the table's bound makes a full pass worth its time; one address at a time is enough below it.
    const auto first = failures_.begin();
    if (first != failures_.end() && now - first->second.last > kFailureForgotten) failures_.erase(first);
    return;
  }
  std::erase_if(failures_, [&](const auto& each) { return now - each.second.last > kFailureForgotten; });
  if (failures_.size() < kFailingAddressesMax) return;
  failures_.erase(std::min_element(failures_.begin(), failures_.end(),
                                   [](const auto& a, const auto& b) { return a.second.last < b.second.last; }));
}

}  // namespace muster::auth
