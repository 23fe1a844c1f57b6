#include "fronts/resp/work/top_level.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/json_reader.h"
#include "base/json_text.h"
#include "base/utf8.h"

namespace muster::resp::work {
namespace {

using Json = json::Tree;

// Reads what most JSON is: no escapes, whole numbers of up to kQuickDigits digits. False means that somebody else has to look,
// never that it is wrong.
class QuickReader {
 public:
  explicit QuickReader(std::string_view text) : text_(text) {}
  TopLevel top;

  bool read() {
    if (text_.find('\\') != std::string_view::npos || !is_utf8(text_)) return false;
    top.members.reserve(kMembersReserved);
    skip_space();
    if (!object(1)) return false;
    skip_space();
    return at_ == text_.size();
  }

 private:
  static constexpr std::size_t kQuickDigits = 15;     // which a double holds exactly
  static constexpr std::size_t kMembersReserved = 8;  // more than most objects have

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view expected) {
    if (text_.compare(at_, expected.size(), expected) != 0) return false;
    at_ += expected.size();
    return true;
  }
  bool string(std::string_view& inside) {
    if (!take('"')) return false;
    const std::size_t end = text_.find('"', at_);
    if (end == std::string_view::npos) return false;
    inside = text_.substr(at_, end - at_);
    at_ = end + 1;
    return json::is_plain(inside) ||
           std::none_of(inside.begin(), inside.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; });
  }
  bool number(Member& into) {
    const std::size_t begin = at_;
    if (text_[at_] == '-') ++at_;
    const std::size_t digits = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    const std::size_t count = at_ - digits;
    if (count == 0 || count > kQuickDigits || (text_[digits] == '0' && count > 1)) return false;
    if (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E')) return false;
    std::int64_t value = 0;
    std::from_chars(text_.data() + begin, text_.data() + at_, value);
    into.number = static_cast<double>(value);
    into.whole = true;
    return true;
  }

  bool value(Member& into, std::size_t depth) {
    skip_space();
    if (at_ == text_.size()) return false;
    switch (text_[at_]) {
      case '"': into.kind = Member::Kind::text; return string(into.text);
      case '{': into.kind = Member::Kind::object; return object(depth + 1);
      case '[': into.kind = Member::Kind::array; return array(depth + 1);
      case 't': into.kind = Member::Kind::boolean; return word("true");
      case 'f': into.kind = Member::Kind::boolean; return word("false");
      case 'n': into.kind = Member::Kind::null; return word("null");
      default: into.kind = Member::Kind::number; return number(into);
    }
  }

  bool object(std::size_t depth) {
    if (depth > json::kDepthMax || !take('{')) return false;
    skip_space();
    if (take('}')) return true;
    do {
      Member member;
      skip_space();
      if (!string(member.name)) return false;
      skip_space();
      if (!take(':') || !value(member, depth)) return false;
      if (depth == 1) top.members.push_back(member);
      skip_space();
    } while (take(','));
    return take('}');
  }

  bool array(std::size_t depth) {
    if (depth > json::kDepthMax || !take('[')) return false;
    skip_space();
    if (take(']')) return true;
    do {
      Member skipped;
      if (!value(skipped, depth)) return false;
      skip_space();
    } while (take(','));
    return take(']');
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Follows the parser and keeps what stands directly in the outermost object.
class Reader final : public nlohmann::json_sax<Json> {
 public:
  TopLevel top;

  bool null() override { return value(Member::Kind::null); }
  bool boolean(bool) override { return value(Member::Kind::boolean); }
  bool number_integer(number_integer_t given) override { return number(static_cast<double>(given), true); }
  bool number_unsigned(number_unsigned_t given) override { return number(static_cast<double>(given), true); }
  bool number_float(number_float_t given, const string_t&) override { return number(given, false); }
  bool string(string_t& given) override {
    if (!value(Member::Kind::text)) return false;
    if (depth_ == 1) top.members.back().text = keep(given);
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    if (depth_ > 0 && !value(Member::Kind::object)) return false;
    return ++depth_ <= json::kDepthMax;
  }
  bool key(string_t& name) override {
    if (depth_ == 1) name_ = keep(name);
    return true;
  }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override {
    if (!value(Member::Kind::array)) return false;
    return ++depth_ <= json::kDepthMax;
  }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  // False ends the parsing: the outermost value is no object.
  bool value(Member::Kind kind) {
    if (depth_ == 0) return false;
    if (depth_ == 1) top.members.push_back({.name = name_, .kind = kind, .number = 0, .whole = false, .text = {}});
    return true;
  }
  bool number(double given, bool whole) {
    if (!value(Member::Kind::number)) return false;
    if (depth_ == 1) {
      top.members.back().number = given;
      top.members.back().whole = whole;
    }
    return true;
  }
  bool leave() {
    --depth_;
    return true;
  }
  std::string_view keep(std::string& text) {
    return *top.unescaped.emplace_back(std::make_unique<const std::string>(std::move(text)));
  }

  std::size_t depth_ = 0;
  std::string_view name_;
};

}  // namespace

const Member* TopLevel::find(std::string_view name) const {
  const auto at = std::find_if(members.rbegin(), members.rend(), [&](const Member& member) { return member.name == name; });
  return at == members.rend() ? nullptr : &*at;
}

std::optional<TopLevel> read_top_level(std::string_view text) {
  if (QuickReader quick(text); quick.read()) return std::move(quick.top);
  if (json::library_reads_past(text)) return std::nullopt;
  Reader reader;
  if (!Json::sax_parse(text, &reader)) return std::nullopt;
  return std::move(reader.top);
}

}  // namespace muster::resp::work
