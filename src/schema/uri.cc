#include "schema/uri.h"

#include <algorithm>

#include "base/ascii.h"

namespace muster::schema {
namespace {

struct Parts {
  std::string_view scheme;     // with its ':'
  std::string_view authority;  // with its "//"
  std::string_view path;
  std::string_view query;     // with its '?'
  std::string_view fragment;  // with its '#'
};

constexpr bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }
constexpr bool is_scheme_character(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; }

// The part of `rest` that ends before any of `stops`, taken off its front.
std::string_view take(std::string_view& rest, std::string_view stops) {
  const std::string_view out = rest.substr(0, rest.find_first_of(stops));
  rest.remove_prefix(out.size());
  return out;
}

Parts split(std::string_view uri) {
  Parts parts;
  std::size_t end = 0;
  while (end < uri.size() && is_scheme_character(uri[end])) ++end;
  if (end > 0 && end < uri.size() && uri[end] == ':' && is_letter(uri.front())) {
    parts.scheme = uri.substr(0, end + 1);
    uri.remove_prefix(end + 1);
  }
  if (uri.starts_with("//")) {
    const std::size_t stop = std::min(uri.find_first_of("/?#", 2), uri.size());
    parts.authority = uri.substr(0, stop);
    uri.remove_prefix(stop);
  }
  parts.path = take(uri, "?#");
  parts.query = take(uri, "#");
  parts.fragment = uri;
  return parts;
}

std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./") || path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../") || path == "/..") {
      path = path.size() > 3 ? path.substr(3) : "/";
      out.erase(std::min(out.rfind('/'), out.size()));
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      const std::size_t end = std::min(path.find('/', 1), path.size());
      out += path.substr(0, end);
      path.remove_prefix(end);
    }
  }
  return out;
}

std::string merged(const Parts& base, std::string_view path) {
  if (!base.authority.empty() && base.path.empty()) return "/" + std::string(path);
  const std::size_t slash = base.path.rfind('/');
  return std::string(slash == base.path.npos ? std::string_view() : base.path.substr(0, slash + 1)).append(path);
}

}  // namespace

std::string resolve(std::string_view base, std::string_view reference) {
  const Parts from = split(base);
  const Parts to = split(reference);
  std::string_view authority = to.authority;
  std::string_view query = to.query;
  std::string path;
  if (!to.scheme.empty() || !to.authority.empty()) {
    path = without_dots(to.path);
  } else {
    authority = from.authority;
    if (to.path.empty()) {
      path = from.path;
      if (to.query.empty()) query = from.query;
    } else {
      path = without_dots(to.path.front() == '/' ? std::string(to.path) : merged(from, to.path));
    }
  }
  std::string out(to.scheme.empty() ? from.scheme : to.scheme);
  return out.append(authority).append(path).append(query).append(to.fragment);
}

SplitUri split_fragment(std::string_view uri) {
  const std::size_t hash = uri.find('#');
  if (hash == uri.npos) return {uri, {}};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size() || hex_value(text[i + 1]) < 0 || hex_value(text[i + 2]) < 0) return std::nullopt;
    out.push_back(static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])));
    i += 2;
  }
  return out;
}

std::optional<std::vector<std::string>> pointer_names(std::string_view pointer) {
  std::vector<std::string> names;
  if (!pointer.empty() && pointer.front() != '/') return std::nullopt;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      names.emplace_back();
    } else if (pointer[i] != '~') {
      names.back().push_back(pointer[i]);
    } else {
      const char escaped = ++i < pointer.size() ? pointer[i] : '\0';
      if (escaped != '0' && escaped != '1') return std::nullopt;
      names.back().push_back(escaped == '0' ? '~' : '/');
    }
  }
  return names;
}

void append_name(std::string& pointer, std::string_view name) {
  pointer.push_back('/');
  for (const char c : name) {
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer.push_back(c);
  }
}

}  // namespace muster::schema
