// Writes JSON straight into a string, commas included. Nothing is checked: what is written is ours.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace muster::http {

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);
  // REQUIRES: a name that needs no escapes, as all of ours are.
  void plain_key(std::string_view name) {
    separate();
    out_.append(1, '"').append(name).append("\":");
    comma_ = false;
  }

  void string(std::string_view text);
  void boolean(bool value);
  void number(std::int64_t value);
  void number(std::uint64_t value);
  void real(double value);          // null when it is not finite
  void instant(Instant at);         // RFC 3339
  void raw(std::string_view json);  // REQUIRES: valid JSON

  void member(std::string_view name, std::string_view text) { key(name), string(text); }
  void member(std::string_view name, const char* text) { key(name), string(text); }
  void member(std::string_view name, std::same_as<bool> auto value) { key(name), boolean(value); }
  void member(std::string_view name, std::signed_integral auto value) { key(name), number(static_cast<std::int64_t>(value)); }
  void member(std::string_view name, std::unsigned_integral auto value) requires(!std::same_as<decltype(value), bool>) {
    key(name), number(static_cast<std::uint64_t>(value));
  }
  void member(std::string_view name, double value) { key(name), real(value); }
  void member(std::string_view name, Instant at) { key(name), instant(at); }
  void member(std::string_view name, Duration length) { key(name), number(static_cast<std::int64_t>(length.count())); }

  // Absent values are left out.
  template <class T>
  void member(std::string_view name, const std::optional<T>& value) {
    if (value) member(name, *value);
  }
  void member_unless_empty(std::string_view name, std::string_view text) {
    if (!text.empty()) member(name, text);
  }

 private:
  void open(char c);
  void close(char c);
  void separate();

  std::string& out_;
  bool comma_ = false;
};

}  // namespace muster::http
