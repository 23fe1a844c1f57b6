#include "fronts/resp/wire/parser.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/check.h"

namespace muster::resp::wire {
namespace {

constexpr std::string_view kExpectedArray = "Protocol error: Expected array with at least one element";
constexpr std::string_view kTooLarge = "Message too large";
constexpr std::uint32_t kDigitsMax = 19;          // of a 64-bit number
constexpr std::size_t kQuickDigits = 9;           // of a header that is read at once
constexpr std::size_t kWordsReserved = 64;        // room made for an announced array before its elements come
constexpr std::size_t kBulkReserved = 64 * 1024;  // the same for an announced bulk string

// The usual header, *3 or $128 with its end of line.
struct Header {
  char type = 0;
  std::int64_t number = 0;
  std::size_t bytes = 0;  // 0: there is none in these bytes, or an unusual one
};

Header read_header(std::string_view bytes) {
  if (bytes.empty() || (bytes[0] != '*' && bytes[0] != '$')) return {};
  std::size_t end = 1;
  std::int64_t number = 0;
  for (; end < bytes.size() && bytes[end] >= '0' && bytes[end] <= '9'; ++end) {
    if (end > kQuickDigits) return {};
    number = number * 10 + (bytes[end] - '0');
  }
  if (end == 1 || !bytes.substr(end).starts_with("\r\n")) return {};
  return {bytes[0], number, end + 2};
}

bool begins_inline(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '"' ||
         byte == '\'' || byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

}  // namespace

Parser::Parser(Bounds bounds, std::size_t depth_max) : bounds_(bounds), depth_max_(std::min(depth_max, kDepthMax)) {}

Parser::Outcome Parser::refuse(std::string text, bool close) {
  refusal_ = {std::move(text), close};
  begin_frame();
  return Outcome::refused;
}

Parser::Outcome Parser::too_large() { return refuse(std::string(kTooLarge), true); }

Parser::Outcome Parser::wrong_number() {
  const std::string_view what = type_ == '*'   ? "Invalid array size"
                                : type_ == '$' ? "Invalid bulk string size"
                                               : "Invalid integer";
  return refuse("Protocol error: " + std::string(what), true);
}

void Parser::begin_frame() {
  phase_ = Phase::start;
  depth_ = 0;
  frame_bytes_ = 0;
  words_.words.clear();
  words_.not_bulk = kNone;
  text_.clear();
  if (text_.capacity() > kTextKept) text_.shrink_to_fit();
}

Words Parser::take() {
  Words out = std::move(words_);
  begin_frame();
  return out;
}

Parser::Step Parser::feed(std::string_view bytes) {
  std::size_t at = 0;
  if (idle() && quick_frame(bytes, at)) return {Outcome::command, at};
  Outcome outcome = Outcome::more;
  while (at < bytes.size() && outcome == Outcome::more) {
    if (phase_ == Phase::bulk) {
      read_bulk(bytes, at);
      continue;
    }
    if (phase_ == Phase::start && quick_header(bytes, at)) {
      outcome = end_number();
      continue;
    }
    const char byte = bytes[at++];
    if (++frame_bytes_ > bounds_.message_bytes_max) {
      outcome = too_large();
      break;
    }
    switch (phase_) {
      case Phase::start: outcome = start(byte); break;
      case Phase::number: outcome = number(byte); break;
      case Phase::number_end: outcome = byte == '\n' ? end_number() : wrong_number(); break;
      case Phase::line:
        if (byte == '\r') phase_ = Phase::line_end;
        break;
      case Phase::line_end:
        if (byte == '\n')
          outcome = value_done(false);
        else if (byte != '\r')
          phase_ = Phase::line;
        break;
      case Phase::bulk_cr:
        if (byte == '\r')
          phase_ = Phase::bulk_lf;
        else
          outcome = refuse("Protocol error: Invalid CRLF", true);
        break;
      case Phase::bulk_lf: outcome = byte == '\n' ? value_done(true) : refuse("Protocol error: Invalid CRLF", true); break;
      case Phase::inline_words:
        if (byte == '\n')
          outcome = inline_done();
        else if (text_.size() >= bounds_.inline_bytes_max)
          outcome = too_large();
        else
          text_ += byte;
        break;
      case Phase::bulk: unreachable();
    }
  }
  return {outcome, at};
}

// A whole command of bulk strings, as clients send it, in one go. False: nothing was read, and it is read piece by piece, which
// also finds what is wrong with it.
bool Parser::quick_frame(std::string_view bytes, std::size_t& at) {
  std::string_view rest = bytes.substr(at, bounds_.message_bytes_max);
  const Header array = read_header(rest);
  if (array.type != '*' || array.number < 1) return false;
  const auto count = static_cast<std::size_t>(array.number);
  if (count > std::min(bounds_.elements_max, kWordsReserved)) return false;
  rest.remove_prefix(array.bytes);
  words_.words.reserve(count);
  while (words_.words.size() < count) {
    const Header bulk = read_header(rest);
    const auto size = static_cast<std::size_t>(bulk.number);
    const bool whole = bulk.type == '$' && size <= bounds_.value_bytes_max && rest.size() - bulk.bytes >= size + 2;
    if (!whole || rest[bulk.bytes + size] != '\r' || rest[bulk.bytes + size + 1] != '\n') {
      words_.words.clear();
      return false;
    }
    words_.words.emplace_back(rest.substr(bulk.bytes, size));
    rest.remove_prefix(bulk.bytes + size + 2);
  }
  at = static_cast<std::size_t>(rest.data() - bytes.data());
  return true;
}

// One header in one go. False: as above.
bool Parser::quick_header(std::string_view bytes, std::size_t& at) {
  const Header header = read_header(bytes.substr(at));
  if (header.bytes == 0 || header.bytes > bounds_.message_bytes_max - frame_bytes_) return false;
  type_ = header.type;
  negative_ = false;
  number_ = header.number;
  frame_bytes_ += header.bytes;
  at += header.bytes;
  return true;
}

Parser::Outcome Parser::start(char byte) {
  switch (byte) {
    case '*':
    case '$':
    case ':':
      type_ = byte;
      negative_ = signed_ = false;
      digits_ = 0;
      number_ = 0;
      phase_ = Phase::number;
      return Outcome::more;
    case '+':
    case '-': phase_ = Phase::line; return Outcome::more;
    default: break;
  }
  if (depth_ > 0 || !begins_inline(byte))
    return refuse("Protocol error: Unknown RESP type: " + std::to_string(static_cast<unsigned char>(byte)), true);
  if (byte == '\n') return inline_done();
  text_ = byte;
  phase_ = Phase::inline_words;
  return Outcome::more;
}

Parser::Outcome Parser::number(char byte) {
  if (byte == '\r') {
    if (digits_ == 0) return wrong_number();
    phase_ = Phase::number_end;
    return Outcome::more;
  }
  if ((byte == '-' || byte == '+') && digits_ == 0 && !signed_) {
    signed_ = true;
    negative_ = byte == '-';
    return Outcome::more;
  }
  if (byte < '0' || byte > '9' || ++digits_ > kDigitsMax) return wrong_number();
  const int digit = byte - '0';
  if (number_ > (std::numeric_limits<std::int64_t>::max() - digit) / 10) return wrong_number();
  number_ = number_ * 10 + digit;
  return Outcome::more;
}

Parser::Outcome Parser::end_number() {
  if (negative_) number_ = -number_;
  if (type_ == '*') return begin_array();
  if (type_ == '$') return begin_bulk();
  return value_done(false);
}

Parser::Outcome Parser::begin_array() {
  if (number_ < 0) return wrong_number();
  const auto size = static_cast<std::size_t>(number_);
  if (size > bounds_.elements_max)
    return refuse(
        "Protocol error: Array size " + std::to_string(size) + " exceeds maximum " + std::to_string(bounds_.elements_max), true);
  if (depth_ >= depth_max_) return refuse("Protocol error: Nesting exceeds maximum " + std::to_string(depth_max_), true);
  if (size == 0) return depth_ == 0 ? refuse(std::string(kExpectedArray), false) : value_done(false);
  if (depth_ == 0) words_.words.reserve(std::min(size, kWordsReserved));
  left_[depth_++] = size;
  phase_ = Phase::start;
  return Outcome::more;
}

Parser::Outcome Parser::begin_bulk() {
  if (number_ == -1) return value_done(false);
  if (number_ < 0) return wrong_number();
  wanted_ = static_cast<std::size_t>(number_);
  if (wanted_ > bounds_.value_bytes_max || wanted_ > bounds_.message_bytes_max - frame_bytes_) return too_large();
  text_.clear();
  if (keeps()) text_.reserve(std::min(wanted_, kBulkReserved));
  phase_ = wanted_ == 0 ? Phase::bulk_cr : Phase::bulk;
  return Outcome::more;
}

void Parser::read_bulk(std::string_view bytes, std::size_t& at) {
  const std::size_t got = std::min(wanted_, bytes.size() - at);
  if (keeps()) text_.append(bytes.substr(at, got));
  at += got;
  frame_bytes_ += got;
  wanted_ -= got;
  if (wanted_ == 0) phase_ = Phase::bulk_cr;
}

// A value is complete; so may be the arrays around it.
Parser::Outcome Parser::value_done(bool is_bulk) {
  phase_ = Phase::start;
  if (depth_ == 0) return refuse(std::string(kExpectedArray), false);
  if (keeps()) {
    if (!is_bulk && words_.not_bulk == kNone) words_.not_bulk = words_.words.size();
    words_.words.push_back(is_bulk ? std::move(text_) : std::string());
    text_ = std::string();
  }
  while (--left_[depth_ - 1] == 0) {
    if (--depth_ == 0) return Outcome::command;
    if (!keeps()) continue;
    if (words_.not_bulk == kNone) words_.not_bulk = words_.words.size();
    words_.words.emplace_back();
  }
  return Outcome::more;
}

Parser::Outcome Parser::inline_done() {
  if (!text_.empty() && text_.back() == '\r') text_.pop_back();
  std::vector<std::string> words;
  if (!split_inline(text_, words)) return refuse("Protocol error: unbalanced quotes in request", true);
  if (looks_like_http(words)) return refuse({}, true);
  begin_frame();
  if (words.empty()) return Outcome::more;  // an empty line is nothing
  if (words.size() > bounds_.elements_max) return too_large();
  words_.words = std::move(words);
  return Outcome::command;
}

}  // namespace muster::resp::wire
