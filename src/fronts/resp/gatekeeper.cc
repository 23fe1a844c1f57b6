#include "fronts/resp/gatekeeper.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>

#include "base/ascii.h"
#include "fronts/resp/clients.h"
#include "fronts/resp/core.h"
#include "fronts/resp/meter.h"
#include "fronts/resp/work/registration.h"

namespace muster::resp {
namespace {

constexpr std::size_t kHexDigits = 64;
constexpr std::string_view kWrongKey = "Invalid authentication key";
constexpr std::string_view kPlainUser = "default";

// The bytes a key stands for.
std::string bytes_of(std::string_view secret) {
  if (secret.size() != kHexDigits || std::any_of(secret.begin(), secret.end(), [](char c) { return hex_value(c) < 0; }))
    return std::string(secret);
  std::string out;
  for (std::size_t i = 0; i < secret.size(); i += 2)
    out += static_cast<char>(hex_value(secret[i]) * 16 + hex_value(secret[i + 1]));
  return out;
}

bool is_plain(const std::string& user) { return user.empty() || user == kPlainUser; }

}  // namespace

auth::Digest Gatekeeper::digest_of(std::string_view bytes) {
  auth::Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

auth::Digest Gatekeeper::digest_of(const Key& key) {
  return key.sha256.empty() ? digest_of(bytes_of(key.secret)) : auth::parse_digest(key.sha256).value_or(auth::Digest{});
}

Status Gatekeeper::validate(const std::vector<Key>& keys) {
  std::map<auth::Digest, std::string> owners;
  for (const Key& key : keys) {
    if (key.name.empty()) return Status::invalid_argument("a key has no name");
    if (key.secret.empty() == key.sha256.empty())
      return Status::invalid_argument(fmt::format("key \"{}\" needs a secret or its SHA-256, one of them", key.name));
    if (!key.sha256.empty() && !auth::parse_digest(key.sha256))
      return Status::invalid_argument(fmt::format("key \"{}\": a SHA-256 is 64 hexadecimal digits", key.name));
    if (!key.worker.empty() && key.role != command::Role::worker)
      return Status::invalid_argument(fmt::format("key \"{}\" names a worker; only the role worker may", key.name));
    const auto [at, fresh] = owners.emplace(digest_of(key), key.name);
    if (!fresh) return Status::invalid_argument(fmt::format("key \"{}\" has the same secret as \"{}\"", key.name, at->second));
  }
  return {};
}

Gatekeeper::Gatekeeper(Core& core)
    : core_(core), brake_(core.options.brake ? core.options.brake : std::make_shared<auth::Brake>()), timer_(core.loop) {
  set_keys(core.options.keys);
}
Gatekeeper::~Gatekeeper() = default;

void Gatekeeper::set_keys(std::vector<Key> keys) {
  std::vector<Entry> entries;
  for (Key& key : keys) {
    Entry entry{.digest = digest_of(key), .key = std::move(key)};
    OPENSSL_cleanse(entry.key.secret.data(), entry.key.secret.size());
    entry.key.secret.clear();
    entries.push_back(std::move(entry));
  }
  entries_ = std::move(entries);
}

const Gatekeeper::Entry* Gatekeeper::find(std::string_view secret) const {
  const auth::Digest of_bytes = digest_of(bytes_of(secret));
  const auth::Digest of_text = digest_of(secret);  // what an operator takes the SHA-256 of
  const Entry* found = nullptr;
  // Every entry is compared, so that the time tells nothing about which one matched.
  for (const Entry& entry : entries_) {
    const auth::Digest& digest = entry.key.sha256.empty() ? of_bytes : of_text;
    if (CRYPTO_memcmp(entry.digest.data(), digest.data(), digest.size()) == 0) found = &entry;
  }
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

void Gatekeeper::admit(Client& client, const Entry& entry, const std::string& user) {
  client.authenticated = true;
  client.key_digest.assign(entry.digest.begin(), entry.digest.end());
  client.caller = {.role = entry.key.role,
                   .name = entry.key.name,
                   .address = client.address,
                   .worker = entry.key.worker,
                   .namespaces = entry.key.namespaces};
  if (!is_plain(user) && user != entry.key.name && client.caller.worker.empty()) client.caller.worker = WorkerId(user);
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
           entry.key.role == client.caller.role && (entry.key.worker.empty() || entry.key.worker == client.caller.worker) &&
           entry.key.namespaces == client.caller.namespaces;
  });
}

void Gatekeeper::authenticate(const CallRef& call, Attempt attempt, Verdict then) {
  const Entry* entry = find(attempt.key);
  if (entry != nullptr && fits(*entry, attempt.user)) {
    // A name that no worker can have would be refused with the first command that needs it.
    if (!is_plain(attempt.user) && attempt.user != entry->key.name)
      if (Status usable = work::validate_worker_id(attempt.user); !usable.ok()) return then(usable.message());
    admit(call->client(), *entry, attempt.user);
    return then({});
  }
  core_.meter->count_auth_failure();
  const Ticks due = brake_->note_failure(call->client().address, core_.clock().elapsed());
  answer_at(due, [then = std::move(then)]() mutable { then(std::string(kWrongKey)); });
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
