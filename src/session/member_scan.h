// One level of a JSON object, member by member, without a tree: what the reader of envelopes walks on.
//
// Only payloads are worth a tree; building one of the envelope around them is most of the work of reading a small frame. The scan
// finds where names and values begin and end. Whether a value is JSON is judged by whoever reads it, so every value must be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::session {

struct Member {
  std::string_view name;   // in its quotes
  std::string_view value;  // without the blanks around it, never empty
};

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

}  // namespace muster::session
