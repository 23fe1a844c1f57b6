#include "agents/claude/json_text.h"

#include <algorithm>

#include "base/json_reader.h"

namespace muster::claude {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

void skip_blanks(std::string_view& rest) { rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size())); }

// Bytes of the string at the front, with its quotes.
std::size_t string_length(std::string_view text) {
  std::size_t at = 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

// Bytes of the value at the front.
std::size_t value_length(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() == '"') return string_length(text);
  if (text.front() != '{' && text.front() != '[') return std::min(text.find_first_of(",}] \t\r\n"), text.size());
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      at += string_length(text.substr(at)) - 1;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return at + 1;
    }
  }
  return text.size();
}

std::string_view take(std::string_view& rest, std::size_t bytes) {
  const std::string_view taken = rest.substr(0, bytes);
  rest.remove_prefix(taken.size());
  skip_blanks(rest);
  return taken;
}

// Calls `see` for every member. What is no JSON after all ends it; nothing is read beyond the end.
template <class See>
void each_member(std::string_view object, See see) {
  skip_blanks(object);
  if (!object.starts_with('{')) return;
  take(object, 1);
  while (object.starts_with('"')) {
    std::string_view name = take(object, string_length(object));
    name = name.substr(1, name.size() < 2 ? 0 : name.size() - 2);
    if (!object.starts_with(':')) return;
    take(object, 1);
    see(TextMember{name, take(object, value_length(object))});
    if (!object.starts_with(',')) return;
    take(object, 1);
  }
}

}  // namespace

std::vector<TextMember> text_members(std::string_view object) {
  std::vector<TextMember> members;
  each_member(object, [&](TextMember member) { members.push_back(member); });
  return members;
}

std::optional<std::string_view> text_member(std::string_view object, std::string_view name) {
  std::optional<std::string_view> found;
  each_member(object, [&](TextMember member) {
    if (member.name == name) found = member.value;
  });
  return found;
}

std::string with_members(std::string_view object, const std::vector<std::pair<std::string, std::string>>& replaced) {
  std::string out = "{";
  const auto add = [&out](std::string_view name, std::string_view value) {
    if (out.size() > 1) out += ',';
    out += '"';
    out += name;
    out += "\":";
    out += value;
  };
  std::vector<bool> placed(replaced.size());
  each_member(object, [&](TextMember member) {
    for (std::size_t i = 0; i < replaced.size(); ++i)
      if (replaced[i].first == member.name) {
        if (!placed[i]) add(member.name, replaced[i].second);
        placed[i] = true;
        return;
      }
    add(member.name, member.value);
  });
  for (std::size_t i = 0; i < replaced.size(); ++i)
    if (!placed[i]) add(replaced[i].first, replaced[i].second);
  out += '}';
  return out;
}

std::string json_string(std::string_view text) { return json::dump(json::Tree(text)); }

}  // namespace muster::claude
