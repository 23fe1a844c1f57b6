#include "base/sha256.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "base/check.h"

namespace muster {
namespace {

std::string hex_of(const unsigned char* digest, unsigned int size) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    out += kDigits[digest[i] >> 4];
    out += kDigits[digest[i] & 15];
  }
  return out;
}

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  check(state_->context != nullptr && EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1, "SHA-256 is there");
}
Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  check(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1, "SHA-256 takes bytes");
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(state_->context, digest.data(), &size) == 1, "SHA-256 ends");
  return hex_of(digest.data(), size);
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 digest;
  digest.add(bytes);
  return digest.hex();
}

std::string hmac_sha256_hex(const Keyed& keyed) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const unsigned char* done =
      HMAC(EVP_sha256(), keyed.key.data(), static_cast<int>(keyed.key.size()),
           reinterpret_cast<const unsigned char*>(keyed.bytes.data()), keyed.bytes.size(), digest.data(), &size);
  check(done != nullptr, "HMAC-SHA256 is there");
  return hex_of(digest.data(), size);
}

}  // namespace muster
