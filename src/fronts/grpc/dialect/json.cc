#include "fronts/grpc/dialect/json.h"

#include <bitset>
#include <cstdint>

#include "base/ascii.h"
#include "base/json_depth.h"
#include "base/utf8.h"

namespace muster::rpc {
namespace {

class Checker {
 public:
  explicit Checker(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool run() {
    // Containers are a row of bits (is it an object?) instead of recursion, so that depth costs no stack.
    for (;;) {
      skip_space();
      if (!value()) return false;
      if (opened_) continue;
      for (;;) {
        skip_space();
        if (depth_ == 0) return at_ == end_;
        if (at_ == end_) return false;
        const char c = *at_++;
        if (c == ',') {
          if (is_object_[depth_ - 1] && !key()) return false;
          break;
        }
        if (c != (is_object_[depth_ - 1] ? '}' : ']')) return false;
        --depth_;
      }
    }
  }

 private:
  // A scalar, an empty container, or the opening of one (then opened_).
  bool value() {
    opened_ = false;
    if (at_ == end_) return false;
    switch (*at_) {
      case '{': return open(true);
      case '[': return open(false);
      case '"': return string();
      case 't': return word("true");
      case 'f': return word("false");
      case 'n': return word("null");
      default: return number();
    }
  }

  bool open(bool object) {
    if (depth_ == muster::json::kDepthMax) return false;
    ++at_;
    skip_space();
    if (at_ != end_ && *at_ == (object ? '}' : ']')) {
      ++at_;
      return true;
    }
    is_object_[depth_++] = object;
    opened_ = true;
    return !object || key();
  }

  bool key() {
    skip_space();
    if (at_ == end_ || *at_ != '"' || !string()) return false;
    skip_space();
    if (at_ == end_ || *at_ != ':') return false;
    ++at_;
    return true;
  }

  bool word(std::string_view expected) {
    if (static_cast<std::size_t>(end_ - at_) < expected.size() || std::string_view(at_, expected.size()) != expected)
      return false;
    at_ += expected.size();
    return true;
  }

  bool digits() {
    const char* const first = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    return at_ != first;
  }

  bool number() {
    if (*at_ == '-') ++at_;
    if (at_ != end_ && *at_ == '0')
      ++at_;
    else if (!digits())
      return false;
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      if (!digits()) return false;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!digits()) return false;
    }
    return true;
  }

  bool hex(std::uint32_t& out) {
    if (end_ - at_ < 4) return false;
    out = 0;
    for (int i = 0; i < 4; ++i) {
      const int digit = hex_value(*at_++);
      if (digit < 0) return false;
      out = out << 4 | static_cast<std::uint32_t>(digit);
    }
    return true;
  }

  bool escape() {
    if (at_ == end_) return false;
    const char c = *at_++;
    if (c != 'u') return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
    std::uint32_t unit = 0;
    if (!hex(unit)) return false;
    if (unit >= 0xDC00 && unit <= 0xDFFF) return false;
    if (unit < 0xD800 || unit > 0xDBFF) return true;
    if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return false;
    at_ += 2;
    return hex(unit) && unit >= 0xDC00 && unit <= 0xDFFF;
  }

  bool string() {
    ++at_;
    while (at_ != end_) {
      const auto byte = static_cast<unsigned char>(*at_);
      if (byte == '"') {
        ++at_;
        return true;
      }
      if (byte == '\\') {
        ++at_;
        if (!escape()) return false;
      } else if (byte < 0x20) {
        return false;
      } else if (byte < 0x80) {
        ++at_;
      } else {
        const std::size_t length = utf8_length({at_, static_cast<std::size_t>(end_ - at_)});
        if (length == 0) return false;
        at_ += length;
      }
    }
    return false;
  }

  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  const char* at_;
  const char* const end_;
  std::bitset<muster::json::kDepthMax> is_object_;
  std::size_t depth_ = 0;
  bool opened_ = false;
};

}  // namespace

bool is_json(std::string_view text) { return Checker(text).run(); }

}  // namespace muster::rpc
