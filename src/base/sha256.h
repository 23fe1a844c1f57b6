// SHA-256 of bytes that come piece by piece, in hexadecimal.
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

}  // namespace muster
