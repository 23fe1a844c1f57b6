// SHA-256 of bytes that come piece by piece, in hexadecimal, and the same with a key.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace muster {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  // 64 lower-case digits. Nothing may be added afterwards.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(std::string_view bytes);
// HMAC-SHA256: nobody without the key can tell what the bytes were by trying.
struct Keyed {
  std::string_view key, bytes;
};
std::string hmac_sha256_hex(const Keyed& keyed);

}  // namespace muster
