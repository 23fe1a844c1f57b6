// A pattern of ECMA-262 rewritten for RE2. One pass from left to right; what is not known to mean the same in both is refused.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "schema/pattern.h"

namespace muster::schema {
namespace {

// White space and line ends of ECMA-262, and everything else, as members of a class.
constexpr std::string_view kSpace =
    "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
constexpr std::string_view kNoSpace =
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{"
    "205e}"
    "\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
constexpr std::string_view kDot = "[^\\n\\r\\x{2028}\\x{2029}]";
constexpr std::string_view kAnything = "(?s:.)";
constexpr std::string_view kNothing = "[^\\x{0}-\\x{10ffff}]";

struct Category {
  std::string_view name;
  std::string_view short_name;
};

// The long names of general categories; scripts have the same names in both.
constexpr std::array kCategories{Category{"Letter", "L"},
                                 Category{"Uppercase_Letter", "Lu"},
                                 Category{"Lowercase_Letter", "Ll"},
                                 Category{"Titlecase_Letter", "Lt"},
                                 Category{"Modifier_Letter", "Lm"},
                                 Category{"Other_Letter", "Lo"},
                                 Category{"Mark", "M"},
                                 Category{"Number", "N"},
                                 Category{"Decimal_Number", "Nd"},
                                 Category{"digit", "Nd"},
                                 Category{"Letter_Number", "Nl"},
                                 Category{"Other_Number", "No"},
                                 Category{"Punctuation", "P"},
                                 Category{"punct", "P"},
                                 Category{"Symbol", "S"},
                                 Category{"Separator", "Z"},
                                 Category{"Space_Separator", "Zs"},
                                 Category{"Other", "C"},
                                 Category{"Control", "Cc"},
                                 Category{"cntrl", "Cc"}};

constexpr bool is_ascii_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
constexpr bool is_high_surrogate(std::uint32_t c) { return c >= 0xD800 && c < 0xDC00; }
constexpr bool is_low_surrogate(std::uint32_t c) { return c >= 0xDC00 && c < 0xE000; }

class Translation {
 public:
  explicit Translation(std::string_view source) : rest_(source) {}

  Result<std::string> run() {
    while (!rest_.empty() && status_.ok()) piece();
    if (!status_.ok()) return status_;
    return out_;
  }

 private:
  void piece() {
    const char c = rest_.front();
    if (c == '\\') return escape(false);
    if (c == '[') return bracket();
    if (c == '(') return group();
    rest_.remove_prefix(1);
    if (c == '.')
      out_ += kDot;
    else
      out_.push_back(c);
  }

  void group() {
    constexpr std::string_view kNamed = "(?<";
    if (rest_.starts_with("(?=") || rest_.starts_with("(?!") || rest_.starts_with("(?<=") || rest_.starts_with("(?<!"))
      return refuse("look-around (?=…) (?!…) (?<=…) (?<!…) is not supported");
    if (rest_.starts_with(kNamed)) {
      out_ += "(?P<";
      rest_.remove_prefix(kNamed.size());
      return;
    }
    if (rest_.starts_with("(?") && !rest_.starts_with("(?:")) return refuse("flags within a pattern are not supported");
    out_.push_back('(');
    rest_.remove_prefix(1);
    if (rest_.starts_with("?:")) {
      out_ += "?:";
      rest_.remove_prefix(2);
    }
  }

  void bracket() {
    rest_.remove_prefix(1);
    const bool negated = rest_.starts_with('^');
    if (negated) rest_.remove_prefix(1);
    if (rest_.starts_with(']')) {
      rest_.remove_prefix(1);
      out_ += negated ? kAnything : kNothing;
      return;
    }
    out_ += negated ? "[^" : "[";
    while (status_.ok() && !rest_.starts_with(']')) {
      if (rest_.empty()) return refuse("a '[' without its ']'");
      member();
    }
    if (!status_.ok()) return;
    rest_.remove_prefix(1);
    out_.push_back(']');
  }

  void member() {
    const char c = rest_.front();
    if (c == '\\') {
      const bool was_class = rest_.size() > 1 && std::string_view("dDwWsSpP").find(rest_[1]) != std::string_view::npos;
      escape(true);
      // No range begins with a class: RE2 would refuse what ECMA-262 reads as the dash itself.
      if (was_class && rest_.starts_with('-') && !rest_.starts_with("-]")) {
        out_ += "\\-";
        rest_.remove_prefix(1);
      }
      return;
    }
    rest_.remove_prefix(1);
    if (c == '[') out_.push_back('\\');  // RE2 would read [:alpha:]
    out_.push_back(c);
  }

  void escape(bool in_class) {
    rest_.remove_prefix(1);
    if (rest_.empty()) return refuse("a '\\' at the end");
    const char c = rest_.front();
    rest_.remove_prefix(1);
    switch (c) {
      case 's': return class_members(kSpace, in_class);
      case 'S': return class_members(kNoSpace, in_class);
      case 'd':
      case 'D':
      case 'w':
      case 'W':
      case 't':
      case 'n':
      case 'v':
      case 'f':
      case 'r': return copy_escape(c);
      case 'b': return in_class ? code_point(8) : copy_escape(c);
      case 'B': return in_class ? refuse("\\B within brackets") : copy_escape(c);
      case 'c': return control();
      case 'x': return code_point(hex(2));
      case 'u': return unicode();
      case 'p':
      case 'P': return property(c);
      case '0': return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9' ? code_point({}) : code_point(0);
      case 'k': return refuse("back-references (\\k<name>) are not supported");
      default: break;
    }
    if (c >= '1' && c <= '9') return refuse("back-references (\\1 to \\9) are not supported");
    if (is_ascii_letter(c)) return refuse(fmt::format("\\{} is no escape of ECMA-262", c));
    if (static_cast<unsigned char>(c) >= 0x80) {
      out_.push_back(c);
      return;
    }
    code_point(static_cast<std::uint32_t>(c));
  }

  void copy_escape(char c) {
    out_.push_back('\\');
    out_.push_back(c);
  }

  void class_members(std::string_view members, bool in_class) {
    if (!in_class) out_.push_back('[');
    out_ += members;
    if (!in_class) out_.push_back(']');
  }

  void code_point(std::optional<std::uint32_t> value) {
    if (!value || *value > 0x10FFFF || is_high_surrogate(*value) || is_low_surrogate(*value))
      return refuse("a \\x, \\u, \\c or \\0 escape that is no character");
    out_ += fmt::format("\\x{{{:x}}}", *value);
  }

  void control() {
    if (rest_.empty() || !is_ascii_letter(rest_.front())) return code_point(std::nullopt);
    code_point(static_cast<std::uint32_t>(rest_.front()) % 32);
    rest_.remove_prefix(1);
  }

  // So many digits off the front.
  std::optional<std::uint32_t> hex(std::size_t digits) {
    if (rest_.size() < digits) return std::nullopt;
    std::uint32_t out = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (hex_value(c) < 0) return std::nullopt;
      out = out * 16 + static_cast<std::uint32_t>(hex_value(c));
    }
    rest_.remove_prefix(digits);
    return out;
  }

  void unicode() {
    if (rest_.starts_with('{')) {
      const std::size_t end = rest_.find('}');
      if (end == rest_.npos || end < 2 || end > 7) return code_point(std::nullopt);
      rest_.remove_prefix(1);
      code_point(hex(end - 1));
      if (status_.ok()) rest_.remove_prefix(1);
      return;
    }
    const auto first = hex(4);
    if (!first || !is_high_surrogate(*first) || !rest_.starts_with("\\u")) return code_point(first);
    rest_.remove_prefix(2);
    const auto second = hex(4);
    if (!second || !is_low_surrogate(*second)) return code_point(std::nullopt);
    code_point(0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00));
  }

  void property(char letter) {
    const std::size_t end = rest_.find('}');
    if (!rest_.starts_with('{') || end == rest_.npos) return refuse("a \\p without its {…}");
    std::string_view name = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    for (const std::string_view kind : {"General_Category=", "gc=", "Script=", "sc="})
      if (name.starts_with(kind)) name.remove_prefix(kind.size());
    const auto* known = std::find_if(kCategories.begin(), kCategories.end(), [&](const Category& p) { return p.name == name; });
    const auto fits = [](char c) { return is_ascii_letter(c) || c == '_'; };
    if (name.empty() || !std::all_of(name.begin(), name.end(), fits)) return refuse("a \\p{…} that names no property");
    out_ += fmt::format("\\{}{{{}}}", letter, known != kCategories.end() ? known->short_name : name);
  }

  void refuse(std::string_view why) { status_ = Status::invalid_argument(std::string(why)); }

  std::string_view rest_;
  std::string out_;
  Status status_;
};

}  // namespace

Result<std::string> translated(std::string_view source) { return Translation(source).run(); }

}  // namespace muster::schema
