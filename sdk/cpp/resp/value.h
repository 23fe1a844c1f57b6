// One reply of a RESP server, in either protocol version.
//
// RESP3's further kinds are folded into these: doubles and big numbers are text, booleans are integers, sets and maps are arrays
// (a map as its pairs in a row), attributes are left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::sdk::resp {

struct Value {
  enum class Kind : std::uint8_t { nil, simple, error, integer, text, array, push };

  Kind kind = Kind::nil;
  std::string text;          // simple, error (without its first character), text
  std::int64_t number = 0;   // integer
  std::vector<Value> items;  // array, push

  bool is_nil() const { return kind == Kind::nil; }
  bool is_error() const { return kind == Kind::error; }
  bool is_text() const { return kind == Kind::text || kind == Kind::simple; }
  bool is_ok() const { return kind == Kind::simple && text.starts_with("OK"); }
};

}  // namespace muster::sdk::resp
