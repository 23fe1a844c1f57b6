// JSON as text: the pieces that documents and replies are put together from, without a tree where none is needed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::resp::plans {

// A JSON string of the text; bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);
void append_json_string(std::string& out, std::string_view text);

// Writes one object, member by member, in the order of the calls. Names are the caller's own and need no escape.
class ObjectText {
 public:
  void raw(std::string_view name, std::string_view json);  // REQUIRES: valid JSON
  void text(std::string_view name, std::string_view value) { raw(name, json_string(value)); }
  void number(std::string_view name, std::int64_t value) { raw(name, std::to_string(value)); }
  std::string take() &&;

 private:
  std::string out_ = "{";
};

// An array of JSON strings, or of JSON values.
std::string string_array(const std::vector<std::string>& texts);
std::string raw_array(const std::vector<std::string>& values);

}  // namespace muster::resp::plans
