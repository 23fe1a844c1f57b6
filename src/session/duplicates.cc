#include "session/duplicates.h"

#include <openssl/sha.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

namespace muster::session {
namespace {

void append_word(std::string& out, std::uint64_t word) { out.append(reinterpret_cast<const char*>(&word), sizeof word); }

}  // namespace

Duplicates::Digest Duplicates::digest_of(const FrameKey& key) {
  std::string text;
  text.reserve(3 * sizeof(std::uint64_t) + key.id.size() + key.corr.value_or("").size());
  append_word(text, key.epoch);
  append_word(text, key.corr ? 1 : 0);
  append_word(text, key.id.size());  // where id ends and corr begins
  text += key.id;
  text += key.corr.value_or("");
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data());
  Digest digest;
  std::memcpy(digest.data(), hash.data(), sizeof digest);
  return digest;
}

void Duplicates::drop_oldest() {
  known_.erase(by_age_.front().digest);
  by_age_.pop_front();
}

void Duplicates::forget(const FrameKey& key) {
  const Digest digest = digest_of(key);
  if (known_.erase(digest) == 0) return;
  // It came a moment ago, so it stands near the end.
  const auto found = std::find_if(by_age_.rbegin(), by_age_.rend(), [&](const Entry& entry) { return entry.digest == digest; });
  by_age_.erase(std::next(found).base());
}

bool Duplicates::remember(const FrameKey& key, Instant now) {
  while (!by_age_.empty() && by_age_.front().seen_at + kDuplicatesRememberedFor <= now) drop_oldest();
  const Digest digest = digest_of(key);
  if (!known_.insert(digest).second) return false;
  by_age_.push_back({digest, now});
  if (by_age_.size() > kDuplicatesRememberedMax) drop_oldest();
  return true;
}

}  // namespace muster::session
