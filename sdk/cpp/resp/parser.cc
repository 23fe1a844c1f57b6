#include "sdk/cpp/resp/parser.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

namespace muster::sdk::resp {
namespace {

constexpr std::size_t kCompactAbove = 64 * 1024;  // consumed bytes at the front of the buffer that are worth moving the rest

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

Result<std::optional<Value>> Parser::next() {
  if (buffer_.size() < needed_) return std::optional<Value>();
  Value value;
  std::size_t at = at_;
  switch (read(value, at, 0)) {
    case Step::more:
      if (buffer_.size() - at_ > kReplyBytesMax)
        return Error{.code = Code::bad_reply, .detail = fmt::format("a reply of more than {} bytes", kReplyBytesMax)};
      return std::optional<Value>();
    case Step::wrong: return Error{.code = Code::bad_reply, .detail = why_};
    case Step::done: break;
  }
  at_ = at;
  needed_ = 0;
  if (at_ == buffer_.size() || at_ > kCompactAbove) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  return std::optional(std::move(value));
}

Parser::Step Parser::fail(std::string why) {
  why_ = std::move(why);
  return Step::wrong;
}

Parser::Step Parser::read_line(std::string_view& line, std::size_t& at) {
  const std::size_t end = buffer_.find("\r\n", at);
  if (end == buffer_.npos) return Step::more;
  line = std::string_view(buffer_).substr(at, end - at);
  at = end + 2;
  return Step::done;
}

Parser::Step Parser::read_bulk(std::string_view header, std::string& text, bool& nil, std::size_t& at) {
  const auto length = number_of(header);
  if (!length || *length < -1) return fail("a bulk string of no length");
  nil = *length == -1;
  if (nil) return Step::done;
  const auto size = static_cast<std::size_t>(*length);
  if (size > kReplyBytesMax) return fail(fmt::format("a bulk string of {} bytes, more than {}", size, kReplyBytesMax));
  if (buffer_.size() - at < size + 2) {
    needed_ = at + size + 2;
    return Step::more;
  }
  if (std::string_view(buffer_).substr(at + size, 2) != "\r\n") return fail("a bulk string that does not end where it said");
  text.assign(buffer_, at, size);
  at += size + 2;
  return Step::done;
}

Parser::Step Parser::read_items(std::string_view header, std::size_t per_item, Value& value, std::size_t& at, std::size_t depth) {
  const auto count = number_of(header);
  if (!count || *count < -1) return fail("an array of no size");
  if (*count == -1) {
    value.kind = Value::Kind::nil;
    return Step::done;
  }
  const std::size_t items = static_cast<std::size_t>(*count) * per_item;
  if (items > kReplyItemsMax) return fail(fmt::format("an array of {} elements, more than {}", items, kReplyItemsMax));
  for (std::size_t i = 0; i < items; ++i) {
    Value item;
    if (const Step step = read(item, at, depth + 1); step != Step::done) return step;
    value.items.push_back(std::move(item));
  }
  return Step::done;
}

Parser::Step Parser::read(Value& value, std::size_t& at, std::size_t depth) {
  if (depth > kReplyDepthMax) return fail(fmt::format("arrays nested deeper than {}", kReplyDepthMax));
  std::string_view line;
  if (const Step step = read_line(line, at); step != Step::done) return step;
  if (line.empty()) return fail("an empty line where a reply starts");
  const char type = line.front();
  const std::string_view rest = line.substr(1);
  switch (type) {
    case '+': value = {.kind = Value::Kind::simple, .text = std::string(rest)}; return Step::done;
    case '-': value = {.kind = Value::Kind::error, .text = std::string(rest)}; return Step::done;
    case ':': {
      const auto number = number_of(rest);
      if (!number) return fail("an integer that is none");
      value = {.kind = Value::Kind::integer, .number = *number};
      return Step::done;
    }
    case '#': value = {.kind = Value::Kind::integer, .number = rest == "t" ? 1 : 0}; return Step::done;
    case '_': value = {}; return Step::done;
    case ',':
    case '(': value = {.kind = Value::Kind::text, .text = std::string(rest)}; return Step::done;
    case '$':
    case '=':
    case '!': {
      bool nil = false;
      value.kind = type == '!' ? Value::Kind::error : Value::Kind::text;
      if (const Step step = read_bulk(rest, value.text, nil, at); step != Step::done) return step;
      if (nil) value.kind = Value::Kind::nil;
      if (type == '=' && value.text.size() >= 4) value.text.erase(0, 4);  // "txt:" and its kin
      return Step::done;
    }
    case '*':
    case '~':
    case '>': value.kind = type == '>' ? Value::Kind::push : Value::Kind::array; return read_items(rest, 1, value, at, depth);
    case '%': value.kind = Value::Kind::array; return read_items(rest, 2, value, at, depth);
    case '|': {
      Value attributes;
      if (const Step step = read_items(rest, 2, attributes, at, depth); step != Step::done) return step;
      return read(value, at, depth + 1);
    }
    default: return fail("a reply of an unknown type: is this a RESP server?");
  }
}

void append_command(std::string& out, const std::vector<std::string>& words) {
  fmt::format_to(std::back_inserter(out), "*{}\r\n", words.size());
  for (const std::string& word : words) {
    fmt::format_to(std::back_inserter(out), "${}\r\n", word.size());
    out.append(word).append("\r\n");
  }
}

}  // namespace muster::sdk::resp
