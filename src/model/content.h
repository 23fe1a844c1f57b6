// Bytes that a client hands over or gets back, and how they are to be shown.
#pragma once

#include <cstdint>
#include <string>

namespace muster {

// How the bytes of a payload or result are to be shown.
enum class Encoding : std::uint8_t { json, bytes };

struct Content {
  std::string data;
  Encoding encoding = Encoding::json;
  friend bool operator==(const Content&, const Content&) = default;
};

// Why an attempt did not complete. `kind` is for programs, `message` for people.
struct JobError {
  std::string kind;
  std::string message;
  friend bool operator==(const JobError&, const JobError&) = default;
};

}  // namespace muster
