#include "fronts/resp/gatekeeper.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <optional>

#include "base/log.h"
#include "fronts/resp/clients.h"
#include "fronts/resp/core.h"
#include "fronts/resp/meter.h"

namespace muster::resp {
namespace {

constexpr std::size_t kHexDigits = 64;
constexpr std::string_view kWrongKey = "Invalid authentication key";
constexpr std::string_view kPlainUser = "default";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The bytes a key stands for.
std::string bytes_of(std::string_view secret) {
  if (secret.size() != kHexDigits || std::any_of(secret.begin(), secret.end(), [](char c) { return hex_digit(c) < 0; }))
    return std::string(secret);
  std::string out;
  for (std::size_t i = 0; i < secret.size(); i += 2)
    out += static_cast<char>(hex_digit(secret[i]) * 16 + hex_digit(secret[i + 1]));
  return out;
}

bool is_plain(const std::string& user) { return user.empty() || user == kPlainUser; }

}  // namespace

Gatekeeper::Digest Gatekeeper::digest_of(std::string_view secret) {
  const std::string bytes = bytes_of(secret);
  Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

Status Gatekeeper::validate(const std::vector<Key>& keys) {
  std::map<Digest, std::string> owners;
  for (const Key& key : keys) {
    if (key.name.empty()) return Status::invalid_argument("a key has no name");
    if (key.secret.empty()) return Status::invalid_argument(fmt::format("key \"{}\" has no secret", key.name));
    if (!key.worker.empty() && key.role != command::Role::worker)
      return Status::invalid_argument(fmt::format("key \"{}\" names a worker; only the role worker may", key.name));
    const auto [at, fresh] = owners.emplace(digest_of(key.secret), key.name);
    if (!fresh) return Status::invalid_argument(fmt::format("key \"{}\" has the same secret as \"{}\"", key.name, at->second));
  }
  return {};
}

Gatekeeper::Gatekeeper(Core& core) : core_(core), timer_(core.loop) { set_keys(core.options.keys); }
Gatekeeper::~Gatekeeper() = default;

void Gatekeeper::set_keys(std::vector<Key> keys) {
  std::vector<Entry> entries;
  for (Key& key : keys) {
    Entry entry{.digest = digest_of(key.secret), .key = std::move(key), .known_addresses = {}};
    OPENSSL_cleanse(entry.key.secret.data(), entry.key.secret.size());
    entry.key.secret.clear();
    // Where a key has worked stays known when the keys are read again.
    if (Entry* before = find(entry.digest)) entry.known_addresses = std::move(before->known_addresses);
    entries.push_back(std::move(entry));
  }
  entries_ = std::move(entries);
}

Gatekeeper::Entry* Gatekeeper::find(const Digest& digest) {
  Entry* found = nullptr;
  // Every entry is compared, so that the time tells nothing about which one matched.
  for (Entry& entry : entries_)
    if (CRYPTO_memcmp(entry.digest.data(), digest.data(), digest.size()) == 0) found = &entry;
  return found;
}

// A name given with the key must be the key's own, or that of a worker which the key may act as.
bool Gatekeeper::fits(const Entry& entry, const std::string& user) {
  if (is_plain(user) || user == entry.key.name) return true;
  switch (entry.key.role) {
    case command::Role::operator_role: return true;
    case command::Role::worker: return entry.key.worker.empty() || entry.key.worker.text() == user;
    case command::Role::read_only: return false;
  }
  return false;
}

void Gatekeeper::admit(Client& client, Entry& entry, const std::string& user) {
  client.authenticated = true;
  client.key_digest.assign(entry.digest.begin(), entry.digest.end());
  client.caller = {.role = entry.key.role, .name = entry.key.name, .address = client.address, .worker = entry.key.worker};
  if (!is_plain(user) && user != entry.key.name && client.caller.worker.empty()) client.caller.worker = WorkerId(user);
  if (entry.known_addresses.size() < kKnownAddressesMax) entry.known_addresses.insert(client.address);
  core_.clients->tell_changed(client.id);
}

void Gatekeeper::forget(Client& client) {
  client.key_digest.clear();
  client.caller = {.role = command::Role::read_only, .name = {}, .address = client.address, .worker = {}};
  client.authenticated = !client.auth_needed;
  if (!client.authenticated) return;
  client.caller.role = command::Role::operator_role;
  client.caller.name = "anonymous";
}

bool Gatekeeper::still_valid(const Client& client) const {
  if (!client.authenticated || client.key_digest.empty()) return true;
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return client.key_digest.size() == entry.digest.size() &&
           CRYPTO_memcmp(entry.digest.data(), client.key_digest.data(), entry.digest.size()) == 0 &&
           entry.key.role == client.caller.role && (entry.key.worker.empty() || entry.key.worker == client.caller.worker);
  });
}

void Gatekeeper::authenticate(const CallRef& call, Attempt attempt, Verdict then) {
  const Ticks now = core_.clock().elapsed();
  const std::string& address = call->client().address;
  const Digest digest = digest_of(attempt.key);
  Entry* entry = find(digest);
  if (entry != nullptr && !fits(*entry, attempt.user)) entry = nullptr;
  const Ticks blocked = blocked_until(address, now);
  if (entry == nullptr) {
    core_.meter->count_auth_failure();
    const Ticks due = note_failure(address, now);
    return answer_at(due, [then = std::move(then)]() mutable { then(std::string(kWrongKey)); });
  }
  if (blocked <= now || entry->known_addresses.contains(address)) {
    admit(call->client(), *entry, attempt.user);
    return then({});
  }
  // Answered at once, a key that is right would tell a guesser so without the wait.
  answer_at(blocked, [this, call, digest, user = std::move(attempt.user), then = std::move(then)]() mutable {
    Entry* still = find(digest);
    if (still == nullptr) return then(std::string(kWrongKey));
    admit(call->client(), *still, user);
    then({});
  });
}

Ticks Gatekeeper::blocked_until(const std::string& address, Ticks now) {
  const auto at = failures_.find(address);
  return at == failures_.end() ? now : std::max(now, at->second.blocked_until);
}

// When the failure is answered: at once for the first ones of a minute, then 1 s, 2 s, 4 s, … after the one before it.
Ticks Gatekeeper::note_failure(const std::string& address, Ticks now) {
  forget_quiet(now);
  Failures& failures = failures_[address];
  while (!failures.recent.empty() && now - failures.recent.front() >= kAuthFailureWindow) failures.recent.pop_front();
  failures.recent.push_back(now);
  if (failures.recent.size() > kFailuresKept) failures.recent.pop_front();
  const std::size_t allowed = core_.options.limits.auth_failures_max;
  if (failures.recent.size() <= allowed) return now;
  const std::size_t doublings = std::min<std::size_t>(failures.recent.size() - allowed - 1, 16);
  const Duration delay = std::min<Duration>(kAuthDelayMin * (std::int64_t{1} << doublings), core_.options.limits.auth_delay_max);
  if (failures.recent.size() == allowed + 1)
    log::warn("answers to AUTH are delayed: too many wrong keys", {{"address", address}});
  // Tries side by side do not add up beyond the longest delay: an honest client behind them would never get in.
  failures.blocked_until =
      std::min(std::max(failures.blocked_until, now) + delay, now + Ticks(core_.options.limits.auth_delay_max));
  return failures.blocked_until;
}

void Gatekeeper::forget_quiet(Ticks now) {
  if (failures_.size() < kFailingAddressesMax) return;
  std::erase_if(failures_, [&](const auto& each) { return now - each.second.recent.back() >= kAuthFailureWindow; });
  if (failures_.size() < kFailingAddressesMax) return;
  failures_.erase(std::min_element(failures_.begin(), failures_.end(),
                                   [](const auto& a, const auto& b) { return a.second.recent.back() < b.second.recent.back(); }));
}

void Gatekeeper::answer_at(Ticks due, UniqueFunction<void()> tell) {
  if (due <= core_.clock().elapsed()) return tell();
  const bool idle = late_.empty();
  late_.emplace(due, std::move(tell));
  if (idle) timer_.start(kLateTick, [this] { answer_due(); });
}

void Gatekeeper::answer_due() {
  const Ticks now = core_.clock().elapsed();
  while (!late_.empty() && late_.begin()->first <= now) {
    UniqueFunction<void()> tell = std::move(late_.begin()->second);
    late_.erase(late_.begin());
    tell();
  }
  if (!late_.empty()) timer_.start(kLateTick, [this] { answer_due(); });
}

}  // namespace muster::resp
