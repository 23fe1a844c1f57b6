// Lines that people type: quotes and escapes as redis-cli and telnet users know them.
#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "fronts/resp/wire/parser.h"

namespace muster::resp::wire {
namespace {

constexpr std::array<std::string_view, 9> kHttpMethods{"GET",     "HEAD",  "POST",    "PUT",  "DELETE",
                                                       "CONNECT", "TRACE", "OPTIONS", "PATCH"};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f' || c == '\0'; }

char escaped(char c) {
  switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'a': return '\a';
    default: return c;
  }
}

// From behind the opening quote to behind the closing one.
bool read_quoted(std::string_view& rest, char quote, std::string& word) {
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c == quote) return rest.empty() || is_blank(rest.front());
    if (c != '\\' || rest.empty()) {
      word += c;
      continue;
    }
    if (quote == '\'') {
      if (rest.front() == '\'') {
        word += '\'';
        rest.remove_prefix(1);
      } else {
        word += c;
      }
      continue;
    }
    if (rest.size() >= 3 && rest[0] == 'x' && hex_value(rest[1]) >= 0 && hex_value(rest[2]) >= 0) {
      word += static_cast<char>(hex_value(rest[1]) * 16 + hex_value(rest[2]));
      rest.remove_prefix(3);
      continue;
    }
    word += escaped(rest.front());
    rest.remove_prefix(1);
  }
  return false;
}

}  // namespace

bool split_inline(std::string_view rest, std::vector<std::string>& words) {
  for (;;) {
    while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
    if (rest.empty()) return true;
    std::string& word = words.emplace_back();
    while (!rest.empty() && !is_blank(rest.front())) {
      const char c = rest.front();
      rest.remove_prefix(1);
      if (c == '"' || c == '\'') {
        if (!read_quoted(rest, c, word)) return false;
        break;
      }
      word += c;
    }
  }
}

bool looks_like_http(const std::vector<std::string>& words) {
  if (words.empty()) return false;
  // A header line: the first line of the request was taken for something else.
  if (words[0].size() == 5 && (words[0] == "Host:" || words[0] == "host:")) return true;
  return words.size() == 3 && words[2].starts_with("HTTP/") &&
         std::find(kHttpMethods.begin(), kHttpMethods.end(), words[0]) != kHttpMethods.end();
}

}  // namespace muster::resp::wire
