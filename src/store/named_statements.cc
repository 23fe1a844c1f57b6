#include "store/named_statements.h"

#include <algorithm>

#include "base/check.h"

namespace muster::store {
namespace {

constexpr std::string_view kMark = "-- name: ";

// Where the next line that names a statement begins.
std::size_t next_mark(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find(kMark, from); at != std::string_view::npos; at = text.find(kMark, at + 1))
    if (at == 0 || text[at - 1] == '\n') return at;
  return text.size();
}

std::string_view without_newlines_at_end(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::vector<NamedStatement> named_statements(std::span<const embedded::File> files) {
  std::vector<NamedStatement> out;
  for (const embedded::File& file : files) {
    check(file.text.starts_with(kMark), file.name);
    for (std::size_t begin = 0; begin < file.text.size();) {
      const std::size_t end = next_mark(file.text, begin + 1);
      const std::string_view part = file.text.substr(begin + kMark.size(), end - begin - kMark.size());
      const std::size_t line = part.find('\n');
      check(line != std::string_view::npos, part);
      out.push_back({part.substr(0, line), without_newlines_at_end(part.substr(line + 1))});
      begin = end;
    }
  }
  std::ranges::sort(out, {}, &NamedStatement::name);
  const auto twice = std::ranges::adjacent_find(out, {}, &NamedStatement::name);
  if (twice != out.end()) fail_check(twice->name, __FILE__, __LINE__);
  return out;
}

std::size_t statement_index(std::span<const NamedStatement> sorted, std::string_view name) {
  const auto at = std::ranges::lower_bound(sorted, name, {}, &NamedStatement::name);
  if (at == sorted.end() || at->name != name) fail_check(name, __FILE__, __LINE__);
  return static_cast<std::size_t>(at - sorted.begin());
}

}  // namespace muster::store
