// Replies out of bytes: feed what came, take what is complete.
//
// Bounded: a server that announces more than kReplyBytesMax, nests deeper than kDepthMax or speaks something else gets bad_reply,
// and the connection is of no further use.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sdk/cpp/resp/value.h"
#include "sdk/cpp/result.h"

namespace muster::sdk::resp {

inline constexpr std::size_t kReplyBytesMax = 64 * 1024 * 1024;
inline constexpr std::size_t kReplyItemsMax = 1'000'000;
inline constexpr std::size_t kReplyDepthMax = 16;

class Parser {
 public:
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // The next whole reply; nullopt when more bytes are needed.
  Result<std::optional<Value>> next();
  bool empty() const { return at_ == buffer_.size(); }

 private:
  enum class Step : std::uint8_t { done, more, wrong };
  Step read(Value& value, std::size_t& at, std::size_t depth);
  Step read_line(std::string_view& line, std::size_t& at);
  Step read_bulk(std::string_view header, std::string& text, bool& nil, std::size_t& at);
  Step read_items(std::string_view header, std::size_t per_item, Value& value, std::size_t& at, std::size_t depth);
  Step fail(std::string why);

  std::string buffer_;
  std::size_t at_ = 0;      // the start of the next reply
  std::size_t needed_ = 0;  // no use in looking again before the buffer is this long
  std::string why_;
};

// A command as an array of bulk strings.
void append_command(std::string& out, const std::vector<std::string>& words);

}  // namespace muster::sdk::resp
