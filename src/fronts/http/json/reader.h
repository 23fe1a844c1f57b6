// Reads JSON in one pass, without building a tree: a request's fields go straight into the request, and a payload is checked and
// kept as the very text the client sent (numbers keep their digits, members their order).
//
// Errors latch: after the first one every read gives a default and every loop ends, so decoders read all they need and look at
// status() once. Messages name the field by its path (`jobs[3].retry.jitter`), what was found and what is accepted.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace muster::http {

enum class JsonKind : std::uint8_t { object, array, string, number, boolean, null, nothing };

std::string_view to_string(JsonKind kind);  // "an object", "a string", …

class JsonReader {
 public:
  // The text outlives the reader.
  explicit JsonReader(std::string_view text) : text_(text) {}

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  // The first refusal wins; the path of the field being read is put in front.
  void refuse(std::string_view message);
  // After the value: nothing but white space may follow.
  void finish();

  JsonKind peek();

  // Loops: `while (in.next_member(key)) …`, where the body consumes exactly one value.
  bool enter_object();
  bool next_member(std::string& key);
  bool enter_array();
  bool next_element();

  std::string read_string();
  bool read_bool();
  double read_double();
  std::int64_t read_integer(std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                            std::int64_t most = std::numeric_limits<std::int64_t>::max());
  std::uint64_t read_unsigned(std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  // Any value, checked in full; the slice of the text it stands in.
  std::string_view read_raw();
  void skip() { read_raw(); }
  // True, and consumed, when the value is null.
  bool read_null();

  // Names what is being read; see FieldScope.
  void push_field(std::string_view name) { path_.push_back({name, 0}); }
  void push_index(std::size_t index) { path_.push_back({{}, index}); }
  void pop() { path_.pop_back(); }
  std::string path() const;

 private:
  struct Step {
    std::string_view name;  // empty: an index
    std::size_t index;
  };

  void skip_space();
  void bad_syntax(std::string_view expected);
  void wrong_kind(std::string_view accepted);
  bool take(char c);
  bool begin(JsonKind kind, std::string_view accepted);
  bool check_depth(std::size_t depth);
  bool check_value(std::size_t depth);
  bool check_members(std::size_t depth);
  bool check_elements(std::size_t depth);
  bool check_string();
  bool check_escape();
  bool check_number();
  bool check_word(std::string_view word);
  bool check_digits();
  std::string_view number_text(std::string_view accepted);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool fresh_ = false;  // a container was just entered: no comma before its first item
  Status status_;
  std::vector<Step> path_;
};

// Names a field or an element while it is read.
class FieldScope {
 public:
  FieldScope(JsonReader& in, std::string_view name) : in_(in) { in_.push_field(name); }
  FieldScope(JsonReader& in, std::size_t index) : in_(in) { in_.push_index(index); }
  ~FieldScope() { in_.pop(); }
  FieldScope(const FieldScope&) = delete;
  FieldScope& operator=(const FieldScope&) = delete;

 private:
  JsonReader& in_;
};

}  // namespace muster::http
