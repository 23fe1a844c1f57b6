#include "schema/format.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/ascii.h"
#include "base/uuid.h"
#include "schema/uri.h"

namespace muster::schema {
namespace {

struct Name {
  std::string_view name;
  Format format;
};

constexpr std::array kFormats{Name{"date-time", Format::date_time},
                              Name{"date", Format::date},
                              Name{"time", Format::time},
                              Name{"uri", Format::uri},
                              Name{"uuid", Format::uuid},
                              Name{"email", Format::email},
                              Name{"ipv4", Format::ipv4},
                              Name{"ipv6", Format::ipv6},
                              Name{"json-pointer", Format::json_pointer}};

bool is_number(char c) { return c >= '0' && c <= '9'; }
bool is_alphanumeric(char c) { return is_number(c) || (lower(c) >= 'a' && lower(c) <= 'z'); }

// Takes pieces off the front of a text; the first that is not there makes it fail for good.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  int number(std::size_t digits) {
    int out = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest_.empty() || !is_number(rest_.front())) return fail();
      out = out * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return out;
  }
  void expect(char c) {
    if (!skip(c)) fail();
  }
  bool skip(char c) {
    if (rest_.empty() || lower(rest_.front()) != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void digits() {
    number(1);
    while (!rest_.empty() && is_number(rest_.front())) rest_.remove_prefix(1);
  }
  bool at_end() const { return ok_ && rest_.empty(); }
  int fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

void read_date(Cursor& at) {
  constexpr std::array kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int year = at.number(4);
  at.expect('-');
  const int month = at.number(2);
  at.expect('-');
  const int day = at.number(2);
  if (month < 1 || month > 12) {
    at.fail();
    return;
  }
  const bool leap = month == 2 && ((year % 4 == 0 && year % 100 != 0) || year % 400 == 0);
  if (day < 1 || day > kDays[static_cast<std::size_t>(month - 1)] + (leap ? 1 : 0)) at.fail();
}

void read_time(Cursor& at) {
  constexpr int kDay = 24 * 60;
  const int hour = at.number(2);
  at.expect(':');
  const int minute = at.number(2);
  at.expect(':');
  const int second = at.number(2);
  if (at.skip('.')) at.digits();
  int offset = 0;
  if (!at.skip('z')) {
    const bool west = at.skip('-');
    if (!west) at.expect('+');
    const int hours = at.number(2);
    at.expect(':');
    const int minutes = at.number(2);
    if (hours > 23 || minutes > 59) at.fail();
    offset = (hours * 60 + minutes) * (west ? -1 : 1);
  }
  if (hour > 23 || minute > 59 || second > 60) at.fail();
  if (second == 60 && (hour * 60 + minute - offset + kDay) % kDay != kDay - 1) at.fail();
}

bool is_ip(int family, std::string_view text) {
  std::array<char, INET6_ADDRSTRLEN + 1> copy{};
  std::array<unsigned char, sizeof(in6_addr)> out{};
  if (text.size() >= copy.size() || text.find('\0') != text.npos) return false;
  std::memcpy(copy.data(), text.data(), text.size());
  return inet_pton(family, copy.data(), out.data()) == 1;
}

bool is_hostname(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  while (true) {
    const std::string_view label = text.substr(0, text.find('.'));
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
    if (!std::all_of(label.begin(), label.end(), [](char c) { return is_alphanumeric(c) || c == '-'; })) return false;
    if (label.size() == text.size()) return true;
    text.remove_prefix(label.size() + 1);
  }
}

bool is_quoted_local(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  text = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return false;
    if (text[i] == '\\' && ++i == text.size()) return false;
    if (text[i] < ' ' || text[i] > '~') return false;
  }
  return true;
}

bool is_dotted_local(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-/=?^_`{|}~.";
  if (text.empty() || text.front() == '.' || text.back() == '.' || text.find("..") != text.npos) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return is_alphanumeric(c) || kMarks.find(c) != kMarks.npos; });
}

bool is_email(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == text.npos || at > 64) return false;
  const std::string_view local = text.substr(0, at);
  std::string_view domain = text.substr(at + 1);
  if (!is_dotted_local(local) && !is_quoted_local(local)) return false;
  if (domain.size() < 2 || domain.front() != '[' || domain.back() != ']') return is_hostname(domain);
  domain = domain.substr(1, domain.size() - 2);
  constexpr std::string_view kSix = "IPv6:";
  return domain.starts_with(kSix) ? is_ip(AF_INET6, domain.substr(kSix.size())) : is_ip(AF_INET, domain);
}

// Letters, digits, escapes and `marks`.
bool is_made_of(std::string_view text, std::string_view marks) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || hex_value(text[i + 1]) < 0 || hex_value(text[i + 2]) < 0) return false;
      i += 2;
    } else if (!is_alphanumeric(text[i]) && marks.find(text[i]) == marks.npos) {
      return false;
    }
  }
  return true;
}

constexpr std::string_view kNameMarks = "-._~!$&'()*+,;=";

bool is_authority(std::string_view text) {
  if (const std::size_t user = text.rfind('@'); user != text.npos) {
    if (!is_made_of(text.substr(0, user), "-._~!$&'()*+,;=:")) return false;
    text.remove_prefix(user + 1);
  }
  std::size_t end = text.find(':');
  if (text.starts_with('[')) {
    end = text.find(']');
    if (end == text.npos || !is_ip(AF_INET6, text.substr(1, end - 1))) return false;
    ++end;
  } else if (!is_made_of(text.substr(0, end), kNameMarks)) {
    return false;
  }
  const std::string_view port = end < text.size() ? text.substr(end) : std::string_view();
  return port.empty() || (port.front() == ':' && std::all_of(port.begin() + 1, port.end(), is_number));
}

bool is_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos || colon == 0 || is_number(text.front())) return false;
  const std::string_view scheme = text.substr(0, colon);
  const auto fits = [](char c) { return is_alphanumeric(c) || c == '+' || c == '-' || c == '.'; };
  if (!std::all_of(scheme.begin(), scheme.end(), fits) || !is_alphanumeric(scheme.front())) return false;
  text.remove_prefix(colon + 1);
  if (text.starts_with("//")) {
    const std::size_t end = std::min(text.find_first_of("/?#", 2), text.size());
    if (!is_authority(text.substr(2, end - 2))) return false;
    text.remove_prefix(end);
  }
  const SplitUri parts = split_fragment(text);
  return is_made_of(parts.document, "-._~!$&'()*+,;=:@/?") && is_made_of(parts.fragment, "-._~!$&'()*+,;=:@/?");
}

}  // namespace

std::optional<Format> find_format(std::string_view name) {
  const auto* found = std::find_if(kFormats.begin(), kFormats.end(), [&](const Name& entry) { return entry.name == name; });
  if (found == kFormats.end()) return std::nullopt;
  return found->format;
}

std::string_view name_of(Format format) {
  return std::find_if(kFormats.begin(), kFormats.end(), [&](const Name& entry) { return entry.format == format; })->name;
}

bool is_format(Format format, std::string_view text) {
  Cursor at(text);
  switch (format) {
    case Format::date_time:
      read_date(at);
      at.expect('t');
      read_time(at);
      return at.at_end();
    case Format::date: read_date(at); return at.at_end();
    case Format::time: read_time(at); return at.at_end();
    case Format::uri: return is_uri(text);
    case Format::uuid: return text.size() == 36 && Uuid::parse(text).has_value();
    case Format::email: return is_email(text);
    case Format::ipv4: return is_ip(AF_INET, text);
    case Format::ipv6: return is_ip(AF_INET6, text);
    case Format::json_pointer: return pointer_names(text).has_value();
  }
  return false;
}

}  // namespace muster::schema
