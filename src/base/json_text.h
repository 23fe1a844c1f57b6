// JSON that is passed on as the text that came: whether it is JSON, and where its members stand, without a tree.
//
// Building a tree is most of the work of reading a small frame. What is looked at once, or not at all, is better left a text; who
// wants more of it has json_reader.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::json {

// Whether a text stands in JSON as it is: printable ASCII without quote and backslash.
bool is_plain(std::string_view text);

// Whether parse() takes the text, as far as one quick pass can tell. True is sure; false says that parse() must be asked.
bool is_surely_json(std::string_view text);

// The library skips a byte order mark and takes a NUL byte for the end. A text that is passed on as it came may have neither.
bool library_reads_past(std::string_view text);

struct Member {
  std::string_view name;   // in its quotes
  std::string_view value;  // without the blanks around it, never empty
};

// One level of an object, member by member. The scan finds where names and values begin and end. Unless the text is known to be
// JSON, whether a value is any is judged by whoever reads it, so every value must be read.
class MemberScan {
 public:
  explicit MemberScan(std::string_view object);

  // The next member; nullopt: the object is over, or what follows is none.
  std::optional<Member> next();
  // After nullopt: whether the text was one object and nothing else.
  bool is_complete() const { return state_ == State::complete; }

 private:
  enum class State : std::uint8_t { first, more, complete, failed };

  std::optional<Member> fail();
  std::optional<Member> finish();
  void skip_blanks();
  bool take(char c);
  std::string_view take_string();
  std::string_view take_nested();
  std::string_view take_value();

  std::string_view text_;
  std::size_t at_ = 0;
  State state_ = State::first;
};

// Values as members have them. nullopt: the value is of another kind, or no JSON at all.
std::optional<std::string> text_value(std::string_view value);
std::optional<std::uint64_t> natural_value(std::string_view value);

}  // namespace muster::json
